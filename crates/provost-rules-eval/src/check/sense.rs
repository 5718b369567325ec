//! Checks of sense: whether texts say something, start with a verb, repeat each other.
//!
//! Each says nothing if the texts are not there; then the check is skipped.

use provost_kernel::Lang;
use provost_rules::json::shorten;
use serde_json::Value;

use super::{
    super::{
        clue::{Clues, clues, has_clue, keywords},
        lexicon::Lexicon,
        number::n,
        opening::verb_led,
        path::{Place, Subject},
        text::{Tokens, norm, ratio, tokens},
        weight::{action_weight, has_technical_token, headline_weight},
    },
    Outcome,
};

/// Verbs whose result is something that others can use.
const PRODUCING: [&str; 24] = [
    "write",
    "draft",
    "build",
    "create",
    "publish",
    "share",
    "send",
    "ship",
    "make",
    "design",
    "document",
    "decide",
    "implement",
    "present",
    "post",
    "写",
    "撰写",
    "起草",
    "搭建",
    "发布",
    "分享",
    "设计",
    "编写",
    "决定",
];
/// How many characters of a title are shown.
const TITLE: usize = 40;

pub(super) fn specific(
    lexicon: &Lexicon,
    at: &Place,
    intent: &Place,
    (least, similarity): (usize, f64),
    subject: Subject<'_>,
    lang: Lang,
) -> Option<Outcome> {
    let reasons = some(at.texts(subject)?)?;
    let intent = norm(intent.text(subject)?);
    let keywords = keywords(lexicon, &intent);
    let normal: Vec<_> = reasons.iter().map(|it| norm(it)).collect();
    let mut counted: Vec<Tokens<'_>> = Vec::new();
    let mut repeated = Vec::new();
    for (number, normal) in (1_usize..).zip(&normal) {
        let own = tokens(lexicon, normal);
        if !has_clue(lexicon, &keywords, normal, &own) {
            continue;
        }
        if counted.iter().any(|it| it.jaccard(&own) >= similarity) {
            repeated.push(number);
            continue;
        }
        counted.push(own);
        // The rest would only be counted further.
        if counted.len() >= least {
            return Some(Outcome::Pass);
        }
    }
    let notes = (1..).zip(&normal).map(|(number, normal)| {
        if repeated.contains(&number) {
            return lang.pick(format!("{number}: a repetition"), format!("{number}:重复"));
        }
        note(number, &clues(lexicon, &keywords, normal), lang)
    });
    let notes: Vec<_> = notes.collect();
    let (found, notes) = (counted.len(), notes.join("; "));
    Some(Outcome::Fail(lang.pick(
        format!(
            "{} something, expected at least {least} ({notes})",
            n(found, "reason names", "reasons name")
        ),
        format!("{found} 条理由有具体线索,至少应有 {least} 条({notes})"),
    )))
}

/// What was found in a reason, as people read it.
fn note(number: usize, found: &Clues, lang: Lang) -> String {
    let parts = [
        (&found.intent, lang.pick("intent", "意图")),
        (&found.structure, lang.pick("structure", "结构")),
        (&found.cost, lang.pick("cost", "成本")),
    ];
    let clues =
        parts.iter().filter_map(|(clue, name)| Some(format!("{name} `{}`", clue.as_ref()?)));
    let clues: Vec<_> = clues.collect();
    match (&found.generic, clues.is_empty()) {
        (_, false) => format!("{number}: {}", clues.join(", ")),
        (Some(phrase), true) => {
            lang.pick(format!("{number}: only `{phrase}`"), format!("{number}:仅有 `{phrase}`"))
        }
        (None, true) => lang.pick(format!("{number}: no clue"), format!("{number}:无线索")),
    }
}

