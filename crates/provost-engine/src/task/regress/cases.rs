//! The cases, by what they are about.

mod agents;
mod judges;
mod liars;
mod people;
mod policy;
mod tables;

use super::{Body, Case, Expected, Scene, Trigger};

/// A case with a scene: its name, its rule in both languages, the scene, what must be true after
/// it, and what is true of its twin instead.
macro_rules! case {
    ($name:literal, $en:literal, $zh:literal, $scene:expr, [$($expected:expr),+ $(,)?], [$($otherwise:expr),+ $(,)?] $(,)?) => {
        Case {
            name: $name,
            rule: ($en, $zh),
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
