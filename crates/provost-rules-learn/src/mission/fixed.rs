//! Keys of the original that have one value here, or none.
//!
//! They are read so that a mission of the original is understood; another value would promise
//! what is not done.

use serde_json::Value;

use super::{problem::Refusal, table::Table};

const VOTE: Refusal = Refusal {
    en: "a verdict is always that of the majority: write `top_label`, or leave the key out",
    zh: "结论总以多数票为准:请写 `top_label`,或删去此键",
};
const TIE: Refusal = Refusal {
    en: "of equal answers the coolest stands for the vote: write `temperature`, or leave the key out",
    zh: "同票的回答中取温度最低者:请写 `temperature`,或删去此键",
};
const BINARY: Refusal = Refusal {
    en: "a verdict is pass or fail: write `false`, or leave the key out",
    zh: "结论只有通过与不通过:请写 `false`,或删去此键",
};
const SIGNALS: Refusal = Refusal {
    en: "every ticket with a signal is looked at: write `selected_mismatch_or_all_wrong`, or leave the key out",
    zh: "凡有信号的工单都会进入反思:请写 `selected_mismatch_or_all_wrong`,或删去此键",
};
const LEARN: Refusal = Refusal {
    en: "tickets that every answer missed are learned from: write `learn`, or leave the key out",
    zh: "全部答错的工单也用于学习:请写 `learn`,或删去此键",
};
const STRICT: Refusal = Refusal {
    en: "an answer is one JSON object and nothing else: write `true`, or leave the key out",
    zh: "回答只能是一个 JSON 对象:请写 `true`,或删去此键",
};
const EXPORT: Refusal = Refusal {
    en: "the export lies in the folder of the run: use `provost learn export MISSION`",
    zh: "导出文件在运行的文件夹中:请用 `provost learn export MISSION`",
};
const EXCLUDED: Refusal = Refusal {
    en: "list the keys themselves in `exclude_ticket_keys`",
    zh: "请在 `exclude_ticket_keys` 中直接列出这些键",
};
const MODEL: Refusal = Refusal {
    en: "a model is reached through `endpoints`, weights are not loaded here",
    zh: "模型通过 `endpoints` 访问,此处不加载权重",
};

/// Refuses what cannot be had.
pub(super) fn check(table: &mut Table) {
    for (key, value, why) in [
        ("selection.policy", Value::from("top_label"), VOTE),
        ("selection.tie_break", Value::from("temperature"), TIE),
        ("reflection.allow_uncertain", Value::from(false), BINARY),
        ("reflection.eligibility_policy", Value::from("selected_mismatch_or_all_wrong"), SIGNALS),
        ("reflection.all_wrong_strategy", Value::from("learn"), LEARN),
        ("strict_json", Value::from(true), STRICT),
    ] {
        if table.take(key).is_some_and(|it| it != value) {
            table.refuse(key, why);
        }
    }
    for (key, why) in
        [("stage_b_distillation.log_chatml_path", EXPORT), ("exclude_ticket_keys_path", EXCLUDED)]
    {
        if table.take(key).is_some() {
            table.refuse(key, why);
        }
    }
    if table.drop_section("model") {
        table.refuse("model", MODEL);
    }
}
