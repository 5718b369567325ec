//! The tests in a source file, found by their headers: enough to compare two versions of it.
//!
//! This is no parser. It sees lines that start a test, and takes what follows up to the next
//! header as its body; comments are left out, so that a test that was commented out is gone.

use std::sync::LazyLock;

use regex::Regex;

/// A family of languages whose tests look alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    Python,
    Script,
    Rust,
    Go,
    Java,
    Ruby,
    Shell,
}

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

impl Language {
    /// The language of a file that can hold tests, by its name.
    pub(super) fn of(path: &str) -> Option<Self> {
        let (_, extension) = path.rsplit_once('.')?;
        match extension {
            "py" => Some(Self::Python),
            "js" | "jsx" | "ts" | "tsx" | "mjs" | "cjs" | "mts" | "cts" => Some(Self::Script),
            "rs" => Some(Self::Rust),
            "go" => Some(Self::Go),
            "java" | "kt" | "cs" => Some(Self::Java),
            "rb" => Some(Self::Ruby),
            "sh" | "bash" | "bats" => Some(Self::Shell),
            _ => None,
        }
    }

    /// Whether a runner looks for tests in a file of this name.
    pub(super) fn tests_in(self, path: &str) -> bool {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = name.split('.').next().unwrap_or_default();
        let is_below = |names: &[&str]| folder.split('/').any(|it| names.contains(&it));
        match self {
            Self::Python => stem.starts_with("test_") || stem.ends_with("_test") || stem == "tests",
            Self::Script => {
                name.contains(".test.")
                    || name.contains(".spec.")
                    || is_below(&["__tests__", "test", "tests", "e2e", "cypress"])
            }
            // Tests stand beside the code.
            Self::Rust => true,
            Self::Go => stem.ends_with("_test"),
            Self::Java => {
                is_below(&["test", "tests"])
                    || ["Test", "Tests", "Spec", "IT"].iter().any(|it| stem.ends_with(it))
            }
            Self::Ruby => stem.ends_with("_spec") || stem.ends_with("_test"),
            Self::Shell => {
                name.split('.').next_back() == Some("bats")
                    || is_below(&["test", "tests", "t", "spec"])
                    || ["test", "check"].iter().any(|it| stem.starts_with(it) || stem.ends_with(it))
            }
        }
    }
}

