//! From pieces to words: puts in what variables stand for, and splits what is not quoted.

use super::{
    draft::{Change, Drafts, Index, Parameter, Piece, Pieces, Value, is_positional},
    word::{Hole, Word},
};

/// Values inside values are followed this far.
const MAX_LEVEL: u8 = 8;
/// How far `shift` is followed.
pub(super) const MAX_SHIFT: usize = 4;

/// Resolves the words of one draft.
#[derive(Debug)]
pub(super) struct Resolver<'a> {
    pub(super) drafts: &'a Drafts,
    /// The arguments of the script or function, its name first, if they are known.
    pub(super) arguments: Option<&'a [Word]>,
    /// The draft that is being resolved.
    pub(super) at: usize,
    /// Whether arguments that are not known belong to a function.
    pub(super) is_in_function: bool,
    /// Which of their possible values some variables have this time.
    pub(super) picks: &'a [(String, usize)],
    /// The variables that have more than one possible value, with the number of values.
    pub(super) choices: Vec<(String, usize)>,
    /// Whether one of those may also have a value that the text does not give.
    pub(super) has_open: bool,
    /// The variables whose value is being put in.
    active: Vec<&'a str>,
    /// The variables that were looked up.
    pub(super) used: Vec<String>,
    /// The work done, for the budget.
    pub(super) paid: usize,
    pub(super) limit: usize,
}

/// Whether text is split at blanks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Split {
    /// Where it is not quoted.
    AsWritten,
    /// Everywhere: the value of a variable that is not quoted.
    Always,
    Never,
}

