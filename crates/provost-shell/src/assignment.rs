//! Assignments, and the commands that act like one.

use super::{
    Join, RedirectKind,
    compound::first_word,
    draft::{
        Change, Draft, DraftAssignment, Drafts, Index, Parameter, Piece, Pieces, Target, Value,
        bare_text, cost, push_text, static_text,
    },
    lexer::GAP,
    word::Hole,
};

/// The commands whose arguments may be assignments.
pub(super) const DECLARATIONS: [&str; 6] =
    ["alias", "declare", "export", "local", "readonly", "typeset"];

/// The commands that put something unknown into the variables they name.
const READERS: [&str; 6] = ["getopts", "let", "mapfile", "printf", "read", "readarray"];

/// Splits a word of the form `name=value`.
pub(super) fn split(word: &[Piece]) -> Option<DraftAssignment> {
    let [Piece::Text { text, quoted: false }, rest @ ..] = word else { return None };
    if let Some((name, value)) = text.split_once('=') {
        let (name, appends) = name.strip_suffix('+').map_or((name, false), |it| (it, true));
        let mut pieces = Pieces::new();
        if !value.is_empty() {
            push_text(&mut pieces, value, false);
        }
        pieces.extend_from_slice(rest);
        let value = Value::One(pieces);
        return is_name(name).then(|| DraftAssignment { name: name.to_owned(), value, appends });
    }
    // `name[subscript]=value` sets one element.
    let [Piece::Hole { hole: Hole::Pattern(subscript), .. }, rest @ ..] = rest else { return None };
    let [Piece::Text { text: assigned, quoted: false }, rest @ ..] = rest else { return None };
    let value = assigned.strip_prefix('=').or_else(|| assigned.strip_prefix("+="))?;
    if !subscript.starts_with('[') || !is_name(text) {
        return None;
    }
    let mut pieces = Pieces::new();
    push_text(&mut pieces, value, false);
    pieces.extend_from_slice(rest);
    let value = Value::List(vec![pieces]);
    Some(DraftAssignment { name: text.clone(), value, appends: true })
}

/// Splits an argument of `export` and the like, where quotes may stand anywhere.
fn split_argument(word: &[Piece]) -> Option<DraftAssignment> {
    let mut bare = Pieces::new();
    for piece in word {
        match piece {
            Piece::Text { text, .. } => push_text(&mut bare, text, false),
            Piece::Hole { .. } | Piece::Parameter(_) | Piece::Mark(_) => bare.push(piece.clone()),
        }
    }
    split(&bare)
}

fn is_name(text: &str) -> bool {
    !text.starts_with(|it: char| it.is_ascii_digit())
        && !text.is_empty()
        && text.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'_')
}

/// Notes what a draft tells about variables and aliases.
pub(super) fn collect(drafts: &mut Drafts, draft: &Draft) {
    for assignment in &draft.assignments {
        drafts.assign(assignment.clone(), &draft.raw);
    }
    let is_certain = !draft.scene.is_conditional && is_sequence(draft.scene.join);
    if draft.words.is_empty() {
        note_separators(drafts, &draft.assignments);
    }
    if is_certain && draft.words.is_empty() {
        for assignment in &draft.assignments {
            drafts.note_certain(&assignment.name);
        }
    }
    let name = first_word(draft).unwrap_or_default();
    let arguments = draft.words.get(1..).unwrap_or_default();
    let sets_variables = DECLARATIONS.contains(&name.as_str()) || READERS.contains(&name.as_str());
    let is_computed = |it: &Pieces| static_text(it).is_none() && split_argument(it).is_none();
    if sets_variables && arguments.iter().any(is_computed) && drafts.charge(draft.raw.len()) {
        drafts.scope.note_computed(&draft.raw);
    }
    match name.as_str() {
        "alias" => {
            for alias in arguments {
                let text = text_with_gaps(alias);
                if let Some((name, value)) =
                    text.split_once('=').filter(|_| drafts.charge(text.len()))
                {
                    drafts.scope.add_alias(name, value);
                }
            }
        }
        "set" => {
            let list = positional(arguments);
            if !list.is_empty() {
                let value = Value::List(list.to_vec());
                drafts.assign(DraftAssignment::new("@", value), &draft.raw);
                if is_certain {
                    drafts.note_certain("@");
                }
            }
        }
        "shift" => drafts.scope.note_shift(draft.scene.function),
        "unset" => {
            for name in arguments.iter().filter_map(|it| static_text(it)) {
                let nothing = Value::One(Pieces::new());
                drafts.assign(DraftAssignment::new(&name, nothing), "");
            }
        }
        _ if DECLARATIONS.contains(&name.as_str()) => {
            let is_reference = arguments.iter().filter_map(|it| bare_text(it)).any(|it| {
                it.strip_prefix('-').is_some_and(|it| !it.starts_with('-') && it.contains('n'))
            });
            for mut assignment in arguments.iter().filter_map(|it| split_argument(it)) {
                if is_reference {
                    assignment.refer();
                }
                note_separators(drafts, std::slice::from_ref(&assignment));
                let name = assignment.name.clone();
                drafts.assign(assignment, &draft.raw);
                if is_certain {
                    drafts.note_certain(&name);
                }
            }
        }
        "hash" => {
            if let [option, path, name] = arguments
                && static_text(option).as_deref() == Some("-p")
                && let Some((path, name)) = static_text(path).zip(static_text(name))
            {
                drafts.scope.add_alias(&name, &path);
            }
        }
        _ if READERS.contains(&name.as_str()) => collect_read(drafts, draft),
        _ => {}
    }
}

