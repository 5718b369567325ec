//! Secrets of a home, made once and for its owner alone: the token by which clients of the server over
//! HTTP are known, and the key by which reviews are drawn.

use std::io;

use provost_kernel::Digest;

use crate::{
    Action, Disk, FileError, Layout, Location,
    disk::{create_folders, read_all},
    write_atomic,
};

/// A secret, and the file that holds it.
#[derive(Clone)]
pub struct KeptToken {
    pub text: String,
    pub at: Location,
}

impl std::fmt::Debug for KeptToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("KeptToken").field("at", &self.at).finish_non_exhaustive()
    }
}

/// How many characters a token has: two random numbers of 128 bits, in hexadecimal digits.
const LENGTH: usize = 64;

/// The token of a home. One that is missing, damaged, or that others could read is replaced.
pub fn mcp_token<D: Disk>(disk: &D, layout: &Layout) -> Result<KeptToken, FileError> {
    secret(disk, layout.mcp_token())
}

/// The key by which reviews are drawn.
pub fn draw_key<D: Disk>(disk: &D, layout: &Layout) -> Result<Digest, FileError> {
    let secret = secret(disk, layout.draw_key())?;
    Ok(Digest::of_bytes(secret.text.as_bytes()))
}

fn secret<D: Disk>(disk: &D, at: Location) -> Result<KeptToken, FileError> {
    if let Some(text) = kept(disk, &at)? {
        return Ok(KeptToken { text, at });
    }
    if let Some(folder) = at.folder() {
        create_folders(disk, &folder).map_err(FileError::on(Action::CreateFolder, &folder))?;
    }
    let half = || uuid::Uuid::new_v4().simple().to_string();
    let text = half() + &half();
    write_atomic(disk, &at, format!("{text}\n").as_bytes())?;
    Ok(KeptToken { text, at })
}

/// The token that is there, if it is whole and nobody else's to read.
fn kept<D: Disk>(disk: &D, at: &Location) -> Result<Option<String>, FileError> {
    let file = match disk.open(at) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        opened => opened.map_err(FileError::on(Action::Open, at))?,
    };
    let bytes = read_all(disk, &file).map_err(FileError::on(Action::Read, at))?;
    let text = String::from_utf8_lossy(&bytes).trim_end().to_owned();
    let is_token = text.len() == LENGTH && text.bytes().all(|it| it.is_ascii_hexdigit());
    let is_private = is_private(at);
    Ok((is_token && is_private).then_some(text))
}

#[cfg(unix)]
fn is_private(at: &Location) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    // A simulated disk has no modes.
    at.path().symlink_metadata().map_or(true, |it| it.mode().trailing_zeros() >= 6)
}

#[cfg(not(unix))]
fn is_private(_at: &Location) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use camino::Utf8Path;

    use super::*;
    use crate::sim::SimDisk;

    #[test]
    fn a_token_is_made_once_and_a_damaged_one_again() {
        let (disk, layout) =
            (SimDisk::default(), Layout::new(Utf8Path::new("/h"), None, Utf8Path::new("/s")));
        let first = mcp_token(&disk, &layout).unwrap();
        assert_eq!(first.text.len(), LENGTH);
        assert_eq!(mcp_token(&disk, &layout).unwrap().text, first.text);
        write_atomic(&disk, &first.at, b"short\n").unwrap();
        let second = mcp_token(&disk, &layout).unwrap();
        assert_ne!(second.text, first.text);
        assert_eq!(second.text.len(), LENGTH);
    }
}
