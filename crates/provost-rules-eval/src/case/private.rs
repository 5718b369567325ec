//! Finds what a case should not hold: people's addresses and numbers, and keys.

use std::net::Ipv4Addr;

use memchr::memchr_iter;
use provost_kernel::Message;
use provost_rules::secret;

/// Something private.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
#[message(code = "eval.case.private_kind")]
pub(super) enum Private {
    #[message(en = "an e-mail address", zh = "电子邮件地址")]
    Mail,
    #[message(en = "a phone number", zh = "手机号码")]
    Phone,
    #[message(en = "a PRC identity number", zh = "身份证号码")]
    Identity,
    #[message(en = "an IP address", zh = " IP 地址")]
    Address,
    #[message(en = "a key or token", zh = "密钥或令牌")]
    Key,
}

/// Everything private that a text seems to hold, each kind once.
pub(super) fn look(text: &str) -> Vec<Private> {
    let has_mail = memchr_iter(b'@', text.as_bytes()).any(|at| is_mail(text, at));
    let mut numbers = Numbers::default();
    if text.bytes().any(|it| it.is_ascii_digit()) {
        numbers.look(text);
    }
    let found = [
        (Private::Mail, has_mail),
        (Private::Phone, numbers.phone),
        (Private::Identity, numbers.identity),
        (Private::Address, numbers.address),
        (Private::Key, has_key(text.as_bytes())),
    ];
    found.into_iter().filter(|(_, is_there)| *is_there).map(|(kind, _)| kind).collect()
}

fn has_key(text: &[u8]) -> bool {
    secret::has_shape(text)
}

fn is_mail(text: &str, at: usize) -> bool {
    let (before, after) = text.split_at(at);
    let is_name = |it: char| it.is_ascii_alphanumeric() || "._%+-".contains(it);
    let has_name = before.ends_with(is_name);
    let domain = after.get(1..).unwrap_or_default();
    let end = domain.find(|it: char| !(it.is_ascii_alphanumeric() || ".-".contains(it)));
    let domain =
        domain.get(..end.unwrap_or(domain.len())).unwrap_or_default().trim_end_matches('.');
    let Some((host, top)) = domain.rsplit_once('.') else { return false };
    // Reserved names are for examples.
    let is_example = ["example", "test", "invalid", "localhost"].contains(&top)
        || host.rsplit('.').next() == Some("example");
    has_name && !is_example && top.len() >= 2 && top.bytes().all(|it| it.is_ascii_alphabetic())
}

#[derive(Default)]
struct Numbers {
    phone: bool,
    identity: bool,
    address: bool,
}

impl Numbers {
    fn look(&mut self, text: &str) {
        let is_part = |it: char| it.is_ascii_alphanumeric() || it == '.' || it == '+';
        for word in text.split(|it| !is_part(it)).filter(|it| it.len() >= 7) {
            let word = word.trim_end_matches('.');
            let digits = word.strip_prefix('+').unwrap_or(word);
            let is_number = digits.bytes().all(|it| it.is_ascii_digit());
            let length = digits.len();
            if is_number {
                self.phone |= length < word.len() && (8..=15).contains(&length);
                self.phone |= length == 11 && digits.starts_with('1') && !digits.starts_with("10");
            }
            self.identity |= length == 18 && is_identity(digits);
            self.address |= digits.parse::<Ipv4Addr>().is_ok_and(is_private_address);
        }
    }
}

/// Seventeen digits with a birthday in them, and the right last one.
fn is_identity(text: &str) -> bool {
    const WEIGHTS: [u32; 17] = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
    const LAST: &[u8; 11] = b"10X98765432";
    let Some((digits, last)) = text.as_bytes().split_last_chunk::<1>() else { return false };
    if !digits.iter().all(u8::is_ascii_digit) {
        return false;
    }
    let sum: u32 =
        digits.iter().zip(WEIGHTS).map(|(it, weight)| u32::from(it - b'0') * weight).sum();
    let expected = LAST.get((sum % 11) as usize);
    last.first().map(u8::to_ascii_uppercase).as_ref() == expected
}

/// An address that may belong to somebody: neither for documentation nor for this machine alone.
fn is_private_address(address: Ipv4Addr) -> bool {
    !(address.is_documentation()
        || address.is_loopback()
        || address.is_unspecified()
        || address.is_broadcast())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[Private]) {
        assert_eq!(look(text), expected, "{text:?}");
    }

    /// EVAL-2.2.
    #[test]
    fn private_data_is_seen() {
        check("mail jane.doe+x@corp.com.", &[Private::Mail]);
        check("mail a@example.com, b@x.example, @name, a@b", &[]);
        check("call +8613800138000", &[Private::Phone]);
        check("电话13800138000。", &[Private::Phone]);
        check("order 20260101123 of 10000000000", &[]);
        check("证件 11010519491231002X", &[Private::Identity]);
        check("number 110105194912310021", &[]);
        check("host 8.8.8.8", &[Private::Address]);
        check("host 192.0.2.1, 127.0.0.1, version 1.2.3", &[]);
        check("key ghp_aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5", &[Private::Key]);
        check("key AKIAIOSFODNN7EXAMPLE", &[Private::Key]);
        check("key ghp_abcdefghijklmnopqrstuvwxyz0123456789", &[Private::Key]);
        check("nothing at all", &[]);
    }
}