/// Notes where values are split from here on, besides at blanks.
fn note_separators(drafts: &mut Drafts, assignments: &[DraftAssignment]) {
    for it in assignments.iter().filter(|it| it.name == "IFS") {
        if let Value::One(pieces) = &it.value
            && let Some(text) = static_text(pieces)
        {
            drafts.scope.add_separators(&text);
        }
    }
}

/// A word as a text that can be read as code.
fn text_with_gaps(word: &[Piece]) -> String {
    let mut whole = String::new();
    for piece in word {
        match piece {
            Piece::Text { text, .. } => whole.push_str(text),
            Piece::Mark(mark) => whole.push(*mark),
            Piece::Hole { .. } | Piece::Parameter(_) => whole.push(GAP),
        }
    }
    whole
}

/// Notes what `read` and `printf -v` put into variables: anything, but most of all what stands in
/// the same command.
fn collect_read(drafts: &mut Drafts, draft: &Draft) {
    let arguments = draft.words.get(1..).unwrap_or_default();
    let strings = draft.redirects.iter().filter_map(|it| match &it.target {
        Target::Word(word) if it.kind == RedirectKind::HereString => Some(word),
        Target::Word(_) | Target::Body(_) => None,
    });
    let values: Vec<&Pieces> = strings.chain(arguments).collect();
    let names: Vec<String> =
        arguments.iter().filter_map(|it| static_text(it)).filter(|it| is_name(it)).collect();
    for name in names.iter().take(4) {
        for value in values.iter().rev().take(4) {
            let value = Value::One((*value).clone());
            drafts.assign(DraftAssignment::new(name, value), &draft.raw);
        }
        drafts.scope.open(name);
    }
}

/// The arguments that `set` gives to the script: what stands after its options.
fn positional(arguments: &[Pieces]) -> &[Pieces] {
    let mut rest = arguments;
    while let [first, after @ ..] = rest {
        match static_text(first).as_deref() {
            Some("--") => return after,
            Some(option) if option.starts_with(['-', '+']) => {
                // `-o` takes the name of an option.
                rest = after.get(usize::from(option.ends_with('o'))..).unwrap_or_default();
            }
            Some(_) | None => break,
        }
    }
    rest
}

fn is_sequence(join: Join) -> bool {
    match join {
        Join::Sequence | Join::Background => true,
        Join::And | Join::Or | Join::Pipe => false,
    }
}

impl Drafts {
    /// Notes that a variable has a value from here on.
    pub(super) fn note_certain(&mut self, name: &str) {
        self.scope.note_certain(name, self.list.len());
    }

    /// Notes a value that a variable may have, and the text that gives it.
    pub(super) fn assign(&mut self, assignment: DraftAssignment, source: &str) {
        let DraftAssignment { name, value, appends } = assignment;
        let last = self.scope.last_value(&name);
        let source = if value.is_known() { "" } else { source };
        let paid = value_cost(&value) + last.map_or(0, value_cost) + source.len();
        if !self.charge(paid) {
            return;
        }
        let value = match (self.scope.last_value(&name), value) {
            (Some(Value::One(last)), Value::One(mut added)) => {
                if appends {
                    added.splice(..0, last.iter().cloned());
                } else {
                    put_own_value(&name, last, &mut added);
                }
                Value::One(added)
            }
            (Some(Value::List(last)), Value::List(mut added)) if appends => {
                added.splice(..0, last.iter().cloned());
                Value::List(added)
            }
            (_, value) => value,
        };
        self.scope.assign(&name, value);
        self.scope.note_source(&name, source);
    }

    /// Notes `${name:=value}`: it sets the variable for what comes after, unless it is set.
    pub(super) fn assign_default(&mut self, name: &str, value: &[Piece]) {
        let is_new = !self.scope.knows(name);
        if !is_name(name) || !self.charge(cost(value)) {
            return;
        }
        let value = Value::One(value.to_vec());
        self.assign(DraftAssignment::new(name, value), "");
        if is_new {
            self.scope.open(name);
        }
    }
}

/// Replaces `$name` in a new value of `name` by its last one: `PATH=$PATH:x`.
fn put_own_value(name: &str, last: &[Piece], added: &mut Pieces) {
    let is_own = |it: &Piece| match it {
        Piece::Parameter(it) => it.name == name && it.change == Change::None,
        Piece::Text { .. } | Piece::Hole { .. } | Piece::Mark(_) => false,
    };
    // One replacement cannot make the value grow by more than it was paid for.
    if let Some(at) = added.iter().position(is_own) {
        added.splice(at..=at, last.iter().cloned());
    }
}

impl DraftAssignment {
    pub(super) fn new(name: &str, value: Value) -> Self {
        Self { name: name.to_owned(), value, appends: false }
    }

    /// Makes of `x=y` a variable that stands for the value of `y`.
    fn refer(&mut self) {
        let Value::One(pieces) = &self.value else { return };
        if let Some(name) = static_text(pieces).filter(|it| is_name(it)) {
            let (index, change) = (Index::None, Change::None);
            let parameter = Parameter { name, index, change, quoted: false };
            self.value = Value::One(vec![Piece::Parameter(Box::new(parameter))]);
        }
    }
}

impl Value {
    fn is_known(&self) -> bool {
        match self {
            Self::One(pieces) => static_text(pieces).is_some(),
            Self::List(list) => list.iter().all(|it| static_text(it).is_some()),
        }
    }
}

fn value_cost(value: &Value) -> usize {
    match value {
        Value::One(pieces) => cost(pieces) + 32,
        Value::List(list) => list.iter().map(|it| cost(it) + 32).sum(),
    }
}
