//! Finds case files and reads them: every fault is listed before anything runs.
//!
//! The bytes of a case stay in memory while there is room for them; beyond that only its place and
//! its digest do, and it is read again when its turn comes. One that changed in between is not run.

use std::{collections::BTreeMap, fs, io};

use camino::{Utf8Path, Utf8PathBuf};
use globset::{GlobBuilder, GlobMatcher};
use provost_kernel::{
    Digest, Digester, Finding, Severity, Text,
    eval::{Case, ErrorCode, StepError},
    shorten,
};
use provost_rules_eval::{
    case::{self, Strictness},
    suite::CaseForm,
};

use super::{
    error::EvalError,
    fault::Fault,
    parts::{self, Many, Part},
};

/// How many bytes of cases are kept in memory.
const ROOM: usize = 8 << 20;
/// A case that is larger is refused when it is read.
pub(super) const MOST: u64 = 8 << 20;

/// Which files are cases, and which of them are wanted.
#[derive(Debug)]
pub struct Sources<'a> {
    /// What a pattern is relative to.
    pub root: &'a Utf8Path,
    pub pattern: &'a str,
    /// Patterns for ids; all cases, if there is none.
    pub filters: &'a [String],
    pub shard: Option<Shard>,
    pub strictness: Strictness,
}

/// One of several parts of the cases, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    pub number: u32,
    pub of: u32,
}

/// The cases of a run.
#[derive(Debug, Default)]
pub struct Listing {
    /// In the order of their ids.
    pub cases: Vec<Listed>,
    /// What is not an error.
    pub warnings: Vec<Finding>,
    /// Whether no filter and no shard left a case out.
    pub is_whole: bool,
    strictness: Option<Strictness>,
}

/// One case that was read and found good.
#[derive(Clone, Debug)]
pub struct Listed {
    pub id: String,
    pub path: Utf8PathBuf,
    /// Of the file, byte for byte; of its part of a file with many.
    pub digest: Digest,
    /// Where it stands in a file with many cases.
    part: Option<Part>,
    kept: Option<Box<[u8]>>,
}

/// The folder that patterns are relative to: the first one upward with `docs/evals/cases` in it,
/// else the one of the repository, else where one is.
pub fn find_root(start: &Utf8Path) -> Utf8PathBuf {
    let upward = |is_it: &dyn Fn(&Utf8Path) -> bool| {
        start.ancestors().find(|it| is_it(it)).map(Utf8Path::to_owned)
    };
    upward(&|it| it.join("docs/evals/cases").is_dir())
        .or_else(|| upward(&|it| it.join(".git").exists()))
        .unwrap_or_else(|| start.to_owned())
}

/// Reads every case. Errors of all files come together.
pub fn list(sources: &Sources<'_>, form: &CaseForm) -> Result<Listing, EvalError> {
    let wanted = filters(sources.filters)?;
    let files = find_files(sources.root, sources.pattern)?;
    let mut listing = Listing { strictness: Some(sources.strictness), ..Listing::default() };
    let mut reading = Reading {
        sources,
        form,
        listing: &mut listing,
        errors: Vec::new(),
        room: ROOM,
        seen: BTreeMap::new(),
    };
    for path in files {
        let shown = path.strip_prefix(sources.root).unwrap_or(&path).to_owned();
        if let Err(error) = reading.file(&path, &shown) {
            reading.errors.push(unreadable(&shown, &error));
        }
    }
    let Reading { errors, .. } = reading;
    if !errors.is_empty() {
        return Err(EvalError::BadCases(errors));
    }
    let pattern = || sources.pattern.to_owned();
    if listing.cases.is_empty() {
        return Err(EvalError::NoCases { pattern: pattern() });
    }
    listing.cases.sort_by(|one, other| one.id.cmp(&other.id));
    listing.is_whole = wanted.is_empty() && sources.shard.is_none();
    if !wanted.is_empty() {
        listing.cases.retain(|it| wanted.iter().any(|filter| filter.is_match(&it.id)));
    }
    if let Some(shard) = sources.shard {
        let mut at = 0;
        listing.cases.retain(|_| {
            at += 1;
            (at - 1) % shard.of == shard.number - 1
        });
    }
    if listing.cases.is_empty() {
        Err(EvalError::NoneChosen { pattern: pattern() })
    } else {
        Ok(listing)
    }
}

