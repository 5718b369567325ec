//! A client's JSON configuration, edited in place: what is not ours keeps its bytes, its order and
//! its comments.

use jsonc_parser::{
    CollectOptions, CommentCollectionStrategy, ParseOptions,
    common::Ranged as _,
    cst::{CstArray, CstInputValue, CstNode, CstObject, CstObjectProp, CstRootNode},
    parse_to_ast,
};
use provost_form::json;
use provost_kernel::guard::client::{Grammar, Shape};
use serde_json::{Map, Value};

use super::{CommandLine, InstallError};

/// How much of a configuration is read.
const LIMITS: json::Limits = json::Limits { bytes: 8 << 20, depth: 100 };

/// One handler that is to be written, its keys in order.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Handler {
    pub(super) event: &'static str,
    /// The triggers that it is for; all of them, if none is named.
    pub(super) matcher: Option<&'static str>,
    pub(super) fields: Vec<(&'static str, Value)>,
}

/// One handler of ours that was found.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Found {
    pub(super) event: String,
    /// The number of its group in the list of the event.
    pub(super) group: usize,
    /// Its number in the group.
    pub(super) index: usize,
    /// What the group says besides: for which calls it is meant.
    pub(super) narrowing: Map<String, Value>,
    pub(super) handler: Value,
    pub(super) command: CommandLine,
}

/// A configuration that can be edited.
#[derive(Debug)]
pub(super) struct Document {
    root: CstRootNode,
    shape: Shape,
    /// What stands before the text: some editors put a mark there.
    mark: &'static str,
}

const HOOKS: &str = "hooks";
const MATCHER: &str = "matcher";

/// The byte order mark.
pub(super) const MARK: &str = "\u{feff}";

impl Document {
    /// Reads a configuration; nothing, or an empty text, is an empty object.
    pub(super) fn read(
        text: Option<&str>,
        grammar: Grammar,
        shape: Shape,
    ) -> Result<Self, InstallError> {
        let (mark, text) = match text.and_then(|it| it.strip_prefix(MARK)) {
            Some(rest) => (MARK, Some(rest)),
            None => ("", text),
        };
        let text = text.filter(|it| !it.trim().is_empty()).unwrap_or("{}\n");
        if grammar == Grammar::Strict {
            json::parse(text.as_bytes(), LIMITS).map_err(|error| match comment(text) {
                Some(line) => InstallError::Comment { line },
                None => InstallError::NotJson { why: error.to_string() },
            })?;
        }
        let root = CstRootNode::parse(text, &options(grammar))
            .map_err(|error| InstallError::NotJson { why: error.to_string() })?;
        let document = Self { root, shape, mark };
        document.events()?;
        Ok(document)
    }

    pub(super) fn text(&self) -> String {
        format!("{}{}", self.mark, self.root)
    }

    /// The value of a key of the document, such as `disableAllHooks` or `hooksConfig.enabled`.
    pub(super) fn value(&self, path: &[&str]) -> Option<Value> {
        let value = self.root.to_serde_value()?;
        path.iter().try_fold(&value, |value, key| value.get(key)).cloned()
    }

    /// Whether nothing is left that says anything, besides these keys.
    pub(super) fn is_empty(&self, besides: &[&str]) -> bool {
        let Some(Value::Object(object)) = self.root.to_serde_value() else { return false };
        object.keys().all(|it| besides.contains(&it.as_str()))
    }

    /// Every handler of ours, in the order of the text.
    pub(super) fn found(&self) -> Result<Vec<Found>, InstallError> {
        let mut found = Vec::new();
        for (event, list) in self.events()? {
            for (group, element) in list.elements().into_iter().enumerate() {
                let (handlers, narrowing) = match self.shape {
                    Shape::Groups => {
                        (handlers(&element).map(|it| it.elements()), narrowing(&element))
                    }
                    Shape::Flat => (Some(vec![element]), Map::new()),
                };
                for (index, handler) in handlers.into_iter().flatten().enumerate() {
                    let Some(handler) = handler.to_serde_value() else { continue };
                    let Some(command) = CommandLine::of(&handler).filter(CommandLine::is_ours)
                    else {
                        continue;
                    };
                    let (event, narrowing) = (event.clone(), narrowing.clone());
                    found.push(Found { event, group, index, narrowing, handler, command });
                }
            }
        }
        Ok(found)
    }

    /// Sets a key of the document if it is not there.
    pub(super) fn ensure(&self, key: &str, value: &Value) -> Result<(), InstallError> {
        let object = self.object()?;
        if object.get(key).is_none() {
            object.insert(0, key, input(value));
        }
        Ok(())
    }

    /// Adds handlers behind what is there, so that no place of another one changes.
    pub(super) fn add(&self, handlers: &[Handler]) -> Result<(), InstallError> {
        let object = self.object()?;
        let hooks = object
            .object_value_or_create(HOOKS)
            .ok_or_else(|| InstallError::Shape { at: HOOKS.to_owned() })?;
        for it in handlers {
            let Handler { event, fields, .. } = it;
            let fields = fields.iter().map(|(key, value)| ((*key).to_owned(), input(value)));
            let handler = CstInputValue::Object(fields.collect());
            let element = match self.shape {
                Shape::Groups => {
                    let said = it.narrowing().into_iter().map(|(key, value)| (key, input(&value)));
                    let list = (HOOKS.to_owned(), CstInputValue::Array(vec![handler]));
                    CstInputValue::Object(said.chain([list]).collect())
                }
                Shape::Flat => handler,
            };
            let list = hooks
                .array_value_or_create(event)
                .ok_or_else(|| InstallError::Shape { at: format!("{HOOKS}.{event}") })?;
            list.ensure_multiline();
            list.append(element);
        }
        Ok(())
    }

