//! Python.

use std::rc::Rc;

use tree_sitter::Node;

use super::{
    super::stdin,
    expr::{Argument, Call, Expr, Function},
    parse::{Reader, holds_text, leaves, named},
};

impl Reader<'_> {
    pub(super) fn python(&mut self, node: Node<'_>) -> Expr {
        match node.kind() {
            "module" | "block" => Expr::Block(self.all(node)),
            "identifier" => Expr::name(self.source(node)),
            "integer" => self.number(node),
            "unary_operator" => self.negative(node),
            "none" | "true" | "false" => Expr::Known("None".to_owned()),
            "string" => self.python_text(node),
            "concatenated_string" => Expr::Joined(self.all(node)),
            "attribute" => {
                let of = self.field(node, "object");
                Expr::member(of, self.field_source(node, "attribute"))
            }
            "subscript" if self.source(node).ends_with("[::-1]") => {
                let value = self.field(node, "value");
                Expr::call(Expr::Known("reversed.text".to_owned()), vec![value])
            }
            "subscript" => Expr::Index(self.boxed(node, "value"), self.boxed(node, "subscript")),
            "call" => self.python_call(node),
            "binary_operator" => self.python_sum(node),
            "list" | "tuple" | "set" | "expression_list" | "pattern_list" | "tuple_pattern"
            | "list_pattern" => Expr::List(self.all(node)),
            "dictionary" => Expr::Dict(self.pairs(node)),
            "list_splat"
            | "dictionary_splat"
            | "list_splat_pattern"
            | "dictionary_splat_pattern" => Expr::Spread(Box::new(self.only(node))),
            "parenthesized_expression"
            | "expression_statement"
            | "await"
            | "interpolation"
            | "type"
            | "decorated_definition" => self.only(node),
            "assignment" => {
                let value = self.field(node, "right");
                Expr::assign(self.field(node, "left"), value)
            }
            "named_expression" => {
                let value = self.field(node, "value");
                Expr::assign(self.field(node, "name"), value)
            }
            "augmented_assignment" => {
                Expr::Append { to: self.boxed(node, "left"), value: self.boxed(node, "right") }
            }
            "boolean_operator" => {
                Expr::Either(vec![self.field(node, "left"), self.field(node, "right")])
            }
            "conditional_expression" => {
                let all = self.all(node);
                let [one, condition, two] = <[Expr; 3]>::try_from(all)
                    .unwrap_or_else(|_| [Expr::none(), Expr::none(), Expr::none()]);
                Expr::Block(vec![condition, Expr::Either(vec![one, two])])
            }
            "for_statement" => self.each(node, false),
            "list_comprehension"
            | "set_comprehension"
            | "generator_expression"
            | "dictionary_comprehension" => self.comprehension(node),
            "while_statement" => self.python_while(node),
            "if_statement" | "elif_clause" => self.python_if(node),
            "try_statement" | "except_clause" | "finally_clause" | "else_clause"
            | "with_statement" | "with_clause" | "with_item" | "match_statement"
            | "case_clause" => Expr::Block(self.all(node)),
            "as_pattern" => self.python_as(node),
            "as_pattern_target" => self.only(node),
            "function_definition" => {
                let name = Expr::name(self.field_source(node, "name"));
                Expr::assign(name, self.function(node, "parameters", "body"))
            }
            "lambda" => self.function(node, "parameters", "body"),
            "default_parameter" | "typed_default_parameter" => {
                let value = self.field(node, "value");
                Expr::assign(self.field(node, "name"), value)
            }
            "typed_parameter" => named(node).first().map_or_else(Expr::none, |it| self.expr(*it)),
            "class_definition" => {
                let name = Expr::name(self.field_source(node, "name"));
                Expr::assign(name, Expr::Class(self.all_of(node, "body")))
            }
            "return_statement" | "yield" => Expr::Return(Box::new(self.only(node))),
            "import_statement" => self.python_import(node, None),
            "import_from_statement" => {
                let module = self.field_source(node, "module_name").to_owned();
                self.python_import(node, Some(&module))
            }
            _ => self.other(node),
        }
    }

    /// `'a'`, `b'a'`, `r'a'`, `f'{a}'`.
    fn python_text(&mut self, node: Node<'_>) -> Expr {
        let start = named(node).first().map_or("", |it| self.source(*it)).to_ascii_lowercase();
        let is_raw = start.contains('r');
        let mut parts = Vec::new();
        for part in named(node) {
            match part.kind() {
                "string_content" => {
                    let text = self.source(part);
                    let text = if is_raw { text.to_owned() } else { stdin::unescape(text) };
                    parts.push(self.literal(text));
                }
                "interpolation" => {
                    let value = part.child_by_field_name("expression");
                    parts.push(value.map_or_else(Expr::none, |it| self.expr(it)));
                }
                _ => {}
            }
        }
        match parts.len() {
            0 => Expr::Text(String::new()),
            1 if !start.contains('f') => parts.remove(0),
            _ => Expr::Joined(parts),
        }
    }

    fn python_call(&mut self, node: Node<'_>) -> Expr {
        let callee = self.field(node, "function");
        let mut arguments = Vec::new();
        let Some(list) = node.child_by_field_name("arguments") else { return callee };
        if list.kind() == "generator_expression" {
            let value = self.expr(list);
            arguments.push(Argument { name: None, value });
        } else {
            for it in named(list) {
                let name = (it.kind() == "keyword_argument")
                    .then(|| self.field_source(it, "name").to_owned());
                let value = if name.is_some() { self.field(it, "value") } else { self.expr(it) };
                arguments.push(Argument { name, value });
            }
        }
        Expr::Call(Box::new(Call { callee, arguments }))
    }

    fn python_sum(&mut self, node: Node<'_>) -> Expr {
        let sign = self.field_source(node, "operator").to_owned();
        let (left, right) = (self.field(node, "left"), self.field(node, "right"));
        match sign.as_str() {
            "+" => Expr::Joined(vec![left, right]),
            "/" => Expr::Slash(Box::new(left), Box::new(right)),
            "%" => Expr::Format(Box::new(left), Box::new(right)),
            _ => Expr::Other(vec![left, right]),
        }
    }

    fn pairs(&mut self, node: Node<'_>) -> Vec<(Expr, Expr)> {
        let pairs = named(node).into_iter().map(|it| match it.kind() {
            "pair" => (self.field(it, "key"), self.field(it, "value")),
            _ => (Expr::none(), self.expr(it)),
        });
        pairs.collect()
    }

    fn each(&mut self, node: Node<'_>, picks: bool) -> Expr {
        let of = self.boxed(node, "right");
        let item = self.boxed(node, "left");
        let body =
            Box::new(Expr::Block(vec![self.field(node, "body"), self.field(node, "alternative")]));
        Expr::Each { item, of, picks, body }
    }

    /// `[f(x) for x in y if z]`
    fn comprehension(&mut self, node: Node<'_>) -> Expr {
        let mut body = match node.child_by_field_name("body") {
            Some(pair) if pair.kind() == "pair" => Expr::Other(self.all(pair)),
            Some(body) => self.expr(body),
            None => Expr::none(),
        };
        let clauses: Vec<Node<'_>> = named(node);
        let filters = clauses.iter().filter(|it| it.kind() == "if_clause");
        let picks = filters.clone().any(|it| holds_text(*it));
        let conditions: Vec<Expr> = filters.map(|it| self.only(*it)).collect();
        body = Expr::Block(vec![Expr::Other(conditions), body]);
        for clause in clauses.iter().rev().filter(|it| it.kind() == "for_in_clause") {
            let (item, of) = (self.boxed(*clause, "left"), self.boxed(*clause, "right"));
            body = Expr::Each { item, of, picks, body: Box::new(body) };
        }
        body
    }

    fn python_while(&mut self, node: Node<'_>) -> Expr {
        let condition = node.child_by_field_name("condition");
        let is_endless = condition.is_some_and(|it| matches!(self.source(it), "True" | "1"));
        let mut body = vec![condition.map_or_else(Expr::none, |it| self.expr(it))];
        body.push(self.field(node, "body"));
        Expr::Loop { is_endless, body }
    }

    fn python_if(&mut self, node: Node<'_>) -> Expr {
        let condition = node.child_by_field_name("condition");
        let consequence = node.child_by_field_name("consequence");
        let first = Expr::Branch {
            condition: self.boxed(node, "condition"),
            picks: condition.is_some_and(holds_text),
            leaves: consequence.is_some_and(leaves),
            body: vec![self.field(node, "consequence")],
        };
        let mut all = vec![first];
        for it in named(node) {
            if matches!(it.kind(), "elif_clause" | "else_clause") {
                let body = vec![self.expr(it)];
                let condition = Box::new(Expr::none());
                let picks = condition_picks(node);
                all.push(Expr::Branch { condition, picks, leaves: false, body });
            }
        }
        Expr::Block(all)
    }

    fn python_as(&mut self, node: Node<'_>) -> Expr {
        let Some(value) = named(node).first().copied() else { return Expr::none() };
        let value = self.expr(value);
        match node.child_by_field_name("alias") {
            Some(alias) => Expr::assign(self.expr(alias), value),
            None => value,
        }
    }

    pub(super) fn function(&mut self, node: Node<'_>, parameters: &str, body: &str) -> Expr {
        let parameters = self.all_of(node, parameters);
        let body = vec![self.field(node, body)];
        Expr::Function(Rc::new(Function { at: node.start_byte(), parameters, body }))
    }

    /// `import a.b as c`, `from a import b as c, *`.
    fn python_import(&mut self, node: Node<'_>, from: Option<&str>) -> Expr {
        let mut bound = Vec::new();
        let within = |name: &str| from.map_or_else(|| name.to_owned(), |it| format!("{it}.{name}"));
        let mut cursor = node.walk();
        for it in node.children_by_field_name("name", &mut cursor) {
            let (name, alias) = match it.kind() {
                "aliased_import" => {
                    (self.field_source(it, "name"), Some(self.field_source(it, "alias")))
                }
                _ => (self.source(it), None),
            };
            // `import a.b` binds `a`.
            let first = name.split('.').next().unwrap_or_default();
            let known = if alias.is_none() && from.is_none() { first } else { name };
            let alias = alias.unwrap_or(first);
            bound.push(Expr::assign(Expr::name(alias), Expr::Known(within(known))));
        }
        if named(node).iter().any(|it| it.kind() == "wildcard_import") {
            bound.push(Expr::assign(Expr::name("*"), Expr::Known(within(""))));
        }
        Expr::Block(bound)
    }
}

fn condition_picks(node: Node<'_>) -> bool {
    node.child_by_field_name("condition").is_some_and(holds_text)
}
