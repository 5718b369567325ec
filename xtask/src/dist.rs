//! The binary that is shipped, and the package that it comes in.

mod debian;

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{build, failure::Failure, process::Process, project};

/// Builds the binary that is shipped, packs it, and prints where everything is and how large.
pub(crate) fn run(options: &[&str]) -> Result<(), Failure> {
    let path = match options {
        [] => binary()?,
        ["--binary", path] => place(Path::new(path), SHIPPED)?,
        _ => return Err(Failure::Unable("`dist` takes `--binary PATH`, or nothing".to_owned())),
    };
    let host = host()?;
    let mut names = vec!["provost".to_owned()];
    names.extend(debian::package(&path, FOLDER, &host)?);
    let sums = checksums(&names)?;
    project::write(&format!("{FOLDER}/SHA256SUMS"), &sums)?;
    for name in names {
        let path = project::root().join(FOLDER).join(name);
        let bytes = fs::metadata(&path).map_err(|error| {
            Failure::Unable(format!("cannot read `{}`: {error}", path.display()))
        })?;
        println!("{} {}", path.display(), megabytes(bytes.len()));
    }
    println!("{}/SHA256SUMS", project::root().join(FOLDER).display());
    Ok(())
}

/// What `sha256sum --check` reads.
fn checksums(names: &[String]) -> Result<String, Failure> {
    let names: Vec<&str> =
        ["--binary", "--"].into_iter().chain(names.iter().map(String::as_str)).collect();
    Process::new("sha256sum", &names).within(&project::root().join(FOLDER)).text()
}

/// How the binary is optimised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    /// As it is shipped: across all crates, which takes minutes.
    Dist,
    Release,
}

/// Whether the binary says which function lies where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symbols {
    Named,
    Stripped,
}

/// Where what is shipped is put.
const FOLDER: &str = "target/shipped";
const SHIPPED: &str = "target/shipped/provost";

/// Which functions lie together: those that a hook runs. See [`crate::layout`].
pub(crate) const LAYOUT: &str = "crates/provost/hook.ld";

/// Builds the binary that is shipped, and puts it into its place.
pub(crate) fn binary() -> Result<PathBuf, Failure> {
    place(&linked(Profile::Dist, Symbols::Stripped)?, SHIPPED)
}

/// Copies a program, as everybody does who installs one. What a linker writes in no order lies in
/// the system's cache in small pieces, and is slower to start for as long as it stays there.
fn place(built: &Path, at: &str) -> Result<PathBuf, Failure> {
    let path = project::root().join(at);
    project::copy(built, &path)?;
    Ok(path)
}

/// Builds the binary and links it as the one that is shipped.
///
/// On Linux it is linked statically and for a fixed place in memory: it then starts without the
/// dynamic loader and without moving 17,000 addresses, and the functions of a hook lie side by
/// side instead of all over the binary: a client starts it before every tool call, and pays for
/// each part of it that must be mapped. What a place by chance
/// would make harder, an attack on broken memory, is what safe Rust rules out.
pub(crate) fn linked(profile: Profile, symbols: Symbols) -> Result<PathBuf, Failure> {
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
    let layout = format!("link-arg=-Wl,-T,{}", project::root().join(LAYOUT).display());
    let mut flags = link_flags(&host).to_vec();
    if host.contains("-linux-") {
        flags.extend(["-C", &layout]);
    }
    if symbols == Symbols::Named {
        flags.extend(["-C", "strip=none"]);
    }
    // The layout names functions with their types, which the older way to write a symbol leaves
    // out.
    let variable = format!("CARGO_TARGET_{}_RUSTFLAGS", host.to_uppercase().replace('-', "_"));
    let names = "-C symbol-mangling-version=v0";
    build::executable_with("provost", &words, &flags, &[(&variable, names)])
}

/// Builds a program that is one file, and links it in the same way.
pub(crate) fn link_alone(source: &str, path: &str) -> Result<(), Failure> {
    let host = host()?;
    let mut words = vec!["--edition", "2024", "-C", "opt-level=3", "-C", "strip=symbols"];
    words.extend(link_flags(&host));
    let linked = format!("{path}.linked");
    words.extend(["-o", &linked, source]);
    Process::new("rustc", &words).run()?;
    place(Path::new(&linked), path).map(drop)
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
