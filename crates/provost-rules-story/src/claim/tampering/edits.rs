//! Two versions of the tests, compared: what is gone, what no longer runs, what says less.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use provost_rules::ecosystem::{self, TestSyntax};
use regex::Regex;

use super::{
    ChangedText, Code,
    source::{Block, BlockKind, blocks, pattern},
};

/// What was found in a file.
pub(super) type Noticed = (Code, String);

/// So many tests of one file are compared with each other; more are counted as they are.
const MAX_PAIRED: usize = 200;

/// One changed file with its tests, before and after.
struct Pair<'a> {
    path: &'a str,
    syntax: &'static TestSyntax,
    before: Vec<Block>,
    after: Vec<Block>,
}

/// What happened to the tests of a change.
pub(super) fn notice(changes: &[ChangedText<'_>]) -> Vec<Noticed> {
    let pairs: Vec<Pair<'_>> = changes.iter().filter_map(Pair::of).collect();
    let appeared = appeared(&pairs);
    pairs.iter().flat_map(|it| it.notice(&pairs, &appeared)).collect()
}

impl<'a> Pair<'a> {
    /// The pair of a file in which a runner looks for tests, before or after.
    fn of(change: &ChangedText<'a>) -> Option<Self> {
        let old_path = change.old_path.unwrap_or(change.path);
        let read = |path: &str, text: Option<&str>| {
            let syntax = ecosystem::test_syntax(path).filter(|it| it.is_test_file(path));
            let (syntax, text) = (syntax?, text?);
            Some((syntax, blocks(syntax, text)))
        };
        let before = read(old_path, change.before);
        let after = read(change.path, change.after);
        let syntax = before.as_ref().or(after.as_ref()).map(|(it, _)| *it)?;
        let blocks =
            |it: Option<(&TestSyntax, Vec<Block>)>| it.map(|(_, it)| it).unwrap_or_default();
        Some(Self { path: change.path, syntax, before: blocks(before), after: blocks(after) })
    }

    fn notice(&self, all: &[Self], appeared: &BTreeSet<&str>) -> Vec<Noticed> {
        let syntax = self.syntax;
        let renamed = self.renamed();
        let partner = |test: &Block| {
            let same = find(&self.after, &test.name);
            let renamed = || find(&self.after, renamed.get(test.name.as_str())?);
            same.or_else(renamed).or_else(|| all.iter().find_map(|it| it.received(test)))
        };
        let mut noticed = Vec::new();
        for test in tests(&self.before) {
            let Some(after) = partner(test) else {
                if !self.is_tabulated(test, syntax) {
                    noticed.push((Code::TestDeleted, self.place(test)));
                }
                continue;
            };
            if skips(after, syntax) > skips(test, syntax) || returns(after) && !returns(test) {
                noticed.push((Code::TestSkipped, self.place(after)));
            }
            if says_less(test, after, syntax, appeared) {
                noticed.push((Code::AssertionWeakened, self.place(after)));
            }
        }
        let known: BTreeSet<&str> = tests(&self.before)
            .flat_map(|it| {
                [Some(it.name.as_str()), renamed.get(it.name.as_str()).map(String::as_str)]
            })
            .flatten()
            .collect();
        for test in tests(&self.after).filter(|it| !known.contains(it.name.as_str())) {
            // A new test may have a condition of its own; one that never runs is none.
            if count(test, |it| syntax.skipped.is_match(it)) > 0 {
                noticed.push((Code::TestSkipped, self.place(test)));
            }
        }
        let others = |blocks: &[Block]| -> usize {
            let others = blocks.iter().filter(|it| it.kind != BlockKind::Test);
            others.map(|it| count(it, |it| syntax.skipped.is_match(it))).sum()
        };
        if others(&self.after) > others(&self.before) {
            noticed.push((Code::TestSkipped, self.path.to_owned()));
        }
        let focused = |blocks: &[Block]| -> usize {
            blocks.iter().map(|it| count(it, |it| syntax.focused.is_match(it))).sum()
        };
        if focused(&self.after) > focused(&self.before) {
            noticed.push((Code::TestFocused, self.path.to_owned()));
        }
        let is_counted = |it: &&Block| !syntax.beside_code || is_test(it);
        let vacuous = |blocks: &[Block]| -> usize {
            let blocks = blocks.iter().filter(is_counted);
            blocks.map(|it| count(it, |it| syntax.is_vacuous(it))).sum()
        };
        if vacuous(&self.after) > vacuous(&self.before) {
            noticed.push((Code::AssertionVacuous, self.path.to_owned()));
        }
        noticed
    }

    /// The test of this file that was another file's before.
    fn received(&self, test: &Block) -> Option<&Block> {
        let is_same = |it: &&Block| short(&it.name) == short(&test.name);
        let had = tests(&self.before).any(|it| is_same(&it));
        tests(&self.after).find(is_same).filter(|_| !had)
    }

    /// Whether a new test over a table of cases calls what this one called.
    fn is_tabulated(&self, test: &Block, syntax: &TestSyntax) -> bool {
        let called = calls(test);
        let is_new = |it: &&Block| find(&self.before, &it.name).is_none();
        tests(&self.after).filter(is_new).any(|it| {
            let is_table = count(it, |it| syntax.table.is_match(it)) > 0;
            is_table && !calls(it).is_disjoint(&called)
        })
    }

    /// Tests that have another name now, by their old name.
    fn renamed(&self) -> BTreeMap<&str, String> {
        let has = |blocks: &[Block], name: &str| tests(blocks).any(|it| it.name == name);
        let gone = tests(&self.before).filter(|it| !has(&self.after, &it.name));
        let mut new: Vec<&Block> =
            tests(&self.after).filter(|it| !has(&self.before, &it.name)).take(MAX_PAIRED).collect();
        let mut renamed = BTreeMap::new();
        for test in gone.take(MAX_PAIRED) {
            let Some(at) = new.iter().position(|it| is_alike(test, it)) else { continue };
            renamed.insert(test.name.as_str(), new.swap_remove(at).name.clone());
        }
        renamed
    }

    fn place(&self, block: &Block) -> String {
        format!("{}: {}", self.path, block.name)
    }
}

/// Lines that stand in a block in which they did not stand before.
fn appeared<'a>(pairs: &'a [Pair<'_>]) -> BTreeSet<&'a str> {
    let mut lines = BTreeSet::new();
    for pair in pairs {
        for block in &pair.after {
            let before = pair.before.iter().find(|it| it.name == block.name);
            let before: BTreeSet<&str> = before.into_iter().flat_map(body).collect();
            lines.extend(body(block).filter(|it| !before.contains(it)));
        }
    }
    lines
}

/// Whether two tests are one under two names: at least half of their lines are the same.
fn is_alike(a: &Block, b: &Block) -> bool {
    let (mut left, mut right): (Vec<&str>, Vec<&str>) = (body(a).collect(), body(b).collect());
    if left.is_empty() || right.is_empty() {
        return false;
    }
    left.sort_unstable();
    right.sort_unstable();
    let (mut i, mut j, mut common) = (0, 0, 0);
    while let (Some(x), Some(y)) = (left.get(i), right.get(j)) {
        match x.cmp(y) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => j += 1,
            std::cmp::Ordering::Equal => {
                // A bracket alone does not make tests alike.
                common += usize::from(x.len() > 3);
                i += 1;
                j += 1;
            }
        }
    }
    let telling = |lines: &[&str]| lines.iter().filter(|it| it.len() > 3).count();
    common > 0 && common * 4 >= telling(&left) + telling(&right)
}

/// Whether a test lost assertions that stand nowhere else now, or swapped one that says what
/// is expected for one that almost everything satisfies.
fn says_less(
    before: &Block,
    after: &Block,
    syntax: &TestSyntax,
    appeared: &BTreeSet<&str>,
) -> bool {
    let total = |block: &Block| body(block).map(|it| syntax.assertions(it)).sum::<usize>();
    let (had, has) = (total(before), total(after));
    let kept: BTreeSet<&str> = body(after).collect();
    let lost = body(before).filter(|it| syntax.assertions(it) > 0 && !kept.contains(it));
    let moved = lost.filter(|it| appeared.contains(it)).count();
    if had > has + moved && !became_table(before, after, syntax) {
        return true;
    }
    // What always holds is reported as that.
    let is_weak = |it: &&str| syntax.weak.is_match(it) && !syntax.is_vacuous(it);
    let weak = |block: &Block| body(block).filter(is_weak).count();
    let strong = |block: &Block| {
        body(block).filter(|it| syntax.assertions(it) > 0 && !syntax.weak.is_match(it)).count()
    };
    weak(after) > weak(before) && strong(after) < strong(before)
}

/// Whether several assertions became one in a loop over cases.
fn became_table(before: &Block, after: &Block, syntax: &TestSyntax) -> bool {
    let tables = |it: &Block| count(it, |it| syntax.table.is_match(it));
    tables(after) > tables(before) && body(after).any(|it| syntax.assertions(it) > 0)
}

/// What a test calls, apart from what tests are made of.
fn calls(block: &Block) -> BTreeSet<&str> {
    static CALL: LazyLock<Regex> = LazyLock::new(|| pattern(r"([A-Za-z_]\w*)!?\("));
    static OWN: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"^(?:expect|assert|to[A-Z]|it$|test|each$|range$|len$|if$|for$|raises$|print|parametrize$)",
        )
    });
    let found = body(block).flat_map(|it| CALL.captures_iter(it));
    let names = found.filter_map(|it| it.get(1)).map(|it| it.as_str());
    names.filter(|it| !OWN.is_match(it)).collect()
}

