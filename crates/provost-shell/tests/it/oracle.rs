//! A second parser as an oracle: each simple command that `brush-parser` reads must be among those
//! that ours lists.

use brush_parser::{
    Parser, ParserOptions,
    ast::{
        AndOr, AssignmentValue, Command, CommandPrefixOrSuffixItem, CompoundCommand, CompoundList,
        ExtendedTestExpr, IoFileRedirectTarget, IoRedirect, Pipeline, RedirectList, SimpleCommand,
    },
    word::{WordPiece, WordPieceWithSource},
};
use provost_shell::{Script, Word, parse};

use crate::lines::Lines;

/// How deep substitutions are followed.
const DEPTH: usize = 8;
/// How many lines are made up.
const LINES: usize = 3000;

/// The simple commands that the other parser reads: of each the words up to the first that
/// depends on an expansion.
#[derive(Debug, Default)]
struct Oracle {
    commands: Vec<Vec<String>>,
    depth: usize,
}

impl Oracle {
    /// Reads a text; says whether it could.
    fn text(&mut self, text: &str) -> bool {
        if self.depth >= DEPTH {
            return true;
        }
        let mut parser = Parser::new(text.as_bytes(), &ParserOptions::default());
        let Ok(program) = parser.parse_program() else { return false };
        self.depth += 1;
        program.complete_commands.iter().for_each(|it| self.list(it));
        self.depth -= 1;
        true
    }

