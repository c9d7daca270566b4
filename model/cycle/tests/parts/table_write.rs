//! The posted write of a table line: 64 bytes at a multiple of 64, all bytes enabled, by the physical function, AT=00, no PASID.

use cycle::table_write::{beat, descriptor};
use types::port::LineWrite;
use types::tlp::TlpOp;
use types::{AddressType, FunctionId, Iova, Line, PasidPrefix, TlpAddr};

fn write() -> LineWrite {
    LineWrite { valid: true, address: Iova(0x12_3440), line: Line([1, 2, 3, 4, 5, 6, 7, 8]) }
}

#[test]
fn one_line_is_one_tlp() {
    let d = descriptor(&write());
    assert!(d.valid);
    assert_eq!(
        (d.op, d.function, d.at, d.address),
        (TlpOp::WRITE, FunctionId(0), AddressType::UNTRANSLATED, TlpAddr(0x12_3440))
    );
    assert_eq!((d.length_dw, d.first_be, d.last_be), (16, 15, 15));
    assert_eq!((d.pasid, d.tag), (PasidPrefix::default(), 0));
}

/// On a bus of 2, 4, 8 and 16 DWs a beat.
#[test]
fn its_beats_are_the_words_in_order() {
    for lanes in [2_u16, 4, 8, 16] {
        let (mut done, mut words) = (0, Vec::new());
        while done < 16 {
            let (data, strobes) = beat(&write(), &mut done, lanes);
            assert_eq!(u32::from(strobes), (1_u32 << lanes) - 1);
            let (now, rest) = data.0.split_at(usize::from(lanes / 2));
            words.extend_from_slice(now);
            assert!(rest.iter().all(|word| *word == 0));
        }
        assert_eq!((words, done), (vec![1, 2, 3, 4, 5, 6, 7, 8], 16));
    }
}
