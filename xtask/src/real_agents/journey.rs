//! The way of a new user, with real clients: from `provost init` to a landed commit.
//!
//! Each client goes it in a small project of each language, with a dependency and its own tools.
//! The scripted model first breaks a test and, once it is told so, does the work and adds a test.
//! What is counted is what a person pays for: commands, time, and how often the agent was started.

mod count;
mod project;
mod row;
mod walk;

use std::path::PathBuf;

use self::{project::Project, row::Row};
use super::client::{Client, choose, install};
use crate::{
    build::{self, Alongside},
    failure::Failure,
    honest::tools,
    install,
    stage::{self, Cast},
};

/// What was asked for on the command line.
#[derive(Debug, Default, PartialEq, Eq)]
struct Request<'a> {
    clients: Vec<&'a str>,
    projects: Vec<&'static str>,
    provost: Option<PathBuf>,
    keep: bool,
}

/// Walks with these clients in these projects; with all of them where none is named.
pub(super) fn run(options: &[&str]) -> Result<(), Failure> {
    let request = request(options)?;
    let clients = choose(&request.clients, |it| it.agent.is_some())?;
    let projects = project::load(&request.projects)?;
    install::ensure(&install::LIARS)?;
    install(&clients)?;
    let mut variables = stage::variables()?;
    tools::ensure(projects.iter().flat_map(|it| it.tools.iter().map(String::as_str)), &variables)?;
    tools::add_to_path(&mut variables, &[]);
    let provost = match request.provost {
        Some(path) => path,
        None => build::provost(Alongside::Nothing)?,
    };
    let cast = Cast { provost, variables, keep: request.keep };
    let mut rows = Vec::new();
    for client in clients {
        for project in &projects {
            let row = walk(client, project, &cast)?;
            print!("{}", row::table(std::slice::from_ref(&row), false));
            rows.push(row);
        }
    }
    print!("\n{}", row::table(&rows, true));
    row::judge(&rows)
}

fn walk(client: &'static Client, project: &Project, cast: &Cast) -> Result<Row, Failure> {
    let about = format!("`{}`, {}", client.name, project.name);
    walk::walk(client, project, cast).map_err(|it| it.within(&about))
}

fn request<'a>(options: &[&'a str]) -> Result<Request<'a>, Failure> {
    let mut request = Request::default();
    let mut words = options.iter().copied();
    while let Some(word) = words.next() {
        match word {
            "--keep" => request.keep = true,
            "--provost" => {
                let missing = || Failure::Unable("`--provost` needs a path".to_owned());
                request.provost = Some(words.next().ok_or_else(missing)?.into());
            }
            other if other.starts_with('-') => {
                return Err(Failure::Unable(format!("`journey` does not understand `{other}`")));
            }
            word => match project::NAMES.iter().find(|it| **it == word) {
                Some(project) => request.projects.push(project),
                None => request.clients.push(word),
            },
        }
    }
    Ok(request)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_and_projects_are_named_in_any_order() {
        let asked = request(&["go", "claude", "--keep", "--provost", "p", "node"]).unwrap();
        let expected = Request {
            clients: vec!["claude"],
            projects: vec!["go", "node"],
            provost: Some("p".into()),
            keep: true,
        };
        assert_eq!(asked, expected);
        assert!(request(&["--provost"]).is_err() && request(&["--fast"]).is_err());
    }
}
