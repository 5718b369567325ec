//! What makes a clean checkout ready for its test, by the lock files that it has.
//!
//! The lock files are the agent's, so nothing that they bring may run while it is installed.

/// A lock file, and the command that installs what it names.
const BY_LOCK_FILE: [(&str, &str); 4] = [
    ("package-lock.json", "npm ci --ignore-scripts --no-audit --no-fund"),
    ("pnpm-lock.yaml", "pnpm install --frozen-lockfile --ignore-scripts"),
    ("Cargo.lock", "cargo fetch --locked"),
    ("requirements.txt", "python3 -m pip install --only-binary=:all: -r requirements.txt"),
];

/// The commands for a checkout; `is_there` says whether it has a file.
pub fn by_lock_file(is_there: impl Fn(&str) -> bool) -> Vec<&'static str> {
    let found = BY_LOCK_FILE.iter().filter(|(file, _)| is_there(file));
    found.map(|(_, command)| *command).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lock_file_has_its_command() {
        assert_eq!(by_lock_file(|_| false), Vec::<&str>::new());
        assert_eq!(by_lock_file(|it| it == "Cargo.lock"), ["cargo fetch --locked"]);
        assert_eq!(by_lock_file(|_| true).len(), BY_LOCK_FILE.len());
    }
}
