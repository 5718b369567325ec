//! The Debian package: the binary, manual pages and completions, and nothing that runs when it is
//! installed.

use std::{fs, path::Path};

use crate::{failure::Failure, process::Process, project};

/// Where the package is put together.
const STAGE: &str = "target/shipped/debian";
const MAINTAINER: &str = "the provost maintainers <provost@localhost>";
/// Completion scripts: the shell, and where Debian looks for them.
const COMPLETIONS: [(&str, &str); 3] = [
    ("bash", "usr/share/bash-completion/completions/provost"),
    ("zsh", "usr/share/zsh/vendor-completions/_provost"),
    ("fish", "usr/share/fish/vendor_completions.d/provost.fish"),
];

/// Makes the package of a binary in the folder, and returns its name; none where the machine
/// cannot make one.
pub(super) fn package(binary: &Path, folder: &str, host: &str) -> Result<Option<String>, Failure> {
    let Some(architecture) = architecture(host) else {
        println!("no Debian package: `{host}` is not a Linux that Debian has a name for");
        return Ok(None);
    };
    if !Process::new("dpkg-deb", &["--version"]).answers() {
        println!("no Debian package: `dpkg-deb` is not in PATH");
        return Ok(None);
    }
    let version = env!("CARGO_PKG_VERSION");
    let (date, second) = (commit("%cD")?, commit("%ct")?);
    project::remove(STAGE)?;
    let program = binary.display().to_string();
    project::copy(binary, &project::root().join(STAGE).join("usr/bin/provost"))?;
    for (shell, path) in COMPLETIONS {
        let script = Process::new(&program, &["completions", shell]).text()?;
        project::write(&format!("{STAGE}/{path}"), &script)?;
    }
    let documents = format!("{STAGE}/usr/share/doc/provost");
    project::write(&format!("{documents}/copyright"), &copyright(&project::read("LICENSE-MIT")?))?;
    project::write(&format!("{documents}/changelog"), &changelog(version, &date))?;
    let pages = format!("{STAGE}/usr/share/man/man1");
    shell(&format!("mkdir -p {pages}"))?;
    Process::new(&program, &["man", &pages]).text()?;
    // The same input gives the same bytes: no name and no time in what is packed.
    shell(&format!("gzip -9n {pages}/*.1 {documents}/changelog"))?;
    shell(&format!(
        "cd {STAGE} && mkdir DEBIAN && find usr -type f | LC_ALL=C sort | xargs md5sum >DEBIAN/md5sums"
    ))?;
    let size = size(&project::root().join(STAGE).join("usr"))?.div_ceil(1024);
    project::write(&format!("{STAGE}/DEBIAN/control"), &control(version, architecture, size))?;
    shell(&format!("chmod -R u=rwX,go=rX {STAGE} && chmod 755 {STAGE}/usr/bin/provost"))?;
    let name = format!("provost_{version}_{architecture}.deb");
    let at = format!("{folder}/{name}");
    let words = ["--build", "--root-owner-group", "-Zxz", STAGE, &at];
    // No time in the package is later than the commit.
    Process::new("dpkg-deb", &words).environment("SOURCE_DATE_EPOCH", &second).text()?;
    project::remove(STAGE)?;
    Ok(Some(name))
}

/// Something of the newest commit, in git's own words.
fn commit(format: &str) -> Result<String, Failure> {
    let said = Process::new("git", &["log", "-1", &format!("--format={format}")]).text()?;
    Ok(said.trim().to_owned())
}

fn shell(line: &str) -> Result<(), Failure> {
    Process::new("sh", &["-ec", line]).run()
}

/// The name that Debian has for a kind of machine.
fn architecture(host: &str) -> Option<&'static str> {
    let (machine, system) = host.split_once('-')?;
    let name = match machine {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        "riscv64gc" => "riscv64",
        "s390x" => "s390x",
        _ => return None,
    };
    system.contains("linux").then_some(name)
}

