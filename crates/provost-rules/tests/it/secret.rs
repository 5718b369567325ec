//! Secrets: what is found, what is left alone, and what redaction leaves.
//!
//! No token stands here in one piece: each is put together from its public prefix and a body
//! drawn from a fixed sequence, so that no scanner finds one in this file.

use proptest::prelude::*;
use provost_rules::secret::{Hit, kinds, redact, scan};

const DIGITS: &str = "0123456789";
const HEX: &str = "0123456789abcdef";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const ALPHANUMERIC: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const BASE64: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/";

/// Draws a body from a fixed sequence: the same one every time, and varied like a real one.
fn body(alphabet: &str, length: usize) -> String {
    let letters: Vec<char> = alphabet.chars().collect();
    let mut state: u64 = 0x2545_F491_4F6C_DD1D ^ (length as u64);
    let mut draw = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        letters[usize::try_from(state >> 33).unwrap() % letters.len()]
    };
    (0..length).map(|_| draw()).collect()
}

/// One row: the kind, texts in which the part between `«` and `»` is a secret of that kind, and
/// texts that look like it and hold none.
struct Row {
    kind: &'static str,
    found: Vec<String>,
    left: Vec<String>,
}

fn row(kind: &'static str, found: &[String], left: &[String]) -> Row {
    Row { kind, found: found.to_vec(), left: left.to_vec() }
}

fn pem(label: &str) -> String {
    let lines: Vec<String> = (60..64).map(|it| body(BASE64, it)).collect();
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----", lines.join("\n"))
}

/// Puts a prefix and a body together.
fn token(prefix: &str, alphabet: &str, length: usize) -> String {
    format!("{prefix}{}", body(alphabet, length))
}

/// The usual row: a token alone, in an assignment, cut short, and as a placeholder.
fn plain(kind: &'static str, prefix: &str, alphabet: &str, length: usize) -> Row {
    let whole = token(prefix, alphabet, length);
    row(
        kind,
        &[format!("«{whole}»"), format!("key = \"«{whole}»\"\n"), format!("a,«{whole}»,b")],
        &[
            token(prefix, alphabet, 10),
            format!("{prefix}{}", "x".repeat(length)),
            format!("{prefix}<your-token>"),
        ],
    )
}