    /// Takes out every handler of ours, and what held nothing else.
    pub(super) fn strip(&self) -> Result<(), InstallError> {
        let is_ours = |node: &CstNode| {
            let handler = node.to_serde_value();
            handler.as_ref().and_then(CommandLine::of).is_some_and(|it| it.is_ours())
        };
        for (event, list) in self.events()? {
            let before = list.elements().len();
            for element in list.elements() {
                match self.shape {
                    Shape::Flat if is_ours(&element) => element.remove(),
                    Shape::Flat => {}
                    Shape::Groups => {
                        let Some(handlers) = handlers(&element) else { continue };
                        let ours: Vec<_> =
                            handlers.elements().into_iter().filter(is_ours).collect();
                        if ours.is_empty() {
                            continue;
                        }
                        ours.into_iter().for_each(CstNode::remove);
                        if handlers.elements().is_empty() {
                            element.remove();
                        }
                    }
                }
            }
            if before > 0
                && list.elements().is_empty()
                && let Some(event) = self.hooks()?.and_then(|it| it.get(&event))
            {
                event.remove();
            }
        }
        if let Some(hooks) = self.object()?.get(HOOKS)
            && hooks.object_value().is_some_and(|it| it.properties().is_empty())
        {
            hooks.remove();
        }
        Ok(())
    }

    fn object(&self) -> Result<CstObject, InstallError> {
        self.root.object_value().ok_or(InstallError::NotObject)
    }

    fn hooks(&self) -> Result<Option<CstObject>, InstallError> {
        let object = self.object()?;
        unique(&object, "")?;
        match object.get(HOOKS) {
            None => Ok(None),
            Some(property) => property
                .object_value()
                .map(Some)
                .ok_or_else(|| InstallError::Shape { at: HOOKS.to_owned() }),
        }
    }

    /// The events and their lists. A key that stands twice is refused: the client reads one of
    /// them, and we might write into the other.
    fn events(&self) -> Result<Vec<(String, CstArray)>, InstallError> {
        let Some(hooks) = self.hooks()? else { return Ok(Vec::new()) };
        unique(&hooks, "hooks.")?;
        let list = |property: CstObjectProp| {
            let event = property.decoded_name().unwrap_or_default();
            match property.array_value() {
                Some(list) => Ok((event, list)),
                None => Err(InstallError::Shape { at: format!("{HOOKS}.{event}") }),
            }
        };
        hooks.properties().into_iter().map(list).collect()
    }
}

fn options(grammar: Grammar) -> ParseOptions {
    let comments = grammar == Grammar::Comments;
    ParseOptions {
        allow_comments: comments,
        allow_trailing_commas: comments,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// The line of the first comment in a text that is JSON but for its comments.
fn comment(text: &str) -> Option<usize> {
    let collect = CollectOptions { comments: CommentCollectionStrategy::Separate, tokens: false };
    let parsed = parse_to_ast(text, &collect, &options(Grammar::Comments)).ok()?;
    let comments = parsed.comments?;
    let first = comments.values().flat_map(|it| it.iter()).map(|it| it.range().start).min()?;
    Some(text.get(..first)?.matches('\n').count() + 1)
}

impl Handler {
    /// What its group says besides.
    pub(super) fn narrowing(&self) -> Map<String, Value> {
        let matcher = self.matcher.map(|it| (MATCHER.to_owned(), Value::from(it)));
        matcher.into_iter().collect()
    }
}

/// What a group says besides its handlers.
fn narrowing(group: &CstNode) -> Map<String, Value> {
    let Some(Value::Object(mut group)) = group.to_serde_value() else { return Map::new() };
    group.remove(HOOKS);
    group
}

/// The list of handlers in a group.
fn handlers(group: &CstNode) -> Option<CstArray> {
    group.as_object()?.array_value(HOOKS)
}

fn unique(object: &CstObject, place: &str) -> Result<(), InstallError> {
    let mut names: Vec<_> =
        object.properties().into_iter().filter_map(|it| it.decoded_name()).collect();
    names.sort_unstable();
    match names.windows(2).find(|it| it[0] == it[1]) {
        Some(twice) => Err(InstallError::Twice { at: format!("{place}{}", twice[0]) }),
        None => Ok(()),
    }
}

fn input(value: &Value) -> CstInputValue {
    match value {
        Value::Null => CstInputValue::Null,
        Value::Bool(it) => CstInputValue::Bool(*it),
        Value::Number(it) => CstInputValue::Number(it.to_string()),
        Value::String(it) => CstInputValue::String(it.clone()),
        Value::Array(items) => CstInputValue::Array(items.iter().map(input).collect()),
        Value::Object(object) => CstInputValue::Object(
            object.iter().map(|(key, value)| (key.clone(), input(value))).collect(),
        ),
    }
}