fn control(version: &str, architecture: &str, kilobytes: u64) -> String {
    format!(
        "Package: provost\n\
         Version: {version}\n\
         Section: devel\n\
         Priority: optional\n\
         Architecture: {architecture}\n\
         Maintainer: {MAINTAINER}\n\
         Installed-Size: {kilobytes}\n\
         Depends: git (>= 1:2.38)\n\
         Suggests: gh\n\
         Description: trust runtime for coding agents\n \
         provost runs a coding agent on a task, tests what it delivers in a clean\n \
         checkout, proves that the test depends on the change, and lands the result\n \
         on a branch. Nothing is done until it is proven.\n \
         .\n \
         Agents, tests and installations of dependencies run in a sandbox, and every\n \
         decision is in a chain of records that can be verified.\n"
    )
}

/// Debian asks for both in a form of its own.
fn copyright(mit: &str) -> String {
    let indented = |text: &str| {
        let line = |it: &str| if it.is_empty() { " .\n".to_owned() } else { format!(" {it}\n") };
        text.trim_end().lines().map(line).collect::<String>()
    };
    let holder = mit.lines().find(|it| it.starts_with("Copyright")).unwrap_or_default();
    let holder = holder.trim_start_matches("Copyright (c) ");
    let terms = mit.split_once("\n\n").map_or(mit, |it| it.1);
    let terms = terms.split_once("\n\n").map_or(terms, |it| it.1);
    let terms = indented(terms);
    format!(
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n\
         Upstream-Name: provost\n\n\
         Files: *\n\
         Copyright: {holder}\n\
         License: Expat or Apache-2.0\n\n\
         License: Expat\n\
         {terms}\n\
         License: Apache-2.0\n \
         On Debian systems, the full text of the Apache License, version 2.0, is in\n \
         /usr/share/common-licenses/Apache-2.0.\n"
    )
}

fn changelog(version: &str, date: &str) -> String {
    format!(
        "provost ({version}) unstable; urgency=medium\n\n  \
         * See CHANGELOG.md in the source.\n\n \
         -- {MAINTAINER}  {date}\n"
    )
}

/// How many bytes the files of a folder have.
fn size(folder: &Path) -> Result<u64, Failure> {
    let cannot = |error: std::io::Error| {
        Failure::Unable(format!("cannot read `{}`: {error}", folder.display()))
    };
    let mut bytes = 0;
    for entry in fs::read_dir(folder).map_err(cannot)? {
        let entry = entry.map_err(cannot)?;
        let metadata = entry.metadata().map_err(cannot)?;
        bytes += if metadata.is_dir() { size(&entry.path())? } else { metadata.len() };
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debian_has_its_own_names_for_machines() {
        for (host, name) in [
            ("x86_64-unknown-linux-gnu", Some("amd64")),
            ("aarch64-unknown-linux-musl", Some("arm64")),
            ("aarch64-apple-darwin", None),
            ("sparc64-unknown-linux-gnu", None),
        ] {
            assert_eq!(architecture(host), name, "{host}");
        }
    }

    /// Every line of a field but the first begins with a space, and the text ends with a newline.
    #[test]
    fn the_fields_are_in_the_form_that_dpkg_reads() {
        let control = control("1.2.3", "amd64", 17);
        let fields = control.lines().filter(|it| !it.starts_with(' '));
        let names: Vec<&str> = fields.map(|it| it.split_once(": ").unwrap().0).collect();
        assert_eq!(
            names,
            [
                "Package",
                "Version",
                "Section",
                "Priority",
                "Architecture",
                "Maintainer",
                "Installed-Size",
                "Depends",
                "Suggests",
                "Description",
            ]
        );
        assert!(control.ends_with(".\n") && control.contains("\n .\n"), "{control}");
        assert!(control.lines().all(|it| it.len() <= 80), "{control}");
    }

    #[test]
    fn the_licences_are_those_of_the_project() {
        let text = copyright(&project::read("LICENSE-MIT").unwrap());
        assert!(text.contains("\nCopyright: 2026 the provost maintainers\n"), "{text}");
        assert!(text.contains("\nLicense: Expat\n Permission is hereby granted"), "{text}");
        assert!(text.contains("\n .\n") && !text.contains("\n\n\n"), "{text}");
    }
}