pub(super) fn titles(
    lexicon: &Lexicon,
    at: &Place,
    least: usize,
    subject: Subject<'_>,
    lang: Lang,
) -> Option<Outcome> {
    let titles = some(at.texts(subject)?)?;
    let mut other = Vec::new();
    let mut found = 0;
    for title in titles {
        if verb_led(lexicon, &norm(title)).is_some() {
            found += 1;
            if found >= least {
                return Some(Outcome::Pass);
            }
        } else {
            other.push(format!("`{}`", cut(title)));
        }
    }
    let other = other.join(", ");
    Some(Outcome::Fail(lang.pick(
        format!(
            "{} with a verb, expected at least {least}; these do not: {other}",
            n(found, "title starts", "titles start")
        ),
        format!("{found} 个标题以动词开头,至少应有 {least} 个;以下不是:{other}"),
    )))
}

pub(super) fn actionable(
    lexicon: &Lexicon,
    at: &Place,
    least: f64,
    subject: Subject<'_>,
    lang: Lang,
) -> Option<Outcome> {
    let action = at.text(subject)?;
    Some(match action_weight(lexicon, action) {
        Some(weight) if weight >= least => Outcome::Pass,
        Some(_) => Outcome::Fail(
            lang.pick("the action names no object and no limit", "行动没有明确的对象或约束")
                .to_owned(),
        ),
        None => Outcome::Fail(
            lang.pick("no part of the action starts with a verb", "行动中没有以动词开头的部分")
                .to_owned(),
        ),
    })
}

pub(super) fn distinct(
    lexicon: &Lexicon,
    at: &Place,
    (similarity, containment, least_tokens): (f64, f64, usize),
    subject: Subject<'_>,
    lang: Lang,
) -> Option<Outcome> {
    let normal: Vec<_> = some(at.texts(subject)?)?.into_iter().map(norm).collect();
    let sets: Vec<_> = normal.iter().map(|it| tokens(lexicon, it)).collect();
    let texts: Vec<_> = (1..).zip(normal.iter().zip(&sets)).collect();
    for (index, &(first, (one, one_set))) in texts.iter().enumerate() {
        for &(second, (other, other_set)) in texts.iter().skip(index + 1) {
            let (alike, inside) = (one_set.jaccard(other_set), one_set.containment(other_set));
            let is_large = one_set.len().min(other_set.len()) >= least_tokens;
            if one == other || alike >= similarity || (inside >= containment && is_large) {
                return Some(Outcome::Fail(lang.pick(
                    format!("{first} and {second} say the same (likeness {alike:.2}, containment {inside:.2})"),
                    format!("第 {first} 条与第 {second} 条重复(相似度 {alike:.2},包含度 {inside:.2})"),
                )));
            }
        }
    }
    Some(Outcome::Pass)
}

pub(super) fn adds(
    lexicon: &Lexicon,
    at: &Place,
    to: &Place,
    (least_tokens, least_new, similarity): (usize, f64, f64),
    subject: Subject<'_>,
    lang: Lang,
) -> Option<Outcome> {
    let insight = norm(at.text(subject)?);
    let normal: Vec<_> = some(to.texts(subject)?)?.into_iter().map(norm).collect();
    let own = tokens(lexicon, &insight);
    let sets: Vec<_> = normal.iter().map(|it| tokens(lexicon, it)).collect();
    let found = own.len();
    if found < least_tokens {
        return Some(Outcome::Fail(lang.pick(
            format!(
                "it has {} something, expected at least {least_tokens}",
                n(found, "word that says", "words that say")
            ),
            format!("有实义的词仅 {found} 个,至少应有 {least_tokens} 个"),
        )));
    }
    let new = own.iter().filter(|it| sets.iter().all(|set| !set.contains(it))).count();
    let share = ratio(new, found);
    if share < least_new {
        return Some(Outcome::Fail(lang.pick(
            format!(
                "{:.0} % of it is new, expected at least {:.0} %",
                share * 100.0,
                least_new * 100.0
            ),
            format!("新内容占 {:.0} %,至少应占 {:.0} %", share * 100.0, least_new * 100.0),
        )));
    }
    let repeated = (1..).zip(&sets).find(|(_, set)| own.jaccard(set) >= similarity);
    Some(match repeated {
        None => Outcome::Pass,
        Some((number, _)) => Outcome::Fail(
            lang.pick(format!("it says what {number} says"), format!("与第 {number} 条相同")),
        ),
    })
}

