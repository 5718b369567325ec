//! The binary that is shipped.

use std::{fs, path::PathBuf};

use crate::{build, failure::Failure, process::Process};

/// Builds the binary that is shipped, and prints where it is and how large.
pub(crate) fn run() -> Result<(), Failure> {
    let path = binary()?;
    let bytes = fs::metadata(&path)
        .map_err(|error| Failure::Unable(format!("cannot read `{}`: {error}", path.display())))?
        .len();
    println!("{} {}", path.display(), megabytes(bytes));
    Ok(())
}

/// How the binary is optimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    /// As it is shipped: across all crates, which takes minutes.
    Dist,
    Release,
}

/// Builds the binary that is shipped.
pub(crate) fn binary() -> Result<PathBuf, Failure> {
    linked(Profile::Dist)
}

/// Builds the binary and links it as the one that is shipped.
///
/// On Linux it is linked statically and for a fixed place in memory: it then starts without the
/// dynamic loader and without moving 17,000 addresses, which together are most of what the start
/// of a large binary costs, and a client starts it before every tool call. What a place by chance
/// would make harder, an attack on broken memory, is what safe Rust rules out.
pub(crate) fn linked(profile: Profile) -> Result<PathBuf, Failure> {
    let host = host()?;
    let profile = match profile {
        Profile::Dist => "dist",
        Profile::Release => "release",
    };
    // The explicit target keeps the flag away from procedural macros, which cannot be static.
    let words = [
        "rustc",
        "--package",
        "provost",
        "--bin",
        "provost",
        "--profile",
        profile,
        "--target",
        &host,
    ];
    build::executable("provost", &words, link_flags(&host))
}

/// Builds a program that is one file, and links it in the same way.
pub(crate) fn link_alone(source: &str, path: &str) -> Result<(), Failure> {
    let host = host()?;
    let mut words = vec!["--edition", "2024", "-C", "opt-level=3", "-C", "strip=symbols"];
    words.extend(link_flags(&host));
    words.extend(["-o", path, source]);
    Process::new("rustc", &words).run()
}

/// The name of this machine's kind, as compilers say it.
pub(crate) fn host() -> Result<String, Failure> {
    let version = Process::new("rustc", &["--version", "--verbose"]).text()?;
    let host = host_triple(&version).map(str::to_owned);
    host.ok_or_else(|| Failure::Unable("`rustc -vV` names no host".to_owned()))
}

fn host_triple(version: &str) -> Option<&str> {
    version.lines().find_map(|it| it.strip_prefix("host: ")).map(str::trim)
}

fn link_flags(host: &str) -> &'static [&'static str] {
    if host.contains("-linux-") {
        &["-C", "target-feature=+crt-static", "-C", "relocation-model=static"]
    } else {
        &[]
    }
}

/// A size for people, with one decimal; the integer arithmetic needs no rounding rule.
fn megabytes(bytes: u64) -> String {
    let tenths = bytes / 100_000;
    format!("{}.{} MB", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_linux_is_linked_statically() {
        let version =
            "rustc 1.95.0 (x 2026-04-14)\nbinary: rustc\nhost: x86_64-unknown-linux-gnu\n";
        assert_eq!(host_triple(version), Some("x86_64-unknown-linux-gnu"));
        assert_eq!(host_triple("rustc 1.95.0"), None);
        assert_eq!(link_flags("x86_64-unknown-linux-gnu").len(), 4);
        assert_eq!(link_flags("aarch64-apple-darwin"), [""; 0]);
        assert_eq!(link_flags("x86_64-pc-windows-msvc"), [""; 0]);
    }

    #[test]
    fn a_size_is_readable() {
        assert_eq!(megabytes(16_712_345), "16.7 MB");
        assert_eq!(megabytes(99_999), "0.0 MB");
    }
}
