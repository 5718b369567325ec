//! The cases, by what they are about.

mod agents;
mod judges;
mod liars;
mod people;
mod policy;
mod tables;

use super::{Body, Case, Expected, Rows, Scene, Trigger};

/// The rule of a case as a message whose code has the name of the case.
macro_rules! rule {
    ($name:literal, $en:literal, $zh:literal) => {{
        #[derive(Debug, provost_kernel::Message)]
        #[message(code = "task.regress")]
        enum Rule {
            #[message(code = $name, en = $en, zh = $zh)]
            Rule,
        }
        || provost_kernel::Message::text(&Rule::Rule)
    }};
}
use rule;

/// A case with a scene: its name, its rule in both languages, the scene, what must be true after
/// it, and what is true of its twin instead.
macro_rules! case {
    ($name:literal, $en:literal, $zh:literal, $scene:expr, [$($expected:expr),+ $(,)?], [$($otherwise:expr),+ $(,)?] $(,)?) => {
        Case {
            name: $name,
            rule: $crate::task::regress::cases::rule!($name, $en, $zh),
            body: Body::Scene {
                scene: $scene,
                expected: &[$($expected),+],
                otherwise: &[$($otherwise),+],
            },
        }
    };
}
use case;

/// Every case.
pub(super) const GROUPS: [&[Case]; 6] =
    [agents::CASES, judges::CASES, policy::CASES, people::CASES, liars::CASES, tables::CASES];
