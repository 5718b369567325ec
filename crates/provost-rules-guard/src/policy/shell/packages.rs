//! Packages that come from an address instead of a registry: its owner decides what they do.

use provost_shell::{Assignment, Word};

use super::{
    super::{
        action::{Action, host_of},
        arguments::{Arguments, lead},
        builtin::BuiltIn::{CodeDownloaded, PackageForeign},
    },
    sending::is_local,
};

/// How the packages of a program are named: the words before them, and options that lead elsewhere.
struct Manager {
    programs: &'static [&'static str],
    /// One of these stands before the packages; none where packages come first.
    verbs: &'static [&'static str],
    /// Options whose value is an address that packages come from.
    sources: &'static [&'static str],
    /// Options that are a foreign source by themselves.
    foreign: &'static [&'static str],
}

const MANAGERS: [Manager; 8] = [
    Manager {
        programs: &["bun", "npm", "pnpm", "yarn"],
        verbs: &["add", "create", "dlx", "exec", "i", "install", "x"],
        sources: &["--registry"],
        foreign: &[],
    },
    Manager { programs: &["bunx", "npx"], verbs: &[], sources: &["--registry"], foreign: &[] },
    Manager {
        programs: &["pip", "pip3", "pipx", "poetry", "python", "python3", "uv"],
        verbs: &["add", "install", "run"],
        sources: &["--index-url", "-i", "--index", "--default-index"],
        foreign: &["--extra-index-url", "--trusted-host"],
    },
    Manager { programs: &["uvx"], verbs: &[], sources: &["--from"], foreign: &[] },
    Manager { programs: &["cargo"], verbs: &["install"], sources: &[], foreign: &["--git"] },
    Manager {
        programs: &["deno"],
        verbs: &["compile", "eval", "install", "run"],
        sources: &[],
        foreign: &[],
    },
    Manager {
        programs: &["gem", "brew"],
        verbs: &["install"],
        sources: &["--source", "-s"],
        foreign: &[],
    },
    Manager { programs: &["helm"], verbs: &["install", "upgrade"], sources: &[], foreign: &[] },
];

/// Notes packages that do not come from a registry.
pub(super) fn judge(name: &str, arguments: Arguments<'_>, action: &mut Action) {
    if sets_source(name, arguments) {
        action.meet(PackageForeign);
    }
    if loads(name, arguments) {
        action.meet(CodeDownloaded);
    }
    let Some(manager) = MANAGERS.iter().find(|it| it.programs.contains(&name)) else {
        return go(name, arguments, action);
    };
    let words = arguments.words();
    if name.starts_with("python") && !arguments.has("pip") {
        return;
    }
    let at = words.iter().position(|it| manager.verbs.contains(&lead(it)));
    if !manager.verbs.is_empty() && at.is_none() {
        return;
    }
    let rest = at.and_then(|it| words.get(it + 1..)).unwrap_or(words);
    // What stands behind the first name of `npx x` are words of its own.
    let packages = if manager.verbs.is_empty() { 1 } else { usize::MAX };
    let before = std::iter::once(None).chain(rest.iter().map(Some));
    let is_value = |it: Option<&Word>| it.is_some_and(|it| manager.sources.contains(&lead(it)));
    let named = rest
        .iter()
        .zip(before)
        .filter(|(word, before)| !lead(word).starts_with('-') && !is_value(*before));
    let is_named = named.take(packages).any(|(it, _)| is_foreign(&it.to_string()));
    let mut sources = arguments.values(manager.sources);
    let is_sourced = sources.any(|it| is_foreign(&it) && !is_safe(&it));
    let is_switched =
        manager.foreign.iter().any(|it| arguments.has(it) || has_value(arguments, it));
    if is_named || is_sourced || is_switched {
        action.meet(PackageForeign);
    }
}

/// Options whose value is code that runs.
const LOADED: [(&str, &[&str]); 5] = [
    ("docker", &["--file", "-f"]),
    ("docker-compose", &["--file", "-f"]),
    ("java", &["--class-path", "-cp", "-jar"]),
    ("node", &["--experimental-loader", "--import", "--loader", "--require", "-r"]),
    ("tsx", &["--import", "--require", "-r"]),
];

/// `java -jar https://…`, `docker build https://…`: code is fetched and run at once.
fn loads(name: &str, arguments: Arguments<'_>) -> bool {
    let is_code = |it: &str| it.starts_with("data:") || is_foreign(it);
    let options = LOADED.iter().find(|it| it.0 == name).map(|it| it.1).unwrap_or_default();
    let is_built = matches!(name, "buildah" | "docker" | "nerdctl" | "podman")
        && matches!(arguments.first(), Some("build" | "buildx" | "bud"))
        && arguments.operands().last().is_some_and(|it| is_foreign(&it.to_string()));
    arguments.values(options).any(|it| is_code(&it)) || is_built
}

