//! The folders of a task outside the home: where attempts work, and what is installed for them.

/// The folder with the session of a task's agent.
pub(super) const SESSION: &str = "session";

/// A folder of an attempt outside the home.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WorkPlace {
    /// Where the agent works.
    Tree,
    /// The repository that watches over the tree.
    TreeGit,
    /// Where the result is checked: a clean checkout of the same tree.
    Checkout,
    CheckoutGit,
    /// Checkouts in which the test is run with other tests, or another product.
    Proofs,
    /// Home and caches of what makes the checkout ready.
    CheckoutPlace,
    /// What claims are held against: a checkout in which nothing is run.
    ClaimTree,
    ClaimTreeGit,
    /// What the coder reads and leaves before it may change anything.
    DeclareExchange,
    /// What the coder reads and leaves.
    CoderExchange,
    /// What was taken out of the tree while the coder works.
    SetAside,
    /// The caches of the coder's programs.
    CoderPlace,
    /// Where a judge starts: a folder outside every tree, with the evidence in it.
    JudgeFolder,
    /// The base as it was before the attempt, for programs that its configuration names.
    BaseTree,
    BaseTreeGit,
    /// Where a result is merged with the branch that it lands on.
    Landing,
    LandingGit,
    /// What the judge reads and leaves, by the number of the try.
    JudgeExchange(u8),
    /// Scratch space for programs that want a temporary folder, by its owner: no program finds
    /// there what somebody else has left.
    Scratch(Scratch),
}

/// A folder or file of a layer: what was installed for a base, for all that need the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LayerPart {
    /// Everything but the lock.
    Folder,
    /// Held by all that read it, and alone by who makes or removes it; beside the folder, and never
    /// removed.
    Lock,
    /// Where it is moved to before it is removed.
    Gone,
    /// A checkout of the base, while dependencies are installed into it.
    Tree,
    TreeGit,
    /// What the commands left besides, until it is whole.
    Spent,
    /// What was installed, from the tree.
    Kept,
    /// Home and caches of what installed it.
    Place,
    /// What it is; written last.
    Seal,
}

/// Whose scratch space it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scratch {
    Coder,
    Test,
    /// By the number of the try.
    Judge(u8),
}

impl LayerPart {
    pub(crate) const SEAL: &'static str = "seal.json";

    /// Its name in the folder of the layer; none for what lies beside that.
    pub(super) fn name(self) -> Option<&'static str> {
        match self {
            Self::Folder | Self::Lock | Self::Gone => None,
            Self::Tree => Some("tree"),
            Self::TreeGit => Some("tree.git"),
            Self::Spent => Some("spent"),
            Self::Kept => Some("kept"),
            Self::Place => Some("place"),
            Self::Seal => Some(Self::SEAL),
        }
    }
}

impl WorkPlace {
    /// Every folder of an attempt.
    pub const ALL: [Self; 25] = [
        Self::Tree,
        Self::TreeGit,
        Self::Checkout,
        Self::CheckoutGit,
        Self::Proofs,
        Self::CheckoutPlace,
        Self::ClaimTree,
        Self::ClaimTreeGit,
        Self::DeclareExchange,
        Self::CoderExchange,
        Self::SetAside,
        Self::CoderPlace,
        Self::JudgeFolder,
        Self::BaseTree,
        Self::BaseTreeGit,
        Self::Landing,
        Self::LandingGit,
        Self::JudgeExchange(1),
        Self::JudgeExchange(2),
        Self::JudgeExchange(3),
        Self::Scratch(Scratch::Coder),
        Self::Scratch(Scratch::Test),
        Self::Scratch(Scratch::Judge(1)),
        Self::Scratch(Scratch::Judge(2)),
        Self::Scratch(Scratch::Judge(3)),
    ];

    /// Whether a folder beside the trees of a task is one that its coder could write, or that holds
    /// what it wrote.
    pub fn is_of_coder(name: &str) -> bool {
        if name == SESSION {
            return true;
        }
        let Some(rest) = name.strip_prefix("attempt_") else { return false };
        let suffix = rest.trim_start_matches(|it: char| it.is_ascii_digit());
        let written = [
            Self::Tree,
            Self::DeclareExchange,
            Self::CoderExchange,
            Self::CoderPlace,
            Self::Scratch(Scratch::Coder),
        ];
        suffix.len() < rest.len() && written.iter().any(|it| it.suffix() == suffix)
    }

    pub(super) fn suffix(self) -> String {
        match self {
            Self::Tree | Self::JudgeFolder => String::new(),
            Self::TreeGit => ".git".to_owned(),
            Self::Checkout => ".check".to_owned(),
            Self::CheckoutGit => ".check.git".to_owned(),
            Self::Proofs => ".proofs".to_owned(),
            Self::CheckoutPlace => ".check.place".to_owned(),
            Self::ClaimTree => ".claimed".to_owned(),
            Self::ClaimTreeGit => ".claimed.git".to_owned(),
            Self::DeclareExchange => ".declare".to_owned(),
            Self::CoderExchange => ".coder".to_owned(),
            Self::SetAside => ".aside".to_owned(),
            Self::CoderPlace => ".place".to_owned(),
            Self::BaseTree => ".base".to_owned(),
            Self::BaseTreeGit => ".base.git".to_owned(),
            Self::Landing => ".land".to_owned(),
            Self::LandingGit => ".land.git".to_owned(),
            Self::JudgeExchange(number) => format!(".judge_{number}"),
            Self::Scratch(Scratch::Coder) => ".tmp".to_owned(),
            Self::Scratch(Scratch::Test) => ".check.tmp".to_owned(),
            Self::Scratch(Scratch::Judge(number)) => format!(".judge_{number}.tmp"),
        }
    }
}
