//! Any bytes, as the payload of a hook; the first three choose who asks about what.

#![no_main]

#[path = "../../crates/provost-rules-guard/tests/it/hook.rs"]
mod hook;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| hook::hook(bytes));
