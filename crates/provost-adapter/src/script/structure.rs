//! The pipeline check: a coder and a judge that need no model, to try a whole run end to end.

use std::{io, path::Path};

use super::put;

/// The line that makes a document one of requirements.
const TITLE: &str = "# 需求文档";
const DOCUMENT: &str = "artifacts/requirements.md";
const SPECIFICATION: &str = "artifacts/spec.json";
/// A document that is shorter says nothing.
const LEAST: usize = 10;

/// Writes the document, with its six sections, and its specification.
pub(super) fn write() -> io::Result<()> {
    let sections = [
        ("背景", "本文档用于检查流水线的结构。"),
        ("目标", "一次尝试从编码到评判完整运行。"),
        ("范围", "只涉及 `artifacts/` 目录中的文件。"),
        ("验收标准", "`artifacts/requirements.md` 存在且带有标题。"),
        ("风险与异常", "文件写入失败时,尝试以错误结束。"),
        ("约束", "不访问网络,不调用模型。"),
    ];
    let body = sections.map(|(name, body)| format!("\n## {name}\n\n{body}\n")).concat();
    let text = format!("{TITLE}\n{body}");
    put(Path::new(DOCUMENT), text.as_bytes())?;
    let names = sections.map(|(name, _)| name);
    let specification = serde_json::json!({ "document": DOCUMENT, "sections": names });
    put(Path::new(SPECIFICATION), format!("{specification:#}\n").as_bytes())
}

/// Whether the document in the evidence has its form.
pub(super) fn is_well_formed() -> bool {
    let text =
        std::fs::read_to_string(format!("evidence/result/{DOCUMENT}.txt")).unwrap_or_default();
    text.len() >= LEAST && text.lines().any(|line| line.trim_end() == TITLE)
}
