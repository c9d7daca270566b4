//! Wire formats of the Page Request Interface (PCIe 6.x 10.4): fixed vectors and round trips.

#![allow(clippy::unwrap_used, reason = "test code")]

use proptest::prelude::*;
use types::pri::{PageRequest, PageResponse, ResponseCode};
use types::{Header, Iova, Pasid, PasidPrefix, RequesterId, Tlp};

const NONE: PasidPrefix = PasidPrefix { valid: false, pasid: Pasid(0), exec: false, privileged: false };

#[test]
fn page_request_vectors() {
    let request =
        PageRequest { address: Iova(0x1234_5678_9abc_d000), group: 0x155, last: true, write: true, read: false };
    // Message without data (Fmt 001), routed to the root complex (r = 000): 0x30; TC 0. Code 0x04 in DW1 bits 7:0.
    // Index 0x155 << 3 = 0xaa8, with L and W (0b110): 0xaae.
    let header = Header([0x3000_0000, 0x0100_0004, 0x1234_5678, 0x9abc_daae]);
    assert_eq!(request.message(RequesterId(0x0100), NONE).header(), header);
    assert_eq!(PageRequest::of(&Tlp::parse(header, NONE).unwrap()), Some(request));
    // Each field alone.
    let none = PageRequest::default();
    for (request, word) in [
        (PageRequest { read: true, ..none }, 0x1_u64),
        (PageRequest { write: true, ..none }, 0x2),
        (PageRequest { last: true, ..none }, 0x4),
        (PageRequest { group: 1, ..none }, 0x8),
        (PageRequest { group: 0x1ff, ..none }, 0xff8),
        (PageRequest { address: Iova(0x1000), ..none }, 0x1000),
        (PageRequest { address: Iova(1 << 63), ..none }, 0x8000_0000_0000_0000),
    ] {
        assert_eq!(request.encode(), word, "{request:?}");
        assert_eq!(PageRequest::decode(word), request);
    }
    // An offset in the page is not carried.
    assert_eq!(PageRequest { address: Iova(0x1fff), ..none }.encode(), 0x1000);
}

#[test]
fn a_stop_marker_is_last_with_neither_read_nor_write_and_a_pasid() {
    let pasid = PasidPrefix { valid: true, pasid: Pasid(5), ..NONE };
    let marker = PageRequest::STOP_MARKER;
    assert_eq!(marker.encode(), 0x4);
    assert!(marker.is_stop_marker(pasid));
    assert!(!marker.is_stop_marker(NONE));
    assert!(!PageRequest { read: true, ..marker }.is_stop_marker(pasid));
    assert!(!PageRequest { write: true, ..marker }.is_stop_marker(pasid));
    assert!(!PageRequest { last: false, ..marker }.is_stop_marker(pasid));
}

#[test]
fn page_response_vectors() {
    // Routed by ID (r = 010): 0x32. Code 0x05. DW2: function 0x0103, response code, index 0x0ab.
    for (code, dw2) in [
        (ResponseCode::SUCCESS, 0x0103_00ab),
        (ResponseCode::INVALID, 0x0103_10ab),
        (ResponseCode::FAILURE, 0x0103_f0ab),
    ] {
        let response = PageResponse { target: RequesterId(0x0103), code, group: 0xab };
        let header = Header([0x3200_0000, 0x0008_0005, dw2, 0]);
        assert_eq!(response.message(RequesterId(0x0008), NONE).header(), header);
        assert_eq!(PageResponse::of(&Tlp::parse(header, NONE).unwrap()), Some(response));
    }
    assert_eq!((ResponseCode::SUCCESS.0, ResponseCode::INVALID.0, ResponseCode::FAILURE.0), (0, 1, 15));
}

#[test]
fn one_is_not_taken_for_the_other() {
    let request = PageRequest::default().message(RequesterId(1), NONE);
    let response = PageResponse::default().message(RequesterId(1), NONE);
    assert_eq!((PageRequest::of(&response), PageResponse::of(&request)), (None, None));
}

proptest! {
    #[test]
    fn page_requests_round_trip(page in any::<u64>(), group in 0u16..512, f in any::<[bool; 3]>()) {
        let request = PageRequest { address: Iova(page & !0xfff), group, last: f[0], write: f[1], read: f[2] };
        let tlp = request.message(RequesterId(7), NONE);
        prop_assert_eq!(PageRequest::of(&Tlp::parse(tlp.header(), NONE).unwrap()), Some(request));
    }

    #[test]
    fn every_word_is_a_page_request(word in any::<u64>()) {
        prop_assert_eq!(PageRequest::decode(word).encode(), word);
    }

    #[test]
    fn page_responses_round_trip(target in any::<u16>(), code in 0u8..16, group in 0u16..512) {
        let response = PageResponse { target: RequesterId(target), code: ResponseCode(code), group };
        let tlp = response.message(RequesterId(0), NONE);
        prop_assert_eq!(PageResponse::of(&Tlp::parse(tlp.header(), NONE).unwrap()), Some(response));
    }
}
