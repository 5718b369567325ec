//! The modes in which an agent may be kept working.

use crate::task::words::words;

words! {
    /// A mode (HOOK-2.4). Only these eight words may become part of a path.
    pub enum Mode {
        Autopilot = "autopilot",
        Ultrapilot = "ultrapilot",
        Team = "team",
        Pipeline = "pipeline",
        Ralph = "ralph",
        Ultrawork = "ultrawork",
        Ultraqa = "ultraqa",
        Swarm = "swarm",
    }
}

impl Mode {
    /// Whether at most one mode of this kind is active at a time.
    pub fn is_exclusive(self) -> bool {
        match self {
            Self::Autopilot | Self::Ultrapilot | Self::Swarm | Self::Pipeline => true,
            Self::Team | Self::Ralph | Self::Ultrawork | Self::Ultraqa => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// HOOK-2.4: the eight words, spelled exactly.
    #[test]
    fn there_are_eight_modes_and_four_exclude_each_other() {
        assert_eq!(
            Mode::WORDS,
            [
                "autopilot",
                "ultrapilot",
                "team",
                "pipeline",
                "ralph",
                "ultrawork",
                "ultraqa",
                "swarm"
            ],
        );
        let exclusive: Vec<_> = Mode::ALL.iter().filter(|it| it.is_exclusive()).collect();
        assert_eq!(exclusive, [&Mode::Autopilot, &Mode::Ultrapilot, &Mode::Pipeline, &Mode::Swarm]);
    }
}
