//! Any bytes, as a command line.

#![no_main]

#[path = "../../crates/provost-rules/tests/it/properties.rs"]
#[expect(dead_code, reason = "each target checks one of the properties")]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::command(bytes));
