//! The keys of an update: the one table from which the parser, the schema and the prompt are made.

/// One key of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    pub(crate) name: &'static str,
    /// Other spellings that mean the same.
    pub(crate) aliases: &'static [&'static str],
    pub(crate) presence: Presence,
    pub(crate) shape: Shape,
    /// What it is, in English and in Chinese.
    pub(crate) about: [&'static str; 2],
    pub(crate) sample: Sample,
}

/// Whether a key has to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Presence {
    Required,
    /// `null` is the same as absent.
    Optional,
}

/// What stands under a key.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    Truth,
    /// A whole number from 0.
    Count,
    Text(TextForm),
    /// A list of texts.
    Texts {
        each: TextForm,
        most: usize,
    },
    /// A list of texts, or one text.
    OneOrMoreTexts {
        each: TextForm,
        most: usize,
    },
    StoryId,
    /// One of these words.
    OneOf(&'static [&'static str]),
    Object(&'static [Key]),
    /// An object by criterion.
    Criteria {
        keys: &'static [Key],
        most: usize,
    },
    /// A list of objects, one of them, or an object by path in which each has no path of its own.
    Explanations {
        keys: &'static [Key],
        most: usize,
    },
    /// A flag by which an agent would let itself off; it may only be false.
    Waiver,
}

/// What a text may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextForm {
    /// In characters.
    pub(crate) most: usize,
    pub(crate) kind: TextKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextKind {
    /// Any text without a null character.
    Lines,
    /// A text without control characters that says something.
    Line,
    /// A path below the root of the repository.
    Inside,
}

