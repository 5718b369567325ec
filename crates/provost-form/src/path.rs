//! Where a value stands in its document.

use std::fmt;

use provost_kernel::shorten;

/// The keys and indices that lead to a value; empty for the document itself.
///
/// It displays as `acceptance[2].verify`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Path(pub Vec<Step>);

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    Key(String),
    /// Counted from 0.
    Index(usize),
}

impl Path {
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        self.step(Step::Key(key.to_owned()))
    }

    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        self.step(Step::Index(index))
    }

    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The path as a JSON pointer (RFC 6901).
    pub fn pointer(&self) -> String {
        let mut pointer = String::new();
        for step in &self.0 {
            pointer.push('/');
            match step {
                Step::Key(key) => pointer += &key.replace('~', "~0").replace('/', "~1"),
                Step::Index(index) => pointer += &index.to_string(),
            }
        }
        pointer
    }

    /// Reads a JSON pointer; digits are an index.
    #[cfg(test)]
    pub(crate) fn of_pointer(pointer: &str) -> Self {
        let step = |it: &str| match it.parse() {
            Ok(index) => Step::Index(index),
            Err(_) => Step::Key(it.replace("~1", "/").replace("~0", "~")),
        };
        Self(pointer.split('/').skip(1).map(step).collect())
    }

    fn step(&self, step: Step) -> Self {
        Self(self.0.iter().cloned().chain([step]).collect())
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, step) in self.0.iter().enumerate() {
            match step {
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Key(key) => {
                    f.write_str(if at == 0 { "" } else { "." })?;
                    let is_odd = |it: char| it.is_control() || matches!(it, '.' | '[' | ']' | '"');
                    if key.is_empty() || key.contains(is_odd) {
                        write!(f, "{:?}", shorten(key))?;
                    } else {
                        f.write_str(&shorten(key))?;
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_two_forms() {
        let root = Path::default();
        for (path, shown, pointer) in [
            (root.clone(), "", ""),
            (root.key("a").index(2).key("b"), "a[2].b", "/a/2/b"),
            (root.index(0).index(1), "[0][1]", "/0/1"),
            (root.key("a.b").key("c/d~e"), "\"a.b\".c/d~e", "/a.b/c~1d~0e"),
            (root.key("").key("x\n"), "\"\".\"x\\n\"", "//x\n"),
            (root.key("清晰"), "清晰", "/清晰"),
        ] {
            assert_eq!((path.to_string().as_str(), path.pointer().as_str()), (shown, pointer));
            assert_eq!(Path::of_pointer(pointer), path);
        }
        assert!(root.key(&"k".repeat(9999)).to_string().len() < 100);
    }
}
