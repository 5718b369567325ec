//! The catalogue: every template of every linked crate.

use std::{collections::BTreeMap, sync::LazyLock};

use linkme::distributed_slice;

/// The texts of one message, as written beside its variant.
#[derive(Debug, PartialEq, Eq)]
pub struct Template {
    /// The stable name, such as `vault.file.cannot_write`.
    pub code: &'static str,
    pub en: &'static str,
    pub zh: &'static str,
    /// The names of the arguments, in the order in which a [`Text`](super::Text) holds them.
    pub arguments: &'static [&'static str],
}

/// The templates of each type that derives `Message`; the linker collects them.
#[distributed_slice]
pub static CATALOGUE: [&'static [Template]];

static BY_CODE: LazyLock<BTreeMap<&'static str, &'static Template>> =
    LazyLock::new(|| templates().map(|it| (it.code, it)).collect());

/// Every template there is.
pub fn templates() -> impl Iterator<Item = &'static Template> {
    CATALOGUE.iter().flat_map(|it| it.iter())
}

/// The template with this code, if this version has it.
pub(super) fn find(code: &str) -> Option<&'static Template> {
    BY_CODE.get(code).copied()
}