/// The blocks of a file, in their order.
pub(super) fn blocks(language: Language, text: &str) -> Vec<Block> {
    let mut reader = Reader { blocks: Vec::new(), pending: Vec::new(), group: None };
    let mut indent = 0;
    for (at, line) in code(language, text) {
        let trimmed = line.trim();
        let header = header(language, trimmed, &reader.pending);
        match header {
            // A function inside a test belongs to it.
            Some((BlockKind::Other, _)) if at > indent && reader.is_in_test() => {
                reader.push(trimmed);
            }
            Some((kind, name)) => {
                indent = at;
                reader.start(kind, name, at, trimmed);
            }
            None if reader.is_open() || is_attribute(language, trimmed) => {
                reader.pending.push(trimmed.to_owned());
            }
            None => reader.push(trimmed),
        }
    }
    reader.flush();
    if language == Language::Shell && !reader.blocks.iter().any(|it| it.kind == BlockKind::Test) {
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
fn code(language: Language, text: &str) -> Vec<(usize, String)> {
    let (line_comment, is_c_like) = match language {
        Language::Python | Language::Ruby | Language::Shell => ("#", false),
        Language::Script | Language::Rust | Language::Go | Language::Java => ("//", true),
    };
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
        if trimmed.is_empty() || trimmed.starts_with(line_comment) {
            continue;
        }
        if is_c_like && trimmed.starts_with("/*") {
            until = (!trimmed.contains("*/")).then_some("*/");
            continue;
        }
        if language == Language::Ruby && trimmed == "=begin" {
            until = Some("=end");
            continue;
        }
        let quotes = ["\"\"\"", "'''"].into_iter().find(|it| trimmed.starts_with(it));
        if let (Language::Python, Some(quotes)) = (language, quotes) {
            until = (!trimmed[quotes.len()..].contains(quotes)).then_some(quotes);
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let comment = format!(" {line_comment} ");
        let code = line.split(comment.as_str()).next().unwrap_or_default();
        lines.push((indent, code.trim_end().to_owned()));
    }
    lines
}

fn is_attribute(language: Language, line: &str) -> bool {
    match language {
        Language::Python => line.starts_with('@'),
        Language::Rust => line.starts_with("#[") && !line.contains("fn "),
        Language::Java => {
            (line.starts_with('@') && !line.starts_with("@interface")) || line.starts_with('[')
        }
        Language::Script | Language::Go | Language::Ruby | Language::Shell => false,
    }
}

/// What a line starts, if it starts something.
fn header(language: Language, line: &str, pending: &[String]) -> Option<(BlockKind, String)> {
    let named = |kind: BlockKind, pattern: &Regex| {
        let found = pattern.captures(line)?;
        let name = found.iter().skip(1).flatten().last().map_or("", |it| it.as_str());
        Some((kind, name.to_owned()))
    };
    let patterns = patterns(language);
    let is_marked = pending
        .iter()
        .map(String::as_str)
        .chain([line])
        .any(|it| patterns.mark.as_ref().is_some_and(|mark| mark.is_match(it)));
    let function = patterns.function.as_ref().and_then(|it| named(BlockKind::Other, it));
    match (function, is_marked) {
        (Some((_, name)), true) => Some((BlockKind::Test, name)),
        (function, _) => {
            let test = named(BlockKind::Test, &patterns.test);
            let group = patterns.group.as_ref().and_then(|it| named(BlockKind::Group, it));
            group.or(test).or(function)
        }
    }
}

struct Patterns {
    test: Regex,
    group: Option<Regex>,
    function: Option<Regex>,
    /// What makes the function below it a test.
    mark: Option<Regex>,
}

fn patterns(language: Language) -> &'static Patterns {
    const TITLE: &str =
        r#"\s*\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`([^`]*)`|(\w[\w.]*))"#;
    static PYTHON: LazyLock<Patterns> = LazyLock::new(|| Patterns {
        test: pattern(r"^(?:async\s+)?def\s+(test\w*)\s*\("),
        group: Some(pattern(r"^class\s+(Test\w*|\w+Tests?|\w+TestCase)\b")),
        function: Some(pattern(r"^(?:(?:async\s+)?def|class)\s+(\w+)")),
        mark: None,
    });
    static SCRIPT: LazyLock<Patterns> = LazyLock::new(|| Patterns {
        test: pattern(&format!(r"^[xf]?(?:it|test|specify)(?:\.\w+(?:\([^)]*\))?)*{TITLE}")),
        group: Some(pattern(&format!(
            r"^(?:[xf]?(?:describe|context|suite)|test\.describe)(?:\.\w+(?:\([^)]*\))?)*{TITLE}"
        ))),
        function: Some(pattern(
            r"^(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:function\s+(\w+)|const\s+(\w+)\s*=\s*(?:async\s*)?(?:\([^)]*\)|\w+)\s*=>)",
        )),
        mark: None,
    });
    static RUST: LazyLock<Patterns> = LazyLock::new(|| Patterns {
        test: pattern(r"^\b$."),
        group: None,
        function: Some(pattern(
            r#"^(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))?\s+)?(?:const\s+|async\s+|unsafe\s+|extern\s+"\w+"\s+)*fn\s+(\w+)"#,
        )),
        mark: Some(pattern(r"#\[(?:\w+::)*(?:test|rstest|test_case|wasm_bindgen_test)\b")),
    });
    static GO: LazyLock<Patterns> = LazyLock::new(|| Patterns {
        test: pattern(r"^func\s+((?:Test|Fuzz)\w*)\s*\("),
        group: None,
        function: Some(pattern(r"^func\s+(?:\([^)]*\)\s*)?(\w+)")),
        mark: None,
    });
    static JAVA: LazyLock<Patterns> = LazyLock::new(|| Patterns {
        test: pattern(r"^\b$."),
        group: Some(pattern(r"^(?:public\s+|final\s+|abstract\s+|open\s+)*class\s+(\w+)")),
        function: Some(pattern(
            r"^(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|private|protected|internal|static|final|async|suspend|override|void|fun|[\w<>\[\],]+)\s+)+(`[^`]+`|\w+)\s*\([^;]*$",
        )),
        mark: Some(pattern(
            r"@(?:\w+\.)*(?:Test|ParameterizedTest|RepeatedTest|TestFactory)\b|^\[(?:Fact|Theory|Test|TestMethod|TestCase)\b",
        )),
    });
    static RUBY: LazyLock<Patterns> = LazyLock::new(|| Patterns {
        test: pattern(
            r#"^(?:def\s+(test_\w+)|[xf]?(?:it|specify|test|scenario|pending|skip)[\s(]+(?:'([^']*)'|"([^"]*)"))"#,
        ),
        group: Some(pattern(
            r#"^(?:RSpec\.)?[xf]?(?:describe|context|feature)[\s(]+(?:'([^']*)'|"([^"]*)"|([\w:]+))"#,
        )),
        function: Some(pattern(r"^def\s+([\w.?!]+)")),
        mark: None,
    });
    static SHELL: LazyLock<Patterns> = LazyLock::new(|| Patterns {
        test: pattern(
            r#"^(?:@test\s+(?:'([^']*)'|"([^"]*)")|(?:function\s+)?(test\w*)\s*\(\s*\))"#,
        ),
        group: None,
        function: Some(pattern(r"^(?:function\s+)?([\w-]+)\s*\(\s*\)")),
        mark: None,
    });
    match language {
        Language::Python => &PYTHON,
        Language::Script => &SCRIPT,
        Language::Rust => &RUST,
        Language::Go => &GO,
        Language::Java => &JAVA,
        Language::Ruby => &RUBY,
        Language::Shell => &SHELL,
    }
}

#[expect(clippy::unwrap_used, reason = "the patterns are constants, and each is used by a test")]
pub(super) fn pattern(text: &str) -> Regex {
    Regex::new(text).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &[&str]) {
        let language = Language::of(path).unwrap();
        let blocks = blocks(language, text);
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
            assert_eq!(Language::of(path).unwrap().tests_in(path), expected, "{path}");
        }
        assert_eq!(Language::of("README.md"), None);
        assert_eq!(Language::of("Makefile"), None);
    }
}
