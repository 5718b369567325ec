//! Rules on the system, on code and packages, and on what lies on other machines.

macro_rules! machine_rules {
    ([$next:ident $($then:ident)*] $($before:tt)*) => {
        $next! {
            [$($then)*] $($before)*
            SystemDevice = "system.device" Deny [Core Person],
                en = "it writes to a device",
                zh = "它会写入设备",
                hint(
                    en = "write to a file inside the project",
                    zh = "请写入项目内的文件",
                );
            SystemDisk = "system.disk" Deny [Core Person],
                en = "it formats a disk or wipes data",
                zh = "它会格式化磁盘或擦除数据",
                hint(
                    en = "work with an image file inside the project",
                    zh = "请使用项目内的镜像文件",
                );
            SystemPermissions = "system.permissions" Deny [Core],
                en = "it changes owners or permissions far beyond the project",
                zh = "它会大范围更改项目之外的属主或权限",
                hint(
                    en = "change only files of the project",
                    zh = "请只更改项目内的文件",
                );
            SystemKillAll = "system.kill-all" Deny [Core Person],
                en = "it ends every process",
                zh = "它会结束所有进程",
                hint(
                    en = "end the process you started, by its id",
                    zh = "请按进程号结束你自己启动的进程",
                );
            SystemForkBomb = "system.fork-bomb" Deny [Core Person],
                en = "it starts copies of itself without end",
                zh = "它会无限启动自身的副本",
                hint(
                    en = "start one process, and wait for it",
                    zh = "请只启动一个进程并等待其结束",
                );
            SystemPower = "system.power" Deny [Core Person],
                en = "it stops or restarts the machine",
                zh = "它会关闭或重启机器",
                hint(
                    en = "go on without a restart, and say in your report why one is needed",
                    zh = "请在不重启的情况下继续，并在报告中说明为何需要重启",
                );
            SystemCrontab = "system.crontab" Deny [Core Person],
                en = "it deletes every scheduled job",
                zh = "它会删除所有定时任务",
                hint(
                    en = "list the jobs with `crontab -l`, and name the one that should go",
                    zh = "请用 `crontab -l` 列出任务，并写明应删除的那一个",
                );
            SystemSchedule = "system.schedule" Ask [Core],
                en = "it schedules a command that runs later, unattended",
                zh = "它会安排稍后在无人值守时运行的命令",
                hint(
                    en = "run the command now, in the foreground",
                    zh = "请现在就在前台运行该命令",
                );
            SystemPackages = "system.packages" Ask [Core],
                en = "it removes packages of the system",
                zh = "它会移除系统软件包",
                hint(
                    en = "leave the packages of the system as they are; use an environment of the project",
                    zh = "请保留系统软件包；请使用项目自己的环境",
                );
            SystemSettings = "system.settings" Ask [Core],
                en = "it changes settings of the machine",
                zh = "它会更改机器的设置",
                hint(
                    en = "set it for one command, by a variable or an option",
                    zh = "请用变量或选项只对单个命令设置",
                );
            SystemHistory = "system.history" Deny [Core Person],
                en = "it erases the record of commands",
                zh = "它会抹除命令历史",
                hint(
                    en = "leave the history as it is",
                    zh = "请保留命令历史",
                );
            CodeDownloaded = "code.downloaded" Deny [Core],
                en = "it runs code straight from the network",
                zh = "它会直接运行来自网络的代码",
                hint(
                    en = "download it to a file, let a person read it, then run the file",
                    zh = "请先下载为文件，由人阅读之后再运行",
                );
            CodeDecoded = "code.decoded" Deny [Core],
                en = "it runs code that is encoded so that it cannot be read",
                zh = "它会运行经过编码而无法阅读的代码",
                hint(
                    en = "write the command out",
                    zh = "请直接写出命令",
                );
            CodeInline = "code.inline" Record [Core],
                en = "it runs inline code of another language, so it is recorded",
                zh = "它会运行其他语言的内联代码，因此予以记录",
                hint(
                    en = "put the code into a file of the project, and run the file",
                    zh = "请把代码写入项目内的文件，再运行该文件",
                );
            PackageForeign = "package.foreign" Ask [Core Eased],
                en = "it installs or runs code from an address instead of a package registry",
                zh = "它会安装或运行来自某个地址、而非软件包注册表的代码",
                hint(
                    en = "install a released version by its name",
                    zh = "请按名称安装已发布的版本",
                );
            DataDrop = "data.drop" Deny [Database],
                en = "it deletes a table, a database, or every row",
                zh = "它会删除表、数据库或所有行",
                hint(
                    en = "add a `WHERE`, or ask the person to do it",
                    zh = "请加上 `WHERE`，或请使用者来做",
                );
            DataBulk = "data.bulk" Ask [Database],
                en = "it changes every row of a table",
                zh = "它会更改表的所有行",
                hint(
                    en = "add a `WHERE` that names the rows",
                    zh = "请加上 `WHERE` 指明要更改的行",
                );
            CloudDestroy = "cloud.destroy" Deny [Cloud],
                en = "it deletes cloud storage, machines or repositories for good",
                zh = "它会永久删除云端的存储、机器或仓库",
                hint(
                    en = "show what would go (`plan`, `--dry-run`, `list`), and leave the deletion to the person",
                    zh = "请先列出将被删除的内容（`plan`、`--dry-run`、`list`），由使用者来删除",
                );
            CloudChange = "cloud.change" Ask [Cloud],
                en = "it changes what runs on other machines",
                zh = "它会更改其他机器上运行的内容",
                hint(
                    en = "show what would change (`plan`, `diff`, `--dry-run`)",
                    zh = "请先列出将会发生的更改（`plan`、`diff`、`--dry-run`）",
                );
            ContainerDestroy = "container.destroy" Deny [Containers],
                en = "it deletes volumes, or everything that containers left",
                zh = "它会删除卷，或容器留下的全部内容",
                hint(
                    en = "list them (`docker volume ls`), and remove the container that you started by its name",
                    zh = "请先列出它们（`docker volume ls`），并按名称移除你启动的容器",
                );
            ContainerChange = "container.change" Ask [Containers],
                en = "it deletes the data of containers, or gives one full access to this machine",
                zh = "它会删除容器的数据，或让容器完全访问本机",
                hint(
                    en = "mount a folder of the project, and stop with `docker compose down` without `-v`",
                    zh = "请只挂载项目内的目录，并用不带 `-v` 的 `docker compose down` 停止",
                );
            KubernetesDestroy = "kubernetes.destroy" Deny [Kubernetes],
                en = "it deletes a namespace, a node, volumes, or every object of a kind",
                zh = "它会删除命名空间、节点、卷，或某一类的所有对象",
                hint(
                    en = "name one object, and show first what it is: `kubectl get`",
                    zh = "请写明单个对象，并先用 `kubectl get` 查看",
                );
            KubernetesChange = "kubernetes.change" Ask [Kubernetes],
                en = "it changes what runs in a cluster",
                zh = "它会更改集群中运行的内容",
                hint(
                    en = "`kubectl diff` and `--dry-run=server` say what would change",
                    zh = "`kubectl diff` 和 `--dry-run=server` 可说明将会发生的更改",
                );
            Publish = "publish" Ask [Core],
                en = "it publishes something that cannot be taken back",
                zh = "它会发布无法收回的内容",
                hint(
                    en = "rehearse it (`--dry-run`), and leave the release to the person or to CI",
                    zh = "请先演练（`--dry-run`），由使用者或 CI 来发布",
                );
        }
    };
}

pub(super) use machine_rules;
