//! Cases for evals, as many as are wanted, in both languages: no two have the same text.

use serde_json::{Value, json};

const KINDS: [&str; 4] = ["web", "youtube", "newsletter", "other"];
const SUBJECTS: [(&str, &str); 10] = [
    ("database migrations", "数据库迁移"),
    ("container images", "容器镜像"),
    ("incident reviews", "故障复盘"),
    ("search indexes", "搜索索引"),
    ("release trains", "发布列车"),
    ("payment retries", "支付重试"),
    ("message queues", "消息队列"),
    ("feature flags", "功能开关"),
    ("load tests", "压力测试"),
    ("code reviews", "代码评审"),
];
const ACTS: [(&str, &str); 8] = [
    ("rolling back", "回滚"),
    ("measuring", "度量"),
    ("splitting", "拆分"),
    ("caching", "缓存"),
    ("scheduling", "调度"),
    ("documenting", "记录"),
    ("sampling", "抽样"),
    ("isolating", "隔离"),
];
const PLACES: [(&str, &str); 7] = [
    ("a team of six", "六人团队"),
    ("two small services", "两个小服务"),
    ("one shared cluster", "一个共享集群"),
    ("a nightly pipeline", "夜间流水线"),
    ("the support desk", "客服台"),
    ("an old monolith", "旧单体系统"),
    ("a mobile backend", "移动端后台"),
];

/// The case with this number; English if it is even, Chinese if it is odd.
pub fn case(number: usize) -> Value {
    let (subject, act, place) =
        (SUBJECTS[number % 10], ACTS[number / 10 % 8], PLACES[number / 80 % 7]);
    let (weeks, samples, percent) = (number % 9 + 2, number % 50 + 10, number % 30 + 5);
    let (title, intent, text) = if number.is_multiple_of(2) {
        let (subject, act, place) = (subject.0, act.0, place.0);
        (
            format!("{act} {subject} for {place}"),
            format!("I want a checklist for {act} {subject} in {place}"),
            format!(
                "This report number {number} follows {place} through {act} {subject} over {weeks} weeks. \
                 The first step was a baseline table with {samples} measured samples. \
                 Next came a written checklist that names an owner for every risk. \
                 A comparison of both quarters shows {percent} percent fewer surprises. \
                 The appendix lists templates, costs and the prerequisites for beginners."
            ),
        )
    } else {
        let (subject, act, place) = (subject.1, act.1, place.1);
        (
            format!("{place}如何{act}{subject}"),
            format!("想要一份关于{place}{act}{subject}的检查清单"),
            format!(
                "本报告第{number}号记录了{place}用{weeks}周完成{subject}{act}的全过程。\
                 第一步是建立含{samples}个样本的基线表格。\
                 随后写出逐项检查清单,并为每个风险指定负责人。\
                 两个季度的对比显示意外减少了百分之{percent}。\
                 附录给出模板、成本以及新人需要的前置知识。"
            ),
        )
    };
    json!({
        "id": format!("case-{number:05}"),
        "source_type": KINDS[number % 4],
        "title": title,
        "intent_text": intent,
        "extracted_text": text,
    })
}
