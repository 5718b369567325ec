//! No model behind a chat (LOOP-A10): what a front end that speaks to people from afar may be started with.
//!
//! Its dependency tree has nothing that could call a model, which `cargo xtask tidy` proves. This is the
//! second lock: the variable `NO_LLM`, and the address that it would contact.

use provost_kernel::Message;

/// Something that would let a model answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "NO_LLM_VIOLATION")]
pub enum NoLlmViolation {
    #[message(
        code = "flag",
        en = "NO_LLM_VIOLATION: `NO_LLM` is `{value}`, and only `true` is allowed here",
        zh = "NO_LLM_VIOLATION：`NO_LLM` 为 `{value}`，此处只允许 `true`",
        hint(en = "unset it, or set `NO_LLM=true`", zh = "请取消设置，或设为 `NO_LLM=true`")
    )]
    Flag { value: String },
    #[message(
        code = "host",
        en = "NO_LLM_VIOLATION: `{host}` is the address of a model provider",
        zh = "NO_LLM_VIOLATION：`{host}` 是模型服务商的地址",
        hint(
            en = "set the address of a Bot API server, or none",
            zh = "请设置 Bot API 服务器的地址，或不设置"
        )
    )]
    Host { host: String },
}

/// Hosts of model providers; a name below one of them is one too.
const PROVIDERS: &[&str] = &[
    "ai.google.dev",
    "aiplatform.googleapis.com",
    "aliyuncs.com",
    "anthropic.com",
    "baidubce.com",
    "bedrock-runtime.amazonaws.com",
    "bigmodel.cn",
    "cerebras.ai",
    "chatgpt.com",
    "claude.ai",
    "cohere.ai",
    "cohere.com",
    "deepinfra.com",
    "deepseek.com",
    "fireworks.ai",
    "generativelanguage.googleapis.com",
    "groq.com",
    "huggingface.co",
    "minimax.chat",
    "mistral.ai",
    "moonshot.ai",
    "moonshot.cn",
    "openai.azure.com",
    "openai.com",
    "openrouter.ai",
    "perplexity.ai",
    "replicate.com",
    "sambanova.ai",
    "siliconflow.cn",
    "together.ai",
    "together.xyz",
    "volces.com",
    "x.ai",
];

/// Checks the variable: absent is as good as `true`.
pub fn check_flag(value: Option<&str>) -> Result<(), NoLlmViolation> {
    match value {
        None | Some("true") => Ok(()),
        Some(other) => {
            let value = provost_kernel::shorten(other).escape_debug().to_string();
            Err(NoLlmViolation::Flag { value })
        }
    }
}

/// Checks a host that would be contacted.
pub fn check_host(host: &str) -> Result<(), NoLlmViolation> {
    let name = host.trim_end_matches('.').to_ascii_lowercase();
    let is_below = |provider: &&str| {
        name.strip_suffix(*provider).is_some_and(|it| it.is_empty() || it.ends_with('.'))
    };
    // A region stands in the middle of these names.
    let is_bedrock = name.starts_with("bedrock") && name.ends_with(".amazonaws.com");
    let is_vertex = name.ends_with("-aiplatform.googleapis.com");
    if is_bedrock || is_vertex || PROVIDERS.iter().any(is_below) {
        return Err(NoLlmViolation::Host { host: provost_kernel::shorten(&name) });
    }
    Ok(())
}

impl NoLlmViolation {
    /// What was violated, for the record.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Flag { .. } => "NO_LLM not true",
            Self::Host { .. } => "model provider address",
        }
    }

    /// What it was violated by.
    pub fn context(&self) -> &str {
        match self {
            Self::Flag { value } => value,
            Self::Host { host } => host,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// LOOP-A10.
    #[test]
    fn only_true_or_nothing_is_allowed() {
        for value in [None, Some("true")] {
            assert_eq!(check_flag(value), Ok(()), "{value:?}");
        }
        for value in ["", "false", "1", "TRUE", "true ", "yes"] {
            assert!(check_flag(Some(value)).is_err(), "{value}");
        }
    }

    /// LOOP-A10.
    #[test]
    fn no_model_provider_is_contacted() {
        for host in [
            "api.telegram.org",
            "127.0.0.1",
            "[::1]",
            "localhost",
            "bots.example",
            "openai.com.example",
            "notopenai.com",
            "s3.amazonaws.com",
        ] {
            assert_eq!(check_host(host), Ok(()), "{host}");
        }
        for host in [
            "api.openai.com",
            "API.OpenAI.com",
            "api.openai.com.",
            "openai.com",
            "api.anthropic.com",
            "generativelanguage.googleapis.com",
            "europe-west4-aiplatform.googleapis.com",
            "mine.openai.azure.com",
            "bedrock-runtime.us-east-1.amazonaws.com",
            "dashscope.aliyuncs.com",
            "api.deepseek.com",
            "openrouter.ai",
        ] {
            assert!(check_host(host).is_err(), "{host}");
        }
        assert!(PROVIDERS.is_sorted());
    }
}
