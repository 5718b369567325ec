//! Plants: changes of a test file after which its tests must fail.
//!
//! A test that still passes with a plant inside it proves nothing. The tests are found in the syntax
//! tree, because text patterns fail at decorators, comments and one-line bodies. What is planted
//! names nothing of provost and uses the assertion that the test itself would use, so that an
//! assertion that was patched away is noticed as well.

mod edit;
mod expectation;
mod gate;
mod go;
mod javascript;
pub(crate) mod language;
mod literal;
mod mutant;
mod python;
mod rewording;
pub(crate) mod rust;
mod script;
pub(crate) mod tree;

use std::{collections::BTreeSet, fmt};

use provost_kernel::Message;

use self::{
    edit::Edit,
    language::Language,
    tree::{Source, parse},
};
pub use self::{
    gate::{GateKind, gate_error},
    mutant::{Mutant, Operator, mutants, value_mutants},
    rewording::{Rewording, reworded},
    script::{late_script, leaves_early, script},
};

/// The names of a test, from the outermost group inwards, as its runner reports them.
///
/// A `*` stands for a part that is only known when the test runs: a title with a variable in it, the
/// cases of a table.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TestId(pub Vec<String>);

/// A test as the source shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestSite {
    pub id: TestId,
    /// The line of its name, from 1.
    pub line: u32,
    /// It passes when its body fails: only [`Plant::Return`] makes it fail.
    pub is_inverted: bool,
    /// It compares with a literal, so that [`Plant::Expectation`] is possible.
    pub has_literal: bool,
}

/// What is changed in a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Plant {
    /// The literal that is expected becomes another.
    Expectation,
    /// The first statement fails.
    Failure,
    /// The test returns before it does anything, for one that passes when its body fails.
    Return,
    /// The statement whose literal [`Plant::Expectation`] changes fails in any case: the second
    /// look at a test that did not notice the other literal.
    SecondLook,
}

/// A test file with its plants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planted {
    pub text: String,
    /// What could not be planted. Its tests say nothing: they are inconclusive.
    pub refused: Vec<(TestId, Refusal)>,
}

/// Why a test got no plant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Message)]
#[message(code = "proof.plant")]
pub enum Refusal {
    #[message(en = "no test of this name stands in the file", zh = "文件中没有这个名称的测试")]
    NotFound,
    #[message(en = "the test has no comparison with a literal", zh = "该测试没有与字面量的比较")]
    NoLiteral,
    #[message(
        en = "the test is a reference to a function that is defined elsewhere",
        zh = "该测试引用了在别处定义的函数"
    )]
    Reference,
    #[message(en = "the test cannot be made to succeed at once", zh = "无法让该测试立即成功")]
    NoReturn,
}

/// The tests of a file, in the order of the source; none for a language without plants.
pub fn sites(path: &str, text: &str) -> Option<Vec<TestSite>> {
    let language = Language::of(path)?;
    let sites = found(language, path, text).into_iter().map(|it| TestSite {
        has_literal: it.expectation.is_ok(),
        id: it.id,
        line: it.line,
        is_inverted: it.is_inverted,
    });
    Some(sites.collect())
}

/// Whether a file is read and not run, by its name.
pub fn is_data(path: &str) -> bool {
    Language::of(path).is_none() && script::interpreter(path, "").is_none()
}

/// The site that a runner reports under these names: the one with exactly these, else one whose
/// pattern fits, else one with these names without the case in brackets that pytest appends.
pub fn site<'a>(sites: &'a [TestSite], names: &[&str]) -> Option<&'a TestSite> {
    let exact = sites.iter().find(|it| it.id.0 == names);
    exact
        .or_else(|| sites.iter().find(|it| it.id.covers(names)))
        .or_else(|| sites.iter().find(|it| it.id.covers(&without_case(names))))
}

/// The file with these plants. Every test of a name gets its plant, also where a file defines it twice.
pub fn apply(path: &str, text: &str, plants: &[(TestId, Plant)]) -> Planted {
    let found = Language::of(path).map(|it| found(it, path, text)).unwrap_or_default();
    let mut edits = Vec::new();
    let mut refused = Vec::new();
    for (id, plant) in plants.iter().collect::<BTreeSet<_>>() {
        let mut reason = Some(Refusal::NotFound);
        for site in found.iter().filter(|it| it.id == *id) {
            match site.edit(*plant) {
                Ok(edit) => edits.push(edit.clone()),
                Err(refusal) => refused.push((id.clone(), *refusal)),
            }
            reason = None;
        }
        refused.extend(reason.map(|it| (id.clone(), it)));
    }
    Planted { text: edit::apply(text, edits), refused }
}

/// A test with the edits that each plant needs.
#[derive(Debug)]
struct Site {
    id: TestId,
    line: u32,
    is_inverted: bool,
    failure: Result<Edit, Refusal>,
    returning: Result<Edit, Refusal>,
    expectation: Result<Edit, Refusal>,
    second_look: Result<Edit, Refusal>,
}

impl Site {
    fn edit(&self, plant: Plant) -> &Result<Edit, Refusal> {
        match plant {
            Plant::Expectation => &self.expectation,
            Plant::Failure => &self.failure,
            Plant::Return => &self.returning,
            Plant::SecondLook => &self.second_look,
        }
    }
}

fn found(language: Language, path: &str, text: &str) -> Vec<Site> {
    let Some(tree) = parse(language, text) else { return Vec::new() };
    let source = Source { text, root: tree.root_node() };
    match language {
        Language::Python => python::sites(source),
        Language::JavaScript | Language::TypeScript | Language::Tsx => javascript::sites(source),
        Language::Rust => rust::sites(source, path),
        Language::Go => go::sites(source),
    }
}

impl TestId {
    /// Whether a test of these names is one of this id.
    fn covers(&self, names: &[&str]) -> bool {
        self.0.len() == names.len()
            && self.0.iter().zip(names).all(|(pattern, name)| fits(pattern, name))
    }
}

impl fmt::Display for TestId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0.join(" > "))
    }
}

/// Whether a name fits a pattern in which `*` is any text: each piece as early as possible, the last
/// one at the end.
fn fits(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut left) = name.strip_prefix(first) else { return false };
    let mut pieces: Vec<&str> = rest.split('*').collect();
    let last = pieces.pop().unwrap_or_default();
    for piece in pieces {
        let Some(at) = left.find(piece) else { return false };
        left = &left[at + piece.len()..];
    }
    left.ends_with(last)
}

fn without_case<'a>(names: &[&'a str]) -> Vec<&'a str> {
    let mut names = names.to_vec();
    if let Some(last) = names.last_mut()
        && last.ends_with(']')
        && let Some((name, _)) = last.split_once('[')
    {
        *last = name;
    }
    names
}

#[cfg(test)]
mod tests;
