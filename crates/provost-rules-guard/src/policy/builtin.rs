//! The rules that are built in, with what they say. Nobody can switch them off.
//!
//! A rule that denies stands above everything a person configures. A rule that asks or records may
//! be answered by a rule of the person's own.

use provost_kernel::{Text, guard::policy::Effect};

/// A rule that is always there.
#[derive(Debug, PartialEq, Eq)]
pub struct BuiltIn {
    /// The stable name, such as `git.force-push`.
    pub id: &'static str,
    pub effect: Effect,
    /// Why, in English and Chinese.
    pub why: (&'static str, &'static str),
    /// What to do instead, in English and Chinese; empty where there is nothing to say.
    pub hint: (&'static str, &'static str),
}

impl BuiltIn {
    /// Why, for a reader of either language.
    pub fn why(&self) -> Text {
        Text::pair(self.why.0, self.why.1)
    }

    /// What to do instead, if anything.
    pub fn hint(&self) -> Option<Text> {
        (!self.hint.0.is_empty()).then(|| Text::pair(self.hint.0, self.hint.1))
    }
}

macro_rules! built_in {
    ($($name:ident = $id:literal $effect:ident
        $en:literal $zh:literal $hint_en:literal $hint_zh:literal;)+) => {
        $(pub(super) static $name: BuiltIn = BuiltIn {
            id: $id,
            effect: Effect::$effect,
            why: ($en, $zh),
            hint: ($hint_en, $hint_zh),
        };)+

        /// Every built-in rule.
        pub static ALL: &[&BuiltIn] = &[$(&$name),+];
    };
}