/// What the sample call shows under a key.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Sample {
    /// The key is not shown.
    Hidden,
    Literal(Literal),
    /// The id of the story that is being worked on.
    Story,
    /// The id of a criterion that is open, over what stands under the key.
    Criterion,
    /// A path, over what stands under the key.
    Path(&'static str),
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Literal {
    Truth(bool),
    Count(u64),
    Text(&'static str),
    Texts(&'static [&'static str]),
}

/// The key under which an explanation names its file; a map has it as its own key.
pub(crate) const FILE: &str = "file";
pub(crate) const REASON: &str = "reason";

const MAX_CRITERIA: usize = 100;
pub(crate) const MAX_FILES: usize = 1000;
const SAMPLE_PATH: &str = "src/auth/login.ts";

const LONG: Shape = lines(100_000);
const MIDDLE: Shape = lines(20_000);
pub(crate) const LINE: TextForm = TextForm { most: 1024, kind: TextKind::Line };
const INSIDE: TextForm = TextForm { most: 1024, kind: TextKind::Inside };

/// An update.
pub(crate) static UPDATE: &[Key] = &[
    key("storyId", Shape::StoryId, ["the story that this is about", "本次更新所属的故事"])
        .required()
        .shown(Sample::Story),
    key(
        "branch",
        Shape::Text(LINE),
        ["the branch of its plan, if several have the story", "计划的分支(多个计划含此故事时)"],
    ),
    key("passes", Shape::Truth, ["whether the whole story is done", "整个故事是否完成"])
        .required()
        .shown(Sample::Literal(Literal::Truth(true))),
    key(
        "acStatus",
        Shape::Criteria { keys: CRITERION, most: MAX_CRITERIA },
        ["the evidence for each criterion", "每条 AC 的证据"],
    )
    .or(&["acEvidence"])
    .shown(Sample::Criterion),
    key(
        "expectedFiles",
        Shape::Texts { each: LINE, most: MAX_FILES },
        ["the files that you said you would change, before you began", "开始前声明会改动的文件"],
    )
    .shown(Sample::Literal(Literal::Texts(&[SAMPLE_PATH]))),
    key(
        "scopeExplanation",
        Shape::Explanations { keys: EXPLANATION, most: MAX_FILES },
        ["why each file had to change", "每个文件为何需要改动"],
    )
    .shown(Sample::Path(SAMPLE_PATH)),
    key(
        "unexpectedFileExplanation",
        Shape::Explanations { keys: EXPLANATION, most: MAX_FILES },
        ["the same, for files outside the declaration", "同上,用于声明之外的文件"],
    ),
    key(
        "hardGates",
        Shape::Object(GATES),
        [
            "what you saw of typecheck and build; they are run again",
            "你所见的类型检查与构建结果;会重新运行",
        ],
    ),
    key("filesChanged", Shape::Count, ["how many files you changed", "改动的文件数"]),
    key("notes", MIDDLE, ["what whoever comes next should know", "留给后来者的说明"]),
    key("error", MIDDLE, ["what went wrong", "出了什么问题"]),
    key("step", Shape::Text(LINE), ["what you are doing", "当前步骤"]),
    key("skipHardGates", Shape::Waiver, WAIVER),
    key("skipScopeCheck", Shape::Waiver, WAIVER),
];

/// What is claimed of one criterion.
pub(crate) static CRITERION: &[Key] = &[
    key("passes", Shape::Truth, ["whether the criterion holds", "该 AC 是否成立"])
        .shown(Sample::Literal(Literal::Truth(true))),
    key(
        "evidence",
        MIDDLE,
        ["what shows it, in words; words alone never pass", "文字说明;仅有文字不会通过"],
    )
    .shown(Sample::Literal(Literal::Text("a wrong password is refused"))),
    key(
        "command",
        MIDDLE,
        [
            "a command that exits with 0 only if it holds; provost runs it again",
            "仅当 AC 成立时以 0 退出的命令;provost 会重新运行",
        ],
    )
    .shown(Sample::Literal(Literal::Text("npm test -- login"))),
    key(
        "cwd",
        Shape::Text(INSIDE),
        ["the folder it runs in, from the root of the repository", "运行目录(相对仓库根)"],
    ),
    key("output", LONG, ["what it printed", "命令的输出"])
        .shown(Sample::Literal(Literal::Text("Tests: 4 passed, 4 total"))),
    key(
        "files",
        Shape::OneOrMoreTexts { each: INSIDE, most: 100 },
        ["files that show it", "可证明的文件"],
    ),
    key(
        "tests",
        Shape::OneOrMoreTexts { each: LINE, most: 200 },
        ["names of tests that show it", "可证明的测试名称"],
    ),
    key("blockedReason", MIDDLE, ["why it cannot be done now", "目前无法完成的原因"]),
];

/// Why a file had to change.
pub(crate) static EXPLANATION: &[Key] = &[
    key(FILE, Shape::Text(LINE), ["the file, or its folder", "文件或其文件夹"]).required(),
    key(REASON, lines(4000), ["why it belongs to the story", "为何属于本故事的范围"])
        .required()
        .shown(Sample::Literal(Literal::Text("checks the password as AC-1 asks"))),
    key("lines", Shape::Count, ["how many of its lines changed", "改动的行数"])
        .shown(Sample::Literal(Literal::Count(45))),
    key("isNewFile", Shape::Truth, NEW),
    key("isNewDirectory", Shape::Truth, NEW),
];

/// The gates of which an agent may speak.
pub(crate) static GATES: &[Key] = &[
    key("typecheck", Shape::Object(GATE), ["the typecheck", "类型检查"]),
    key("build", Shape::Object(GATE), ["the build", "构建"]),
];

/// What an agent saw of one gate.
pub(crate) static GATE: &[Key] = &[
    key("passed", Shape::Truth, ["whether it passed", "是否通过"]).required(),
    key("command", MIDDLE, ["what was run", "运行的命令"]),
    key("output", LONG, ["what it printed", "命令的输出"]),
];

const WAIVER: [&str; 2] = ["only a person can waive a check", "只有人可以豁免检查"];
const NEW: [&str; 2] =
    ["accepted and not used: provost looks itself", "接受但不使用:provost 自行查看"];

impl Key {
    /// The name and every other spelling.
    pub(crate) fn spellings(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    /// Whether an agent may send it at all.
    pub(crate) fn is_offered(&self) -> bool {
        !matches!(self.shape, Shape::Waiver)
    }

    pub(crate) const fn required(self) -> Self {
        Self { presence: Presence::Required, ..self }
    }

    const fn shown(self, sample: Sample) -> Self {
        Self { sample, ..self }
    }

    pub(crate) const fn or(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }
}

pub(crate) const fn key(name: &'static str, shape: Shape, about: [&'static str; 2]) -> Key {
    Key { name, aliases: &[], presence: Presence::Optional, shape, about, sample: Sample::Hidden }
}

pub(crate) const fn lines(most: usize) -> Shape {
    Shape::Text(TextForm { most, kind: TextKind::Lines })
}
