//! Which paths a person may trust agents with.

use provost_kernel::{Message, guard::policy::ToolCall};

use super::{
    action::show,
    path_zones::{PathZones, Tail, Zone},
    protected::Access,
};

/// Why agents cannot be trusted with a path.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "guard.trust")]
pub enum TrustError {
    #[message(
        en = "`{path}` is a pattern; trust names one folder or file",
        zh = "`{path}` 是模式；信任只能指向单个目录或文件"
    )]
    Pattern { path: String },
    #[message(
        en = "`{path}` holds a home folder or the whole project",
        zh = "`{path}` 包含主目录或整个项目",
        hint(en = "name a folder in it", zh = "请指定其中的某个目录")
    )]
    Whole { path: String },
    #[message(
        en = "`{path}` belongs to the system, so no agent is trusted with it",
        zh = "`{path}` 属于系统，不能交给智能体",
        hint(
            en = "change it yourself, or name a folder of your own",
            zh = "请自行修改，或指定你自己的目录"
        )
    )]
    System { path: String },
    #[message(en = "agents may write to `{path}` already", zh = "智能体本来就可以写入 `{path}`")]
    Inside { path: String },
    #[message(
        en = "`{path}` holds secrets, or settings that guard agents",
        zh = "`{path}` 保存机密，或约束智能体的设置",
        hint(en = "name another folder", zh = "请指定其他目录")
    )]
    Protected { path: String },
}

/// The path as it is kept, if agents can be trusted with it. `call` says where they work.
pub fn trustworthy(call: &ToolCall, path: &str) -> Result<String, TrustError> {
    let zones = PathZones::of(call);
    let target = zones.target_of(path);
    let path = show(path);
    if target.tail != Tail::Exact || path.contains(['*', '?', '[']) {
        return Err(TrustError::Pattern { path });
    }
    if zones.protects(&target.path, Access::Delete).is_some() {
        return Err(TrustError::Protected { path });
    }
    match zones.zone(&target.path) {
        Zone::Outside if zones.is_own_of_client(&target.path) => Err(TrustError::Inside { path }),
        // Whoever writes to a folder of folders of people writes to all of them.
        Zone::Outside if target.path.matches('/').count() < 2 => Err(TrustError::Whole { path }),
        Zone::Outside if zones.protects_below(&target.path).is_some() => {
            Err(TrustError::Protected { path })
        }
        Zone::Outside => Ok(target.path),
        Zone::Whole => Err(TrustError::Whole { path }),
        Zone::Inside | Zone::Temporary => Err(TrustError::Inside { path }),
        Zone::Pseudo | Zone::Device | Zone::System => Err(TrustError::System { path }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_is_for_what_is_somewhere_else_and_harmless() {
        let mut call = ToolCall::shell("", "/home/user/project");
        call.root = Some("/home/user/project".to_owned());
        call.user_home = Some("/home/user".to_owned());
        call.home = Some("/srv/guard-home".to_owned());
        for (path, expected) in [
            ("/srv/data", Ok("/srv/data")),
            ("../shared/./x", Ok("/home/user/shared/x")),
            ("~/notes", Ok("/home/user/notes")),
            ("/", Err("Whole")),
            ("~", Err("Whole")),
            ("/home", Err("Whole")),
            ("/home/you", Err("Whole")),
            ("/srv", Err("Whole")),
            ("..", Err("Whole")),
            (".", Err("Whole")),
            ("src", Err("Inside")),
            ("/tmp/x", Err("Inside")),
            ("/etc", Err("System")),
            ("/dev/sda", Err("System")),
            ("~/.ssh", Err("Protected")),
            ("~/.claude", Err("Protected")),
            ("~/.config/provost", Err("Protected")),
            ("/srv/guard-home/guard", Err("Protected")),
            ("/srv/repo/.git", Err("Protected")),
            ("/srv/*", Err("Pattern")),
        ] {
            let actual = trustworthy(&call, path);
            let variant = |it: &TrustError| format!("{it:?}").split(' ').next().unwrap().to_owned();
            let actual = actual.as_deref().map_err(variant);
            assert_eq!(actual, expected.map_err(str::to_owned), "{path}");
        }
    }
}
