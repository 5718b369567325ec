//! What each reason for a refusal means, for whoever reads it.

use provost_kernel::{Lang, learn::RejectCode};

/// The reason in words; the thing that it is about stands beside it.
pub fn meaning(code: RejectCode, lang: Lang) -> &'static str {
    use RejectCode as Code;
    let (en, zh) = match code {
        Code::NotJson => ("the answer is not one JSON object", "回答不是单个 JSON 对象"),
        Code::DuplicateKey => ("a key stands twice", "键重复出现"),
        Code::TrailingText => ("there is text after the object", "对象之后还有文本"),
        Code::UnknownField => {
            ("the answer has a field that was not asked for", "回答含有未要求的字段")
        }
        Code::NotObject => ("it is not of the type that was asked for", "类型与要求不符"),
        Code::BadOp => {
            ("the op is not add, update, delete or merge", "op 不是 add、update、delete 或 merge")
        }
        Code::ScaffoldTarget => ("a scaffold rule is never changed", "骨架规则不可更改"),
        Code::ChecklistDelete => ("the checklist G0 is never removed", "检查清单 G0 不可删除"),
        Code::MissingKey => ("the key of the rule is missing", "缺少规则的键"),
        Code::UnknownKey => ("there is no rule with this key", "没有此键的规则"),
        Code::BadKeyNamespace => ("a key is written G0, G1 and so on", "键须写作 G0、G1 等"),
        Code::EvidenceMissing => ("the evidence is missing", "缺少证据"),
        Code::EvidenceNotList => {
            ("the evidence is not a list of ticket keys", "证据不是工单键的列表")
        }
        Code::EvidenceEmpty => ("the evidence is empty", "证据为空"),
        Code::EvidenceOutside => ("the evidence is not a learnable ticket", "证据不是可学习的工单"),
        Code::TextEmpty => ("the text is missing", "缺少文本"),
        Code::TextTooLong => ("the text is too long", "文本过长"),
        Code::RationaleTooLong => ("the rationale is too long", "理由过长"),
        Code::FalsifierTooLong => ("the falsifier is too long", "证伪条件过长"),
        Code::ThirdState => ("the wording leaves a third answer", "措辞留有第三种结论"),
        Code::AmbiguousNegation => {
            ("it says what not to judge, and not what to judge", "只说不应如何判,未说应如何判")
        }
        Code::NotBinary => ("it does not conclude pass or fail", "没有通过或不通过的结论"),
        Code::LeaksTicket => ("it names a single case", "指向单个案例"),
        Code::CopiesEvidence => ("it repeats the evidence of a case", "照抄案例的证据"),
        Code::ConflictsScaffold => ("it goes against the scaffold", "与骨架规则冲突"),
        Code::BrandDimension => ("it goes by a brand or a name", "以品牌或名称为依据"),
        Code::FalsifierMissing => ("it does not say what would prove it wrong", "没有说明如何证伪"),
        Code::MergeFromEmpty => ("it names no rule to merge", "未指明要合并的规则"),
        Code::MergeFromProtected => {
            ("G0 and scaffold rules are never merged away", "G0 与骨架规则不可被合并删除")
        }
        Code::MergeSelf => ("a rule is not merged into itself", "规则不能并入自身"),
        Code::Duplicate => ("it stands in the answer already", "回答中已有相同内容"),
        Code::OverCap => ("the answer has more than may be kept", "超出可保留的数量"),
    };
    lang.pick(en, zh)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_reason_has_words_of_its_own() {
        for lang in [Lang::En, Lang::Zh] {
            let texts: BTreeSet<_> = RejectCode::ALL.iter().map(|it| meaning(*it, lang)).collect();
            assert_eq!(texts.len(), RejectCode::ALL.len(), "{lang}");
        }
    }
}
