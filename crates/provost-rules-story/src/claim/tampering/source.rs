//! The tests in a source file, found by their headers: enough to compare two versions of it.
//!
//! Lines are matched, not parsed: a line that starts a test is a header, and what follows up to the
//! next header is its body. Comments are removed, so that a test that was commented out is gone.

use provost_rules::ecosystem::TestSyntax;
use regex::Regex;

/// What starts at a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BlockKind {
    Test,
    /// `describe`, a class of tests.
    Group,
    /// Code between tests.
    Other,
}

/// A header, with the lines up to the next one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) kind: BlockKind,
    pub(super) name: String,
    /// Attributes, the header and the body, without comments, trimmed.
    pub(super) lines: Vec<String>,
    /// Which of the lines is the header.
    pub(super) header: usize,
}

/// The blocks of a file, in their order.
pub(super) fn blocks(syntax: &TestSyntax, text: &str) -> Vec<Block> {
    let mut reader = Reader { blocks: Vec::new(), pending: Vec::new(), group: None };
    let mut indent = 0;
    for (at, line) in code(syntax, text) {
        let trimmed = line.trim();
        let header = header(syntax, trimmed, &reader.pending);
        match header {
            // A function inside a test belongs to it.
            Some((BlockKind::Other, _)) if at > indent && reader.is_in_test() => {
                reader.push(trimmed);
            }
            Some((kind, name)) => {
                indent = at;
                reader.start(kind, name, at, trimmed);
            }
            None if reader.is_open() || syntax.attribute.is_match(trimmed) => {
                reader.pending.push(trimmed.to_owned());
            }
            None => reader.push(trimmed),
        }
    }
    reader.flush();
    if syntax.whole_file && !reader.blocks.iter().any(|it| it.kind == BlockKind::Test) {
        return whole(reader.blocks);
    }
    reader.blocks
}

/// A script without tests by name is one test, from its first line to its last.
fn whole(blocks: Vec<Block>) -> Vec<Block> {
    let name = "script".to_owned();
    let lines = blocks.into_iter().flat_map(|it| it.lines);
    let lines = [name.clone()].into_iter().chain(lines).collect();
    vec![Block { kind: BlockKind::Test, name, lines, header: 0 }]
}

struct Reader {
    blocks: Vec<Block>,
    /// Attributes and decorators that belong to the next header.
    pending: Vec<String>,
    /// The group that tests stand in, with its indentation.
    group: Option<(usize, String)>,
}

impl Reader {
    fn start(&mut self, kind: BlockKind, name: String, indent: usize, line: &str) {
        if self.group.as_ref().is_some_and(|(at, _)| indent <= *at) {
            self.group = None;
        }
        let qualified = match (&self.group, kind) {
            (Some((_, group)), BlockKind::Test) => format!("{group} > {name}"),
            (_, BlockKind::Test | BlockKind::Group | BlockKind::Other) => name.clone(),
        };
        if kind == BlockKind::Group {
            self.group = Some((indent, name));
        }
        let mut lines = std::mem::take(&mut self.pending);
        let header = lines.len();
        lines.push(line.to_owned());
        self.blocks.push(Block { kind, name: qualified, lines, header });
    }

    fn push(&mut self, line: &str) {
        self.flush();
        match self.blocks.last_mut() {
            Some(block) => block.lines.push(line.to_owned()),
            None => self.blocks.push(Block {
                kind: BlockKind::Other,
                name: String::new(),
                lines: vec![line.to_owned()],
                header: 0,
            }),
        }
    }

    /// Gives attributes that no header followed to the block they stand in.
    fn flush(&mut self) {
        for line in std::mem::take(&mut self.pending) {
            match self.blocks.last_mut() {
                Some(block) => block.lines.push(line),
                None => self.blocks.push(Block {
                    kind: BlockKind::Other,
                    name: String::new(),
                    lines: vec![line],
                    header: 0,
                }),
            }
        }
    }

    /// Whether an attribute goes on in the next line.
    fn is_open(&self) -> bool {
        let depth = self.pending.iter().flat_map(|it| it.chars()).fold(0_i32, |sum, it| match it {
            '(' | '[' | '{' => sum.saturating_add(1),
            ')' | ']' | '}' => sum.saturating_sub(1),
            _ => sum,
        });
        depth > 0
    }

    fn is_in_test(&self) -> bool {
        self.blocks.last().is_some_and(|it| it.kind == BlockKind::Test)
    }
}

