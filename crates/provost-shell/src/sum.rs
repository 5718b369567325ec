//! Tells arithmetic from commands.

/// Watches arithmetic for what is not a sum: two words side by side, a quote, a path. A shell that
/// knows no arithmetic would run that.
#[derive(Debug, Default)]
pub(super) struct Sum {
    pub(super) reads_as_command: bool,
    /// `;`, which only the head of a loop may hold.
    pub(super) has_separator: bool,
    has_begun: bool,
    last: Last,
}

/// What stands before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Last {
    #[default]
    Operator,
    Operand,
    /// An operand, and blanks after it.
    Blank,
}

impl Sum {
    /// Takes one byte into account, with the one after it.
    pub(super) fn read(&mut self, byte: u8, next: Option<u8>) {
        let is_operand =
            byte.is_ascii_alphanumeric() || b"_.@#[]{}$`\"\\'".contains(&byte) || !byte.is_ascii();
        let is_quote = matches!(byte, b'\\' | b'\'');
        let is_path = !self.has_begun && b"./~".contains(&byte);
        let is_out_of_place = match self.last {
            Last::Operator => false,
            Last::Operand => byte == b'$',
            // After a blank only an operator may follow, and no flag or negation is one.
            Last::Blank => {
                let is_flag =
                    matches!(byte, b'-' | b'/') && next.is_some_and(|it| it.is_ascii_alphabetic());
                let is_negation = matches!(byte, b'!' | b'~') && next != Some(b'=');
                is_operand || is_flag || is_negation
            }
        };
        self.has_separator |= byte == b';';
        self.reads_as_command |= is_quote || is_path || is_out_of_place;
        if !byte.is_ascii_whitespace() {
            self.has_begun = true;
            self.last = if is_operand { Last::Operand } else { Last::Operator };
        } else if self.last == Last::Operand {
            self.last = Last::Blank;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sum_is_no_command() {
        for (text, expected) in [
            ("i++", false),
            ("i = j + 1", false),
            ("x != 0 && y", false),
            ("n -1", false),
            ("a[i] + $b", false),
            ("verbose", false),
            ("ls x", true),
            ("rm -rf", true),
            ("ls$IFS", true),
            ("ls !x", true),
            ("ls \\x", true),
            ("'ls'", true),
            ("./ls", true),
            ("/bin/ls", true),
        ] {
            let mut sum = Sum::default();
            for (at, byte) in text.bytes().enumerate() {
                sum.read(byte, text.as_bytes().get(at + 1).copied());
            }
            assert_eq!(sum.reads_as_command, expected, "{text}");
        }
    }
}
