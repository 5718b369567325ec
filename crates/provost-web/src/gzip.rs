//! The page's files in gzip: made once for each content, with a validator of its own.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
};

use axum::http::{HeaderMap, header::ACCEPT_ENCODING};
use miniz_oxide::deflate::compress_to_vec;

use crate::answer::Ready;

/// As small as it gets: it is done once.
const LEVEL: u8 = 10;

/// How many are kept: codes of texts can be asked for in any number of ways.
const KEPT: usize = 256;

/// What was packed, by the validator of the plain form.
static PACKED: Mutex<BTreeMap<Vec<u8>, Ready>> = Mutex::new(BTreeMap::new());

/// Whether a client takes gzip.
pub(crate) fn is_wanted(headers: &HeaderMap) -> bool {
    let given = headers.get_all(ACCEPT_ENCODING).iter().filter_map(|it| it.to_str().ok());
    given.flat_map(|it| it.split(',')).any(|it| {
        let (name, weight) = it.split_once(';').unwrap_or((it, ""));
        let is_refused = matches!(weight.trim(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000");
        name.trim().eq_ignore_ascii_case("gzip") && !is_refused
    })
}

/// The packed form.
pub(crate) fn packed(plain: &Ready) -> Ready {
    let mut packed = PACKED.lock().unwrap_or_else(PoisonError::into_inner);
    if packed.len() >= KEPT {
        packed.clear();
    }
    let made = packed.entry(plain.etag.as_bytes().to_vec());
    made.or_insert_with(|| Ready::new(pack(&plain.bytes))).clone()
}

/// RFC 1952: a header without a name or a time, the data, its checksum and its length.
fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut all = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255];
    all.extend(compress_to_vec(bytes, LEVEL));
    all.extend(checksum(bytes).to_le_bytes());
    let length = u32::try_from(bytes.len() & 0xffff_ffff).unwrap_or_default();
    all.extend(length.to_le_bytes());
    all
}

fn checksum(bytes: &[u8]) -> u32 {
    let mut sum = u32::MAX;
    for byte in bytes {
        sum ^= u32::from(*byte);
        for _ in 0..8 {
            sum = (sum >> 1) ^ (0xedb8_8320 & 0u32.wrapping_sub(sum & 1));
        }
    }
    !sum
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use miniz_oxide::inflate::decompress_to_vec;

    use super::*;

    #[test]
    fn what_is_packed_can_be_unpacked() {
        assert_eq!(checksum(b"123456789"), 0xcbf4_3926);
        let plain = Ready::new("provost ".repeat(500).into_bytes());
        let all = packed(&plain);
        assert!(all.bytes.len() < 100 && all.etag != plain.etag);
        let data = &all.bytes[10..all.bytes.len() - 8];
        assert_eq!(decompress_to_vec(data).unwrap(), plain.bytes);
        assert_eq!(packed(&plain).etag, all.etag);
    }

    #[test]
    fn a_client_says_what_it_takes() {
        let check = |text: &'static str, is_taken| {
            let mut headers = HeaderMap::new();
            headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(text));
            assert_eq!(is_wanted(&headers), is_taken, "{text}");
        };
        check("gzip", true);
        check("br;q=1.0, GZIP;q=0.8, *;q=0.1", true);
        check("gzip;q=0", false);
        check("identity", false);
        check("x-gzip-x", false);
        assert!(!is_wanted(&HeaderMap::new()));
    }
}
