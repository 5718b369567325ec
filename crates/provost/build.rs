//! Links the unoptimised program at a fixed address.
//!
//! The tests start it some ten thousand times, and a position-independent debug build relocates a
//! quarter of a million addresses at each start. The shipped program is linked by `cargo xtask
//! dist`, with flags of its own.

#[expect(
    clippy::disallowed_methods,
    reason = "cargo tells a build script what it builds by variables"
)]
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let has = |name: &str, value: &str| std::env::var(name).is_ok_and(|it| it == value);
    if has("PROFILE", "debug") && has("CARGO_CFG_TARGET_OS", "linux") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
