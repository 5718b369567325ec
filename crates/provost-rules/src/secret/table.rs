//! The formats of tokens that vendors publish, one row each.
//!
//! The order is the order of preference: where two fit the same text, the first gives the name.
//! Patterns repeat without an upper bound where the vendor gives none; all of them run in linear
//! time. The group `secret` is what is reported and redacted.

use std::sync::OnceLock;

use regex::bytes::Regex;

use super::{doubt, needle::Needle};

/// A kind of secret.
#[derive(Debug)]
pub(super) struct Format {
    pub(super) kind: &'static str,
    /// The literals of which one must occur; in lower case if case is ignored.
    pub(super) needles: &'static [&'static str],
    pub(super) case: Case,
    pub(super) pattern: &'static str,
    pub(super) check: Check,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Case {
    Exact,
    Ignored,
}

/// What must hold beyond the pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    /// There are as many different characters as chance would give.
    Varied,
    /// It looks drawn by lot.
    Random,
    /// It is not a common password, and not the user's own name.
    Password,
}

impl Check {
    pub(super) fn holds(self, secret: &[u8], user: Option<&[u8]>) -> bool {
        match self {
            Self::Varied => doubt::is_varied(secret),
            Self::Random => doubt::is_random(secret),
            Self::Password => doubt::is_password(secret, user),
        }
    }
}

macro_rules! format {
    ($kind:literal, [$($needle:literal),+], $pattern:literal) => {
        format!($kind, [$($needle),+], Exact, $pattern, Varied)
    };
    ($kind:literal, [$($needle:literal),+], $case:ident, $pattern:literal, $check:ident) => {
        Format {
            kind: $kind,
            needles: &[$($needle),+],
            case: Case::$case,
            // Tokens are ASCII: without Unicode the patterns are small, and any bytes may be read.
            pattern: concat!("(?-u)", $pattern),
            check: Check::$check,
        }
    };
}

/// The patterns of the formats, each compiled when it is asked for.
static PATTERNS: [OnceLock<Option<Regex>>; FORMATS.len()] =
    [const { OnceLock::new() }; FORMATS.len()];

/// The pattern of the format at a place; nothing if it is wrong, which a test rules out.
pub(super) fn pattern(at: usize) -> Option<&'static Regex> {
    let format = FORMATS.get(at)?;
    PATTERNS.get(at)?.get_or_init(|| Regex::new(format.pattern).ok()).as_ref()
}

/// How many literals all formats have.
pub(super) const LITERALS: usize = {
    let (mut sum, mut at) = (0, 0);
    while at < FORMATS.len() {
        sum += FORMATS[at].needles.len();
        at += 1;
    }
    sum
};

/// The literals of all formats, each with the place of its format.
pub(super) const fn literals() -> [Needle; LITERALS] {
    let mut all = [("", 0); LITERALS];
    let (mut at, mut n_literals) = (0, 0);
    while at < FORMATS.len() {
        let mut number = 0;
        while number < FORMATS[at].needles.len() {
            all[n_literals] = (FORMATS[at].needles[number], at);
            (number, n_literals) = (number + 1, n_literals + 1);
        }
        at += 1;
    }
    all
}