    fn list(&mut self, list: &CompoundList) {
        for item in &list.0 {
            self.pipeline(&item.0.first);
            for AndOr::And(it) | AndOr::Or(it) in &item.0.additional {
                self.pipeline(it);
            }
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline) {
        for command in &pipeline.seq {
            match command {
                Command::Simple(it) => self.simple(it),
                Command::Compound(it, redirects) => {
                    self.compound(it);
                    self.redirects(redirects.as_ref());
                }
                Command::Function(it) => {
                    self.compound(&it.body.0);
                    self.redirects(it.body.1.as_ref());
                }
                Command::ExtendedTest(it, redirects) => {
                    self.test(&it.expr);
                    self.redirects(redirects.as_ref());
                }
            }
        }
    }

    fn compound(&mut self, command: &CompoundCommand) {
        match command {
            CompoundCommand::BraceGroup(it) => self.list(&it.list),
            CompoundCommand::Subshell(it) => self.list(&it.list),
            CompoundCommand::ForClause(it) => {
                it.values.iter().flatten().for_each(|it| self.word(&it.value));
                self.list(&it.body.list);
            }
            CompoundCommand::ArithmeticForClause(it) => self.list(&it.body.list),
            CompoundCommand::CaseClause(it) => {
                self.word(&it.value.value);
                it.cases.iter().filter_map(|it| it.cmd.as_ref()).for_each(|it| self.list(it));
            }
            CompoundCommand::IfClause(it) => {
                self.list(&it.condition);
                self.list(&it.then);
                for branch in it.elses.iter().flatten() {
                    branch.condition.iter().for_each(|it| self.list(it));
                    self.list(&branch.body);
                }
            }
            CompoundCommand::WhileClause(it) | CompoundCommand::UntilClause(it) => {
                self.list(&it.0);
                self.list(&it.1.list);
            }
            CompoundCommand::Arithmetic(_) | CompoundCommand::Coprocess(_) => {}
        }
    }

    fn test(&mut self, test: &ExtendedTestExpr) {
        match test {
            ExtendedTestExpr::And(a, b) | ExtendedTestExpr::Or(a, b) => {
                self.test(a);
                self.test(b);
            }
            ExtendedTestExpr::Not(it) | ExtendedTestExpr::Parenthesized(it) => self.test(it),
            ExtendedTestExpr::UnaryTest(_, it) => self.word(&it.value),
            ExtendedTestExpr::BinaryTest(_, a, b) => {
                self.word(&a.value);
                self.word(&b.value);
            }
        }
    }

    fn simple(&mut self, command: &SimpleCommand) {
        let before = command.prefix.iter().flat_map(|it| &it.0);
        let after = command.suffix.iter().flat_map(|it| &it.0);
        let mut known = Some(Vec::new());
        if let Some(name) = &command.word_or_name {
            self.add(&mut known, &name.value);
        }
        let mut words = known.unwrap_or_default();
        let mut is_known = !words.is_empty();
        for item in before {
            self.item(item, None);
        }
        for item in after {
            let mut rest = is_known.then(|| std::mem::take(&mut words));
            self.item(item, rest.as_mut());
            if let Some(mut rest) = rest {
                is_known = rest.pop_if(|it| it == UNKNOWN).is_none();
                words = rest;
            }
        }
        if !words.is_empty() {
            self.commands.push(words);
        }
    }

    fn item(&mut self, item: &CommandPrefixOrSuffixItem, words: Option<&mut Vec<String>>) {
        match item {
            CommandPrefixOrSuffixItem::IoRedirect(it) => self.redirect(it),
            CommandPrefixOrSuffixItem::Word(it) => {
                self.word(&it.value);
                if let Some(words) = words {
                    words.push(known(&it.value).unwrap_or_else(|| UNKNOWN.to_owned()));
                }
            }
            CommandPrefixOrSuffixItem::AssignmentWord(assigned, word) => {
                match &assigned.value {
                    AssignmentValue::Scalar(it) => self.word(&it.value),
                    AssignmentValue::Array(all) => all.iter().for_each(|it| self.word(&it.1.value)),
                }
                if let Some(words) = words {
                    words.push(known(&word.value).unwrap_or_else(|| UNKNOWN.to_owned()));
                }
            }
            CommandPrefixOrSuffixItem::ProcessSubstitution(_, it) => {
                self.list(&it.list);
                if let Some(words) = words {
                    words.push(UNKNOWN.to_owned());
                }
            }
        }
    }

    fn add(&mut self, words: &mut Option<Vec<String>>, word: &str) {
        self.word(word);
        match (words.as_mut(), known(word)) {
            (Some(words), Some(text)) => words.push(text),
            (_, None) | (None, _) => *words = None,
        }
    }

    fn redirects(&mut self, redirects: Option<&RedirectList>) {
        redirects.iter().flat_map(|it| &it.0).for_each(|it| self.redirect(it));
    }

    fn redirect(&mut self, redirect: &IoRedirect) {
        match redirect {
            IoRedirect::File(
                _,
                _,
                IoFileRedirectTarget::Filename(it) | IoFileRedirectTarget::Duplicate(it),
            )
            | IoRedirect::HereString(_, it)
            | IoRedirect::OutputAndError(it, _) => self.word(&it.value),
            IoRedirect::File(_, _, IoFileRedirectTarget::ProcessSubstitution(_, it)) => {
                self.list(&it.list);
            }
            IoRedirect::HereDocument(_, it) if it.requires_expansion => {
                let pieces = brush_parser::word::parse_heredoc(&it.doc.value, &options());
                pieces.iter().flatten().for_each(|it| self.piece(it));
            }
            IoRedirect::File(_, _, IoFileRedirectTarget::Fd(_)) | IoRedirect::HereDocument(..) => {}
        }
    }

    /// Reads the substitutions in a word.
    fn word(&mut self, word: &str) {
        let pieces = brush_parser::word::parse(word, &options());
        pieces.iter().flatten().for_each(|it| self.piece(it));
    }

    fn piece(&mut self, piece: &WordPieceWithSource) {
        match &piece.piece {
            WordPiece::CommandSubstitution(it) | WordPiece::BackquotedCommandSubstitution(it) => {
                self.text(it);
            }
            WordPiece::DoubleQuotedSequence(all) | WordPiece::GettextDoubleQuotedSequence(all) => {
                for it in all {
                    self.piece(it);
                }
            }
            WordPiece::Text(_)
            | WordPiece::SingleQuotedText(_)
            | WordPiece::AnsiCQuotedText(_)
            | WordPiece::TildeExpansion(_)
            | WordPiece::ParameterExpansion(_)
            | WordPiece::EscapeSequence(_)
            | WordPiece::ArithmeticExpression(_) => {}
        }
    }
}

/// Stands for a word that depends on an expansion.
const UNKNOWN: &str = "\u{1f}";

fn options() -> ParserOptions {
    ParserOptions::default()
}

/// The text of a word in which nothing is expanded.
fn known(word: &str) -> Option<String> {
    // What only one of the two parsers expands is left to the comparison with bash.
    let is_plain = !word.contains(['{', '*', '?', '[', '~']) && !word.contains("\\\n");
    let pieces = brush_parser::word::parse(word, &options()).ok().filter(|_| is_plain)?;
    known_pieces(&pieces)
}

fn known_pieces(pieces: &[WordPieceWithSource]) -> Option<String> {
    let mut text = String::new();
    for piece in pieces {
        match &piece.piece {
            WordPiece::Text(it) | WordPiece::SingleQuotedText(it) => text.push_str(it),
            WordPiece::EscapeSequence(it) => text.push_str(it.strip_prefix('\\')?),
            WordPiece::DoubleQuotedSequence(all) => text.push_str(&known_pieces(all)?),
            WordPiece::AnsiCQuotedText(_)
            | WordPiece::GettextDoubleQuotedSequence(_)
            | WordPiece::TildeExpansion(_)
            | WordPiece::ParameterExpansion(_)
            | WordPiece::CommandSubstitution(_)
            | WordPiece::BackquotedCommandSubstitution(_)
            | WordPiece::ArithmeticExpression(_) => return None,
        }
    }
    Some(text)
}

/// Whether an invocation begins with these words, as far as its own are known.
fn lists(script: &Script, words: &[String]) -> bool {
    let begins = |all: &[Word]| {
        let is_open = all.iter().any(|it| it.text().is_none());
        (all.len() >= words.len() || is_open)
            && all.iter().zip(words).all(|(own, it)| own.text().is_none_or(|own| own == it))
    };
    script.invocations.iter().any(|it| begins(&it.words))
}

/// Where the other parser is wrong, as bash shows: a substitution on a line that begins a
/// here-document loses its `$(`.
fn is_misread(text: &str) -> bool {
    text.lines().any(|it| it.contains("<<") && it.contains(['$', '`']))
}

/// Compares the two parsers; says whether both could read the text.
fn compare(text: &str, disagreements: &mut Vec<String>) -> bool {
    let mut oracle = Oracle::default();
    let script = parse(text);
    if !oracle.text(text) || !script.opaque.is_empty() || is_misread(text) {
        return false;
    }
    for words in oracle.commands.iter().filter(|it| !lists(&script, it)) {
        disagreements.push(format!("{words:?} in\n{text}\n"));
    }
    true
}

#[track_caller]
fn check(texts: &[String], least: usize) {
    let mut disagreements = Vec::new();
    let n_read = texts.iter().filter(|it| compare(it, &mut disagreements)).count();
    assert!(disagreements.is_empty(), "{}", disagreements.join("\n"));
    assert!(n_read >= least, "both parsers read {n_read} of {}", texts.len());
}

#[test]
fn every_command_that_another_parser_reads_is_listed() {
    let mut source = Lines::seeded(7);
    let lines: Vec<String> = (0..LINES).map(|_| source.line()).collect();
    check(&lines, LINES / 3);
}

/// The same for the commands of the guard's lists, which were not written for a parser.
#[test]
fn every_listed_command_is_read_as_another_parser_reads_it() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/guard/lists");
    let mut commands = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        commands.extend(text.lines().filter_map(command));
    }
    check(&commands, 1500);
}

/// The command of a line of a list.
fn command(line: &str) -> Option<String> {
    let value: serde_json::Value = serde_json::from_str(line).unwrap();
    value["command"].as_str().map(str::to_owned)
}
