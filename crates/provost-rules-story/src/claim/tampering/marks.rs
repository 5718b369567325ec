//! What makes a test run or not, and what makes it say something: marks on lines of code.

use std::sync::LazyLock;

use regex::Regex;

use super::source::{Language, pattern};

/// What to look for in the lines of a test.
pub(super) struct Marks {
    /// The test never runs.
    pub(super) skipped: Regex,
    /// The test runs under a condition, or may fail.
    pub(super) conditional: Regex,
    /// No other test runs.
    pub(super) focused: Regex,
    pub(super) assertion: Regex,
    /// An assertion that holds whatever happens.
    pub(super) vacuous: Regex,
    /// Two sides of an assertion, which must not be the same text.
    pub(super) sides: Regex,
    /// An assertion that almost everything satisfies.
    pub(super) weak: Regex,
    /// A test that stands for several cases.
    pub(super) table: Regex,
}

impl Marks {
    /// Whether a line holds an assertion that nothing can break.
    pub(super) fn is_vacuous(&self, line: &str) -> bool {
        self.vacuous.is_match(line)
            || self.sides.captures(line).is_some_and(|it| {
                let mut sides = it.iter().skip(1).flatten().map(|it| it.as_str().trim());
                sides.next().is_some_and(|left| sides.next() == Some(left))
            })
    }

    /// How many assertions a line holds.
    pub(super) fn assertions(&self, line: &str) -> usize {
        self.assertion.find_iter(line).count()
    }
}

/// A condition that never holds, in any of the languages.
pub(super) fn is_never(line: &str) -> bool {
    static NEVER: LazyLock<Regex> =
        LazyLock::new(|| pattern(r"^(?:\}?\s*)if\s*\(?\s*(?:False|false|0|nil)\s*\)?\s*[:{]?\s*$"));
    NEVER.is_match(line)
}

