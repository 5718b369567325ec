//! The digest and the size of everything in folders.

use std::{
    fs::{self, File},
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use provost_kernel::{Digest, Digester};

/// How much is read at a time.
const PART: usize = 256 << 10;

/// Measures folders, one after the other; an absent one is empty. Links are not followed.
pub(super) fn measure(folders: &[PathBuf]) -> io::Result<(Digest, u64)> {
    let mut measure = Measure { digester: Digester::default(), bytes: 0, part: vec![0; PART] };
    for folder in folders {
        if folder.symlink_metadata().is_ok() {
            measure.enter(folder, Path::new(""))?;
        }
        measure.add(b"end", Path::new(""), 0);
    }
    Ok((measure.digester.finish(), measure.bytes))
}

struct Measure {
    digester: Digester,
    bytes: u64,
    part: Vec<u8>,
}

impl Measure {
    fn enter(&mut self, root: &Path, folder: &Path) -> io::Result<()> {
        let mut names = Vec::new();
        for entry in fs::read_dir(root.join(folder))? {
            names.push(entry?.file_name());
        }
        names.sort_unstable();
        for name in names {
            let path = folder.join(name);
            let at = root.join(&path);
            let metadata = at.symlink_metadata()?;
            if metadata.is_symlink() {
                self.add(b"link", &path, 0);
                let target = fs::read_link(&at)?;
                self.add(b"to", &target, 0);
            } else if metadata.is_dir() {
                self.add(b"folder", &path, 0);
                self.enter(root, &path)?;
            } else if metadata.is_file() {
                self.add(
                    if is_program(&metadata) { b"program" } else { b"file" },
                    &path,
                    metadata.len(),
                );
                self.read(&at, metadata.len())?;
            }
        }
        Ok(())
    }

    /// Every part has its length before it, so that no two folders say the same.
    fn add(&mut self, kind: &[u8], path: &Path, len: u64) {
        let path = path.as_os_str().as_encoded_bytes();
        self.digester.add(kind);
        self.digester.add(&(path.len() as u64).to_le_bytes());
        self.digester.add(path);
        self.digester.add(&len.to_le_bytes());
    }

    fn read(&mut self, at: &Path, len: u64) -> io::Result<()> {
        let mut file = File::open(at)?;
        let mut read = 0;
        loop {
            let n = file.read(&mut self.part)?;
            if n == 0 {
                break;
            }
            self.digester.add(&self.part[..n]);
            read += n as u64;
        }
        self.bytes += read;
        if read == len { Ok(()) } else { Err(io::ErrorKind::InvalidData.into()) }
    }
}

#[cfg(unix)]
fn is_program(metadata: &fs::Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt as _;

    metadata.permissions().mode() & 0o100 != 0
}

#[cfg(not(unix))]
fn is_program(_: &fs::Metadata) -> bool {
    false
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes folders")]
mod tests {
    use super::*;

    /// Whatever could be run or read differently has another digest.
    #[cfg(unix)]
    #[test]
    fn every_difference_is_seen() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};

        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("a");
        let of = || measure(&[root.clone(), folder.path().join("absent")]).unwrap();
        fs::create_dir_all(root.join("bin")).unwrap();
        fs::write(root.join("bin/x"), "12").unwrap();
        let mut seen = vec![of()];
        assert_eq!((of(), seen[0].1), (seen[0], 2));
        let changes: [&dyn Fn(); 6] = [
            &|| fs::write(root.join("bin/x"), "13").unwrap(),
            &|| {
                fs::set_permissions(root.join("bin/x"), fs::Permissions::from_mode(0o700)).unwrap();
            },
            &|| symlink("x", root.join("bin/y")).unwrap(),
            &|| fs::create_dir(root.join("lib")).unwrap(),
            &|| fs::rename(root.join("bin/x"), root.join("lib/x")).unwrap(),
            &|| fs::remove_file(root.join("bin/y")).unwrap(),
        ];
        for change in changes {
            change();
            assert!(!seen.contains(&of()), "{}", seen.len());
            seen.push(of());
        }
    }
}
