//! Where an agent works, as the policy needs to know it.

use camino::{Utf8Path, Utf8PathBuf};
use provost_rules_guard::judge::Place;
use provost_vault::Layout;

/// Where an agent works. The project is the folder that the home lies in, which an agent cannot
/// choose; elsewhere it is the repository around the folder of the call.
pub fn place(
    layout: Option<&Layout>,
    directory: Option<&str>,
    user_home: Option<&str>,
    granted: Option<&str>,
    program: Option<&str>,
) -> Place {
    let home = layout.map(|it| it.home().path());
    let project = home.as_deref().and_then(Utf8Path::parent);
    let directory = directory.map(Utf8Path::new);
    let root = match (project, directory) {
        (Some(project), Some(directory)) if directory.starts_with(project) => {
            Some(project.to_owned())
        }
        (_, Some(directory)) => repository(directory),
        (_, None) => None,
    };
    Place {
        root: root.map(Utf8PathBuf::into_string),
        granted: granted.iter().map(|&it| it.to_owned()).collect(),
        home: home.map(Utf8PathBuf::into_string),
        user_home: user_home.map(str::to_owned),
        program: program.map(str::to_owned),
        facts: Vec::new(),
        links: Vec::new(),
    }
}

/// The folder of the repository around a folder, if there is one.
fn repository(folder: &Utf8Path) -> Option<Utf8PathBuf> {
    let has_git = |it: &&Utf8Path| std::fs::symlink_metadata(it.join(".git")).is_ok();
    folder.is_absolute().then(|| folder.ancestors().find(has_git).map(Utf8Path::to_owned))?
}
