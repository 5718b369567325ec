//! The phrases, in normal form: ASCII ones match by whole words, Chinese ones anywhere.
//!
//! A phrase that is part of another comes after it where the longer one says more.

#[cfg(test)]
use provost_kernel::learn::VerdictTerms;

/// What leaves a third answer. Bare words that a condition may need ("review", "审核") are none.
pub(super) const THIRD_STATE: &[&str] = &[
    // The words of the original and their variants.
    "复核",
    "覆核",
    "证据不足",
    "证据不够",
    "证据不充分",
    "缺乏足够证据",
    "待定",
    "待确认",
    "待判定",
    "待核实",
    "不应直接",
    "不应该直接",
    "不应当直接",
    "不建议直接",
    "不得直接",
    "不宜直接",
    "佐证",
    "需进一步",
    "需要进一步",
    "进一步确认",
    "进一步核实",
    "不写不通过",
    "通过但需",
    "通过但应",
    "通过但要",
    "通过但建议",
    "则通过但",
    "判通过但",
    "有条件通过",
    "第三态",
    "需人工",
    "需要人工",
    "转人工",
    "待人工",
    "需复查",
    "需要复查",
    // English.
    "need review",
    "needs review",
    "needreview",
    "needsreview",
    "needs manual review",
    "need manual review",
    "needs human review",
    "need human review",
    "needs further review",
    "requires review",
    "requires manual review",
    "requires human review",
    "review needed",
    "review required",
    "flag for review",
    "flag for manual review",
    "to be determined",
    "tbd",
    "undetermined",
    "inconclusive",
    "indeterminate",
    "insufficient evidence",
    "not enough evidence",
    "not enough information",
    "insufficient information",
    "cannot be determined",
    "can not be determined",
    "cannot determine",
    "unable to determine",
    "further confirmation",
    "further review",
    "further investigation",
    "pending confirmation",
    "pending review",
    "then pass but",
    "as pass but",
    "is pass but",
    "verdict pass but",
    "pass but flag",
    "pass but need",
    "pass but needs",
    "pass but require",
    "pass but requires",
    "pass but should",
    "pass but must",
    "pass but only",
    "pass but with",
    "pass but subject to",
    "pass but review",
    "conditional pass",
    "conditionally pass",
    "pass with reservations",
    "should not directly",
    "not recommended to directly",
    "must not directly",
    "needs corroboration",
    "need corroboration",
    "requires corroboration",
    "escalate to human",
    "escalate to a human",
    "third state",
    "borderline",
];

/// What denies one answer without giving the other.
pub(super) const AMBIGUOUS_NEGATION: &[&str] = &[
    "不应判定为",
    "不应判断为",
    "不应判为",
    "不应该判定为",
    "不应该判断为",
    "不应该判为",
    "不应当判定为",
    "不应当判断为",
    "不应当判为",
    "不建议判定为",
    "不建议判断为",
    "不建议判为",
    "不要判定为",
    "不要判断为",
    "不要判为",
    "不得判定为",
    "不得判断为",
    "不得判为",
    "不宜判定为",
    "不宜判断为",
    "不宜判为",
    "should not be judged",
    "must not be judged",
    "should not be considered a pass",
    "should not be considered a fail",
    "should not be considered pass",
    "should not be considered fail",
    "do not judge as",
    "do not judge it as",
    "not recommended to judge",
    "should not pass",
    "should not fail",
    "should not automatically pass",
    "should not automatically fail",
    "need not fail",
    "need not pass",
];

