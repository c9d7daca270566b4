//! Message sizes as people write them: binary units, `64K` = 65 536 bytes.

/// Message sizes of the comparison: every power of two from 64 KiB to 64 MiB, and points between them beyond each of the
/// two published knees (2 MB and 32 MB).
pub const DEFAULT_SIZES: [u64; 13] = [
    64 << 10,
    128 << 10,
    256 << 10,
    512 << 10,
    1 << 20,
    2 << 20,
    3 << 20,
    4 << 20,
    8 << 20,
    16 << 20,
    32 << 20,
    48 << 20,
    64 << 20,
];

/// Largest message: the length field of a work request has 32 bits.
const LARGEST: u64 = (1 << 32) - 1;

/// A size that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{given}' is not a message size: give bytes from 1 to 4294967295, or a number with K, M or G (64K = 65536)")]
pub struct SizeError {
    /// What was given.
    pub given: String,
}

/// Reads a list such as `64K,2M,8388608`.
pub fn parse_sizes(list: &str) -> Result<Vec<u64>, SizeError> {
    list.split(',')
        .map(|given| parse_size(given.trim()).ok_or_else(|| SizeError { given: given.trim().into() }))
        .collect()
}

fn parse_size(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        _ => return None,
    };
    let bytes = digits.parse::<u64>().ok()?.checked_mul(1 << shift)?;
    (1..=LARGEST).contains(&bytes).then_some(bytes)
}

/// A size with the largest binary unit that divides it: `64 KiB`, `3 MiB`, `1000 B`.
pub fn size_label(bytes: u64) -> String {
    for (shift, unit) in [(30, "GiB"), (20, "MiB"), (10, "KiB")] {
        if bytes >= 1 << shift && bytes.is_multiple_of(1 << shift) {
            return format!("{} {unit}", bytes >> shift);
        }
    }
    format!("{bytes} B")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_as_they_are_written() {
        assert_eq!(parse_sizes("64K,2M,8388608,1G"), Ok(vec![65_536, 2_097_152, 8_388_608, 1_073_741_824]));
        assert_eq!(parse_sizes("64k, 2MiB"), Ok(vec![65_536, 2_097_152]));
        for bad in ["", "64K,", "0", "4G", "2T", "-1", "K", "1.5M", "99999999999999999999", "17179869184G"] {
            assert!(parse_sizes(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn labels_are_exact() {
        assert_eq!(size_label(65_536), "64 KiB");
        assert_eq!(size_label(3 << 20), "3 MiB");
        assert_eq!(size_label(1 << 30), "1 GiB");
        assert_eq!(size_label(1000), "1000 B");
        assert_eq!(size_label((1 << 20) + 1), "1048577 B");
    }
}