pub(super) fn headline(
    lexicon: &Lexicon,
    at: &Place,
    (least, least_with_token): (f64, f64),
    subject: Subject<'_>,
    lang: Lang,
) -> Option<Outcome> {
    let headline = at.text(subject)?;
    let weight = headline_weight(lexicon, headline);
    if weight >= least || (weight >= least_with_token && has_technical_token(headline)) {
        return Some(Outcome::Pass);
    }
    let headline = cut(headline);
    Some(Outcome::Fail(lang.pick(
        format!("`{headline}` does not name its subject (weight {weight}, expected {least})"),
        format!("`{headline}` 没有点明主题(权重 {weight},应为 {least})"),
    )))
}

pub(super) fn produces(
    lexicon: &Lexicon,
    at: &Place,
    types: &[String],
    least: usize,
    subject: Subject<'_>,
    lang: Lang,
) -> Option<Outcome> {
    let items = some(at.values(subject)?)?;
    let has_types = items.iter().any(|it| it.get("type").is_some());
    let makes = |item: &&&Value| {
        let text = |key| item.get(key).and_then(Value::as_str);
        if has_types {
            text("type").is_some_and(|it| types.iter().any(|known| known == it))
        } else {
            text("title").map(norm).is_some_and(|it| {
                verb_led(lexicon, &it).is_some_and(|led| {
                    let verb = it.strip_suffix(led.after).unwrap_or(&it);
                    PRODUCING.iter().any(|known| verb.ends_with(known))
                })
            })
        }
    };
    let found = items.iter().filter(makes).count();
    Some(if found >= least {
        Outcome::Pass
    } else {
        Outcome::Fail(lang.pick(
            format!(
                "{} something, expected at least {least}",
                n(found, "task makes", "tasks make")
            ),
            format!("{found} 项任务有产出,至少应有 {least} 项"),
        ))
    })
}

pub(super) fn grounded(
    lexicon: &Lexicon,
    at: &Place,
    text: &Place,
    least: usize,
    subject: Subject<'_>,
    lang: Lang,
) -> Option<Outcome> {
    let source = norm(text.text(subject)?);
    let source = tokens(lexicon, &source);
    let texts = some(at.texts(subject)?)?;
    let is_loose = |text: &str| tokens(lexicon, &norm(text)).common(&source) < least;
    let loose = (1..).zip(texts).find(|(_, it)| is_loose(it));
    Some(match loose {
        None => Outcome::Pass,
        Some((number, _)) => Outcome::Fail(lang.pick(
            format!("{number} shares fewer than {least} words with the text"),
            format!("第 {number} 条与原文共有的词不足 {least} 个"),
        )),
    })
}

pub(super) fn quoted(
    at: &Place,
    text: &Place,
    subject: Subject<'_>,
    lang: Lang,
) -> Option<Outcome> {
    // Evidence is optional: where there is none, nothing is quoted wrongly.
    let Some(quotes) = at.texts(subject) else { return Some(Outcome::Pass) };
    let source = norm(text.text(subject)?);
    let foreign = (1..).zip(quotes).find(|(_, it)| !source.contains(&norm(it)));
    Some(match foreign {
        None => Outcome::Pass,
        Some((number, _)) => Outcome::Fail(lang.pick(
            format!("quote {number} is not in the text"),
            format!("第 {number} 条引文不在原文中"),
        )),
    })
}

/// A list with something in it.
fn some<T>(list: Vec<T>) -> Option<Vec<T>> {
    (!list.is_empty()).then_some(list)
}

fn cut(text: &str) -> String {
    let start: String = text.chars().take(TITLE).collect();
    if start.len() < text.len() { format!("{}…", shorten(&start)) } else { start }
}
