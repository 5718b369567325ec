//! Links the program at a fixed address.
//!
//! A client starts it before every tool call, and the tests some ten thousand times; a
//! position-independent build relocates more than 50,000 addresses at each start (a quarter of a
//! million where it is not optimised). What an address by chance would make harder, an attack on
//! broken memory, is what safe Rust rules out. `cargo xtask dist` links with flags of its own.

#[expect(
    clippy::disallowed_methods,
    reason = "cargo tells a build script what it builds by variables"
)]
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let has = |name: &str, value: &str| std::env::var(name).is_ok_and(|it| it == value);
    if has("CARGO_CFG_TARGET_OS", "linux") && has("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