built_in! {
    DEFAULT = "default" Allow
        "no rule speaks against it" "没有规则禁止它" "" "";
    TOOL_UNNAMED = "tool.unnamed" Deny
        "the call does not say which tool it uses" "该调用没有说明使用哪个工具" "" "";
    TOOL_UNKNOWN = "tool.unknown" Record
        "the tool is not known to the guard, so its use is recorded"
        "守卫不认识该工具,因此记录其使用" "" "";
    TOOL_UNREADABLE = "tool.unreadable" Deny
        "the call does not say what the tool is to do" "该调用没有说明要工具做什么" "" "";
    DELETE_ROOT = "delete.root" Deny
        "it deletes the root, a home folder, or the whole project"
        "它会删除根目录、主目录或整个项目"
        "name the build folder or file inside the project that should go"
        "请写明项目内要删除的构建目录或文件";
    DELETE_SYSTEM = "delete.system" Deny
        "it deletes something of the system" "它会删除系统的内容"
        "leave the system's own folders alone" "请不要触碰系统自身的目录";
    DELETE_OUTSIDE = "delete.outside" Ask
        "it deletes something outside the project" "它会删除项目之外的内容" "" "";
    DELETE_UNKNOWN = "delete.unknown" Ask
        "it is not known what it deletes before it runs" "运行之前无法知道它会删除什么"
        "write the path out instead of computing it" "请直接写出路径,不要在运行时计算";
    PATH_SYSTEM = "path.system" Deny
        "it writes to a folder of the system" "它会写入系统目录"
        "keep changes inside the project" "请只在项目内修改";
    PATH_OUTSIDE = "path.outside" Ask
        "it writes outside the project" "它会写入项目之外" "" "";
    GIT_METADATA = "git.metadata" Deny
        "it changes git's own files, its hooks or its configuration"
        "它会更改 git 自身的文件、钩子或配置"
        "use git's commands instead of its files" "请使用 git 命令,不要直接改动其文件";
    GIT_FORCE_PUSH = "git.force-push" Deny
        "it overwrites what others have pushed" "它会覆盖他人已推送的内容"
        "push a new branch, or ask the person to push" "请推送新分支,或请使用者来推送";
    GIT_FORCE_WITH_LEASE = "git.force-with-lease" Ask
        "it rewrites a branch that is already pushed" "它会改写已推送的分支" "" "";
    GIT_PUSH_DELETE = "git.push-delete" Ask
        "it deletes a branch or tag on the server" "它会删除服务器上的分支或标签" "" "";
    GIT_RESET_HARD = "git.reset-hard" Deny
        "it throws away changes that are not committed" "它会丢弃未提交的更改"
        "`git stash` keeps them, `git reset --soft` moves the branch only"
        "`git stash` 可以保留更改,`git reset --soft` 只移动分支";
    GIT_CLEAN = "git.clean" Deny
        "it deletes files that git does not know" "它会删除 git 未跟踪的文件"
        "`git clean -n` lists them; delete those you made by name"
        "`git clean -n` 可列出它们;请按名称删除你自己创建的文件";
    GIT_BRANCH_DELETE = "git.branch-delete" Deny
        "it deletes a branch whose commits may be nowhere else"
        "它会删除分支,而其提交可能别处没有"
        "`git branch -d` deletes what is merged" "`git branch -d` 只删除已合并的分支";
    GIT_DISCARD = "git.discard" Deny
        "it throws away the changes of the whole tree" "它会丢弃整个工作树的更改"
        "name the files, or keep the changes with `git stash`"
        "请写明文件,或用 `git stash` 保留更改";
    GIT_REWRITE = "git.rewrite" Deny
        "it rewrites history or deletes what could bring it back"
        "它会改写历史,或删除用于恢复历史的内容" "" "";
    GIT_STASH_DROP = "git.stash-drop" Deny
        "it deletes changes that were put aside" "它会删除已暂存的更改"
        "`git stash pop` brings them back" "`git stash pop` 可恢复它们";
    GIT_WORKTREE_REMOVE = "git.worktree-remove" Deny
        "it deletes a work tree with its changes" "它会连同更改一起删除工作树"
        "without `--force` git removes only what is clean"
        "不加 `--force` 时 git 只移除干净的工作树";
    GIT_CONFIGURATION = "git.configuration" Ask
        "it sets a git option that names a program or another file"
        "它会设置指向程序或其他文件的 git 选项" "" "";
    GIT_REFERENCE = "git.reference" Ask
        "it moves or deletes a branch or tag by force" "它会强制移动或删除分支或标签" "" "";
    SYSTEM_DEVICE = "system.device" Deny
        "it writes to a device" "它会写入设备" "" "";
    SYSTEM_DISK = "system.disk" Deny
        "it formats, wipes or shreds" "它会格式化、擦除或粉碎数据" "" "";
    SYSTEM_PERMISSIONS = "system.permissions" Deny
        "it changes owners or permissions far beyond the project"
        "它会大范围更改项目之外的属主或权限"
        "change only files of the project" "请只更改项目内的文件";
    SYSTEM_KILL_ALL = "system.kill-all" Deny
        "it ends every process" "它会结束所有进程"
        "end the process you started, by its id" "请按进程号结束你自己启动的进程";
    SYSTEM_FORK_BOMB = "system.fork-bomb" Deny
        "it starts itself without end" "它会无休止地启动自身" "" "";
    SYSTEM_POWER = "system.power" Deny
        "it stops or restarts the machine" "它会关闭或重启机器" "" "";
    SYSTEM_CRONTAB = "system.crontab" Deny
        "it deletes every scheduled job" "它会删除所有定时任务" "" "";
    SYSTEM_SCHEDULE = "system.schedule" Ask
        "it schedules a command that runs later, unseen" "它会安排稍后运行且无人看到的命令" "" "";
    SYSTEM_HISTORY = "system.history" Deny
        "it erases the record of commands" "它会抹除命令历史" "" "";
    CODE_DOWNLOADED = "code.downloaded" Deny
        "it runs code straight from the network" "它会直接运行来自网络的代码"
        "download it to a file, let a person read it, then run the file"
        "请先下载为文件,由人阅读之后再运行";
    CODE_DECODED = "code.decoded" Deny
        "it runs code that is encoded so that it cannot be read"
        "它会运行经过编码而无法阅读的代码"
        "write the command out" "请直接写出命令";
    CODE_INLINE = "code.inline" Record
        "it runs code of another language, which is judged by its texts only and so recorded"
        "它会运行其他语言的代码;守卫只能检查其中的文本,因此予以记录" "" "";
    DATA_DROP = "data.drop" Deny
        "it deletes a table, a database, or every row" "它会删除表、数据库或所有行"
        "add a `WHERE`, or ask the person to do it" "请加上 `WHERE`,或请使用者来做";
    DATA_BULK = "data.bulk" Ask
        "it changes every row of a table" "它会更改表的所有行" "" "";
    CLOUD_DESTROY = "cloud.destroy" Deny
        "it deletes volumes, clusters, buckets or repositories for good"
        "它会永久删除卷、集群、存储桶或仓库" "" "";
    CLOUD_CHANGE = "cloud.change" Ask
        "it changes what runs outside this machine, or gives a container the whole machine"
        "它会更改本机之外的运行环境,或把整台机器交给容器" "" "";
    PUBLISH = "publish" Ask
        "it publishes something that cannot be taken back" "它会发布无法收回的内容" "" "";
    SUDO = "command.sudo" Deny
        "it gains another user's rights" "它会取得其他用户的权限"
        "set the machine up before the run" "请在运行之前准备好机器";
    SECRET_PATH = "secret.path" Deny
        "it touches a file that holds secrets" "它会触及保存机密的文件"
        "work with an example file such as `.env.example`, without the values"
        "请使用不含机密值的示例文件,例如 `.env.example`";
    SECRET_CONTENT = "secret.content" Deny
        "it contains a secret in plain text" "它含有明文机密"
        "read it from the environment where it is needed" "请在需要处从环境变量读取";
    PROVOST_STATE = "provost.state" Deny
        "it touches provost's own files" "它会触及 provost 自身的文件"
        "`provost show` says what is recorded" "`provost show` 可查看记录";
    PROVOST_CONFIGURATION = "provost.configuration" Deny
        "it changes the configuration of provost or of the hooks that call it"
        "它会更改 provost 或调用它的钩子的配置"
        "ask the person to change it" "请使用者来修改";
    PROVOST_PROCESS = "provost.process" Deny
        "it ends provost" "它会结束 provost"
        "end the process you started, by its id" "请按进程号结束你自己启动的进程";
    PROVOST_VARIABLE = "provost.variable" Deny
        "it changes a variable that provost is steered by" "它会更改控制 provost 的变量" "" "";
    PROVOST_COMMAND = "provost.command" Deny
        "it gives provost an order that only a person may give"
        "它向 provost 下达只有人才能下达的命令" "" "";
    PROVOST_ORDER = "provost.order" Ask
        "it gives provost an order" "它向 provost 下达命令" "" "";
    AGENT_UNGUARDED = "agent.unguarded" Ask
        "it starts an agent with its own protection switched off"
        "它会启动关闭了自身保护的代理" "" "";
    HOST_METADATA = "host.metadata" Deny
        "it asks the cloud's own address, which hands out credentials"
        "它会访问发放凭据的云元数据地址" "" "";
    NETWORK_RAW = "network.raw" Deny
        "it ties a shell or a file to a raw connection" "它会把 shell 或文件接到原始网络连接上" "" "";
    SHELL_DYNAMIC = "shell.dynamic" Ask
        "what it runs is only known when it runs" "只有运行时才知道它会运行什么"
        "write the command out instead of computing it" "请直接写出命令,不要在运行时计算";
    SHELL_UNREADABLE = "shell.unreadable" Ask
        "it cannot be read as a shell command" "无法将其读作 shell 命令"
        "use plain shell syntax" "请使用普通的 shell 语法";
    SHELL_LIMITS = "shell.limits" Deny
        "it is too long or too deeply nested to be judged" "它过长或嵌套过深,无法判断"
        "split it into several commands" "请拆分为多条命令";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_its_own_name_and_speaks_both_languages() {
        let mut names: Vec<_> = ALL.iter().map(|it| it.id).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALL.len());
        for rule in ALL {
            assert!(!rule.why.0.is_empty() && !rule.why.1.is_ascii(), "{}", rule.id);
            assert_eq!(rule.hint.0.is_empty(), rule.hint.1.is_empty(), "{}", rule.id);
        }
    }
}