fn table() -> Vec<Row> {
    let long = |prefix: &str, length| token(prefix, ALPHANUMERIC, length);
    let jwt = format!("{}.{}.{}", long("eyJ", 30), long("eyJ", 60), body(ALPHANUMERIC, 43));
    let telegram = format!("{}:AA{}", body("123456789", 10), body(ALPHANUMERIC, 33));
    let slack =
        format!("{}/{}/{}", token("T", UPPER, 9), token("B", UPPER, 9), body(ALPHANUMERIC, 24));
    let discord = format!("{}.{}.{}", long("M", 23), body(ALPHANUMERIC, 6), body(ALPHANUMERIC, 27));
    let webhook = format!("{}/{}", body(DIGITS, 18), body(ALPHANUMERIC, 68));
    let sendgrid = format!("SG.{}.{}", body(ALPHANUMERIC, 22), body(ALPHANUMERIC, 43));
    let pat = format!("github_{}_{}_{}", "pat", body(ALPHANUMERIC, 22), body(ALPHANUMERIC, 59));
    let azure = format!("{}==", body(BASE64, 86));
    let aws = body(BASE64, 40);
    let legacy = format!("sk-{}T3Blbk{}{}", body(ALPHANUMERIC, 20), "FJ", body(ALPHANUMERIC, 20));
    let dummy = "A1b2C3d4E5f6G7h8".to_owned();
    vec![
        row(
            "private-key",
            &[
                format!("«{}»", pem("RSA PRIVATE KEY")),
                format!("x\n«{}»\ny", pem("EC PRIVATE KEY")),
                format!("«{}»", pem("OPENSSH PRIVATE KEY")),
                format!("«{}»", pem("PGP PRIVATE KEY BLOCK")),
                format!(
                    "{{\"private_key\": \"«{}»\\n\"}}",
                    pem("PRIVATE KEY").replace('\n', "\\n")
                ),
                // The end is missing.
                format!("«-----BEGIN PRIVATE KEY-----\n{}»", body(BASE64, 200)),
            ],
            &[
                pem("CERTIFICATE"),
                pem("RSA PUBLIC KEY"),
                "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----".to_owned(),
                "grep -- '-----BEGIN RSA PRIVATE KEY-----' file".to_owned(),
            ],
        ),
        row(
            "aws-access-key-id",
            &[
                format!("«{}»", token("AKIA", UPPER, 16)),
                format!("id: «{}»", token("ASIA", UPPER, 16)),
            ],
            &[
                "AKIAIOSFODNN7EXAMPLE".to_owned(),
                "AKIA".to_owned() + &"A".repeat(16),
                token("xAKIA", UPPER, 16),
                token("AKIA", UPPER, 20),
            ],
        ),
        row(
            "aws-secret-access-key",
            &[
                format!("aws_secret_access_key = «{aws}»\n"),
                format!("AWS_SECRET_ACCESS_KEY=\"«{aws}»\""),
            ],
            &[
                format!(
                    "{}{}",
                    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfi", "CYEXAMPLEKEY"
                ),
                format!("digest = {aws}"),
                "aws_secret_access_key = ${AWS_SECRET}".to_owned(),
            ],
        ),
        plain("github-token", "ghp_", ALPHANUMERIC, 36),
        plain("github-token", "gho_", ALPHANUMERIC, 36),
        plain("github-token", "ghu_", ALPHANUMERIC, 36),
        plain("github-token", "ghs_", ALPHANUMERIC, 36),
        plain("github-token", "ghr_", ALPHANUMERIC, 76),
        row(
            "github-fine-grained-token",
            &[format!("«{pat}»"), format!("https://«{pat}»@github.com/x/y")],
            &[pat.get(..60).unwrap().to_owned(), format!("github_pat_{}", "x".repeat(82))],
        ),
        plain("gitlab-token", "glpat-", ALPHANUMERIC, 20),
        plain("slack-token", "xoxb-", ALPHANUMERIC, 50),
        row(
            "slack-webhook",
            &[
                format!("https://«hooks.slack.com/services/{slack}»"),
                format!("curl -d x https://«hooks.slack.com/services/{slack}»\n"),
            ],
            &[
                "https://hooks.slack.com/services/".to_owned(),
                "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX"
                    .to_owned(),
            ],
        ),
        plain("stripe-key", "sk_live_", ALPHANUMERIC, 24),
        plain("stripe-key", "rk_live_", ALPHANUMERIC, 24),
        plain("anthropic-key", "sk-ant-api03-", ALPHANUMERIC, 93),
        plain("openai-key", "sk-proj-", ALPHANUMERIC, 40),
        row(
            "openai-key",
            &[format!("«{legacy}»"), format!("OPENAI_API_KEY=«{legacy}»")],
            &["T3BlbkFJ is in the middle".to_owned(), format!("sk-{}", "x".repeat(48))],
        ),
        plain("openrouter-key", "sk-or-v1-", HEX, 64),
        row(
            "model-api-key",
            &[
                format!("«{}»", token("sk-", HEX, 32)),
                format!("DEEPSEEK={{«{}»}}", token("sk-", ALPHANUMERIC, 48)),
            ],
            &[
                token("task-", HEX, 32),
                token("sk-", HEX, 24),
                format!("sk-{}", "x".repeat(40)),
                "sk-spinner-cube-grid-with-nine-cubes".to_owned(),
            ],
        ),
        plain("google-api-key", "AIza", ALPHANUMERIC, 35),
        plain("google-oauth-secret", "GOCSPX-", ALPHANUMERIC, 28),
        plain("google-oauth-token", "ya29.", ALPHANUMERIC, 40),
        row(
            "gcp-service-account",
            &[
                format!("\"private_key_id\": \"«{}»\",", body(HEX, 40)),
                format!("{{\"private_key_id\":\"«{}»\"}}", body(HEX, 40)),
            ],
            &[
                "\"private_key_id\": \"\"".to_owned(),
                format!("\"private_key_id\": \"{}\"", "0".repeat(40)),
            ],
        ),
        row(
            "azure-storage-key",
            &[
                format!("AccountName=a;AccountKey=«{azure}»;EndpointSuffix=x"),
                format!("AccountKey=«{azure}»"),
            ],
            &["AccountKey=${STORAGE_KEY}".to_owned(), format!("AccountKey={}==", body(BASE64, 40))],
        ),
        plain("npm-token", "npm_", ALPHANUMERIC, 36),
        plain("pypi-token", "pypi-AgEIcHlwaS5vcmc", ALPHANUMERIC, 90),
        row(
            "telegram-bot-token",
            &[format!("«{telegram}»"), format!("https://api.telegram.org/bot«{telegram}»/getMe")],
            &[
                format!("12:AA{}", body(ALPHANUMERIC, 33)),
                format!("{}:AA{}", body("123456789", 10), body(ALPHANUMERIC, 12)),
            ],
        ),
        row(
            "discord-webhook",
            &[
                format!("https://discord.com/api/webhooks/«{webhook}»"),
                format!("https://discordapp.com/api/webhooks/«{webhook}»"),
            ],
            &[
                "https://discord.com/api/webhooks/{id}/{token}".to_owned(),
                format!("https://discord.com/api/webhooks/{}", body(DIGITS, 18)),
            ],
        ),
        row(
            "discord-token",
            &[format!("discord: «{discord}»"), format!("DISCORD=«{discord}»\n")],
            &[format!("version {discord}"), "discord.Client.login.with.some.words".to_owned()],
        ),
        row(
            "sendgrid-key",
            &[format!("«{sendgrid}»"), format!("key={{«{sendgrid}»}}")],
            &["SG.short.token".to_owned(), format!("SG.{}.{}", "x".repeat(22), "x".repeat(43))],
        ),
        plain("twilio-key", "SK", HEX, 32),
        plain("mailgun-key", "key-", HEX, 32),
        plain("digitalocean-token", "dop_v1_", HEX, 64),
        plain("huggingface-token", "hf_", ALPHANUMERIC, 34),
        plain("databricks-token", "dapi", HEX, 32),
        plain("shopify-token", "shpat_", HEX, 32),
        plain("square-token", "sq0atp-", ALPHANUMERIC, 22),
        plain("square-token", "EAAA", ALPHANUMERIC, 60),
        plain("linear-key", "lin_api_", ALPHANUMERIC, 40),
        plain("doppler-token", "dp.pt.", ALPHANUMERIC, 43),
        plain("vault-token", "hvs.", ALPHANUMERIC, 24),
        row(
            "jwt",
            &[format!("«{jwt}»"), format!("Authorization: Bearer «{jwt}»")],
            &[
                format!("{}.{}", long("eyJ", 30), long("eyJ", 60)),
                format!(
                    "{}.{}.{}",
                    "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",
                    "eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIn0",
                    body(ALPHANUMERIC, 43)
                ),
            ],
        ),
        plain("alibaba-access-key-id", "LTAI", ALPHANUMERIC, 20),
        plain("tencent-secret-id", "AKID", ALPHANUMERIC, 32),
        plain("dockerhub-token", "dckr_pat_", ALPHANUMERIC, 27),
        plain("rubygems-key", "rubygems_", HEX, 48),
        plain("age-secret-key", "AGE-SECRET-KEY-1", UPPER, 58),
        row(
            "url-password",
            &[
                format!("postgres://app:«{dummy}»@db:5432/x"),
                format!("https://user:«{dummy}»@github.com/x/y.git"),
                format!("redis://:«{dummy}»@localhost"),
            ],
            &[
                "postgres://user:password@localhost/x".to_owned(),
                "postgres://postgres:postgres@localhost/x".to_owned(),
                "https://user:${TOKEN}@github.com".to_owned(),
                "https://user:<password>@host".to_owned(),
                "https://user:{password}@host".to_owned(),
                "moz://foo:bar@host".to_owned(),
                "https://example.com/a:b@c".to_owned(),
                "ssh://git@github.com:22/x".to_owned(),
            ],
        ),
        row(
            "assigned-secret",
            &[
                format!("password = \"«{dummy}»\""),
                format!("\"db_password\": \"«{dummy}»\""),
                format!("API_KEY: '«{dummy}»'"),
                format!("client_secret => `«{dummy}»`"),
                format!("export APP_TOKEN=«{dummy}»\n"),
                format!("SECRET_KEY=«{dummy}»"),
                format!("密码 = \"«{dummy}»\""),
                format!("口令:«{dummy}»"),
                format!("密钥：«{dummy}»"),
                format!("数据库密码是«{dummy}»"),
                format!("const x = {{ \\\"token\\\": \\\"«{dummy}»\\\" }}"),
            ],
            &[
                "password = \"changeme\"".to_owned(),
                "password = \"correct-horse-battery\"".to_owned(),
                "password: \"${DB_PASSWORD}\"".to_owned(),
                "token: \"{{ secrets.DEPLOY_TOKEN_2 }}\"".to_owned(),
                "api_key = \"<your-api-key-1>\"".to_owned(),
                "api_key = os.environ[\"API_KEY_2\"]".to_owned(),
                "tokenizer = \"bert-base-uncased-v2\"".to_owned(),
                "secret_name = \"prod/db/password\"".to_owned(),
                "token_type = \"Bearer\"".to_owned(),
                "let token = next_token2(&mut stream3);".to_owned(),
                format!("digest = \"{dummy}\""),
                format!("PASSWORD_FILE=/run/secrets/{}", "db-password"),
                "密码:请输入您的密码".to_owned(),
                "密码 = \"xxxxxxxx1\"".to_owned(),
            ],
        ),
    ]
}