/// All formats but that of private keys, which are blocks and not words.
pub(super) static FORMATS: [Format; 43] = [
    format!(
        "aws-access-key-id",
        ["AKIA", "ASIA", "ABIA", "ACCA"],
        r"\b(?<secret>(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})\b"
    ),
    format!(
        "aws-secret-access-key",
        ["aws"],
        Ignored,
        r#"(?i)aws[a-z_.-]{0,20}(?:key|secret)[a-z_]{0,12}["']?[ \t]{0,4}(?:=>|:=|[:=])[ \t]{0,4}["']?(?<secret>[A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)"#,
        Varied
    ),
    format!(
        "github-token",
        ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        r"(?<secret>gh[pousr]_[A-Za-z0-9]{36,})"
    ),
    format!(
        "github-fine-grained-token",
        ["github_pat_"],
        r"(?<secret>github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})"
    ),
    format!(
        "gitlab-token",
        ["glpat-", "glptt-", "gldt-", "glrt-", "glcbt-", "glsoat-", "glft-"],
        r"(?<secret>gl(?:pat|ptt|dt|rt|cbt|soat|ft)-[A-Za-z0-9_.-]{20,})"
    ),
    format!(
        "slack-token",
        ["xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxc-", "xoxd-", "xoxe.", "xapp-"],
        r"(?<secret>(?:xox[abcdeprs][.-]|xapp-)[A-Za-z0-9.%-]{20,})"
    ),
    format!(
        "slack-webhook",
        ["hooks.slack.com/"],
        r"(?<secret>hooks\.slack\.com/(?:services|workflows|triggers)/[A-Z0-9]{8,}/[A-Z0-9]{8,}/[A-Za-z0-9]{16,})"
    ),
    format!(
        "stripe-key",
        ["sk_live_", "rk_live_", "whsec_"],
        r"(?<secret>(?:[sr]k_live_[A-Za-z0-9]{20,}|\bwhsec_[A-Za-z0-9+/]{32,}))"
    ),
    format!(
        "anthropic-key",
        ["sk-ant-"],
        r"(?<secret>sk-ant-[A-Za-z0-9]{2,12}-[A-Za-z0-9_-]{32,})"
    ),
    format!(
        "openai-key",
        ["sk-proj-", "sk-svcacct-", "sk-admin-", "T3BlbkFJ"],
        r"(?<secret>sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{32,}|\bsk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20})"
    ),
    format!("openrouter-key", ["sk-or-v1-"], r"(?<secret>sk-or-v1-[a-f0-9]{64})"),
    format!(
        // DeepSeek, Moonshot, Alibaba Model Studio and others share this shape.
        "model-api-key",
        ["sk-"],
        r"\b(?<secret>sk-[A-Za-z0-9]{32,64})\b"
    ),
    format!("google-api-key", ["AIza"], r"\b(?<secret>AIza[A-Za-z0-9_-]{35})\b{end-half}"),
    format!("google-oauth-secret", ["GOCSPX-"], r"(?<secret>GOCSPX-[A-Za-z0-9_-]{28})"),
    format!("google-oauth-token", ["ya29."], r"\b(?<secret>ya29\.[A-Za-z0-9_-]{30,})"),
    format!(
        "gcp-service-account",
        ["private_key_id"],
        r#"private_key_id\\?["'][ \t]{0,4}:[ \t]{0,4}\\?["'](?<secret>[0-9a-f]{40})\b"#
    ),
    format!("azure-storage-key", ["AccountKey="], r"AccountKey=(?<secret>[A-Za-z0-9+/]{86}==)"),
    format!("npm-token", ["npm_"], r"\b(?<secret>npm_[A-Za-z0-9]{36})\b"),
    format!("pypi-token", ["pypi-AgE"], r"(?<secret>pypi-AgE[A-Za-z0-9_-]{50,})"),
    format!(
        "telegram-bot-token",
        [":AA"],
        r"(?:\b|bot)(?<secret>[0-9]{8,10}:AA[A-Za-z0-9_-]{33})\b{end-half}"
    ),
    format!(
        "discord-webhook",
        ["/api/webhooks/"],
        r"discord(?:app)?\.com/api/webhooks/(?<secret>[0-9]{17,20}/[A-Za-z0-9_-]{60,})"
    ),
    format!(
        "discord-token",
        ["discord"],
        Ignored,
        r"\b(?<secret>[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40})\b{end-half}",
        Varied
    ),
    format!(
        "sendgrid-key",
        ["SG."],
        r"\b(?<secret>SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43})\b{end-half}"
    ),
    format!("twilio-key", ["SK"], r"\b(?<secret>SK[0-9a-f]{32})\b"),
    format!("mailgun-key", ["key-"], r"\b(?<secret>key-[0-9a-f]{32})\b"),
    format!(
        "digitalocean-token",
        ["dop_v1_", "doo_v1_", "dor_v1_"],
        r"(?<secret>do[opr]_v1_[0-9a-f]{64})"
    ),
    format!("huggingface-token", ["hf_"], r"\b(?<secret>hf_[A-Za-z0-9]{34,40})\b"),
    format!("databricks-token", ["dapi"], r"\b(?<secret>dapi[0-9a-f]{32}(?:-[0-9])?)\b"),
    format!(
        "shopify-token",
        ["shpat_", "shpca_", "shppa_", "shpss_"],
        r"(?<secret>shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32})"
    ),
    format!(
        "square-token",
        ["sq0atp-", "sq0csp-", "EAAA"],
        r"(?<secret>sq0(?:atp-[A-Za-z0-9_-]{22}|csp-[A-Za-z0-9_-]{43})|\bEAAA[A-Za-z0-9_-]{60})\b{end-half}"
    ),
    format!("linear-key", ["lin_api_"], r"(?<secret>lin_api_[A-Za-z0-9]{40})"),
    format!(
        "doppler-token",
        ["dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "dp.audit."],
        r"\b(?<secret>dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44})\b"
    ),
    format!("vault-token", ["hvs.", "hvb.", "hvr."], r"\b(?<secret>hv[sbr]\.[A-Za-z0-9_-]{24,})"),
    format!(
        "jwt",
        ["eyJ"],
        r"\b(?<secret>eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{20,})"
    ),
    format!("alibaba-access-key-id", ["LTAI"], r"\b(?<secret>LTAI[A-Za-z0-9]{12,26})\b"),
    format!("tencent-secret-id", ["AKID"], r"\b(?<secret>AKID[A-Za-z0-9]{32})\b"),
    format!("dockerhub-token", ["dckr_pat_"], r"(?<secret>dckr_pat_[A-Za-z0-9_-]{27})"),
    format!("rubygems-key", ["rubygems_"], r"(?<secret>rubygems_[0-9a-f]{48})"),
    format!("age-secret-key", ["AGE-SECRET-KEY-1"], r"(?<secret>AGE-SECRET-KEY-1[0-9A-Z]{58})"),
    format!(
        "url-password",
        ["://"],
        Exact,
        r#"\b[A-Za-z][A-Za-z0-9+.-]{1,20}://(?<user>[^\s:@/"'`<>\\|\[]{0,100}):(?<secret>[^\s@/"'`<>\\|]{3,200})@[A-Za-z0-9\[]"#,
        Password
    ),
    format!(
        "assigned-secret",
        [
            "password",
            "passwd",
            "secret",
            "token",
            "api_key",
            "api-key",
            "apikey",
            "access_key",
            "private_key",
            "credential",
            "密码",
            "口令",
            "密钥"
        ],
        Ignored,
        r#"(?i)(?:password|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential|密码|口令|密钥)[a-z0-9_-]{0,20}\\?["'`]?[ \t]{0,8}(?:=>|:=|[:=]|：|＝)[ \t]{0,8}\\?["'`](?<secret>[^\s"'`\\]{8,200})\\?["'`]"#,
        Random
    ),
    format!(
        "assigned-secret",
        ["密码", "口令", "密钥"],
        Exact,
        r#"(?:密码|口令|密钥)[ \t]{0,4}(?:[:=]|：|＝|是|为)[ \t]{0,4}(?<secret>[!#-&(-_a-~]{8,200})"#,
        Random
    ),
    format!(
        // The lines of `.env` files: no blanks, no quotes.
        "assigned-secret",
        ["PASSWORD", "PASSWD", "SECRET", "TOKEN", "KEY"],
        Exact,
        r#"(?m)^[ \t]{0,8}(?:export[ \t]{1,4})?[A-Z0-9_]{0,40}(?:PASSWORD|PASSWD|SECRET|TOKEN|KEY)[A-Z0-9_]{0,20}=(?<secret>[A-Za-z0-9+/=_.~-]{16,200})[ \t\r]{0,8}$"#,
        Random
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles_and_has_its_group() {
        for (at, format) in FORMATS.iter().enumerate() {
            let pattern = pattern(at).unwrap_or_else(|| panic!("{}", format.kind));
            assert!(pattern.capture_names().flatten().any(|it| it == "secret"), "{}", format.kind);
        }
    }

    #[test]
    fn needles_are_in_the_case_they_are_looked_for_in() {
        for format in FORMATS.iter().filter(|it| it.case == Case::Ignored) {
            for needle in format.needles {
                assert_eq!(needle.to_ascii_lowercase(), **needle, "{}", format.kind);
            }
        }
    }
}
