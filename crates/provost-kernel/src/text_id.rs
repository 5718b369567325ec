//! Ids that are written as text: one macro for what each of them needs besides its own rule.

/// Defines an id that is parsed once and is then proof.
///
/// The type implements `FromStr`, which is its rule, and, unless it holds a `String`, `Display`.
/// The macro adds the derives, the conversions that serde uses, and the use as an argument.
macro_rules! text_id {
    ($(#[$about:meta])* pub struct $name:ident(String): $error:ty;) => {
        #[derive(
            Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash,
            serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        #[serde(try_from = "String", into = "String")]
        $(#[$about])*
        pub struct $name(String);

        impl $name {
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(&self.0)
            }
        }

        $crate::text_id::text_id!($name: $error);
    };
    ($(#[$about:meta])* pub struct $name:ident($number:ty): $error:ty;) => {
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash,
            serde::Serialize, serde::Deserialize, schemars::JsonSchema,
        )]
        #[serde(try_from = "String", into = "String")]
        $(#[$about])*
        pub struct $name($number);

        $crate::text_id::text_id!($name: $error);
    };
    ($name:ident: $error:ty) => {
        impl TryFrom<String> for $name {
            type Error = $error;

            fn try_from(text: String) -> Result<Self, $error> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> Self {
                id.to_string()
            }
        }

        $crate::display_arguments!($name);
    };
}

pub(crate) use text_id;