/// Cases as they are read.
struct Reading<'a> {
    sources: &'a Sources<'a>,
    form: &'a CaseForm,
    listing: &'a mut Listing,
    errors: Vec<Finding>,
    /// How many bytes may still be kept in memory.
    room: usize,
    /// Where each id was seen first.
    seen: BTreeMap<String, String>,
}

impl Reading<'_> {
    fn file(&mut self, path: &Utf8Path, shown: &Utf8Path) -> io::Result<()> {
        let Some(form) = Many::of(path) else {
            let bytes = read(path)?;
            self.case(shown.as_str(), path, None, bytes);
            return Ok(());
        };
        parts::each(path, form, self.form, &mut |found| match found {
            Ok((part, bytes)) => {
                self.case(&format!("{shown}:{}", part.line), path, Some(part), bytes);
            }
            Err((line, text)) => {
                self.errors.push(finding("case.line", format!("{shown}:{line}"), text));
            }
        })
    }

    /// Takes one case, or what is wrong with it.
    fn case(&mut self, name: &str, path: &Utf8Path, part: Option<Part>, bytes: Vec<u8>) {
        let read = case::read(name, &bytes, self.form, self.sources.strictness);
        let (grave, mild): (Vec<_>, Vec<_>) =
            read.findings.into_iter().partition(|it| it.severity == Severity::P0);
        self.errors.extend(grave);
        self.listing.warnings.extend(mild);
        let Some(case) = read.case else { return };
        if let Some(first) = self.seen.get(&case.id) {
            self.errors.push(duplicate(name, &self.form.id, &case.id, first));
            return;
        }
        self.seen.insert(case.id.clone(), name.to_owned());
        let digest = Digest::of_bytes(&bytes);
        let left = self.room.checked_sub(bytes.len());
        self.room = left.unwrap_or(self.room);
        let kept = left.map(|_| bytes.into_boxed_slice());
        let path = path.to_owned();
        self.listing.cases.push(Listed { id: case.id, path, digest, part, kept });
    }
}

impl Listing {
    /// Over the id and the digest of each file, in the order of the ids.
    pub fn digest(&self) -> Digest {
        let mut digester = Digester::default();
        for Listed { id, digest, .. } in &self.cases {
            digester.add(format!("{id} {digest}\n").as_bytes());
        }
        digester.finish()
    }

    /// One case, from memory or from its file.
    pub(super) fn load(&self, listed: &Listed, form: &CaseForm) -> Result<Case, StepError> {
        let path = &listed.path;
        let changed =
            || Fault::CaseChanged { path: path.to_string() }.retryable(ErrorCode::Provider);
        let strictness = self.strictness.unwrap_or(Strictness::Normal);
        let again = |bytes: &[u8]| case::read_again(bytes, form, strictness).ok_or_else(changed);
        if let Some(bytes) = &listed.kept {
            return again(bytes);
        }
        let bytes = match &listed.part {
            None => read(path).ok(),
            Some(part) => part.read(path, form),
        };
        let bytes = bytes.ok_or_else(changed)?;
        if Digest::of_bytes(&bytes) == listed.digest { again(&bytes) } else { Err(changed()) }
    }
}

/// The files that a pattern matches, in the order of the bytes of their paths.
pub fn find_files(root: &Utf8Path, pattern: &str) -> Result<Vec<Utf8PathBuf>, EvalError> {
    let whole = root.join(pattern);
    if whole.is_file() {
        return Ok(vec![whole]);
    }
    // The folder of the repository is not part of the pattern, whatever its name is.
    let search = Search {
        root,
        matcher: glob(pattern, pattern)?,
        deepest: if pattern.contains("**") { usize::MAX } else { depth(&whole) },
    };
    let mut found = Vec::new();
    search.walk(&root.join(literal_start(Utf8Path::new(pattern))), &mut found)?;
    found.sort_unstable();
    Ok(found)
}

/// What is looked for, and how deep.
struct Search<'a> {
    root: &'a Utf8Path,
    matcher: GlobMatcher,
    deepest: usize,
}

fn glob(text: &str, shown: &str) -> Result<GlobMatcher, EvalError> {
    let bad = |source| EvalError::BadPattern { pattern: shown.to_owned(), source };
    let glob = GlobBuilder::new(text).literal_separator(true).build().map_err(bad)?;
    Ok(glob.compile_matcher())
}