/// Variables that name the place which packages come from.
const SOURCES: [&str; 6] = [
    "GOPROXY",
    "NPM_CONFIG_REGISTRY",
    "PIP_EXTRA_INDEX_URL",
    "PIP_INDEX_URL",
    "UV_INDEX_URL",
    "npm_config_registry",
];
/// Proxies for modules of Go that everybody uses.
const GO_PROXIES: [&str; 4] =
    ["goproxy.cn", "goproxy.io", "mirrors.aliyun.com", "proxy.golang.org"];

/// Notes a variable that leads to packages of somebody else.
pub(super) fn sourced(assignment: &Assignment) -> bool {
    let value = assignment.value.to_string();
    let is_named = |it: &str| {
        let host = host_of(it).unwrap_or_default();
        let is_usual = GO_PROXIES.contains(&host.as_str()) || is_local(&host);
        match assignment.name.as_str() {
            "GOPROXY" => it.contains("://") && !is_usual,
            _ => it.contains("://") && !is_safe(it),
        }
    };
    SOURCES.contains(&assignment.name.as_str()) && value.split([',', '|']).any(is_named)
}

/// `composer config repositories.x vcs ADDRESS`: from now on packages come from there.
fn sets_source(name: &str, arguments: Arguments<'_>) -> bool {
    let words: Vec<String> = arguments.operands().map(ToString::to_string).collect();
    let sets = match name {
        "bundle" | "bun" | "npm" | "pip" | "pip3" | "pnpm" | "poetry" | "yarn" => {
            words.first().is_some_and(|it| matches!(it.as_str(), "config" | "source"))
        }
        "composer" => words.first().is_some_and(|it| it == "config"),
        _ => false,
    };
    let is_unsafe = |it: &String| is_foreign(it) && (name == "composer" || !is_safe(it));
    let is_plain = words.iter().any(|it| it.contains("packagist.org"));
    sets && !is_plain && words.iter().any(is_unsafe)
}

/// `go run github.com/a/b@latest` builds and starts what it fetches; `go install` only keeps it.
fn go(name: &str, arguments: Arguments<'_>, action: &mut Action) {
    let is_run = name == "go" && arguments.first() == Some("run");
    let is_module = |it: &str| it.contains('@') && it.contains('.') && !it.starts_with('.');
    if is_run && arguments.operands().skip(1).take(1).any(|it| is_module(lead(it))) {
        action.meet(PackageForeign);
    }
}

fn has_value(arguments: Arguments<'_>, option: &str) -> bool {
    arguments.values(&[option]).next().is_some()
}

/// A mirror of a registry, reached by an encrypted connection, or this machine.
fn is_safe(address: &str) -> bool {
    address.starts_with("https://") || host_of(address).is_some_and(|it| is_local(&it))
}

/// `https://…`, `git+ssh://…`, `github:a/b`, `name@https://…`, `name @ git+https://…`.
fn is_foreign(package: &str) -> bool {
    let package = package.split_once('@').map_or(package, |(name, rest)| {
        if rest.contains("://") || rest.contains(':') { rest.trim_start() } else { name }
    });
    let hosts = ["bitbucket:", "gist:", "git+", "git@", "git://", "github:", "gitlab:"];
    let is_local = host_of(package).is_some_and(|it| is_local(&it)) || package.starts_with("file:");
    (package.contains("://") || hosts.iter().any(|it| package.starts_with(it))) && !is_local
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_has_a_registry() {
        for (command, expected) in [
            ("npm install left-pad", false),
            ("npm install @types/node@20", false),
            ("npm install https://files.example.com/x.tgz", true),
            ("npm i github:a/b", true),
            ("yarn add 'x@https://github.com/a/b/tarball/main'", true),
            ("npm run build https://example.com", false),
            ("npx prettier --check https://example.com", false),
            ("npx -y git+https://github.com/a/b.git", true),
            ("pip install -r requirements.txt", false),
            ("pip install git+https://github.com/a/b", true),
            ("python3 -m pip install 'x @ https://example.com/x.whl'", true),
            ("pip install -i https://mirror.example.cn/simple -r r.txt", false),
            ("pip install --index-url http://203.0.113.7/simple x", true),
            ("pip install --extra-index-url https://a.example/simple x", true),
            ("cargo install ripgrep", false),
            ("cargo install --git https://github.com/a/b", true),
            ("deno run -A https://example.com/mod.ts", true),
            ("deno run main.ts", false),
            ("go run ./cmd/x", false),
            ("go run github.com/a/b@latest", true),
            ("go install golang.org/x/tools/gopls@latest", false),
            ("python3 script.py run https://example.com", false),
        ] {
            let script = provost_shell::parse(command);
            let invocation = &script.invocations[0];
            let mut action = Action::default();
            judge(invocation.program().unwrap(), Arguments::of(invocation), &mut action);
            assert_eq!(!action.found.is_empty(), expected, "{command}");
        }
    }
}