/// The text without marks, and where the marked part stands.
fn unmark(marked: &str) -> (String, std::ops::Range<usize>) {
    let (before, rest) = marked.split_once('«').unwrap();
    let (secret, after) = rest.split_once('»').unwrap();
    (format!("{before}{secret}{after}"), before.len()..before.len() + secret.len())
}

#[test]
fn each_format_is_found_whole_and_nothing_that_only_looks_like_it() {
    for Row { kind, found, left } in table() {
        assert!(found.len() >= 2 && left.len() >= 2, "{kind}");
        for marked in found {
            let (text, span) = unmark(&marked);
            assert_eq!(
                scan(text.as_bytes()),
                [Hit { kind, line: line_of(&text, span.start), span }],
                "{text}"
            );
        }
        for text in left {
            assert_eq!(scan(text.as_bytes()), [], "{kind} {text}");
        }
    }
}

#[test]
fn every_kind_has_a_row() {
    let rows: Vec<&str> = table().iter().map(|it| it.kind).collect();
    for kind in kinds() {
        assert!(rows.contains(&kind), "{kind}");
    }
}

#[test]
fn each_secret_is_replaced_by_its_kind_and_the_rest_stays() {
    for Row { kind, found, left } in table() {
        for marked in found {
            let (text, span) = unmark(&marked);
            let expected = format!("{}[REDACTED:{kind}]{}", &text[..span.start], &text[span.end..]);
            let clean = redact(text.as_bytes());
            assert_eq!(String::from_utf8_lossy(&clean), expected);
            assert_eq!(scan(&clean), [], "{expected}");
            assert_eq!(redact(&clean), clean);
        }
        for text in left {
            assert_eq!(redact(text.as_bytes()), text.as_bytes());
        }
    }
}

