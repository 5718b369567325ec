//! Calls of what the text itself defines: functions and aliases.

use std::rc::Rc;

use super::{
    draft::{Draft, Piece, Scene, bare_text},
    expand::{Context, Expander},
    resolve::MAX_SHIFT,
    word::Word,
};

impl Expander {
    /// Looks at the body of a function again, now with the arguments of a call.
    pub(super) fn follow_function(&mut self, index: usize, context: &Context) {
        let Some(invocation) = self.script.invocations.get(index) else { return };
        let Some(name) = invocation.words.first().and_then(Word::text) else { return };
        if !self.drafts.scope.is_function(name) || context.active.iter().any(|it| it == name) {
            return;
        }
        let name = name.to_owned();
        let words = invocation.words.clone();
        let cost: usize = words.iter().map(Word::cost).sum();
        let looked_at = self.drafts.scope.size_of_functions(&name);
        if words.len() < 2 || !self.drafts.charge(looked_at * 8) {
            return;
        }
        let bodies: Vec<(usize, bool)> = self
            .drafts
            .scope
            .functions(&name)
            .flat_map(|it| it.drafts.iter().map(|&draft| (draft, it.has_shift)))
            .filter(|(draft, _)| self.uses_arguments(*draft))
            .collect();
        for (draft, has_shift) in bodies {
            for shift in 0..=if has_shift { MAX_SHIFT } else { 0 } {
                if words.len() <= shift + 1 || !self.drafts.charge(cost) {
                    break;
                }
                if !self.enter(context, &name) {
                    return;
                }
                let mut inner = Self::inner(context, index);
                let shifted = words.iter().skip(1 + shift).cloned();
                inner.arguments = Some(words.iter().take(1).cloned().chain(shifted).collect());
                inner.is_in_function = false;
                inner.active.push(name.clone());
                self.settle_one(draft, &inner);
            }
        }
    }

    /// Whether the words of a draft may depend on the arguments of its function.
    fn uses_arguments(&self, draft: usize) -> bool {
        let is_parameter = |it: &Piece| matches!(it, Piece::Parameter(_));
        let draft = self.drafts.list.get(draft);
        draft.is_some_and(|it| it.words.iter().flatten().any(is_parameter))
    }

    /// Looks at what an alias stands for, with the arguments after it.
    pub(super) fn follow_alias(&mut self, draft: &Draft, context: &Context) {
        let Some(name) = draft.words.first().and_then(|it| bare_text(it)) else { return };
        let Some(value) = self.drafts.scope.alias(name).map(str::to_owned) else { return };
        if context.active.iter().any(|it| it == name) || !self.enter(context, &draft.raw) {
            return;
        }
        let mut inner = context.clone();
        inner.depth += 1;
        inner.active.push(name.to_owned());
        let drafts = self.read(&value, Scene { depth: inner.depth, ..draft.scene });
        if let Some(last) = self.drafts.list.last_mut().filter(|_| !drafts.is_empty()) {
            let last = Rc::make_mut(last);
            last.words.extend(draft.words.iter().skip(1).cloned());
            last.raw = format!("{} ({name}={})", draft.raw, last.raw);
        }
        self.settle(drafts, &inner);
    }
}
