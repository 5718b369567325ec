//! Which of many words occur in a text.
//!
//! A guard looks at a few short texts and ends, so what counts is how soon the search begins: an
//! automaton over all words takes longer to build than these texts take to read. Here a place is
//! looked at more closely only if some word begins with the two bytes that stand there.

/// Words to look for, in whatever case they begin. The compiler makes the table, so that no time
/// passes before the search.
#[derive(Debug)]
pub struct Needles<const N: usize> {
    /// One bit for each pair of bytes.
    begins: [u64; PAIRS / 64],
    /// The words by the pair that they begin with, with what they stand for.
    words: [Needle; N],
}

/// A word of at least two bytes and what it stands for.
pub type Needle = (&'static str, usize);

type Pair = [u8; 2];

const PAIRS: usize = 1 << 16;

impl<const N: usize> Needles<N> {
    /// Fails to compile if a word has fewer than two bytes.
    pub const fn new(mut words: [Needle; N]) -> Self {
        let mut begins = [0; PAIRS / 64];
        let mut sorted = 0;
        while sorted < N {
            let (number, bit) = place(pair(&words[sorted]));
            begins[number] |= bit;
            let mut at = sorted;
            while at > 0 && is_before(pair(&words[at]), pair(&words[at - 1])) {
                words.swap(at, at - 1);
                at -= 1;
            }
            sorted += 1;
        }
        Self { begins, words }
    }

    /// Calls `found` with every word that may occur at some place, and what it stands for, and with
    /// the text from there on.
    pub fn each_in(&self, text: &[u8], mut found: impl FnMut(&'static str, usize, &[u8])) {
        let Some((first, others)) = text.split_first() else { return };
        let mut before = first.to_ascii_lowercase();
        for (at, byte) in others.iter().enumerate() {
            let pair = [before, byte.to_ascii_lowercase()];
            before = pair[1];
            if !has(&self.begins, pair) {
                continue;
            }
            let rest = text.get(at..).unwrap_or_default();
            let first = self.words.partition_point(|it| self::pair(it) < pair);
            let same = self.words.iter().skip(first).take_while(|it| self::pair(it) == pair);
            same.for_each(|&(word, meaning)| found(word, meaning, rest));
        }
    }
}

/// The pair that a word begins with, in lower case.
const fn pair(needle: &Needle) -> Pair {
    let word = needle.0.as_bytes();
    [word[0].to_ascii_lowercase(), word[1].to_ascii_lowercase()]
}

const fn is_before(one: Pair, other: Pair) -> bool {
    u16::from_be_bytes(one) < u16::from_be_bytes(other)
}

const fn place(pair: Pair) -> (usize, u64) {
    let number = u16::from_be_bytes(pair) as usize;
    (number / 64, 1 << (number % 64))
}

fn has(begins: &[u64], pair: Pair) -> bool {
    let (word, bit) = place(pair);
    begins.get(word).is_some_and(|it| it & bit != 0)
}

/// Whether a text begins with a word that is written in lower case, in whatever case.
pub fn begins_with(text: &[u8], word: &str) -> bool {
    text.get(..word.len()).is_some_and(|it| it.eq_ignore_ascii_case(word.as_bytes()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LIST: [&str; 6] = ["ab", "abc", "a-", "://", "密钥", "zz"];

    fn found(text: &[u8]) -> Vec<usize> {
        let needles = Needles::new(std::array::from_fn::<_, 6, _>(|at| (LIST[at], at)));
        let mut found = Vec::new();
        needles.each_in(text, |word, meaning, rest| {
            assert_eq!(word, LIST[meaning]);
            if rest.starts_with(word.as_bytes()) {
                found.push(meaning);
            }
        });
        found.sort_unstable();
        found.dedup();
        found
    }

    #[test]
    fn every_word_is_found_wherever_it_stands() {
        let check = |text: &str, expected: &[usize]| assert_eq!(found(text.as_bytes()), expected);
        check("", &[]);
        check("a", &[]);
        check("ab", &[0]);
        check("xabc", &[0, 1]);
        check("https://a", &[3]);
        check("我的密钥", &[4]);
        check("za-zz", &[2, 5]);
        check("AB", &[]);
    }

    #[test]
    fn case_is_the_business_of_whoever_asks() {
        let needles = Needles::new([("token", 0)]);
        let mut n_found = 0;
        needles.each_in(b"MY_TOKEN, a Token", |word, _, rest| {
            n_found += usize::from(begins_with(rest, word));
        });
        assert_eq!(n_found, 2);
    }

    proptest! {
        #[test]
        fn what_a_plain_search_finds_is_found(text in "[abc:/z密钥-]{0,40}") {
            let plain: Vec<usize> =
                (0..LIST.len()).filter(|&at| text.contains(LIST[at])).collect();
            prop_assert_eq!(found(text.as_bytes()), plain);
        }
    }
}
