//! Ruby.

use std::rc::Rc;

use tree_sitter::Node;

use super::{
    expr::{Argument, Call, Expr, Function},
    parse::{Reader, holds_text, leaves, named, unescape},
};

impl Reader<'_> {
    pub(super) fn ruby(&mut self, node: Node<'_>) -> Expr {
        match node.kind() {
            "program"
            | "body_statement"
            | "block_body"
            | "then"
            | "else"
            | "ensure"
            | "rescue"
            | "begin"
            | "begin_block"
            | "do"
            | "parenthesized_statements"
            | "case"
            | "when"
            | "case_match" => Expr::Block(self.all(node)),
            "identifier" | "constant" | "instance_variable" | "global_variable" | "self"
            | "class_variable" => Expr::name(self.source(node)),
            "integer" => self.number(node),
            "unary" => self.negative(node),
            "nil" | "true" | "false" => Expr::Known("None".to_owned()),
            "string" | "bare_string" | "heredoc_body" => self.ruby_text(node),
            "subshell" => Expr::Shell(Box::new(self.ruby_text(node))),
            "simple_symbol" | "hash_key_symbol" => {
                let text = self.source(node).trim_matches([':', '"']).to_owned();
                self.literal(text)
            }
            "regex" => {
                self.literals.push(self.source(node).to_owned());
                Expr::none()
            }
            "chained_string" => Expr::Joined(self.all(node)),
            "array"
            | "string_array"
            | "symbol_array"
            | "left_assignment_list"
            | "right_assignment_list" => Expr::List(self.all(node)),
            "hash" => {
                let pairs = named(node);
                let pairs =
                    pairs.into_iter().map(|it| (self.field(it, "key"), self.field(it, "value")));
                Expr::Dict(pairs.collect())
            }
            "interpolation" | "splat_argument" | "bare_symbol" => {
                let inner = self.only(node);
                if node.kind() == "splat_argument" { Expr::Spread(Box::new(inner)) } else { inner }
            }
            "scope_resolution" => {
                let name = self.field_source(node, "name");
                match node.child_by_field_name("scope") {
                    Some(scope) => Expr::member(self.expr(scope), name),
                    None => Expr::name(name),
                }
            }
            "element_reference" => {
                let of = self.boxed(node, "object");
                let index = named(node).get(1).copied();
                Expr::Index(of, Box::new(index.map_or_else(Expr::none, |it| self.expr(it))))
            }
            "call" => self.ruby_call(node),
            "binary" => {
                let both = (self.field(node, "left"), self.field(node, "right"));
                match self.field_source(node, "operator") {
                    "+" => Expr::Joined(vec![both.0, both.1]),
                    "<<" => Expr::Append { to: Box::new(both.0), value: Box::new(both.1) },
                    "/" => Expr::Slash(Box::new(both.0), Box::new(both.1)),
                    "%" => Expr::Format(Box::new(both.0), Box::new(both.1)),
                    "||" | "or" | "&&" | "and" => Expr::Either(vec![both.0, both.1]),
                    _ => Expr::Other(vec![both.0, both.1]),
                }
            }
            "assignment" => {
                let value = self.field(node, "right");
                Expr::assign(self.field(node, "left"), value)
            }
            "operator_assignment" => {
                Expr::Append { to: self.boxed(node, "left"), value: self.boxed(node, "right") }
            }
            "conditional" => Expr::Block(vec![
                self.field(node, "condition"),
                Expr::Either(vec![
                    self.field(node, "consequence"),
                    self.field(node, "alternative"),
                ]),
            ]),
            "if" | "unless" | "elsif" => self.ruby_if(node, "consequence"),
            "if_modifier" | "unless_modifier" => self.ruby_if(node, "body"),
            "while" | "until" | "while_modifier" | "until_modifier" => {
                let condition = self.field_source(node, "condition");
                let is_endless = matches!(condition, "true" | "1");
                Expr::Loop { is_endless, body: self.all(node) }
            }
            "for" => {
                let of = node.child_by_field_name("value");
                let of = of.map_or_else(Expr::none, |it| self.only(it));
                let item = self.boxed(node, "pattern");
                let body = self.boxed(node, "body");
                Expr::Each { item, of: Box::new(of), picks: false, body }
            }
            "method" | "singleton_method" => {
                let name = Expr::name(self.field_source(node, "name"));
                Expr::assign(name, self.function(node, "parameters", "body"))
            }
            "lambda" => {
                let parameters = self.all_of(node, "parameters");
                let body = vec![self.ruby_body(node.child_by_field_name("body"))];
                Expr::Function(Rc::new(Function { at: node.start_byte(), parameters, body }))
            }
            "optional_parameter" | "keyword_parameter" => {
                let value = self.field(node, "value");
                Expr::assign(Expr::name(self.field_source(node, "name")), value)
            }
            "class" | "module" | "singleton_class" => {
                let name = Expr::name(self.field_source(node, "name"));
                Expr::assign(name, Expr::Class(self.all_of(node, "body")))
            }
            "return" => Expr::Return(Box::new(self.only(node))),
            _ => self.other(node),
        }
    }

    /// The inner part of a block, which has its parameters besides.
    fn ruby_body(&mut self, block: Option<Node<'_>>) -> Expr {
        block.map_or_else(Expr::none, |it| match it.child_by_field_name("body") {
            Some(body) => self.expr(body),
            None => Expr::none(),
        })
    }

    fn ruby_text(&mut self, node: Node<'_>) -> Expr {
        let is_raw = self.source(node).starts_with('\'');
        let mut parts = Vec::new();
        for it in named(node) {
            match it.kind() {
                "string_content" if is_raw => {
                    let text = self.source(it).to_owned();
                    parts.push(self.literal(text));
                }
                "string_content" | "escape_sequence" | "heredoc_content" => {
                    let text = unescape(self.source(it));
                    parts.push(self.literal(text));
                }
                "interpolation" => parts.push(self.only(it)),
                _ => {}
            }
        }
        match parts.len() {
            0 => Expr::Text(String::new()),
            1 => parts.remove(0),
            _ => Expr::Joined(parts),
        }
    }

    fn ruby_call(&mut self, node: Node<'_>) -> Expr {
        let method = self.field_source(node, "method");
        let callee = match node.child_by_field_name("receiver") {
            // `x.()` is `x.call()`.
            Some(receiver) => {
                Expr::member(self.expr(receiver), if method.is_empty() { "call" } else { method })
            }
            None => Expr::name(method),
        };
        let mut arguments = Vec::new();
        for it in node.child_by_field_name("arguments").map_or_else(Vec::new, named) {
            let name = (it.kind() == "pair")
                .then(|| self.field_source(it, "key").trim_matches([':', ' ']).to_owned());
            let value = match it.kind() {
                "pair" => self.field(it, "value"),
                "block_argument" => self.only(it),
                _ => self.expr(it),
            };
            let is_block = it.kind() == "block_argument";
            arguments
                .push(Argument { name: if is_block { Some("&".to_owned()) } else { name }, value });
        }
        if let Some(block) = node.child_by_field_name("block") {
            let parameters = self.all_of(block, "parameters");
            let body = vec![self.ruby_body(Some(block))];
            let value =
                Expr::Function(Rc::new(Function { at: block.start_byte(), parameters, body }));
            arguments.push(Argument { name: Some("&".to_owned()), value });
        }
        // `loop { … }` never ends by itself.
        if method == "loop" && matches!(callee, Expr::Name(_)) {
            let block = node.child_by_field_name("block");
            return Expr::Loop { is_endless: true, body: vec![self.ruby_body(block)] };
        }
        Expr::Call(Box::new(Call { callee, arguments }))
    }

    fn ruby_if(&mut self, node: Node<'_>, body: &str) -> Expr {
        let condition = node.child_by_field_name("condition");
        let picks = condition.is_some_and(holds_text);
        let inner = node.child_by_field_name(body);
        let first = Expr::Branch {
            condition: self.boxed(node, "condition"),
            picks,
            leaves: inner.is_some_and(leaves),
            body: vec![self.field(node, body)],
        };
        let body = vec![self.field(node, "alternative")];
        let condition = Box::new(Expr::none());
        Expr::Block(vec![first, Expr::Branch { condition, picks, leaves: false, body }])
    }
}
