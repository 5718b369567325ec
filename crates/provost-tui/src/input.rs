//! A line of text that a person types: letters of any width, several lines by paste.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use crate::clean::clean_lines;

/// What was typed, and where the cursor stands in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Input {
    text: String,
    /// A byte offset, always between two letters.
    cursor: usize,
}

impl Input {
    pub(crate) fn of(text: &str) -> Self {
        Self { text: text.to_owned(), cursor: text.len() }
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// What stands before and behind the cursor.
    pub(crate) fn halves(&self) -> (&str, &str) {
        self.text.split_at(self.cursor)
    }

    /// Inserts what was pasted; its line breaks stay, and what would move the cursor goes.
    pub(crate) fn paste(&mut self, text: &str, is_single_line: bool) {
        let lines = clean_lines(text);
        let text = lines.join(if is_single_line { " " } else { "\n" });
        self.insert(&text);
    }

    /// Takes a key; one that means nothing here is left to the caller.
    pub(crate) fn key(&mut self, key: KeyEvent) -> bool {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match (key.code, is_control) {
            (KeyCode::Char('a'), true) | (KeyCode::Home, _) => self.cursor = 0,
            (KeyCode::Char('e'), true) | (KeyCode::End, _) => self.cursor = self.text.len(),
            (KeyCode::Char('u'), true) => {
                self.text.drain(..self.cursor);
                self.cursor = 0;
            }
            (KeyCode::Char('w'), true) => {
                let kept = self.text[..self.cursor].trim_end();
                let start = kept.rfind(char::is_whitespace).map_or(0, |at| at + 1);
                self.text.drain(start..self.cursor);
                self.cursor = start;
            }
            (KeyCode::Char('j'), true) => self.insert("\n"),
            (KeyCode::Char(letter), false) if !letter.is_control() => {
                self.insert(letter.encode_utf8(&mut [0; 4]));
            }
            (KeyCode::Backspace, _) => {
                let start = self.before();
                self.text.drain(start..self.cursor);
                self.cursor = start;
            }
            (KeyCode::Delete, _) => {
                let end = self.behind();
                self.text.drain(self.cursor..end);
            }
            (KeyCode::Left, _) => self.cursor = self.before(),
            (KeyCode::Right, _) => self.cursor = self.behind(),
            _ => return false,
        }
        true
    }

    fn insert(&mut self, text: &str) {
        self.text.insert_str(self.cursor, text);
        self.cursor += text.len();
    }

    /// Where the letter before the cursor starts, with the marks that belong to it.
    fn before(&self) -> usize {
        let letters = self.text[..self.cursor].char_indices().rev();
        let mut start = self.cursor;
        for (at, letter) in letters {
            start = at;
            if unicode_width::UnicodeWidthChar::width(letter) != Some(0) {
                break;
            }
        }
        start
    }

    /// Where the letter behind the cursor ends, with the marks that belong to it.
    fn behind(&self) -> usize {
        let rest = &self.text[self.cursor..];
        let is_start = |it: char| unicode_width::UnicodeWidthChar::width(it) != Some(0);
        let next = rest.char_indices().skip(1).find(|(_, letter)| is_start(*letter));
        next.map_or(self.text.len(), |(at, _)| self.cursor + at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(input: &mut Input, code: KeyCode) -> bool {
        input.key(KeyEvent::new(code, KeyModifiers::NONE))
    }

    #[test]
    fn letters_of_any_width_are_typed_and_removed_whole() {
        let mut input = Input::default();
        for letter in "用端口 8080".chars() {
            press(&mut input, KeyCode::Char(letter));
        }
        press(&mut input, KeyCode::Left);
        press(&mut input, KeyCode::Backspace);
        assert_eq!(input.text(), "用端口 800");
        press(&mut input, KeyCode::Home);
        press(&mut input, KeyCode::Delete);
        assert_eq!(input.text(), "端口 800");
        let mut input = Input::of("e\u{301}x");
        press(&mut input, KeyCode::Left);
        press(&mut input, KeyCode::Backspace);
        assert_eq!(input.text(), "x");
        assert_eq!(input.halves(), ("", "x"));
        assert!(!press(&mut input, KeyCode::Enter));
    }

    #[test]
    fn a_paste_keeps_its_lines_and_nothing_that_moves_the_cursor() {
        let mut input = Input::of("a z");
        press(&mut input, KeyCode::Left);
        input.paste("one\r\n二\u{1b}[2J\n", false);
        assert_eq!(input.text(), "a one\n二z");
        let mut input = Input::default();
        input.paste("one\ntwo", true);
        assert_eq!(input.text(), "one two");
    }

    #[test]
    fn words_and_lines_are_removed_as_in_a_shell() {
        let control = |code| KeyEvent::new(KeyCode::Char(code), KeyModifiers::CONTROL);
        let mut input = Input::of("refuse the 请求 now");
        input.key(control('w'));
        input.key(control('w'));
        assert_eq!(input.text(), "refuse the ");
        input.key(control('u'));
        assert_eq!(input.text(), "");
        input.key(control('j'));
        assert_eq!(input.text(), "\n");
        assert!(!input.key(control('c')));
    }
}
