//! Rules on privileges, secrets, provost itself, other agents, the network, and what cannot be
//! read.

macro_rules! trust_rules {
    ([$next:ident $($then:ident)*] $($before:tt)*) => {
        $next! {
            [$($then)*] $($before)*
            Sudo = "command.sudo" Deny [Core Person],
                en = "it runs with another user's privileges",
                zh = "它会以其他用户的权限运行",
                hint(
                    en = "set the machine up before the run",
                    zh = "请在运行之前准备好机器",
                );
            SecretPath = "secret.path" Deny [Core],
                en = "it touches a file that holds secrets",
                zh = "它会触及保存机密的文件",
                hint(
                    en = "work with an example file such as `.env.example`, without the values",
                    zh = "请使用不含机密值的示例文件，例如 `.env.example`",
                );
            SecretContent = "secret.content" Deny [Core],
                en = "it contains a secret in plain text",
                zh = "它含有明文机密",
                hint(
                    en = "read it from the environment where it is needed",
                    zh = "请在需要处从环境变量读取",
                );
            SecretPrinted = "secret.printed" Ask [Core],
                en = "it prints credentials",
                zh = "它会打印凭据",
                hint(
                    en = "let the program that needs them read them itself",
                    zh = "请让需要它的程序自行读取",
                );
            ProvostState = "provost.state" Deny [Core Person],
                en = "it touches provost's own files",
                zh = "它会触及 provost 自身的文件",
                hint(
                    en = "`provost show` says what is recorded",
                    zh = "`provost show` 可查看记录",
                );
            ProvostConfiguration = "provost.configuration" Deny [Core Person],
                en = "it changes the configuration of provost or of the hooks that call it",
                zh = "它会更改 provost 或调用它的钩子的配置",
                hint(
                    en = "ask the person to change it",
                    zh = "请使用者来修改",
                );
            ProvostProcess = "provost.process" Deny [Core Person],
                en = "it ends provost",
                zh = "它会结束 provost",
                hint(
                    en = "end the process you started, by its id",
                    zh = "请按进程号结束你自己启动的进程",
                );
            ProvostVariable = "provost.variable" Deny [Core Person],
                en = "it changes an environment variable that controls provost",
                zh = "它会更改控制 provost 的环境变量",
                hint(
                    en = "run the command without the variable",
                    zh = "请不带该变量运行命令",
                );
            ProvostCommand = "provost.command" Deny [Core Person],
                en = "it runs a provost command that is reserved for people",
                zh = "它会运行仅供人使用的 provost 命令",
                hint(
                    en = "say in your report what you would order, and why",
                    zh = "请在报告中写明想下达的命令和理由",
                );
            ProvostOrder = "provost.order" Ask [Core],
                en = "it gives provost an order",
                zh = "它向 provost 下达命令",
                hint(
                    en = "`provost show` and `provost ls` change nothing",
                    zh = "`provost show` 和 `provost ls` 不会更改任何内容",
                );
            AgentUnguarded = "agent.unguarded" Ask [Core],
                en = "it starts an agent with its protection switched off",
                zh = "它会启动关闭了自身保护的智能体",
                hint(
                    en = "start the agent with its own questions and its sandbox switched on",
                    zh = "请保留智能体自身的询问和沙箱",
                );
            HostMetadata = "host.metadata" Deny [Core Person],
                en = "it contacts the cloud metadata service, which hands out credentials",
                zh = "它会访问发放凭据的云元数据服务",
                hint(
                    en = "use the credentials that the person has set up for this work",
                    zh = "请使用使用者为此工作准备的凭据",
                );
            NetworkRaw = "network.raw" Deny [Core Person],
                en = "it connects a shell or a file to a raw socket",
                zh = "它会把 shell 或文件连接到原始套接字",
                hint(
                    en = "fetch with `curl` from a named address",
                    zh = "请用 `curl` 从写明的地址获取",
                );
            NetworkSend = "network.send" Ask [Network],
                en = "it sends files or variables to another machine",
                zh = "它会把文件或变量发送到其他机器",
                hint(
                    en = "keep the content on this machine; name in your report what should be sent",
                    zh = "请把内容留在本机，并在报告中写明应发送什么",
                );
            NetworkOpen = "network.open" Ask [Network Eased],
                en = "it lets other machines reach this one",
                zh = "它会让其他机器访问本机",
                hint(
                    en = "listen on `127.0.0.1`",
                    zh = "请只监听 `127.0.0.1`",
                );
            ShellDynamic = "shell.dynamic" Ask [Core],
                en = "what it runs is only known at run time",
                zh = "它运行的内容运行时才能确定",
                hint(
                    en = "write the command out instead of computing it",
                    zh = "请直接写出命令，不要在运行时计算",
                );
            ShellInteractive = "shell.interactive" Ask [Core],
                en = "it works in a program that waits for input, which the guard does not see",
                zh = "它在等待输入的程序中操作，守卫看不到其内容",
                hint(
                    en = "put what should run on the command line, or into a file",
                    zh = "请把要运行的内容写在命令行或文件中",
                );
            ShellUnreadable = "shell.unreadable" Ask [Core],
                en = "it cannot be read as a shell command",
                zh = "无法将其读作 shell 命令",
                hint(
                    en = "use plain shell syntax",
                    zh = "请使用普通的 shell 语法",
                );
            ShellLimits = "shell.limits" Deny [Core Person],
                en = "it is too long or too deeply nested to be judged",
                zh = "它过长或嵌套过深，无法判断",
                hint(
                    en = "split it into several commands",
                    zh = "请拆分为多条命令",
                );
        }
    };
}

pub(super) use trust_rules;
