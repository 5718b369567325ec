//! JavaScript and TypeScript.

use std::rc::Rc;

use tree_sitter::Node;

use super::{
    expr::{Argument, Call, Expr, Function},
    parse::{Reader, holds_text, leaves, named, unescape},
};

impl Reader<'_> {
    pub(super) fn javascript(&mut self, node: Node<'_>) -> Expr {
        match node.kind() {
            "program"
            | "statement_block"
            | "lexical_declaration"
            | "variable_declaration"
            | "sequence_expression"
            | "try_statement"
            | "catch_clause"
            | "finally_clause"
            | "else_clause"
            | "switch_statement"
            | "switch_body"
            | "switch_case"
            | "switch_default"
            | "export_statement" => Expr::Block(self.all(node)),
            "identifier"
            | "shorthand_property_identifier"
            | "this"
            | "shorthand_property_identifier_pattern" => Expr::name(self.source(node)),
            "property_identifier" | "private_property_identifier" => {
                Expr::Text(self.source(node).to_owned())
            }
            "import" => Expr::name("import"),
            "number" => self.number(node),
            "unary_expression" => self.negative(node),
            "null" | "undefined" | "true" | "false" => Expr::Known("None".to_owned()),
            "regex" => {
                self.literals.push(self.source(node).to_owned());
                Expr::none()
            }
            "string" => {
                let inner = trimmed(self.source(node));
                self.literal(unescape(inner))
            }
            "template_string" => self.template(node),
            "template_substitution"
            | "parenthesized_expression"
            | "expression_statement"
            | "await_expression"
            | "computed_property_name" => self.only(node),
            "as_expression" | "satisfies_expression" | "non_null_expression" => {
                named(node).first().map_or_else(Expr::none, |it| self.expr(*it))
            }
            "type_annotation" | "type_arguments" => Expr::none(),
            "member_expression" => {
                let of = self.field(node, "object");
                Expr::member(of, self.field_source(node, "property"))
            }
            "subscript_expression" => {
                Expr::Index(self.boxed(node, "object"), self.boxed(node, "index"))
            }
            "call_expression" => self.javascript_call(node, "function"),
            "new_expression" => self.javascript_call(node, "constructor"),
            "binary_expression" => {
                let both = vec![self.field(node, "left"), self.field(node, "right")];
                match self.field_source(node, "operator") {
                    "+" => Expr::Joined(both),
                    "||" | "&&" | "??" => Expr::Either(both),
                    _ => Expr::Other(both),
                }
            }
            "ternary_expression" => Expr::Block(vec![
                self.field(node, "condition"),
                Expr::Either(vec![
                    self.field(node, "consequence"),
                    self.field(node, "alternative"),
                ]),
            ]),
            "array" | "array_pattern" => Expr::List(self.all(node)),
            "object" | "object_pattern" => Expr::Dict(self.properties(node)),
            "spread_element" | "rest_pattern" => Expr::Spread(Box::new(self.only(node))),
            "assignment_expression" | "assignment_pattern" | "object_assignment_pattern" => {
                let value = self.field(node, "right");
                Expr::assign(self.field(node, "left"), value)
            }
            "variable_declarator" | "field_definition" | "public_field_definition" => {
                let value = self.field(node, "value");
                let name = if node.kind() == "variable_declarator" { "name" } else { "property" };
                Expr::assign(self.field(node, name), value)
            }
            "augmented_assignment_expression" => {
                Expr::Append { to: self.boxed(node, "left"), value: self.boxed(node, "right") }
            }
            "arrow_function" | "function_expression" | "generator_function" => {
                self.javascript_function(node)
            }
            "function_declaration" | "generator_function_declaration" | "method_definition" => {
                let name = Expr::name(self.field_source(node, "name"));
                Expr::assign(name, self.javascript_function(node))
            }
            "required_parameter" | "optional_parameter" => {
                let name = self.field(node, "pattern");
                match node.child_by_field_name("value") {
                    Some(value) => Expr::assign(name, self.expr(value)),
                    None => name,
                }
            }
            "class_declaration" => {
                let name = Expr::name(self.field_source(node, "name"));
                Expr::assign(name, Expr::Class(self.all_of(node, "body")))
            }
            "class" => Expr::Class(self.all_of(node, "body")),
            "for_in_statement" => {
                let of = self.boxed(node, "right");
                let item = self.boxed(node, "left");
                Expr::Each { item, of, picks: false, body: self.boxed(node, "body") }
            }
            "for_statement" | "while_statement" | "do_statement" => self.javascript_loop(node),
            "if_statement" => self.javascript_if(node),
            "return_statement" => Expr::Return(Box::new(self.only(node))),
            "import_statement" => self.javascript_import(node),
            _ => self.other(node),
        }
    }

    fn template(&mut self, node: Node<'_>) -> Expr {
        let mut parts = Vec::new();
        let mut at = node.start_byte() + 1;
        for it in named(node).into_iter().filter(|it| it.kind() == "template_substitution") {
            parts.push(self.literal(unescape(self.source_between(at, it.start_byte()))));
            parts.push(self.only(it));
            at = it.end_byte();
        }
        let rest = self.literal(unescape(self.source_between(at, node.end_byte() - 1)));
        if parts.is_empty() {
            return rest;
        }
        parts.push(rest);
        Expr::Joined(parts)
    }

    fn javascript_call(&mut self, node: Node<'_>, callee: &str) -> Expr {
        let callee = self.field(node, callee);
        let Some(list) = node.child_by_field_name("arguments") else {
            return Expr::call(callee, Vec::new());
        };
        let values =
            if list.kind() == "template_string" { vec![self.expr(list)] } else { self.all(list) };
        let arguments = values.into_iter().map(|value| Argument { name: None, value }).collect();
        Expr::Call(Box::new(Call { callee, arguments }))
    }

    /// The properties of an object, or of a pattern that takes one apart.
    fn properties(&mut self, node: Node<'_>) -> Vec<(Expr, Expr)> {
        let pairs = named(node).into_iter().map(|it| match it.kind() {
            "pair" | "pair_pattern" => (self.field(it, "key"), self.field(it, "value")),
            "shorthand_property_identifier" | "shorthand_property_identifier_pattern" => {
                (Expr::Text(self.source(it).to_owned()), self.expr(it))
            }
            "object_assignment_pattern" => {
                let key = self.field_source(it, "left").to_owned();
                (Expr::Text(key), self.expr(it))
            }
            "method_definition" => {
                let key = self.field_source(it, "name").to_owned();
                (Expr::Text(key), self.javascript_function(it))
            }
            _ => (Expr::none(), self.expr(it)),
        });
        pairs.collect()
    }

    fn javascript_function(&mut self, node: Node<'_>) -> Expr {
        let Some(one) = node.child_by_field_name("parameter") else {
            return self.function(node, "parameters", "body");
        };
        let parameters = vec![self.expr(one)];
        let body = vec![self.field(node, "body")];
        Expr::Function(Rc::new(Function { at: node.start_byte(), parameters, body }))
    }

    fn javascript_loop(&mut self, node: Node<'_>) -> Expr {
        let condition = node.child_by_field_name("condition").map(|it| self.source(it));
        let condition = condition.map(|it| it.trim_matches(['(', ')', ';', ' ']));
        let is_endless = matches!(condition, None | Some("true" | "1" | ""));
        Expr::Loop { is_endless, body: self.all(node) }
    }

    fn javascript_if(&mut self, node: Node<'_>) -> Expr {
        let condition = node.child_by_field_name("condition");
        let consequence = node.child_by_field_name("consequence");
        let picks = condition.is_some_and(holds_text);
        let first = Expr::Branch {
            condition: self.boxed(node, "condition"),
            picks,
            leaves: consequence.is_some_and(leaves),
            body: vec![self.field(node, "consequence")],
        };
        let body = vec![self.field(node, "alternative")];
        let condition = Box::new(Expr::none());
        Expr::Block(vec![first, Expr::Branch { condition, picks, leaves: false, body }])
    }

    /// `import a, {b as c} from 'd'`, `import * as a from 'd'`.
    fn javascript_import(&mut self, node: Node<'_>) -> Expr {
        let module = module_name(trimmed(self.field_source(node, "source"))).to_owned();
        let mut bound = Vec::new();
        let mut open = named(node);
        while let Some(it) = open.pop() {
            match it.kind() {
                "import_specifier" => {
                    let name = self.field_source(it, "name");
                    let alias = it.child_by_field_name("alias");
                    let alias = alias.map_or(name, |it| self.source(it));
                    let known = Expr::Known(format!("{module}.{name}"));
                    bound.push(Expr::assign(Expr::name(alias), known));
                }
                "identifier" => {
                    let name = Expr::name(self.source(it));
                    bound.push(Expr::assign(name, Expr::Known(module.clone())));
                }
                _ => open.extend(named(it)),
            }
        }
        Expr::Block(bound)
    }
}

/// `node:fs/promises` and `fs-extra` do what `fs` does.
pub(super) fn module_name(name: &str) -> &str {
    let bare = name.strip_prefix("node:").unwrap_or(name);
    match bare {
        "fs-extra" | "fs/promises" | "graceful-fs" => "fs",
        "path/posix" => "path",
        other => other,
    }
}

/// A text without its quotes.
fn trimmed(text: &str) -> &str {
    let inner = text.get(1..text.len().saturating_sub(1));
    inner.unwrap_or_default()
}