#[test]
fn lines_are_counted_from_one_and_secrets_on_one_line_kept_apart() {
    let (a, b) = (token("ghp_", ALPHANUMERIC, 36), token("npm_", ALPHANUMERIC, 36));
    let text = format!("one\n{a} {b}\r\n\n\n{a}");
    let found: Vec<(&str, usize)> =
        scan(text.as_bytes()).iter().map(|it| (it.kind, it.line)).collect();
    assert_eq!(found, [("github-token", 2), ("npm-token", 2), ("github-token", 5)]);
}

#[test]
fn the_more_telling_kind_names_what_two_formats_fit() {
    let secret = token("ghp_", ALPHANUMERIC, 36);
    for text in [
        format!("token = \"{secret}\""),
        format!("https://x:{secret}@github.com/a/b"),
        format!("GITHUB_TOKEN={secret}"),
    ] {
        let hits = scan(text.as_bytes());
        assert_eq!(hits.iter().map(|it| it.kind).collect::<Vec<_>>(), ["github-token"], "{text}");
    }
}

#[test]
fn a_hit_says_nothing_about_the_secret() {
    let secret = token("ghp_", ALPHANUMERIC, 36);
    let shown = format!("{:?}", scan(secret.as_bytes()));
    assert!(shown.contains("github-token") && !shown.contains(&secret[4..12]), "{shown}");
}

#[test]
fn bytes_that_are_no_text_hide_nothing() {
    let mut bytes = vec![0xFF, 0x00, 0xC3];
    bytes.extend_from_slice(token("ghp_", ALPHANUMERIC, 36).as_bytes());
    bytes.extend_from_slice(&[0xFE, 0x80]);
    let clean = redact(&bytes);
    assert_eq!(&*clean, b"\xFF\x00\xC3[REDACTED:github-token]\xFE\x80");
}

/// A text in UTF-16: whether the larger half comes first, and what stands before the text.
fn wide(text: &str, is_big: bool, before: &[u8]) -> Vec<u8> {
    let bytes = |it: u16| if is_big { it.to_be_bytes() } else { it.to_le_bytes() };
    before.iter().copied().chain(text.encode_utf16().flat_map(bytes)).collect()
}

#[test]
fn utf_16_hides_nothing() {
    for (is_big, mark) in
        [(false, &b"\xFF\xFE"[..]), (true, b"\xFE\xFF"), (false, b""), (true, b"")]
    {
        for Row { kind, found, left } in table() {
            for marked in found {
                let (text, span) = unmark(&marked);
                let at = |end: usize| mark.len() + 2 * text[..end].encode_utf16().count();
                let hit = Hit {
                    kind,
                    line: line_of(&text, span.start),
                    span: at(span.start)..at(span.end),
                };
                let bytes = wide(&text, is_big, mark);
                assert_eq!(scan(&bytes), [hit], "{is_big} {mark:?} {text}");
                let clean =
                    format!("{}[REDACTED:{kind}]{}", &text[..span.start], &text[span.end..]);
                assert_eq!(redact(&bytes), wide(&clean, is_big, mark), "{is_big} {mark:?} {text}");
            }
            for text in left {
                assert_eq!(scan(&wide(&text, is_big, mark)), [], "{is_big} {mark:?} {text}");
            }
        }
    }
}