fn tests(blocks: &[Block]) -> impl Iterator<Item = &Block> {
    blocks.iter().filter(|it| is_test(it))
}

fn is_test(block: &Block) -> bool {
    block.kind == BlockKind::Test
}

fn find<'b>(blocks: &'b [Block], name: &str) -> Option<&'b Block> {
    tests(blocks).find(|it| it.name == name)
}

/// What stands below the header.
fn body(block: &Block) -> impl Iterator<Item = &str> {
    // A test on one line has its body in its header.
    let skipped =
        if block.lines.len() == block.header + 1 { block.header } else { block.header + 1 };
    block.lines.iter().skip(skipped).map(String::as_str)
}

fn count(block: &Block, is: impl Fn(&str) -> bool) -> usize {
    block.lines.iter().filter(|it| is(it)).count()
}

fn skips(block: &Block, syntax: &TestSyntax) -> usize {
    count(block, |it| {
        syntax.skipped.is_match(it) || syntax.conditional.is_match(it) || is_never(it)
    })
}

/// Whether a test ends where it begins.
fn returns(block: &Block) -> bool {
    block.lines.get(block.header + 1).is_some_and(|it| is_return(it))
}

/// A condition that never holds, in any of the languages.
fn is_never(line: &str) -> bool {
    static NEVER: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"^(?:\}?\s*)if\s*\(?\s*(?:False|false|0|nil)\s*\)?\s*[:{]?\s*$"));
    NEVER.is_match(line)
}

/// A statement that ends a test before it has begun.
fn is_return(line: &str) -> bool {
    const RETURNS: [&str; 8] = [
        "return",
        "return;",
        "return None",
        "return nil",
        "return Ok(());",
        "return 0",
        "exit",
        "exit 0",
    ];
    RETURNS.contains(&line)
}

/// The name of a test without its group.
fn short(name: &str) -> &str {
    name.rsplit(" > ").next().unwrap_or(name)
}
