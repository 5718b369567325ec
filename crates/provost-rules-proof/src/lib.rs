//! What a run of tests proves: which tests ran, whether the product or the tests made them pass, and
//! whether they were able to fail.

pub mod aware;
pub mod build;
pub mod class;
pub mod mixed;
pub mod paths;
pub mod plant;
pub mod planted;
pub mod probe;
pub mod record;
pub mod reworded;
pub mod runnable;
pub mod square;
pub mod support;