/// Neither an odd place, nor ordinary text around it, nor other characters beside it hide a token
/// in UTF-16.
#[test]
fn a_stretch_of_utf_16_hides_nothing() {
    let secret = token("ghp_", ALPHANUMERIC, 36);
    for is_big in [false, true] {
        for before in [&b""[..], b"x", b"plain text\n", b"\x89PNG\0\0\0", &[b'a'; 4001]] {
            for text in [format!("é{secret}上"), format!("上 {secret}é"), format!(" {secret} ")]
            {
                let bytes = wide(&text, is_big, before);
                let bytes = [&bytes[..], b"and more plain text"].concat();
                let kinds: Vec<&str> = scan(&bytes).iter().map(|it| it.kind).collect();
                assert_eq!(kinds, ["github-token"], "{is_big} {before:?} {text}");
                assert_eq!(scan(&redact(&bytes)), [], "{is_big} {before:?} {text}");
            }
        }
    }
}

/// The Chinese word for "above" has a newline for one of its bytes.
#[test]
fn lines_of_utf_16_are_counted_by_characters() {
    let text = format!("上上\n上\r\n{}", token("ghp_", ALPHANUMERIC, 36));
    for (is_big, mark) in [(false, b"\xFF\xFE"), (true, b"\xFE\xFF")] {
        let lines: Vec<usize> = scan(&wide(&text, is_big, mark)).iter().map(|it| it.line).collect();
        assert_eq!(lines, [3], "{is_big}");
    }
}

/// A minified file is one line of megabytes; marks and prefixes repeated in it must not make the
/// work quadratic.
#[test]
fn a_long_line_is_read_in_one_go() {
    for unit in ["eyJ", "-----BEGIN PRIVATE KEY-----", "token=\"", "a://b:c", "ghp_", "sk-", "x"] {
        let text = unit.repeat(400_000 / unit.len());
        assert_eq!(scan(text.as_bytes()), [], "{unit}");
        let some = wide(&unit.repeat(20_000 / unit.len()), false, b"");
        assert_eq!(scan(&some), [], "{unit}");
        assert_eq!(scan(&[b"x", &some[..]].concat()), [], "{unit}");
    }
    let stretches = b"\0a\0b\0c\0d\0e\0f\0g\0h\0\xFF".repeat(4_000);
    assert_eq!(scan(&stretches), []);
}

fn line_of(text: &str, at: usize) -> usize {
    1 + text[..at].matches('\n').count()
}

/// Texts in which secrets, halves of secrets and ordinary words stand side by side.
fn mixed() -> impl Strategy<Value = Vec<u8>> {
    let rows = table();
    let secrets: Vec<String> =
        rows.iter().flat_map(|it| it.found.iter().map(|it| unmark(it).0)).collect();
    let others: Vec<String> = rows.iter().flat_map(|it| it.left.clone()).collect();
    let glue =
        ["", " ", "\n", "\"", "'", ":", "=", "@", "/", "_", "-", "://", "password=\"", "eyJ"];
    let piece = prop_oneof![
        prop::sample::select(secrets).prop_map(String::into_bytes),
        prop::sample::select(others).prop_map(String::into_bytes),
        prop::sample::select(glue.to_vec()).prop_map(|it| it.as_bytes().to_vec()),
        prop::collection::vec(any::<u8>(), 0..8),
    ];
    prop::collection::vec(piece, 0..8).prop_map(|it| it.concat())
}

proptest! {
    #[test]
    fn a_redacted_text_has_nothing_left_to_find(text in mixed()) {
        let clean = redact(&text);
        prop_assert_eq!(scan(&clean), []);
        prop_assert_eq!(&redact(&clean), &clean);
    }

    #[test]
    fn hits_are_in_order_and_apart(text in mixed()) {
        let mut end = 0;
        for hit in scan(&text) {
            prop_assert!(end <= hit.span.start && hit.span.start < hit.span.end);
            prop_assert!(hit.span.end <= text.len());
            let before = &text[..hit.span.start];
            prop_assert_eq!(hit.line, before.split(|it| *it == b'\n').count());
            end = hit.span.end;
        }
    }
}
