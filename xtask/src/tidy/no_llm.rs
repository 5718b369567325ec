//! No way to a model from the front ends that speak to people from afar (LOOP-A10).
//!
//! The layer table covers our own crates. This check follows what cargo resolved, with every third-party
//! crate on any platform, and fails on a way to a crate that runs processes or calls models.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::Problem;
use crate::metadata::Metadata;

/// Front ends that must not reach a model; one that does not exist yet is skipped.
const ROOTS: [&str; 3] = ["provost-notify", "provost-telegram", "provost-web"];

/// Our crates that start processes or call models.
const OURS: [&str; 3] = ["provost-adapter", "provost-engine", "provost-exec"];

/// Words in the names of crates that call models.
const WORDS: [&str; 20] = [
    "anthropic",
    "bedrock",
    "bedrockruntime",
    "candle",
    "claude",
    "cohere",
    "deepseek",
    "gemini",
    "genai",
    "groq",
    "huggingface",
    "langchain",
    "llama",
    "llm",
    "mistral",
    "mistralai",
    "mistralrs",
    "ollama",
    "openai",
    "openrouter",
];

pub(super) fn check(metadata: &Metadata) -> Vec<Problem> {
    let names: BTreeMap<&str, &str> =
        metadata.packages.iter().map(|it| (it.id.as_str(), it.name.as_str())).collect();
    let mut edges: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for node in metadata.resolve.iter().flat_map(|it| &it.nodes) {
        // What only tests use is not in the program.
        let shipped = node.deps.iter().filter(|it| it.dep_kinds.iter().any(|it| !it.is_dev()));
        edges.insert(&node.id, shipped.map(|it| it.pkg.as_str()).collect());
    }
    let roots = metadata.packages.iter().filter(|it| ROOTS.contains(&it.name.as_str()));
    roots.flat_map(|root| problems(&root.id, &names, &edges)).collect()
}

fn problems(
    root: &str,
    names: &BTreeMap<&str, &str>,
    edges: &BTreeMap<&str, Vec<&str>>,
) -> Vec<Problem> {
    let name = |id: &str| names.get(id).copied().unwrap_or_default().to_owned();
    let mut problems = Vec::new();
    let mut reached = BTreeSet::from([root]);
    let mut ways = VecDeque::from([vec![root]]);
    while let Some(way) = ways.pop_front() {
        let Some(last) = way.last() else { continue };
        if is_forbidden(&name(last)) {
            let steps: Vec<String> = way.iter().map(|it| name(it)).collect();
            let message = format!("can reach a model: {}", steps.join(" -> "));
            problems.push(Problem::new(name(root), message));
            continue;
        }
        for next in edges.get(last).into_iter().flatten() {
            if reached.insert(next) {
                ways.push_back([way.as_slice(), &[next]].concat());
            }
        }
    }
    problems
}

fn is_forbidden(name: &str) -> bool {
    OURS.contains(&name) || name.split(['-', '_']).any(|it| WORDS.contains(&it))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::tidy::assert_problems;

    /// Packages and edges such as `a -> b` or `a -> b(dev)`.
    #[track_caller]
    fn check_edges(edges: &[&str], expected: &[&str]) {
        let mut nodes: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        for edge in edges {
            let (from, to) = edge.split_once(" -> ").unwrap();
            let (to, kind) = match to.split_once('(') {
                Some((to, kind)) => (to, json!(kind.trim_end_matches(')'))),
                None => (to, Value::Null),
            };
            let dep = json!({"pkg": format!("id:{to}"), "dep_kinds": [{"kind": kind}]});
            nodes.entry(to.to_owned()).or_default();
            nodes.entry(from.to_owned()).or_default().push(dep);
        }
        let package = |name: &String| json!({"id": format!("id:{name}"), "name": name, "version": "1.0.0", "dependencies": []});
        let node = |(name, deps): (&String, &Vec<Value>)| json!({"id": format!("id:{name}"), "deps": deps});
        let metadata = json!({
            "packages": nodes.keys().map(package).collect::<Vec<_>>(),
            "resolve": {"nodes": nodes.iter().map(node).collect::<Vec<_>>()},
        });
        assert_problems(&check(&serde_json::from_value(metadata).unwrap()), expected);
    }

    /// LOOP-A10: each planted edge goes red, through our crates and through others.
    #[test]
    fn a_way_to_a_model_is_found() {
        check_edges(&["provost-telegram -> provost-desk", "provost-desk -> serde"], &[]);
        check_edges(&["provost-engine -> provost-adapter"], &[]);
        check_edges(&["provost-telegram -> provost-adapter(dev)"], &[]);
        check_edges(
            &["provost-telegram -> provost-desk", "provost-desk -> provost-exec"],
            &[
                "provost-telegram: can reach a model: provost-telegram -> provost-desk -> provost-exec",
            ],
        );
        check_edges(
            &["provost-notify -> provost-engine(build)"],
            &["provost-notify: can reach a model: provost-notify -> provost-engine"],
        );
        check_edges(
            &["provost-web -> http-kit", "http-kit -> async-openai"],
            &["provost-web: can reach a model: provost-web -> http-kit -> async-openai"],
        );
        check_edges(
            &["provost-telegram -> aws-sdk-bedrockruntime"],
            &["provost-telegram: can reach a model: provost-telegram -> aws-sdk-bedrockruntime"],
        );
    }

    #[test]
    fn only_whole_words_count() {
        for name in ["provost-llm", "ollama-rs", "rust_claude", "provost-exec"] {
            assert!(is_forbidden(name), "{name}");
        }
        for name in ["serde", "provost-desk", "llvm-sys", "candlestick", "provost-kernel"] {
            assert!(!is_forbidden(name), "{name}");
        }
        assert!(WORDS.is_sorted());
    }
}
