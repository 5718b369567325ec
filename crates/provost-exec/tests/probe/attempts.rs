pub(crate) fn run(_: &[&str]) {}
