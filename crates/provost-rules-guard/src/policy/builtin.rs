//! The built-in rules: one table, with what each of them says.
//!
//! A rule that denies cannot be overridden. A rule that asks or records yields to a rule of the
//! person's own configuration.

use provost_kernel::{Message, Text, guard::policy::Effect};

macro_rules! built_in {
    ($($name:ident = $id:literal $effect:ident,
        en = $en:literal, zh = $zh:literal $(, hint($($hint:tt)+))?;)+) => {
        /// A rule that is always in force.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Message)]
        #[message(code = "guard.rule")]
        pub enum BuiltIn {
            $(#[message(code = $id, en = $en, zh = $zh $(, hint($($hint)+))?)] $name,)+
        }

        impl BuiltIn {
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The stable name, such as `git.force-push`.
            pub fn id(self) -> &'static str {
                match self {
                    $(Self::$name => $id,)+
                }
            }

            pub fn effect(self) -> Effect {
                match self {
                    $(Self::$name => Effect::$effect,)+
                }
            }
        }
    };
}

built_in! {
    Default = "default" Allow,
        en = "no rule forbids it",
        zh = "没有规则禁止它";
    ToolUnnamed = "tool.unnamed" Deny,
        en = "the call does not say which tool it uses",
        zh = "该调用没有说明使用哪个工具";
    ToolUnknown = "tool.unknown" Record,
        en = "the guard does not know the tool, so its use is recorded",
        zh = "守卫不认识该工具，因此记录其使用";
    ToolUnreadable = "tool.unreadable" Deny,
        en = "the call does not say what the tool should do",
        zh = "该调用没有说明要工具做什么";
    DeleteRoot = "delete.root" Deny,
        en = "it deletes the root, a home folder, or the whole project",
        zh = "它会删除根目录、主目录或整个项目",
        hint(
            en = "name the build folder or file inside the project that should go",
            zh = "请写明项目内要删除的构建目录或文件",
        );
    DeleteSystem = "delete.system" Deny,
        en = "it deletes system files",
        zh = "它会删除系统文件",
        hint(
            en = "leave system folders alone",
            zh = "请不要改动系统目录",
        );
    DeleteOutside = "delete.outside" Ask,
        en = "it deletes something outside the project",
        zh = "它会删除项目之外的内容";
    DeleteUnknown = "delete.unknown" Ask,
        en = "what it deletes is only known at run time",
        zh = "它要删除的内容运行时才能确定",
        hint(
            en = "write the path out instead of computing it",
            zh = "请直接写出路径，不要在运行时计算",
        );
    PathSystem = "path.system" Deny,
        en = "it writes to a system folder",
        zh = "它会写入系统目录",
        hint(
            en = "keep changes inside the project",
            zh = "请只在项目内修改",
        );
    PathOutside = "path.outside" Ask,
        en = "it writes outside the project",
        zh = "它会写入项目之外";
    GitMetadata = "git.metadata" Deny,
        en = "it changes git's own files, its hooks or its configuration",
        zh = "它会更改 git 自身的文件、钩子或配置",
        hint(
            en = "use git's commands instead of its files",
            zh = "请使用 git 命令，不要直接改动其文件",
        );
    GitForcePush = "git.force-push" Deny,
        en = "it overwrites what others have pushed",
        zh = "它会覆盖他人已推送的内容",
        hint(
            en = "push a new branch, or ask the person to push",
            zh = "请推送新分支，或请使用者来推送",
        );
    GitForceWithLease = "git.force-with-lease" Ask,
        en = "it rewrites a branch that is already pushed",
        zh = "它会改写已推送的分支";
    GitPushDelete = "git.push-delete" Ask,
        en = "it deletes a branch or tag on the server",
        zh = "它会删除服务器上的分支或标签";
    GitResetHard = "git.reset-hard" Deny,
        en = "it throws away changes that are not committed",
        zh = "它会丢弃未提交的更改",
        hint(
            en = "`git stash` keeps them, `git reset --soft` moves the branch only",
            zh = "`git stash` 可以保留更改，`git reset --soft` 只移动分支",
        );
    GitClean = "git.clean" Deny,
        en = "it deletes untracked files",
        zh = "它会删除 git 未跟踪的文件",
        hint(
            en = "`git clean -n` lists them; delete those you made by name",
            zh = "`git clean -n` 可列出它们；请按名称删除你自己创建的文件",
        );
    GitBranchDelete = "git.branch-delete" Deny,
        en = "it deletes a branch whose commits may exist nowhere else",
        zh = "它会删除分支，而其提交可能没有其他副本",
        hint(
            en = "`git branch -d` deletes what is merged",
            zh = "`git branch -d` 只删除已合并的分支",
        );
    GitDiscard = "git.discard" Deny,
        en = "it throws away the changes of the whole tree",
        zh = "它会丢弃整个工作树的更改",
        hint(
            en = "name the files, or keep the changes with `git stash`",
            zh = "请写明文件，或用 `git stash` 保留更改",
        );
    GitRewrite = "git.rewrite" Deny,
        en = "it rewrites history, or deletes what could restore it",
        zh = "它会改写历史，或删除用于恢复历史的内容";
    GitStashDrop = "git.stash-drop" Deny,
        en = "it deletes stashed changes",
        zh = "它会删除已贮藏的更改",
        hint(
            en = "`git stash pop` brings them back",
            zh = "`git stash pop` 可恢复它们",
        );
    GitWorktreeRemove = "git.worktree-remove" Deny,
        en = "it deletes a work tree with its changes",
        zh = "它会连同更改一起删除工作树",
        hint(
            en = "without `--force` git removes only what is clean",
            zh = "不加 `--force` 时 git 只移除干净的工作树",
        );
    GitConfiguration = "git.configuration" Ask,
        en = "it sets a git option that names a program or another file",
        zh = "它会设置指向程序或其他文件的 git 选项";
    GitReference = "git.reference" Ask,
        en = "it moves or deletes a branch or tag by force",
        zh = "它会强制移动或删除分支或标签";
    SystemDevice = "system.device" Deny,
        en = "it writes to a device",
        zh = "它会写入设备";
    SystemDisk = "system.disk" Deny,
        en = "it formats a disk or wipes data",
        zh = "它会格式化磁盘或擦除数据";
    SystemPermissions = "system.permissions" Deny,
        en = "it changes owners or permissions far beyond the project",
        zh = "它会大范围更改项目之外的属主或权限",
        hint(
            en = "change only files of the project",
            zh = "请只更改项目内的文件",
        );
    SystemKillAll = "system.kill-all" Deny,
        en = "it ends every process",
        zh = "它会结束所有进程",
        hint(
            en = "end the process you started, by its id",
            zh = "请按进程号结束你自己启动的进程",
        );
    SystemForkBomb = "system.fork-bomb" Deny,
        en = "it starts copies of itself without end",
        zh = "它会无限启动自身的副本";
    SystemPower = "system.power" Deny,
        en = "it stops or restarts the machine",
        zh = "它会关闭或重启机器";
    SystemCrontab = "system.crontab" Deny,
        en = "it deletes every scheduled job",
        zh = "它会删除所有定时任务";
    SystemSchedule = "system.schedule" Ask,
        en = "it schedules a command that runs later, unattended",
        zh = "它会安排稍后在无人值守时运行的命令";
    SystemHistory = "system.history" Deny,
        en = "it erases the record of commands",
        zh = "它会抹除命令历史";
    CodeDownloaded = "code.downloaded" Deny,
        en = "it runs code straight from the network",
        zh = "它会直接运行来自网络的代码",
        hint(
            en = "download it to a file, let a person read it, then run the file",
            zh = "请先下载为文件，由人阅读之后再运行",
        );
    CodeDecoded = "code.decoded" Deny,
        en = "it runs code that is encoded so that it cannot be read",
        zh = "它会运行经过编码而无法阅读的代码",
        hint(
            en = "write the command out",
            zh = "请直接写出命令",
        );
    CodeInline = "code.inline" Record,
        en = "it runs inline code of another language; only the strings in it are checked, so it is recorded",
        zh = "它会运行其他语言的内联代码；守卫只检查其中的字符串，因此予以记录";
    DataDrop = "data.drop" Deny,
        en = "it deletes a table, a database, or every row",
        zh = "它会删除表、数据库或所有行",
        hint(
            en = "add a `WHERE`, or ask the person to do it",
            zh = "请加上 `WHERE`，或请使用者来做",
        );
    DataBulk = "data.bulk" Ask,
        en = "it changes every row of a table",
        zh = "它会更改表的所有行";
    CloudDestroy = "cloud.destroy" Deny,
        en = "it deletes volumes, clusters, buckets or repositories for good",
        zh = "它会永久删除卷、集群、存储桶或仓库";
    CloudChange = "cloud.change" Ask,
        en = "it changes what runs on other machines, or gives a container full access to this one",
        zh = "它会更改其他机器上运行的内容，或让容器完全访问本机";
    Publish = "publish" Ask,
        en = "it publishes something that cannot be taken back",
        zh = "它会发布无法收回的内容";
    Sudo = "command.sudo" Deny,
        en = "it runs with another user's privileges",
        zh = "它会以其他用户的权限运行",
        hint(
            en = "set the machine up before the run",
            zh = "请在运行之前准备好机器",
        );
    SecretPath = "secret.path" Deny,
        en = "it touches a file that holds secrets",
        zh = "它会触及保存机密的文件",
        hint(
            en = "work with an example file such as `.env.example`, without the values",
            zh = "请使用不含机密值的示例文件，例如 `.env.example`",
        );
    SecretContent = "secret.content" Deny,
        en = "it contains a secret in plain text",
        zh = "它含有明文机密",
        hint(
            en = "read it from the environment where it is needed",
            zh = "请在需要处从环境变量读取",
        );
    ProvostState = "provost.state" Deny,
        en = "it touches provost's own files",
        zh = "它会触及 provost 自身的文件",
        hint(
            en = "`provost show` says what is recorded",
            zh = "`provost show` 可查看记录",
        );
    ProvostConfiguration = "provost.configuration" Deny,
        en = "it changes the configuration of provost or of the hooks that call it",
        zh = "它会更改 provost 或调用它的钩子的配置",
        hint(
            en = "ask the person to change it",
            zh = "请使用者来修改",
        );
    ProvostProcess = "provost.process" Deny,
        en = "it ends provost",
        zh = "它会结束 provost",
        hint(
            en = "end the process you started, by its id",
            zh = "请按进程号结束你自己启动的进程",
        );
    ProvostVariable = "provost.variable" Deny,
        en = "it changes an environment variable that controls provost",
        zh = "它会更改控制 provost 的环境变量";
    ProvostCommand = "provost.command" Deny,
        en = "it runs a provost command that is reserved for people",
        zh = "它会运行仅供人使用的 provost 命令";
    ProvostOrder = "provost.order" Ask,
        en = "it gives provost an order",
        zh = "它向 provost 下达命令";
    AgentUnguarded = "agent.unguarded" Ask,
        en = "it starts an agent with its protection switched off",
        zh = "它会启动关闭了自身保护的智能体";
    HostMetadata = "host.metadata" Deny,
        en = "it contacts the cloud metadata service, which hands out credentials",
        zh = "它会访问发放凭据的云元数据服务";
    NetworkRaw = "network.raw" Deny,
        en = "it connects a shell or a file to a raw socket",
        zh = "它会把 shell 或文件连接到原始套接字";
    ShellDynamic = "shell.dynamic" Ask,
        en = "what it runs is only known at run time",
        zh = "它运行的内容运行时才能确定",
        hint(
            en = "write the command out instead of computing it",
            zh = "请直接写出命令，不要在运行时计算",
        );
    ShellUnreadable = "shell.unreadable" Ask,
        en = "it cannot be read as a shell command",
        zh = "无法将其读作 shell 命令",
        hint(
            en = "use plain shell syntax",
            zh = "请使用普通的 shell 语法",
        );
    ShellLimits = "shell.limits" Deny,
        en = "it is too long or too deeply nested to be judged",
        zh = "它过长或嵌套过深，无法判断",
        hint(
            en = "split it into several commands",
            zh = "请拆分为多条命令",
        );
}

impl BuiltIn {
    /// What to do instead, if anything.
    pub fn hint(self) -> Option<Text> {
        self.hints().pop()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_has_its_own_name() {
        let mut names: Vec<_> = BuiltIn::ALL.iter().map(|it| it.id()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), BuiltIn::ALL.len());
    }
}
