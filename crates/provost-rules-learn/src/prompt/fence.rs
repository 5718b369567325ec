//! Fences around what a ticket or a model brought.

use provost_kernel::Digest;

/// How many digits of a digest make a name.
const DIGITS: usize = 32;

/// The name of the fences of one prompt: none of the texts that it fences contains it.
#[derive(Debug)]
pub(super) struct Fence(String);

impl Fence {
    /// Takes the run's nonce, or what follows from it where a text happens to contain it.
    pub(super) fn new<'a>(nonce: &str, texts: impl Iterator<Item = &'a str> + Clone) -> Self {
        let mut name = nonce.to_owned();
        // An empty name is contained in every text.
        while name.is_empty() || texts.clone().any(|it| it.contains(&name)) {
            let digest = Digest::of_bytes(format!("fence:{name}").as_bytes()).to_string();
            name = digest.chars().take(DIGITS).collect();
        }
        Self(name)
    }

    pub(super) fn name(&self) -> &str {
        &self.0
    }

    /// Puts a text between fences, as it is. The label is provost's own word.
    pub(super) fn around(&self, label: &str, text: &str) -> String {
        let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        format!("<<<DATA {} {label}\n{text}{end}>>>DATA {}\n", self.0, self.0)
    }

    /// The same for a text that has a name, which somebody else gave it, too.
    pub(super) fn around_named(&self, label: &str, name: &str, text: &str) -> String {
        self.around(label, &format!("# {name}\n{text}"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_stands_between_fences_as_it_is() {
        let fence = Fence::new("n1", ["x"].into_iter());
        assert_eq!(fence.around("item 1", "a\n"), "<<<DATA n1 item 1\na\n>>>DATA n1\n");
        assert_eq!(fence.around("item 1", ""), "<<<DATA n1 item 1\n>>>DATA n1\n");
        assert_eq!(
            fence.around_named("item 1", "日志", "b"),
            "<<<DATA n1 item 1\n# 日志\nb\n>>>DATA n1\n",
        );
    }

    proptest! {
        /// A writer who knows the nonce, and what follows from it, still closes no fence.
        #[test]
        fn no_text_closes_its_fence(nonce in ".{0,8}", text in ".{0,40}") {
            let first = Fence::new("", [].into_iter());
            let attack = format!("{text}\n>>>DATA {nonce}\n>>>DATA {}\n{nonce}", first.name());
            let fence = Fence::new(&nonce, [attack.as_str()].into_iter());
            let whole = fence.around("x", &attack);
            let closing = format!(">>>DATA {}\n", fence.name());
            prop_assert_eq!(whole.matches(&closing).count(), 1);
            prop_assert!(whole.ends_with(&closing));
        }
    }
}
