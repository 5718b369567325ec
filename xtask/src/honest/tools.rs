//! Package managers that few machines have all of: from their registries into `target`, each under
//! its own name alone, so that no other program of theirs is found.

use crate::{failure::Failure, process::Process, project};

const FOLDER: &str = "target/honest/tools";

/// A program, and where it comes from.
struct Tool {
    program: &'static str,
    package: &'static str,
    from: Registry,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Registry {
    Npm,
    Python,
}

const TOOLS: [Tool; 5] = [
    Tool { program: "pnpm", package: "pnpm@9.15.0", from: Registry::Npm },
    Tool { program: "yarn", package: "yarn@1.22.22", from: Registry::Npm },
    Tool { program: "uv", package: "uv==0.5.9", from: Registry::Python },
    Tool { program: "poetry", package: "poetry==1.8.5", from: Registry::Python },
    Tool { program: "pipenv", package: "pipenv==2024.4.0", from: Registry::Python },
];

fn is_known(program: &str) -> bool {
    TOOLS.iter().any(|it| it.program == program)
}

/// Installs those of the programs that are not there.
pub(crate) fn ensure<'a>(
    programs: impl Iterator<Item = &'a str>,
    variables: &[(String, String)],
) -> Result<(), Failure> {
    let mut programs: Vec<&str> = programs.collect();
    programs.sort_unstable();
    programs.dedup();
    if let Some(program) = programs.iter().find(|it| !is_known(it)) {
        return Err(Failure::Unable(format!("how `{program}` is installed is not known")));
    }
    for it in TOOLS.iter().filter(|it| programs.contains(&it.program)) {
        if project::root().join(FOLDER).join("bin").join(it.program).exists() {
            continue;
        }
        println!("installing `{}`", it.package);
        let line = it.line();
        Process::new("sh", &["-ec", &line]).bare().variables(variables).run()?;
    }
    Ok(())
}

impl Tool {
    /// The command that installs it, from the root of the checkout.
    fn line(&self) -> String {
        let Self { program, package, from } = self;
        let own = format!("{FOLDER}/{program}");
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
            "mkdir -p {own} {FOLDER}/bin && {install} && ln -sf ../{program}/{brought}/{program} {FOLDER}/bin/{program}"
        )
    }
}

/// Lets the programs be found.
pub(crate) fn add_to_path(variables: &mut [(String, String)]) {
    let own = project::root().join(FOLDER).join("bin");
    for (_, value) in variables.iter_mut().filter(|it| it.0 == "PATH") {
        *value = format!("{}:{value}", own.display());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_under_its_own_name() {
        let mut variables = [("PATH".to_owned(), "/bin".to_owned())];
        add_to_path(&mut variables);
        assert!(variables[0].1.ends_with("target/honest/tools/bin:/bin"), "{variables:?}");
        let pnpm = TOOLS.iter().find(|it| it.program == "pnpm").unwrap();
        assert!(
            pnpm.line()
                .ends_with("ln -sf ../pnpm/node_modules/.bin/pnpm target/honest/tools/bin/pnpm")
        );
        let failure = ensure(["rye"].into_iter(), &[]).unwrap_err().to_string();
        assert_eq!(failure, "how `rye` is installed is not known");
    }
}
