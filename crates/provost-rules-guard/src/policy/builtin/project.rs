//! Rules on the call itself, on files and on git.

macro_rules! project_rules {
    ([$next:ident $($then:ident)*] $($before:tt)*) => {
        $next! {
            [$($then)*] $($before)*
            Default = "default" Allow [Core],
                en = "no rule forbids it",
                zh = "没有规则禁止它";
            ToolUnnamed = "tool.unnamed" Deny [Core Person],
                en = "the call does not say which tool it uses",
                zh = "该调用没有说明使用哪个工具",
                hint(
                    en = "name the tool in the call",
                    zh = "请在调用中写明工具名称",
                );
            ToolUnknown = "tool.unknown" Record [Core],
                en = "the guard does not know the tool, so its use is recorded",
                zh = "守卫不认识该工具，因此记录其使用",
                hint(
                    en = "use one of the tools that the client itself brings",
                    zh = "请使用客户端自带的工具",
                );
            ToolUnreadable = "tool.unreadable" Deny [Core Person],
                en = "the call does not say what the tool should do",
                zh = "该调用没有说明要工具做什么",
                hint(
                    en = "give the tool its input in the form that it documents",
                    zh = "请按工具说明的格式给出输入",
                );
            DeleteRoot = "delete.root" Deny [Core Person],
                en = "it deletes the root, a home folder, or the whole project",
                zh = "它会删除根目录、主目录或整个项目",
                hint(
                    en = "name the build folder or file inside the project that should go",
                    zh = "请写明项目内要删除的构建目录或文件",
                );
            DeleteSystem = "delete.system" Deny [Core Person],
                en = "it deletes system files",
                zh = "它会删除系统文件",
                hint(
                    en = "leave system folders alone",
                    zh = "请不要改动系统目录",
                );
            DeleteOutside = "delete.outside" Ask [Core],
                en = "it deletes something outside the project",
                zh = "它会删除项目之外的内容",
                hint(
                    en = "delete only inside the project; use a folder below `/tmp` for what is temporary",
                    zh = "请只在项目内删除；临时内容请放在 `/tmp` 下",
                );
            DeleteUnknown = "delete.unknown" Ask [Core],
                en = "what it deletes is only known at run time",
                zh = "它要删除的内容运行时才能确定",
                hint(
                    en = "write the path out instead of computing it",
                    zh = "请直接写出路径，不要在运行时计算",
                );
            DeleteSources = "delete.sources" Ask [Core],
                en = "it deletes sources or empties files of the whole project",
                zh = "它会删除源代码，或清空整个项目的文件",
                hint(
                    en = "name the files that should go, one by one",
                    zh = "请逐一写明要删除的文件",
                );
            PathSystem = "path.system" Deny [Core],
                en = "it writes to a system folder",
                zh = "它会写入系统目录",
                hint(
                    en = "keep changes inside the project",
                    zh = "请只在项目内修改",
                );
            PathOutside = "path.outside" Ask [Core],
                en = "it writes outside the project",
                zh = "它会写入项目之外",
                hint(
                    en = "write inside the project, or below `/tmp`",
                    zh = "请写入项目之内，或 `/tmp` 之下",
                );
            GitMetadata = "git.metadata" Deny [Core],
                en = "it changes git's own files, its hooks or its configuration",
                zh = "它会更改 git 自身的文件、钩子或配置",
                hint(
                    en = "use git's commands instead of its files",
                    zh = "请使用 git 命令，不要直接改动其文件",
                );
            GitForcePush = "git.force-push" Deny [Git],
                en = "it overwrites what others have pushed",
                zh = "它会覆盖他人已推送的内容",
                hint(
                    en = "push a new branch, or ask the person to push",
                    zh = "请推送新分支，或请使用者来推送",
                );
            GitForceWithLease = "git.force-with-lease" Ask [Git Eased],
                en = "it rewrites a branch that others work on",
                zh = "它会改写他人也在使用的分支",
                hint(
                    en = "push to a branch of your own, and open a pull request",
                    zh = "请推送到自己的分支，再发起合并请求",
                );
            GitPushDelete = "git.push-delete" Ask [Git Eased],
                en = "it deletes a branch or tag on the server",
                zh = "它会删除服务器上的分支或标签",
                hint(
                    en = "leave the branch on the server; name it in your report",
                    zh = "请保留服务器上的分支，并在报告中写明它",
                );
            GitResetHard = "git.reset-hard" Deny [Git],
                en = "it throws away changes that are not committed",
                zh = "它会丢弃未提交的更改",
                hint(
                    en = "`git stash` keeps them, `git reset --soft` moves the branch only",
                    zh = "`git stash` 可以保留更改，`git reset --soft` 只移动分支",
                );
            GitClean = "git.clean" Deny [Git],
                en = "it deletes untracked files",
                zh = "它会删除 git 未跟踪的文件",
                hint(
                    en = "`git clean -n` lists them; delete those you made by name",
                    zh = "`git clean -n` 可列出它们；请按名称删除你自己创建的文件",
                );
            GitBranchDelete = "git.branch-delete" Deny [Git],
                en = "it deletes a branch whose commits may exist nowhere else",
                zh = "它会删除分支，而其提交可能没有其他副本",
                hint(
                    en = "`git branch -d` deletes what is merged",
                    zh = "`git branch -d` 只删除已合并的分支",
                );
            GitDiscard = "git.discard" Deny [Git],
                en = "it throws away the changes of the whole tree",
                zh = "它会丢弃整个工作树的更改",
                hint(
                    en = "name the files, or keep the changes with `git stash`",
                    zh = "请写明文件，或用 `git stash` 保留更改",
                );
            GitRestore = "git.restore" Ask [Git Eased],
                en = "it replaces files by those of a commit; what was changed in them is lost",
                zh = "它会用某次提交中的文件替换现有文件，其中的更改会丢失",
                hint(
                    en = "`git stash push FILE` keeps the changes",
                    zh = "`git stash push FILE` 可以保留更改",
                );
            GitRewrite = "git.rewrite" Deny [Git],
                en = "it rewrites history, or deletes what could restore it",
                zh = "它会改写历史，或删除用于恢复历史的内容",
                hint(
                    en = "add a commit that corrects the earlier one: `git revert`",
                    zh = "请用新的提交更正之前的提交：`git revert`",
                );
            GitStashDrop = "git.stash-drop" Deny [Git],
                en = "it deletes every stashed change, or what was just stashed",
                zh = "它会删除所有贮藏的更改，或刚刚贮藏的更改",
                hint(
                    en = "`git stash pop` brings them back",
                    zh = "`git stash pop` 可恢复它们",
                );
            GitWorktreeRemove = "git.worktree-remove" Deny [Git],
                en = "it deletes a work tree with its changes",
                zh = "它会连同更改一起删除工作树",
                hint(
                    en = "without `--force` git removes only what is clean",
                    zh = "不加 `--force` 时 git 只移除干净的工作树",
                );
            GitConfiguration = "git.configuration" Ask [Core],
                en = "it sets a git option that names a program or another file",
                zh = "它会设置指向程序或其他文件的 git 选项",
                hint(
                    en = "name the option in your report, so that the person can set it",
                    zh = "请在报告中写明该选项，由使用者设置",
                );
            GitReference = "git.reference" Ask [Git Eased],
                en = "it moves or deletes a branch or tag by force",
                zh = "它会强制移动或删除分支或标签",
                hint(
                    en = "make a branch or tag with a new name",
                    zh = "请用新的名称创建分支或标签",
                );
            GitPushMain = "git.push-main" Ask [Git Eased],
                en = "it pushes straight to the main branch",
                zh = "它会直接推送到主分支",
                hint(
                    en = "push a branch, and open a pull request",
                    zh = "请推送分支，再发起合并请求",
                );
            GitRemote = "git.remote" Ask [Git],
                en = "it pushes to an address that was not a remote of the repository before",
                zh = "它会推送到此前并非仓库远端的地址",
                hint(
                    en = "push to `origin`, or to another remote that `git remote -v` lists",
                    zh = "请推送到 `origin`，或 `git remote -v` 列出的其他远端",
                );
        }
    };
}

pub(super) use project_rules;