/// A statement that ends a test before it has begun.
pub(super) fn is_return(line: &str) -> bool {
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

/// The marks of a language.
pub(super) fn marks(language: Language) -> &'static Marks {
    static PYTHON: LazyLock<Marks> = LazyLock::new(|| Marks {
        skipped: pattern(
            r"^@(?:pytest\.mark\.skip\b|unittest\.skip\b|skip\b)|^pytestmark\s*=.*\bskip\b|^__test__\s*=\s*False",
        ),
        conditional: pattern(
            r"^@(?:pytest\.mark\.(?:skipif|xfail)|unittest\.(?:skipIf|skipUnless|expectedFailure)|expectedFailure)\b|\bpytest\.(?:skip|xfail|importorskip)\(|\.skipTest\(|\braise\s+(?:unittest\.)?SkipTest",
        ),
        focused: pattern(r"^@pytest\.mark\.only\b"),
        assertion: pattern(
            r"\bassert\b|\bassert_?[A-Za-z]\w*\(|\bpytest\.(?:raises|warns|approx)\(|\b(?:check|expect|verify)_\w+\(",
        ),
        vacuous: pattern(
            r"\bassert\s*\(?\s*(?:True|1|not\s+False)\s*\)?\s*(?:,|$)|assertTrue\(\s*True\b|assertFalse\(\s*False\b|\bassert\b.*\bor\s+True\b",
        ),
        sides: pattern(
            r#"\bassert\s+([\w."']+)\s*(?:==|is)\s*([\w."']+)\s*(?:,|$)|assertEquals?\(\s*([^,()]+),\s*([^,()]+)[,)]"#,
        ),
        weak: pattern(r"\bis\s+not\s+None\b|assertIsNotNone\(|\bisinstance\(|\bassert\s+\w+\s*$"),
        table: pattern(r"\bparametrize\b|\bsubTest\("),
    });
    static SCRIPT: LazyLock<Marks> = LazyLock::new(|| Marks {
        skipped: pattern(
            r"^(?:x(?:it|test|describe|context)\s*\(|(?:it|test|describe|context|suite|specify)(?:\.\w+)*\.(?:skip|todo|fixme|fails|failing)\b(?:\s*\(|\.each))",
        ),
        conditional: pattern(r"\.(?:skipIf|runIf)\(|\b(?:this|ctx|context|t|test)\.skip\("),
        focused: pattern(
            r"^(?:f(?:it|describe|context)\s*\(|(?:it|test|describe|context|suite)(?:\.\w+)*\.only\b)",
        ),
        assertion: pattern(
            r"\bexpect(?:\.\w+)?\(|\bassert(?:\.\w+)*\(|\.should\b|\b(?:check|verify|assert|expect)[A-Z]\w*\(",
        ),
        vacuous: pattern(
            r"expect\(\s*(?:true|1|!0|!false)\s*\)\.(?:toBe\(\s*(?:true|1)\s*\)|toBeTruthy\(\s*\)|toEqual\(\s*(?:true|1)\s*\)|to\.be\.true)|\bassert(?:\.ok)?\(\s*(?:true|1)\s*[,)]|\|\|\s*true\s*\)",
        ),
        sides: pattern(
            r"expect\(\s*([^()]+)\)\.(?:toBe|toEqual|toStrictEqual)\(\s*([^()]+)\)|assert\.(?:equal|strictEqual|deepEqual|deepStrictEqual)\(\s*([^,()]+),\s*([^,()]+)[,)]",
        ),
        weak: pattern(
            r"\.(?:toBeDefined|toBeTruthy|toBeFalsy)\(\s*\)|\.not\.(?:toThrow|toBeNull|toBeUndefined)\(|expect\.anything\(",
        ),
        table: pattern(r"\.each\b|\bfor\s*\("),
    });
    static RUST: LazyLock<Marks> = LazyLock::new(|| Marks {
        skipped: pattern(r"^#\[(?:ignore\b|cfg\((?:any\(\)|FALSE|false)\))"),
        conditional: pattern(r"^#\[(?:cfg_attr\(.*\bignore\b|should[_]panic\b)"),
        focused: pattern(r"^\b$."),
        assertion: pattern(
            r"\b(?:debug_)?assert\w*!|\bpanic!|\bprop_assert\w*!|\b(?:assert|check|expect|verify)_\w+\(|\bcheck\(|\.unwrap_err\(\)",
        ),
        vacuous: pattern(r"\bassert!\(\s*(?:true|!false)\s*[,)]|\bassert!\(.*\|\|\s*true\b"),
        sides: pattern(r"\bassert_eq!\(\s*([^,()]+),\s*([^,()]+)[,)]"),
        weak: pattern(r"\bassert!\([^=]*\.is_(?:some|ok|err)\(\)\s*[,)]"),
        table: pattern(r"^#\[(?:case|test_case|values)\b|\bfor\s+.+\s+in\b|\bcheck\("),
    });
    static GO: LazyLock<Marks> = LazyLock::new(|| Marks {
        skipped: pattern(r"^//go:build\s+ignore"),
        conditional: pattern(r"\bt\.Skip(?:Now|f)?\("),
        focused: pattern(r"^\b$."),
        assertion: pattern(
            r"\bt\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\(|\b(?:assert|require)\.\w+\(|\b(?:check|assert|verify|expect)[A-Z]\w*\(",
        ),
        vacuous: pattern(r"\b(?:assert|require)\.True\(\s*t\s*,\s*true\b"),
        sides: pattern(r"\b(?:assert|require)\.Equal\(\s*t\s*,\s*([^,()]+),\s*([^,()]+)[,)]"),
        weak: pattern(r"\b(?:assert|require)\.(?:NotNil|NotEmpty|NoError)\("),
        table: pattern(r"\bt\.Run\(|:=\s*range\b"),
    });
    static JAVA: LazyLock<Marks> = LazyLock::new(|| Marks {
        skipped: pattern(r"^@(?:Disabled|Ignore)\b|\(\s*Skip\s*=|^\[Ignore"),
        conditional: pattern(
            r"^@(?:DisabledIf|EnabledIf|DisabledOn|EnabledOn)\w*|\bassume(?:True|False|That)\(|\(enabled\s*=\s*false",
        ),
        focused: pattern(r"^\b$."),
        assertion: pattern(r"\b[aA]ssert\w*[.(]|\bverify\(|\bfail\(|\.should\w*\("),
        vacuous: pattern(
            r"\bassertTrue\(\s*true\s*[,)]|\bassertFalse\(\s*false\s*[,)]|Assert\.True\(\s*true\b",
        ),
        sides: pattern(r"\bassert(?:Equals|Same)\(\s*([^,()]+),\s*([^,()]+)[,)]"),
        weak: pattern(r"\bassertNotNull\(|\bassertDoesNotThrow\("),
        table: pattern(r"^@ParameterizedTest|^@(?:Csv|Value|Method|Enum)Source|\bInlineData\("),
    });
    static RUBY: LazyLock<Marks> = LazyLock::new(|| Marks {
        skipped: pattern(r"^(?:x(?:it|specify|describe|context)\b|(?:pending|skip)\b)"),
        conditional: pattern(r",\s*(?:skip|pending):"),
        focused: pattern(r"^f(?:it|describe|context)\b|\bfocus:\s*true|,\s*:focus\b"),
        assertion: pattern(r"\bexpect[\s({]|\bassert\w*\b|\.should\b|\brefute\w*\b"),
        vacuous: pattern(
            r"\bassert\s*\(?\s*true\b|expect\(\s*true\s*\)\.to\s+(?:be\s+true|be_truthy|eq\(?\s*true)",
        ),
        sides: pattern(
            r"expect\(\s*([^()]+)\)\.to\s+eq[\s(]+([^()]+?)\)?$|\bassert_equal\(?\s*([^,()]+),\s*([^,()]+)\)?$",
        ),
        weak: pattern(r"\bnot_to\s+be_nil|\bassert_not_nil\b|\brefute_nil\b|be_truthy"),
        table: pattern(r"\.each\b"),
    });
    static SHELL: LazyLock<Marks> = LazyLock::new(|| Marks {
        skipped: pattern(r"^skip\b"),
        conditional: pattern(r"(?:&&|\|\||;)\s*skip\b"),
        focused: pattern(r"^\b$."),
        assertion: pattern(
            r"(?:^|[;&|!({]|\b(?:if|then|do|else|while|until)\b)\s*(?:(?:test|grep|egrep|fgrep|diff|cmp|false|assert\w*|expect\w*)\b|\[\[?\s|(?:exit|return)\s+[1-9])",
        ),
        vacuous: pattern(r"\|\|\s*(?:true|:)\s*$|(?:\btest|\[)\s+(?:1|true)\s*(?:\]|$)"),
        sides: pattern(r#"(?:\btest|\[)\s+"?([\w.]+)"?\s+(?:=|==|-eq)\s+"?([\w.]+)"?\s*(?:\]|$)"#),
        weak: pattern(r"(?:\btest|\[)\s+-n\b"),
        table: pattern(r"^for\b"),
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
