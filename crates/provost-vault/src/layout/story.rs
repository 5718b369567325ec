//! Where stories lie, with what commands printed for them and the index over them.

use provost_kernel::{
    Digest, Millis,
    story::{ExecutionId, StoryId},
};

use super::{Layout, StepFile};
use crate::Location;

impl Layout {
    pub fn stories(&self) -> Location {
        self.home().join("stories")
    }

    /// Everything that happened to stories, in order: the truth of which the database is the index.
    pub fn claims(&self) -> Location {
        self.stories().join("claims.jsonl")
    }

    /// A plan as it was when somebody started it, by the digest of its bytes.
    pub fn plan(&self, digest: Digest) -> Location {
        self.stories().join("plans").join(digest.to_string())
    }

    /// What a command printed that provost ran for a story: by the moment of the look, and by the
    /// number of the command in it.
    pub fn story_output(
        &self,
        execution: &ExecutionId,
        story: &StoryId,
        look: Millis,
        command: u16,
        file: StepFile,
    ) -> Location {
        let of_look = self.story_outputs(execution, story).join(look.0.to_string());
        of_look.join(format!("{command}-{}", file.file_name()))
    }

    /// The folder of everything that commands printed for a story, with one folder for each look.
    pub fn story_outputs(&self, execution: &ExecutionId, story: &StoryId) -> Location {
        self.story_evidence().join(execution.as_str()).join(story.as_str())
    }

    /// The folder of everything that commands printed for any story.
    pub fn story_evidence(&self) -> Location {
        self.stories().join("evidence")
    }

    /// The folder in which stories are looked at, outside every repository.
    pub fn story_work(&self) -> Location {
        // No task has such a name.
        Location::root(&self.work).join("_stories")
    }

    /// The index of the stories, in `SQLite`'s format.
    pub fn database(&self) -> Location {
        self.home().join("provost.db")
    }

    /// Held while a corrupt index is put aside.
    pub(crate) fn index_lock(&self) -> Location {
        self.stories().join("index.lock")
    }

    /// The files that `SQLite` keeps beside its database.
    pub(crate) fn database_companions(&self) -> [Location; 2] {
        ["provost.db-wal", "provost.db-shm"].map(|it| self.home().join(it))
    }
}