/// What speaks to the judge instead of describing a case.
pub(super) const INSTRUCTION: &[&str] = &[
    "ignore all previous",
    "ignore all prior",
    "ignore previous",
    "ignore prior",
    "ignore the above",
    "ignore all other rules",
    "ignore the other rules",
    "ignore all rules",
    "ignore the rules",
    "ignore the scaffold",
    "ignore scaffold",
    "ignore all instructions",
    "ignore the instructions",
    "disregard all",
    "disregard previous",
    "disregard prior",
    "disregard the above",
    "disregard the rules",
    "disregard the scaffold",
    "disregard any",
    "forget all previous",
    "forget previous",
    "forget the rules",
    "override the scaffold",
    "overrides the scaffold",
    "override all rules",
    "overrides all rules",
    "overrides all other rules",
    "override all other rules",
    "takes precedence over the scaffold",
    "takes precedence over all",
    "regardless of the scaffold",
    "regardless of the other rules",
    "regardless of all rules",
    "regardless of any rule",
    "no matter what the rules say",
    "scaffold rules do not apply",
    "scaffold no longer applies",
    "system prompt",
    "you are now",
    "you are a",
    "you are an",
    "you must answer",
    "you must output",
    "answer only with",
    "忽略以上",
    "忽略上述",
    "忽略之前",
    "忽略前面",
    "忽略所有",
    "忽略其他规则",
    "忽略骨架",
    "忽略规则",
    "无视以上",
    "无视上述",
    "无视之前",
    "无视所有",
    "无视其他规则",
    "无视骨架",
    "无视规则",
    "不要遵守",
    "不必遵守",
    "不再遵守",
    "优先于骨架",
    "高于骨架",
    "覆盖骨架",
    "取代骨架",
    "骨架规则不适用",
    "骨架规则无效",
    "系统提示",
    "你现在是",
    "你必须回答",
    "你必须输出",
];

/// What a chat template or a Markdown fence is made of; looked for before dashes are folded.
pub(super) const MARKUP: &[&str] = &[
    "<|",
    "|>",
    "```",
    "[inst]",
    "[/inst]",
    "<system>",
    "</system>",
    "<<sys>>",
    "<user>",
    "<assistant>",
    "### ",
    "<!--",
];

/// What takes a rule out of force, when a scaffold key follows.
pub(super) const OVERRULING: &[&str] = &[
    "ignore",
    "ignores",
    "disregard",
    "override",
    "overrides",
    "overrule",
    "overrules",
    "replace",
    "replaces",
    "supersede",
    "supersedes",
    "instead of",
    "despite",
    "regardless of",
    "unlike",
    "suspend",
    "suspends",
    "except",
];

/// The same in Chinese, directly before the key.
pub(super) const OVERRULING_ZH: &[&str] =
    &["忽略", "无视", "取代", "替代", "代替", "覆盖", "推翻", "优先于", "高于", "不顾", "违反"];

/// Dimensions that are a brand by another name; a mission can add to them and take none away.
pub(super) const BRAND: &[&str] = &[
    "brand",
    "trademark",
    "manufacturer",
    "vendor",
    "品牌",
    "商标",
    "厂商",
    "厂家",
    "厂牌",
    "牌子",
];

/// What a brand is called in a rule. Of the words above, some mean something else in one: code has
/// vendors.
pub(super) const BRAND_WORDS: &[&str] = &["brand", "branded", "品牌", "厂牌", "牌子"];

/// What the scaffold is called. Scaffolding alone is what a generator leaves behind.
pub(super) const SCAFFOLD: &[&str] =
    &["scaffold", "scaffolds", "scaffolding rule", "scaffolding rules", "骨架", "脚手架规则"];

/// Words between two answers that tell no case from another.
pub(super) const FILLERS: &[&str] = &[
    "a", "also", "and", "as", "be", "both", "can", "could", "do", "does", "either", "is", "it",
    "judge", "judged", "may", "maybe", "might", "must", "neither", "nor", "not", "or", "perhaps",
    "possibly", "should", "the", "then", "to", "verdict",
];

/// The same in Chinese; the longer ones come first.
pub(super) const FILLERS_ZH: &[&str] = &[
    "或者", "还是", "以及", "或", "和", "与", "及", "也", "又", "均", "皆", "可以", "可能", "可",
    "则", "就", "应", "判定", "判断", "判", "为", "是",
];

