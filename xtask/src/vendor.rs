//! The libraries of the page, as their registry serves them, in `web/vendor`.
//!
//! The page has no build step, and its content policy forbids an import map, which would have to
//! stand inline. So a bare import is written as the relative one that it means. Nothing else is
//! changed, and `vendor.json` keeps the digests of both forms; `tidy` compares them.

use std::{collections::BTreeMap, path::Path};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{failure::Failure, process::Process, project};

pub(crate) const FOLDER: &str = "web/vendor";
pub(crate) const RECORD: &str = "web/vendor/vendor.json";
/// Where the packages are unpacked.
const UNPACKED: &str = "target/vendor";

/// A file that is taken out of a package.
#[derive(Debug)]
pub(crate) struct Taken {
    pub(crate) file: &'static str,
    pub(crate) package: &'static str,
    pub(crate) version: &'static str,
    pub(crate) licence: &'static str,
    /// Its place in the package.
    from: &'static str,
    /// How other libraries name it.
    module: &'static str,
}

/// What the page is made with; uPlot is absent until a view draws with it.
pub(crate) const TAKEN: [Taken; 5] = [
    Taken {
        file: "preact.js",
        package: "preact",
        version: "11.2.0",
        licence: "MIT",
        from: "dist/preact.mjs",
        module: "preact",
    },
    Taken {
        file: "hooks.js",
        package: "preact",
        version: "11.2.0",
        licence: "MIT",
        from: "hooks/dist/hooks.mjs",
        module: "preact/hooks",
    },
    Taken {
        file: "signals.js",
        package: "@preact/signals",
        version: "2.11.4",
        licence: "MIT",
        from: "dist/signals.mjs",
        module: "@preact/signals",
    },
    Taken {
        file: "signals-core.js",
        package: "@preact/signals-core",
        version: "1.14.5",
        licence: "MIT",
        from: "dist/signals-core.mjs",
        module: "@preact/signals-core",
    },
    Taken {
        file: "htm.js",
        package: "htm",
        version: "3.1.1",
        licence: "Apache-2.0",
        from: "dist/htm.mjs",
        module: "htm",
    },
];

/// What `vendor.json` says about one file.
#[derive(Debug, Deserialize, Serialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    pub(crate) package: String,
    pub(crate) version: String,
    pub(crate) licence: String,
    pub(crate) licence_file: String,
    pub(crate) from: String,
    /// SHA-256 as the registry serves it, and as it lies here.
    pub(crate) sha256_before: String,
    pub(crate) sha256_after: String,
    pub(crate) bytes: usize,
}

/// `vendor.json`: the files by name.
pub(crate) type Record = BTreeMap<String, Entry>;

/// Fetches the packages and writes the files and their record.
pub(crate) fn run() -> Result<(), Failure> {
    let mut record = Record::new();
    for taken in &TAKEN {
        let package = unpack(taken)?;
        let before = project::read(&format!("{package}/{}", taken.from))?;
        let after = relative(&before)?;
        let licence_file = licence_file(taken.package);
        project::write(
            &format!("{FOLDER}/{licence_file}"),
            &project::read(&format!("{package}/LICENSE"))?,
        )?;
        project::write(&format!("{FOLDER}/{}", taken.file), &after)?;
        println!("{} {}: {} ({} bytes)", taken.package, taken.version, taken.file, after.len());
        let entry = Entry {
            package: taken.package.to_owned(),
            version: taken.version.to_owned(),
            licence: taken.licence.to_owned(),
            licence_file,
            from: taken.from.to_owned(),
            sha256_before: digest(&before),
            sha256_after: digest(&after),
            bytes: after.len(),
        };
        record.insert(taken.file.to_owned(), entry);
    }
    let text = serde_json::to_string_pretty(&record)
        .map_err(|error| Failure::Unable(format!("cannot write `{RECORD}`: {error}")))?;
    project::write(RECORD, &format!("{text}\n"))
}

/// The name under which the licence of a package lies beside the files.
pub(crate) fn licence_file(package: &str) -> String {
    format!("{}.LICENSE.txt", flat(package))
}

pub(crate) fn digest(text: &str) -> String {
    const DIGITS: [char; 16] =
        ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'];
    let digits = |byte: &u8| [byte >> 4, byte & 15].map(|it| DIGITS[usize::from(it)]);
    Sha256::digest(text.as_bytes()).iter().flat_map(digits).collect()
}

/// The name of a package as npm writes it into a file name.
fn flat(package: &str) -> String {
    package.trim_start_matches('@').replace('/', "-")
}

/// Fetches a package, unless it is there, and says where its files are.
fn unpack(taken: &Taken) -> Result<String, Failure> {
    let name = format!("{}-{}", flat(taken.package), taken.version);
    let folder = format!("{UNPACKED}/{name}");
    let place = format!("{folder}/package");
    if Path::new(&project::root().join(&place)).is_dir() {
        return Ok(place);
    }
    project::write(&format!("{folder}/.fetched"), "")?;
    let asked = format!("{}@{}", taken.package, taken.version);
    Process::new("npm", &["pack", &asked, "--silent", "--pack-destination", UNPACKED]).run()?;
    let archive = format!("{UNPACKED}/{name}.tgz");
    Process::new("tar", &["--extract", "--gzip", "--file", &archive, "--directory", &folder])
        .run()?;
    Ok(place)
}

/// The source with relative imports, and without the pointer to a map that is not served.
fn relative(source: &str) -> Result<String, Failure> {
    let mut text = source
        .lines()
        .map(|line| line.split("//# sourceMappingURL=").next().unwrap_or_default())
        .filter(|line| !line.is_empty())
        .fold(String::new(), |text, line| text + line + "\n");
    for taken in &TAKEN {
        for quote in ['"', '\''] {
            let [bare, own] = [taken.module.to_owned(), format!("./{}", taken.file)]
                .map(|it| format!("from{quote}{it}{quote}"));
            text = text.replace(&bare, &own);
        }
    }
    let bare = text.split("from\"").skip(1).find(|rest| !rest.starts_with("./"));
    match bare.and_then(|rest| rest.split('"').next()) {
        None => Ok(text),
        Some(module) => Err(Failure::Unable(format!(
            "a library imports `{module}`, which is not among those of the page"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bare_import_becomes_a_relative_one() {
        let source = "import{h as t}from\"preact\";export{x}from\"preact/hooks\";\
                      var a=1;//# sourceMappingURL=a.map\n";
        let expected = "import{h as t}from\"./preact.js\";export{x}from\"./hooks.js\";var a=1;\n";
        assert_eq!(relative(source).unwrap(), expected);
    }

    #[test]
    fn an_import_of_something_else_is_refused() {
        let failure = relative("import e from\"left-pad\";").unwrap_err().to_string();
        assert_eq!(failure, "a library imports `left-pad`, which is not among those of the page");
    }

    #[test]
    fn a_digest_is_sha_256_in_hex() {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(digest("abc"), abc);
    }
}
