//! The posted write of a table line, as `tlp_tx` sends it: by the physical function, untranslated, without PASID.

use types::bits::mask;
use types::port::{Beat, LineWrite, TlpDescriptor};
use types::table::LINE_BYTES;
use types::tlp::TlpOp;
use types::{AddressType, FunctionId, TlpAddr};

/// Its descriptor.
pub fn descriptor(write: &LineWrite) -> TlpDescriptor {
    TlpDescriptor {
        valid: true,
        op: TlpOp::WRITE,
        function: FunctionId(0),
        at: AddressType::UNTRANSLATED,
        address: TlpAddr(write.address.0 & !63),
        length_dw: (LINE_BYTES / 4) as u16,
        first_be: 0xf,
        last_be: 0xf,
        ..TlpDescriptor::default()
    }
}

/// Its next beat of `lanes` DWs and the strobes of that; `done` DWs have gone before.
pub fn beat(write: &LineWrite, done: &mut u16, lanes: u16) -> (Beat, u16) {
    let mut data = Beat::default();
    let (first, count) = (usize::from(*done / 2), usize::from(lanes / 2));
    data.0[..count].copy_from_slice(&write.line.0[first..first + count]);
    *done += lanes;
    (data, mask(u32::from(lanes)) as u16)
}