/// The lines of code, each with its indentation; no comments and no blank lines.
fn code(syntax: &TestSyntax, text: &str) -> Vec<(usize, String)> {
    let comment = format!(" {} ", syntax.line_comment);
    let mut lines = Vec::new();
    let mut until: Option<&str> = None;
    for line in text.lines() {
        let trimmed = line.trim();
        if let Some(end) = until {
            if trimmed.contains(end) {
                until = None;
            }
            continue;
        }
        if trimmed.is_empty() || trimmed.starts_with(&syntax.line_comment) {
            continue;
        }
        let opened = syntax.block_comments.iter().find_map(|(start, end)| {
            let rest = trimmed.strip_prefix(start.as_str())?;
            Some((rest, end))
        });
        if let Some((rest, end)) = opened {
            until = (!rest.contains(end.as_str())).then_some(end);
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let code = line.split(comment.as_str()).next().unwrap_or_default();
        lines.push((indent, code.trim_end().to_owned()));
    }
    lines
}

/// What a line starts, if it starts something.
fn header(syntax: &TestSyntax, line: &str, pending: &[String]) -> Option<(BlockKind, String)> {
    let named = |kind: BlockKind, pattern: &Regex| {
        let found = pattern.captures(line)?;
        let name = found.iter().skip(1).flatten().last().map_or("", |it| it.as_str());
        Some((kind, name.to_owned()))
    };
    let mut lines = pending.iter().map(String::as_str).chain([line]);
    let is_marked = lines.any(|it| syntax.mark.is_match(it));
    let function = named(BlockKind::Other, &syntax.function);
    match (function, is_marked) {
        (Some((_, name)), true) => Some((BlockKind::Test, name)),
        (function, _) => {
            let group = named(BlockKind::Group, &syntax.group);
            group.or_else(|| named(BlockKind::Test, &syntax.test)).or(function)
        }
    }
}

#[expect(clippy::unwrap_used, reason = "the patterns are constants, and each is used by a test")]
pub(super) fn pattern(text: &str) -> Regex {
    Regex::new(text).unwrap()
}

#[cfg(test)]
mod tests {
    use provost_rules::ecosystem;

    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &[&str]) {
        let blocks = blocks(ecosystem::test_syntax(path).unwrap(), text);
        let tests = blocks.iter().filter(|it| it.kind == BlockKind::Test);
        assert_eq!(tests.map(|it| it.name.as_str()).collect::<Vec<_>>(), expected, "{text}");
    }

    #[test]
    fn the_tests_of_a_file_are_found() {
        check(
            "t.py",
            "def test_a():\n    assert 1\n\nasync def test_b():\n    pass\n",
            &["test_a", "test_b"],
        );
        check(
            "t.py",
            "class TestX:\n    def test_a(self):\n        def test_in(): pass\n",
            &["TestX > test_a", "TestX > test_in"],
        );
        check("t.py", "# def test_a():\n\"\"\"\ndef test_b():\n\"\"\"\ndef helper(): pass\n", &[]);
        check(
            "a.test.ts",
            "describe('x', () => {\n  it('a', () => {})\n  it.skip(\"b's\", f)\n  xit(`c`, f)\n  test.each([1])('d', f)\n})\n// it('e')\n",
            &["x > a", "x > b's", "x > c", "x > d"],
        );
        check(
            "a.rs",
            "#[test]\nfn a() {}\n\n#[tokio::test(flavor = \"x\")]\n#[\u{69}gnore]\nasync fn b() {}\nfn c() {}\n/*\n#[test]\nfn d() {}\n*/\n#[test] fn e() {}\n",
            &["a", "b", "e"],
        );
        check("a_test.go", "func TestA(t *testing.T) {\n}\nfunc helper() {}\n", &["TestA"]);
        check(
            "ATest.java",
            "class ATest {\n  @Test\n  void adds() {\n  }\n  @Disabled\n  @Test\n  public void b() {\n  }\n  void c() {\n  }\n}\n",
            &["ATest > adds", "ATest > b"],
        );
        check(
            "a_spec.rb",
            "describe 'x' do\n  it 'a' do\n  end\n  xit \"b\" do\n  end\nend\n",
            &["x > a", "x > b"],
        );
        check("a.bats", "@test \"adds\" {\n  [ 1 = 2 ]\n}\n", &["adds"]);
        check("t/a.sh", "test_a() {\n  false\n}\nhelp() {\n  :\n}\n", &["test_a"]);
        check("check.sh", "sh a.sh | grep -q x\n", &["script"]);
    }

    #[test]
    fn a_file_name_says_whether_a_runner_looks_into_it() {
        for (path, expected) in [
            ("tests/test_a.py", true),
            ("src/a_test.py", true),
            ("tests/helper.py", false),
            ("src/a.py", false),
            ("src/a.test.ts", true),
            ("src/__tests__/a.ts", true),
            ("src/a.ts", false),
            ("src/a.rs", true),
            ("a_test.go", true),
            ("a.go", false),
            ("src/test/java/A.java", true),
            ("src/main/java/ATest.java", true),
            ("src/main/java/A.java", false),
            ("spec/a_spec.rb", true),
            ("tests/run.sh", true),
            ("check.sh", true),
            ("greet.bats", true),
            ("greet.sh", false),
        ] {
            assert_eq!(
                ecosystem::test_syntax(path).unwrap().is_test_file(path),
                expected,
                "{path}"
            );
        }
        assert!(["README.md", "Makefile"].iter().all(|it| ecosystem::test_syntax(it).is_none()));
    }
}
