//! Any bytes, as a text that may carry secrets.

#![no_main]

#[path = "../../crates/provost-rules/tests/it/properties.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::secret(bytes));