fn filters(patterns: &[String]) -> Result<Vec<GlobMatcher>, EvalError> {
    patterns.iter().map(|it| glob(it, it)).collect()
}

/// The folder that a pattern certainly starts with.
fn literal_start(pattern: &Utf8Path) -> Utf8PathBuf {
    let is_literal = |it: &&str| !it.contains(['*', '?', '[', '{', '\\']);
    let parts: Vec<&str> = pattern.components().map(|it| it.as_str()).collect();
    let count = parts.iter().take_while(|it| is_literal(it)).count();
    parts.iter().take(count.min(parts.len().saturating_sub(1))).collect()
}

/// How many components a path has, so that folders below need not be looked into.
fn depth(path: &Utf8Path) -> usize {
    path.components().count()
}

impl Search<'_> {
    fn walk(&self, folder: &Utf8Path, found: &mut Vec<Utf8PathBuf>) -> Result<(), EvalError> {
        let unreadable = |source| EvalError::Unreadable { path: folder.to_owned(), source };
        let entries = match fs::read_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(unreadable)?,
        };
        for entry in entries {
            let entry = entry.map_err(unreadable)?;
            let path = Utf8PathBuf::from_path_buf(entry.path())
                .map_err(|path| EvalError::NotUtf8 { path: path.display().to_string() })?;
            let kind = entry.file_type().map_err(unreadable)?;
            // A link to a folder is not followed: it could lead in a circle.
            if kind.is_dir() {
                if depth(&path) < self.deepest {
                    self.walk(&path, found)?;
                }
            // A broken link or a pipe is a match, too: to leave it out would hide a case.
            } else if self.is_match(&path) && (kind.is_file() || !path.is_dir()) {
                found.push(path);
            }
        }
        Ok(())
    }

    fn is_match(&self, path: &Utf8Path) -> bool {
        self.matcher.is_match(path.strip_prefix(self.root).unwrap_or(path))
            || self.matcher.is_match(path)
    }
}

fn read(path: &Utf8Path) -> io::Result<Vec<u8>> {
    use io::Read as _;

    // Opening a pipe would wait for its other end.
    if !fs::metadata(path)?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let file = fs::File::open(path)?;
    // Room for all of it and for its end, so that it is read at once.
    let length = file.metadata()?.len().min(MOST) + 1;
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
    file.take(MOST).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn unreadable(path: &Utf8Path, error: &io::Error) -> Finding {
    finding("case.unreadable", path.to_string(), error.to_string().into())
}

fn duplicate(name: &str, field: &str, id: &str, first: &str) -> Finding {
    finding("case.duplicate", format!("{name}#/{field}"), case::duplicate(id, first))
}

fn finding(rule: &'static str, subject: String, message: Text) -> Finding {
    Finding { rule: rule.into(), severity: Severity::P0, subject, message, hint: None }
}

/// A text that names no shard.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a part such as `1/4`")]
pub struct ShardError(String);

impl std::str::FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let parsed = text.split_once('/').and_then(|(number, of)| {
            let shard = Self { number: number.parse().ok()?, of: of.parse().ok()? };
            (shard.number >= 1 && shard.number <= shard.of).then_some(shard)
        });
        parsed.ok_or_else(|| ShardError(shorten(text)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shard_is_a_part_of_several() {
        let check = |text: &str, expected: Option<(u32, u32)>| {
            let shard = text.parse::<Shard>().ok().map(|it| (it.number, it.of));
            assert_eq!(shard, expected, "{text}");
        };
        check("1/1", Some((1, 1)));
        check("2/3", Some((2, 3)));
        check("0/3", None);
        check("4/3", None);
        check("1", None);
        check("a/b", None);
    }

    #[test]
    fn a_search_starts_where_a_pattern_stops_being_literal() {
        let check = |pattern: &str, expected: &str| {
            assert_eq!(literal_start(Utf8Path::new(pattern)).as_str(), expected, "{pattern}");
        };
        check("*.json", "");
        check("a/b/*.json", "a/b");
        check("/a/b/*.json", "/a/b");
        check("/a/*/c.json", "/a");
        check("/a/b/c.json", "/a/b");
        check("/a/{b,c}/d.json", "/a");
    }
}