/// Something that a parameter may stand for.
#[derive(Clone, Copy)]
enum Choice<'a> {
    Pieces(&'a Pieces),
    List(&'a [Pieces]),
    Words(&'a [Word]),
    Nothing,
}

#[derive(Default)]
struct Fields<'a> {
    /// Where values are split, besides at blanks.
    separators: &'a str,
    done: Vec<Word>,
    open: Option<Word>,
}

impl<'a> Resolver<'a> {
    pub(super) fn new(drafts: &'a Drafts, arguments: Option<&'a [Word]>) -> Self {
        Self {
            drafts,
            at: drafts.list.len(),
            arguments,
            is_in_function: false,
            picks: &[],
            choices: Vec::new(),
            has_open: false,
            active: Vec::new(),
            used: Vec::new(),
            paid: 0,
            limit: drafts.budget(),
        }
    }

    fn fields(&self) -> Fields<'a> {
        Fields { separators: self.drafts.scope.separators(), ..Fields::default() }
    }

    /// The words that one written word becomes: none, one or several.
    pub(super) fn words(&mut self, pieces: &'a [Piece]) -> Vec<Word> {
        let mut fields = self.fields();
        self.put(pieces, &mut fields, Split::AsWritten, 0);
        fields.end();
        fields.done
    }

    /// The one word that a text becomes where a shell does not split.
    pub(super) fn word(&mut self, pieces: &'a [Piece]) -> Word {
        let mut fields = self.fields();
        self.put(pieces, &mut fields, Split::Never, 0);
        fields.end();
        let mut whole = Word::default();
        for (at, word) in fields.done.iter().enumerate() {
            if at > 0 {
                whole.push_text(" ");
            }
            whole.append(word);
        }
        whole
    }

    fn put(&mut self, pieces: &'a [Piece], fields: &mut Fields<'_>, split: Split, level: u8) {
        for piece in pieces {
            self.paid += 16;
            if self.paid > self.limit {
                fields.hole(Hole::Input, false);
                return;
            }
            match piece {
                Piece::Text { text, quoted } => {
                    self.paid += text.len();
                    match split {
                        Split::Never => fields.text(text),
                        Split::AsWritten if *quoted => fields.text(text),
                        Split::AsWritten | Split::Always => fields.split_text(text, split),
                    }
                }
                Piece::Mark(mark) => fields.text(mark.encode_utf8(&mut [0; 4])),
                Piece::Hole { hole, quoted } => {
                    fields.hole(hole.clone(), *quoted || split == Split::Never);
                }
                Piece::Parameter(it) => self.parameter(it, fields, split, level),
            }
        }
    }

    fn parameter(&mut self, it: &'a Parameter, fields: &mut Fields<'_>, split: Split, level: u8) {
        let quoted = it.quoted || split == Split::Never;
        if it.name == "IFS" && !self.drafts.scope.knows("IFS") {
            // The separators of words, as they are unless somebody changes them.
            if quoted {
                fields.text(" \t\n");
            } else {
                fields.end();
            }
            return;
        }
        let (choices, is_open) = self.choices(it);
        let chosen = match self.picks.iter().find(|(name, _)| *name == it.name) {
            Some((_, at)) => choices.get(*at).copied(),
            None if !is_open && choices.len() == 1 => choices.first().copied(),
            None => None,
        };
        if chosen.is_none() && !choices.is_empty() {
            self.choices.push((it.name.clone(), choices.len()));
            self.has_open |= is_open;
        }
        let is_own = self.active.contains(&it.name.as_str());
        let Some(chosen) = chosen.filter(|_| level < MAX_LEVEL && !is_own) else {
            fields.hole(Hole::Parameter(it.name.clone()), quoted);
            return;
        };
        // `"$@"` and `"${x[@]}"` keep their elements apart even in quotes.
        let keeps_elements = it.name == "@" || it.index == Index::All;
        let inner = if quoted { Split::Never } else { Split::Always };
        let mut is_first = true;
        let mut next = |fields: &mut Fields<'_>| {
            if !std::mem::take(&mut is_first) {
                if quoted && !keeps_elements { fields.text(" ") } else { fields.end() }
            }
        };
        self.active.push(&it.name);
        match chosen {
            Choice::Nothing => {}
            Choice::Pieces(pieces) => {
                // A default word keeps its own quotes; the value of a variable lost them.
                let is_written = match &it.change {
                    Change::Default(word) | Change::Assign(word) | Change::Alternate(word) => {
                        std::ptr::eq(word, pieces)
                    }
                    Change::None | Change::Other => false,
                };
                let inner = if is_written && !quoted { Split::AsWritten } else { inner };
                if quoted {
                    fields.text("");
                }
                self.put(pieces, fields, inner, level + 1);
            }
            Choice::List(list) => {
                for pieces in list {
                    next(fields);
                    if quoted {
                        fields.text("");
                    }
                    self.put(pieces, fields, inner, level + 1);
                }
            }
            Choice::Words(words) => {
                for word in words {
                    next(fields);
                    self.paid += word.cost();
                    fields.word(word, if quoted { Split::Never } else { Split::Always });
                }
            }
        }
        self.active.pop();
    }

    /// What a parameter may stand for, and whether it may be something else too.
    fn choices(&mut self, it: &'a Parameter) -> (Vec<Choice<'a>>, bool) {
        let (mut choices, mut is_open) = match &it.change {
            Change::Other => (Vec::new(), true),
            Change::None | Change::Default(_) | Change::Assign(_) | Change::Alternate(_) => {
                self.values(it)
            }
        };
        match &it.change {
            Change::None | Change::Other => {}
            Change::Default(word) | Change::Assign(word) => choices.push(Choice::Pieces(word)),
            Change::Alternate(word) => {
                choices = vec![Choice::Pieces(word), Choice::Nothing];
                is_open = false;
            }
        }
        (choices, is_open)
    }

    fn values(&mut self, it: &'a Parameter) -> (Vec<Choice<'a>>, bool) {
        let is_list = matches!(it.name.as_str(), "@" | "*");
        let number = it.name.parse::<usize>().ok();
        let mut choices = Vec::new();
        if let Some(arguments) = self.arguments.filter(|_| is_positional(&it.name)) {
            choices.push(match number {
                Some(number) => {
                    arguments.get(number..=number).map_or(Choice::Nothing, Choice::Words)
                }
                None => Choice::Words(arguments.get(1..).unwrap_or_default()),
            });
        }
        let mut is_open = choices.is_empty();
        if number == Some(0) {
            return (choices, is_open);
        }
        let name = if is_list || number.is_some() { "@" } else { it.name.as_str() };
        self.used.push(name.to_owned());
        // `set` may have replaced the arguments.
        let Some(variable) = self.drafts.scope.variable(name) else { return (choices, is_open) };
        let is_certain = variable.certain_from.is_some_and(|it| it <= self.at);
        if !is_certain && !variable.values.is_empty() {
            choices.push(Choice::Nothing);
        }
        // Inside a function they are those of the call, unless `set` stands there too.
        is_open = variable.is_open || (is_open && self.is_in_function && name == "@");
        for value in &variable.values {
            let index = match (number, is_list) {
                (Some(number), _) => Index::At(number - 1),
                (None, true) => Index::All,
                (None, false) => it.index,
            };
            match (value, index) {
                (Value::One(pieces), Index::None | Index::All | Index::At(0)) => {
                    choices.push(Choice::Pieces(pieces));
                }
                (Value::List(list), Index::All) => {
                    let shifts =
                        if name == "@" && self.drafts.scope.has_shift() { MAX_SHIFT } else { 0 };
                    choices.extend((0..=shifts).filter_map(|at| list.get(at..)).map(Choice::List));
                }
                (Value::List(list), Index::None | Index::At(_)) => {
                    let at = if let Index::At(at) = index { at } else { 0 };
                    choices.push(list.get(at).map_or(Choice::Nothing, Choice::Pieces));
                    is_open |= name == "@" && self.drafts.scope.has_shift();
                }
                (Value::One(_), Index::At(_)) => choices.push(Choice::Nothing),
                (Value::One(_) | Value::List(_), Index::Other) => is_open = true,
            }
        }
        (choices, is_open)
    }
}

impl Fields<'_> {
    fn current(&mut self) -> &mut Word {
        self.open.get_or_insert_default()
    }

    fn text(&mut self, text: &str) {
        let word = self.current();
        if !text.is_empty() {
            word.push_text(text);
        }
    }

    fn hole(&mut self, hole: Hole, quoted: bool) {
        self.current().push_hole(hole, quoted);
    }

    fn word(&mut self, word: &Word, split: Split) {
        if split == Split::Never {
            self.current();
        }
        for part in word.parts() {
            match part {
                super::Part::Text(text) if split == Split::Never => self.text(text),
                super::Part::Text(text) => self.split_text(text, split),
                super::Part::Hole { hole, quoted } => {
                    self.hole(hole.clone(), *quoted || split == Split::Never);
                }
            }
        }
    }

    fn split_text(&mut self, text: &str, split: Split) {
        let separators = if split == Split::Always { self.separators } else { "" };
        let is_end = |it: char| matches!(it, ' ' | '\t' | '\n') || separators.contains(it);
        for (at, field) in text.split(is_end).enumerate() {
            if at > 0 {
                self.end();
            }
            if field.is_empty() {
                continue;
            }
            if split == Split::Always && field.contains(['*', '?', '[']) {
                // The value of a variable that is not quoted is a pattern of file names too.
                self.hole(Hole::Pattern(field.to_owned()), false);
            } else {
                self.text(field);
            }
        }
    }

    fn end(&mut self) {
        self.done.extend(self.open.take());
    }
}