/// Words without content of their own.
pub(super) const STOP: &[&str] = &[
    "a", "about", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been", "being",
    "but", "by", "can", "case", "do", "does", "each", "every", "exist", "exists", "for", "from",
    "had", "has", "have", "if", "in", "is", "it", "its", "judge", "judged", "may", "must", "of",
    "on", "or", "other", "shall", "should", "so", "some", "such", "than", "that", "the", "their",
    "them", "then", "there", "these", "they", "this", "those", "ticket", "to", "verdict", "was",
    "were", "when", "whenever", "where", "which", "while", "who", "whose", "will", "with",
];

/// Words that turn a condition round.
pub(super) const NEGATION: &[&str] = &[
    "no", "not", "without", "never", "none", "neither", "nor", "cannot", "lack", "lacks",
    "lacking", "missing", "absent", "unless",
];

/// Characters that turn a condition round.
pub(super) const NEGATION_ZH: &[char] = &['不', '未', '无', '没', '非', '缺'];

/// Characters between which Chinese is cut into parts of content.
pub(super) const PARTICLES: &[char] = &[
    '的', '了', '和', '与', '及', '或', '把', '被', '这', '那', '也', '都', '就', '则', '若', '当',
    '且', '而', '但', '是', '在', '有', '为', '时', '如', '果', '应', '判', '定', '不', '未', '无',
    '没', '任', '何',
];

/// The character that another one is written for: look-alikes of Latin letters, and traditional
/// characters as far as the phrases above and the words of a conclusion have them.
pub(super) fn twin(it: char) -> char {
    match it {
        '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2bc}' | '`' => '\'',
        'а' | 'α' | 'ɑ' => 'a',
        'в' | 'β' => 'b',
        'с' | 'ϲ' => 'c',
        'ԁ' => 'd',
        'е' | 'ε' | 'є' => 'e',
        'ɡ' | 'ց' => 'g',
        'һ' | 'н' => 'h',
        'і' | 'ι' | 'ı' => 'i',
        'ј' => 'j',
        'к' | 'κ' => 'k',
        'ӏ' | 'ǀ' => 'l',
        'м' => 'm',
        'п' | 'η' | 'ո' => 'n',
        'о' | 'ο' | 'օ' => 'o',
        'р' | 'ρ' => 'p',
        'ԛ' => 'q',
        'г' => 'r',
        'ѕ' => 's',
        'т' | 'τ' => 't',
        'υ' | 'ս' => 'u',
        'ν' | 'ѵ' => 'v',
        'ԝ' | 'ω' => 'w',
        'х' | 'χ' => 'x',
        'у' | 'γ' => 'y',
        '複' | '復' => '复',
        '證' => '证',
        '據' => '据',
        '應' => '应',
        '議' => '议',
        '進' => '进',
        '確' => '确',
        '認' => '认',
        '過' => '过',
        '斷' => '断',
        '為' | '爲' => '为',
        '當' => '当',
        '則' => '则',
        '寫' => '写',
        '審' => '审',
        '無' => '无',
        '沒' => '没',
        '轉' => '转',
        '實' => '实',
        '條' => '条',
        '態' => '态',
        '夠' => '够',
        '該' => '该',
        '視' => '视',
        '規' => '规',
        '總' => '总',
        '輸' => '输',
        '蓋' => '盖',
        '優' => '优',
        '須' => '须',
        '廠' => '厂',
        '標' => '标',
        '個' => '个',
        '現' => '现',
        '還' => '还',
        '類' => '类',
        '與' => '与',
        _ => it,
    }
}

/// The terms of both languages.
#[cfg(test)]
pub(super) fn terms() -> VerdictTerms {
    let list = |words: &[&str]| words.iter().map(|&it| it.to_owned()).collect();
    VerdictTerms {
        pass: list(&["pass", "通过"]), fail: list(&["fail", "不通过", "未通过"])
    }
}
