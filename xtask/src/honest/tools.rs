//! Package managers that few machines have all of: from their registries into `target`, each under
//! its own name alone, so that no other program of theirs is found.

use crate::{failure::Failure, process::Process, project};

const FOLDER: &str = "target/honest/tools";

/// A program, and where it comes from.
struct Tool {
    /// How cases name it.
    name: &'static str,
    program: &'static str,
    package: &'static str,
    from: Registry,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Registry {
    Npm,
    Python,
}

const TOOLS: [Tool; 7] = [
    Tool { name: "pnpm", program: "pnpm", package: "pnpm@9.15.0", from: Registry::Npm },
    Tool { name: "yarn", program: "yarn", package: "yarn@1.22.22", from: Registry::Npm },
    Tool {
        name: "yarn-4",
        program: "yarn",
        package: "@yarnpkg/cli-dist@4.18.1",
        from: Registry::Npm,
    },
    Tool { name: "bun", program: "bun", package: "bun@1.4.4", from: Registry::Npm },
    Tool { name: "uv", program: "uv", package: "uv==0.5.9", from: Registry::Python },
    Tool { name: "poetry", program: "poetry", package: "poetry==1.8.5", from: Registry::Python },
    Tool { name: "pipenv", program: "pipenv", package: "pipenv==2024.4.0", from: Registry::Python },
];

fn is_known(name: &str) -> bool {
    TOOLS.iter().any(|it| it.name == name)
}

/// Installs those of the programs that are not there.
pub(crate) fn ensure<'a>(
    names: impl Iterator<Item = &'a str>,
    variables: &[(String, String)],
) -> Result<(), Failure> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.dedup();
    if let Some(name) = names.iter().find(|it| !is_known(it)) {
        return Err(Failure::Unable(format!("how `{name}` is installed is not known")));
    }
    for it in TOOLS.iter().filter(|it| names.contains(&it.name)) {
        if project::root().join(it.folder()).join(it.program).exists() {
            continue;
        }
        println!("installing `{}`", it.package);
        let line = it.line();
        Process::new("sh", &["-ec", &line]).bare().variables(variables).run()?;
    }
    Ok(())
}

impl Tool {
    /// Where it is found: in a folder of all tools, unless another one has its name there.
    fn folder(&self) -> String {
        let Self { name, program, .. } = self;
        if name == program { format!("{FOLDER}/bin") } else { format!("{FOLDER}/{name}/bin") }
    }

    /// The command that installs it, from the root of the checkout.
    fn line(&self) -> String {
        let Self { name, program, package, from } = self;
        let (own, folder) = (format!("{FOLDER}/{name}"), self.folder());
        let up = if name == program { format!("../{name}") } else { "..".to_owned() };
        let (install, brought) = match from {
            Registry::Npm => (
                format!(
                    "npm install --prefix {own} --no-audit --no-fund --loglevel=error {package}"
                ),
                "node_modules/.bin",
            ),
            Registry::Python => (
                format!(
                    "python3 -m venv {own} && {own}/bin/python -m pip install --quiet \
                     --disable-pip-version-check {package}"
                ),
                "bin",
            ),
        };
        format!(
            "mkdir -p {own} {folder} && {install} && ln -sf {up}/{brought}/{program} {folder}/{program}"
        )
    }
}

/// Lets the programs be found, those that a case asks for before all others.
pub(crate) fn add_to_path(variables: &mut [(String, String)], names: &[String]) {
    let asked = TOOLS.iter().filter(|it| names.iter().any(|name| name == it.name));
    let mut folders: Vec<String> = asked.map(Tool::folder).collect();
    folders.push(format!("{FOLDER}/bin"));
    folders.dedup();
    let root = project::root();
    let folders: Vec<String> =
        folders.iter().map(|it| root.join(it).display().to_string()).collect();
    for (_, value) in variables.iter_mut().filter(|it| it.0 == "PATH") {
        *value = format!("{}:{value}", folders.join(":"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_under_its_own_name() {
        let mut variables = [("PATH".to_owned(), "/bin".to_owned())];
        add_to_path(&mut variables, &["yarn-4".to_owned()]);
        assert!(variables[0].1.ends_with("target/honest/tools/bin:/bin"), "{variables:?}");
        let first = variables[0].1.split(':').next().unwrap();
        assert!(first.ends_with("target/honest/tools/yarn-4/bin"), "{variables:?}");
        let pnpm = TOOLS.iter().find(|it| it.program == "pnpm").unwrap();
        assert!(
            pnpm.line()
                .ends_with("ln -sf ../pnpm/node_modules/.bin/pnpm target/honest/tools/bin/pnpm")
        );
        let failure = ensure(["rye"].into_iter(), &[]).unwrap_err().to_string();
        assert_eq!(failure, "how `rye` is installed is not known");
    }
}
