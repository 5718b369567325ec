//! Any bytes, as a command line.

#![no_main]

#[path = "../../crates/provost-shell/tests/it/properties.rs"]
mod properties;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| properties::command(bytes));
