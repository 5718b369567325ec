//! Perl. Variables keep their signs: `$a` and `@a` are two.

use std::rc::Rc;

use tree_sitter::Node;

use super::{
    expr::{Call, Expr, Function},
    parse::{Reader, holds_text, leaves, named, unescape},
};

impl Reader<'_> {
    pub(super) fn perl(&mut self, node: Node<'_>) -> Expr {
        match node.kind() {
            "source_file" | "block" | "block_statement" => Expr::Block(self.all(node)),
            "scalar" | "array" | "hash" => Expr::name(self.source(node)),
            "number" => self.number(node),
            "unary_expression" => self.negative(node),
            "interpolated_string_literal" => self.perl_text(node, true),
            "string_literal" => self.perl_text(node, false),
            "heredoc_content" => self.perl_text(node, true),
            "command_string" => Expr::Shell(Box::new(self.perl_text(node, true))),
            "quoted_word_list" => {
                let words = self.field_source(node, "content").split_whitespace();
                let words: Vec<String> = words.map(str::to_owned).collect();
                Expr::List(words.into_iter().map(|it| self.literal(it)).collect())
            }
            "autoquoted_bareword" => Expr::Text(self.source(node).to_owned()),
            "bareword" => Expr::name(&self.source(node).replace("::", ".")),
            "match_regexp" | "quoted_regexp" => {
                self.literals.push(self.source(node).to_owned());
                self.other(node)
            }
            "expression_statement" | "parenthesized_expression" => self.only(node),
            "list_expression" | "anonymous_array_expression" => self.perl_list(node),
            "anonymous_hash_expression" => self.other(node),
            "variable_declaration" => self.only(node),
            "assignment_expression" => {
                let (to, value) = (self.boxed(node, "left"), self.boxed(node, "right"));
                match self.field_source(node, "operator") {
                    "=" => Expr::Assign { to, value },
                    _ => Expr::Append { to, value },
                }
            }
            "binary_expression" | "lowprec_logical_expression" => {
                let both = vec![self.field(node, "left"), self.field(node, "right")];
                match self.field_source(node, "operator") {
                    "." => Expr::Joined(both),
                    // What a pattern changes is no longer known.
                    "=~" => self.perl_changed(node, both),
                    "||" | "//" | "or" | "&&" | "and" => Expr::Either(both),
                    _ => Expr::Other(both),
                }
            }
            "conditional_expression" => Expr::Either(self.all(node)),
            "function_call_expression" | "ambiguous_function_call_expression" => {
                let name = self.field_source(node, "function").trim_start_matches('&');
                let name = Expr::name(&name.replace("::", "."));
                Expr::call(name, self.perl_arguments(node))
            }
            // A function that is named without anything.
            "function" => Expr::call(Expr::name(self.source(node)), Vec::new()),
            "func0op_call_expression" | "func1op_call_expression" => {
                let name = node.child(0).map_or("", |it| self.source(it));
                Expr::call(Expr::name(name), self.all(node))
            }
            "method_call_expression" => {
                let of = self.field(node, "invocant");
                let name = self.field_source(node, "method");
                Expr::call(Expr::member(of, name), self.perl_arguments(node))
            }
            "hash_element_expression" => self.perl_element(node, "%", "key"),
            "array_element_expression" => self.perl_element(node, "@", "index"),
            "eval_expression" => self.perl_eval(node),
            "readline_expression" | "glob_expression" => self.perl_angle(node),
            "for_statement" => {
                let of = self.boxed(node, "list");
                let item = match node.child_by_field_name("variable") {
                    Some(it) => self.expr(it),
                    None => Expr::name("$_"),
                };
                let body = self.boxed(node, "block");
                Expr::Each { item: Box::new(item), of, picks: false, body }
            }
            "postfix_for_expression" => {
                let of = self.boxed(node, "list");
                let body = named(node).first().map_or_else(Expr::none, |it| self.expr(*it));
                let item = Box::new(Expr::name("$_"));
                Expr::Each { item, of, picks: false, body: Box::new(body) }
            }
            "loop_statement" | "postfix_loop_expression" | "cstyle_for_statement" => {
                let condition = self.field_source(node, "condition");
                let is_endless = condition == "1"
                    || (condition.is_empty() && node.kind() == "cstyle_for_statement");
                Expr::Loop { is_endless, body: self.all(node) }
            }
            "conditional_statement" | "postfix_conditional_expression" => self.perl_if(node),
            "map_grep_expression" => self.perl_map(node),
            "subroutine_declaration_statement" => {
                let name = Expr::name(self.field_source(node, "name"));
                Expr::assign(name, self.perl_function(node))
            }
            "anonymous_subroutine_expression" => self.perl_function(node),
            "return_expression" => Expr::Return(Box::new(self.only(node))),
            "require_expression" => {
                let value = self.all(node);
                Expr::call(Expr::name("require"), value)
            }
            "substitution_regexp" => self.perl_substitution(node),
            "transliteration_expression" => {
                Expr::assign(Expr::name("$_"), Expr::Call(Box::new(computed())))
            }
            _ => self.other(node),
        }
    }

    fn perl_changed(&mut self, node: Node<'_>, both: Vec<Expr>) -> Expr {
        let changes = node.child_by_field_name("right").is_some_and(|it| {
            matches!(it.kind(), "substitution_regexp" | "transliteration_expression")
        });
        match node.child_by_field_name("left").filter(|_| changes) {
            Some(left) => {
                let to = self.expr(left);
                Expr::Block(vec![
                    Expr::Other(both),
                    Expr::assign(to, Expr::Call(Box::new(computed()))),
                ])
            }
            None => Expr::Other(both),
        }
    }

    /// A text with what is put into it.
    fn perl_text(&mut self, node: Node<'_>, is_open: bool) -> Expr {
        let content = node.child_by_field_name("content");
        let Some(content) = content.or((node.kind() == "heredoc_content").then_some(node)) else {
            // Nothing but blanks stands in it.
            let blanks = self.source(node).chars().filter(|it| it.is_whitespace());
            return Expr::Text(blanks.collect());
        };
        let inner = named(content);
        let inner = inner.into_iter().filter(|it| is_open && it.kind() != "escape_sequence");
        let mut parts = Vec::new();
        let mut at = content.start_byte();
        let read = |text: &str| if is_open { unescape(text) } else { text.to_owned() };
        for it in inner {
            let before = read(self.source_between(at, it.start_byte()));
            parts.push(self.literal(before));
            parts.push(self.expr(it));
            at = it.end_byte();
        }
        let rest = read(self.source_between(at, content.end_byte()));
        let rest = self.literal(rest);
        if parts.is_empty() {
            return rest;
        }
        parts.push(rest);
        Expr::Joined(parts)
    }

    fn perl_list(&mut self, node: Node<'_>) -> Expr {
        Expr::List(self.all(node))
    }

    fn perl_arguments(&mut self, node: Node<'_>) -> Vec<Expr> {
        let Some(given) = node.child_by_field_name("arguments") else { return Vec::new() };
        match given.kind() {
            "list_expression" => self.all(given),
            "parenthesized_expression" => match self.only(given) {
                Expr::List(all) => all,
                one => vec![one],
            },
            _ => vec![self.expr(given)],
        }
    }

    /// `$a{b}` is a part of `%a`, `$a->{b}` of what `$a` holds.
    fn perl_element(&mut self, node: Node<'_>, sign: &str, key: &str) -> Expr {
        let first = named(node).first().copied();
        let of = match first.filter(|it| it.kind() == "container_variable") {
            Some(it) => {
                Expr::Name(format!("{sign}{}", self.source(it).trim_start_matches(['$', '@'])))
            }
            None => first.map_or_else(Expr::none, |it| self.expr(it)),
        };
        Expr::Index(Box::new(of), self.boxed(node, key))
    }

    /// `eval { … }` runs what stands there, `eval $x` what is computed.
    fn perl_eval(&mut self, node: Node<'_>) -> Expr {
        let inner = self.all(node);
        if named(node).iter().any(|it| it.kind() == "block") {
            return Expr::Block(inner);
        }
        let is_file = node.child(0).is_some_and(|it| self.source(it) == "do");
        let name = Expr::name(if is_file { "do" } else { "eval" });
        if inner.is_empty() {
            return Expr::call(name, vec![Expr::name("$_")]);
        }
        Expr::call(name, inner)
    }

    /// `<STDIN>` reads, `<*.c>` looks for files.
    fn perl_angle(&mut self, node: Node<'_>) -> Expr {
        let inner = self.source(node).trim_matches(['<', '>']).to_owned();
        if inner.contains(['*', '/', '~']) {
            let pattern = self.literal(inner);
            return Expr::call(Expr::name("glob"), vec![pattern]);
        }
        Expr::call(Expr::name("readline"), self.all(node))
    }

    fn perl_if(&mut self, node: Node<'_>) -> Expr {
        let condition = node.child_by_field_name("condition");
        let picks = condition.is_some_and(holds_text);
        let given = condition.map_or_else(Expr::none, |it| self.expr(it));
        let rest = named(node).into_iter().filter(|it| Some(*it) != condition);
        let mut all = vec![given];
        for it in rest {
            let leaves = leaves(it);
            let condition = Box::new(Expr::none());
            all.push(Expr::Branch { condition, picks, leaves, body: vec![self.expr(it)] });
        }
        Expr::Block(all)
    }

    /// `map { … } @a`, `grep { … } @a`
    fn perl_map(&mut self, node: Node<'_>) -> Expr {
        let callback = node.child_by_field_name("callback");
        let is_grep = node.child(0).is_some_and(|it| self.source(it) == "grep");
        let picks = is_grep && callback.is_some_and(holds_text);
        let of = self.boxed(node, "list");
        let body = callback.map_or_else(Expr::none, |it| self.expr(it));
        let item = Box::new(Expr::name("$_"));
        let body = if is_grep { Expr::Block(vec![body, Expr::name("$_")]) } else { body };
        Expr::Each { item, of, picks, body: Box::new(body) }
    }

    fn perl_function(&mut self, node: Node<'_>) -> Expr {
        // What a function is given stands in one list.
        let parameters = vec![Expr::Spread(Box::new(Expr::name("@_")))];
        let body = vec![self.field(node, "body")];
        Expr::Function(Rc::new(Function { at: node.start_byte(), parameters, body }))
    }

    /// `s/a/system $1/e`: the replacement is code.
    fn perl_substitution(&mut self, node: Node<'_>) -> Expr {
        let runs = self.field_source(node, "modifiers").contains("ee");
        let parts = self.all(node);
        let changed = Expr::assign(Expr::name("$_"), Expr::Call(Box::new(computed())));
        let parts = [parts, vec![changed]].concat();
        if runs {
            Expr::call(Expr::name("eval"), vec![Expr::Other(parts)])
        } else {
            Expr::Other(parts)
        }
    }
}

/// A text that is put together in a way that is not followed.
fn computed() -> Call {
    Call { callee: Expr::Known("computed.text".to_owned()), arguments: Vec::new() }
}
