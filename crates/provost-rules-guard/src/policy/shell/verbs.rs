//! Commands that are known by their words: one table, in the order of the programs.
//!
//! To add one: a row at its place. Words stand on the command in this order, and others may stand
//! between them; `a|b` is either of two. Where options are named, one of them must be there.

use provost_shell::Word;

use super::super::{
    action::Action,
    arguments::{Arguments, lead},
    builtin::BuiltIn::{
        self, AgentUnguarded, CloudChange, CloudDestroy, CodeDecoded, ContainerChange, GitRemote,
        KubernetesChange, NetworkOpen, NetworkSend, PackageForeign, Publish, SecretPrinted,
        ShellDynamic, SystemPackages, SystemSettings,
    },
};

/// A command, and the rule that it meets.
struct Verb {
    program: &'static str,
    words: &'static [&'static str],
    options: &'static [&'static str],
    rule: BuiltIn,
}

/// Meets the rules of a command.
pub(super) fn judge(program: &str, arguments: Arguments<'_>, action: &mut Action) {
    let begin = TABLE.partition_point(|it| it.program < program);
    let rows = TABLE.iter().skip(begin).take_while(|it| it.program == program);
    for row in rows.filter(|it| it.fits(arguments)) {
        action.meet(row.rule);
    }
}

impl Verb {
    fn fits(&self, arguments: Arguments<'_>) -> bool {
        let mut operands = arguments.operands().map(lead);
        let is_one = |wanted: &str, given: &str| wanted.split('|').any(|it| it == given);
        self.words.iter().all(|wanted| operands.any(|given| is_one(wanted, given)))
            && (self.options.is_empty() || self.options.iter().any(|it| has(arguments, it)))
    }
}

/// Whether an option is there, alone or with its value.
fn has(arguments: Arguments<'_>, option: &str) -> bool {
    let is_short = option.len() == 2 && !option.starts_with("--");
    let is_it = |word: &Word| {
        let given = lead(word);
        given == option
            || given.strip_prefix(option).is_some_and(|it| is_short || it.starts_with('='))
    };
    arguments.words().iter().any(is_it)
}

const fn verb(
    program: &'static str,
    words: &'static [&'static str],
    options: &'static [&'static str],
    rule: BuiltIn,
) -> Verb {
    Verb { program, words, options, rule }
}

static TABLE: &[Verb] = &[
    verb("age", &[], &["-d", "--decrypt"], SecretPrinted),
    verb("ansible", &[], &["-a", "--args"], CloudChange),
    verb("ansible-pull", &[], &["-U", "--url"], PackageForeign),
    verb("ansible-vault", &["decrypt|view"], &[], SecretPrinted),
    verb("apk", &["del"], &[], SystemPackages),
    verb("apt", &["autoremove|purge|remove"], &[], SystemPackages),
    verb("apt-get", &["autoremove|purge|remove"], &[], SystemPackages),
    verb("aws", &["configure", "export-credentials|get"], &[], SecretPrinted),
    verb("aws", &["iam", IAM_CHANGES], &[], CloudChange),
    verb("aws", &["kms", "disable-key|schedule-key-deletion"], &[], CloudDestroy),
    verb("aws", &["s3", "sync"], &["--delete"], CloudDestroy),
    verb("aws", &["secretsmanager", "batch-get-secret-value|get-secret-value"], &[], SecretPrinted),
    verb("aws", &["ssm"], &["--with-decryption"], SecretPrinted),
    verb("aws", &["sts", "assume-role|get-session-token"], &[], SecretPrinted),
    verb("az", &["account", "get-access-token"], &[], SecretPrinted),
    verb("az", &["keyvault", "secret", "download|show"], &[], SecretPrinted),
    verb("az", &["storage", "blob", "sync|upload|upload-batch"], &[], NetworkSend),
    verb("brew", &["remove|rm|uninstall"], &["--force", "--ignore-dependencies"], SystemPackages),
    verb("bw", &["export|get"], &[], SecretPrinted),
    verb("claude", &["mcp", "add|add-json"], &[], AgentUnguarded),
    verb("cloudflared", &["tunnel"], &[], NetworkOpen),
    verb("code", &[], &["--install-extension"], PackageForeign),
    verb("csrutil", &["disable"], &[], SystemSettings),
    verb("date", &[], &["-s", "--set"], SystemSettings),
    verb("dnf", &["autoremove|erase|remove"], &[], SystemPackages),
    verb("docker", &["exec", "env|printenv"], &[], SecretPrinted),
    verb("docker", &["build"], &["--push"], Publish),
    verb("doctl", &["delete|destroy"], &[], CloudDestroy),
    verb("doppler", &["secrets"], &[], SecretPrinted),
    verb("dpkg", &[], &["-P", "-r", "--purge", "--remove"], SystemPackages),
    verb("efibootmgr", &[], &["-B", "--delete-bootnum"], SystemSettings),
    verb("etcdctl", &["del"], &["--prefix", "--from-key"], CloudDestroy),
    verb("firebase", &["firestore:delete|hosting:disable|database:remove"], &[], CloudDestroy),
    verb("fly", &["destroy"], &[], CloudDestroy),
    verb("flyctl", &["destroy"], &[], CloudDestroy),
    verb("gcloud", &["auth", "print-access-token|print-identity-token"], &[], SecretPrinted),
    verb("gcloud", &["secrets", "versions", "access"], &[], SecretPrinted),
    verb("gcloud", &["add-iam-policy-binding|set-iam-policy"], &[], CloudChange),
    verb("gh", &["auth", "status"], &["--show-token", "-t"], SecretPrinted),
    verb("gh", &["auth", "token"], &[], SecretPrinted),
    verb("gh", &["extension|ext", "install"], &[], PackageForeign),
    verb("gh", &["gist", "create"], &[], NetworkSend),
    verb("gh", &["pr", "merge"], &["--admin"], CloudChange),
    verb("gh", &["workflow", "run"], &[], CloudChange),
    verb("git", &["credential", "fill"], &[], SecretPrinted),
    verb("git", &["remote", "set-url"], &[], GitRemote),
    verb("go", &["run"], &["-exec"], ShellDynamic),
    verb("gpg", &[], &["--export-secret-keys", "--export-secret-subkeys"], SecretPrinted),
    verb("heroku", &["apps:destroy|pg:reset|addons:destroy"], &[], CloudDestroy),
    verb("heroku", &["config|config:get"], &[], SecretPrinted),
    verb("hwclock", &[], &["-w", "--systohc", "--set"], SystemSettings),
    verb("ip", &["addr|address|link|route", "add|del|delete|flush|set"], &[], SystemSettings),
    verb("kafka-topics", &[], &["--delete"], CloudDestroy),
    verb("kafka-topics.sh", &[], &["--delete"], CloudDestroy),
    verb("kubectl", &["create", "clusterrolebinding|rolebinding"], &[], KubernetesChange),
    verb("kubectl", &["get", "secret|secrets"], &["-o", "--output"], SecretPrinted),
    verb("kubectl", &["run"], &["--overrides", "--privileged"], KubernetesChange),
    verb("launchctl", &["bootstrap|enable|load|submit"], &[], SystemSettings),
    verb("lftp", &[], &["-c", "-e", "-f"], NetworkSend),
    verb("lxc", &["config", "device", "add"], &[], ContainerChange),
    verb("netsh", &["advfirewall|firewall", "off|set"], &[], SystemSettings),
    verb("ngrok", &["http|start|tcp|tls"], &[], NetworkOpen),
    verb("nmcli", &["add|delete|down|modify|off|up"], &[], SystemSettings),
    verb("npm", &["token"], &[], SecretPrinted),
    verb("nvram", &[], &["-c", "-d"], SystemSettings),
    verb("op", &["item", "get"], &[], SecretPrinted),
    verb("op", &["read"], &[], SecretPrinted),
    verb("pacman", &[], &["-R"], SystemPackages),
    verb("pass", &["show"], &[], SecretPrinted),
    verb("pwsh", &[], &["-EncodedCommand", "-enc", "-e"], CodeDecoded),
    verb("rclone", &["copy|copyto|move|moveto"], &[], NetworkSend),
    verb("rclone", &["delete|purge|sync"], &[], CloudDestroy),
    verb("rpm", &[], &["-e", "--erase"], SystemPackages),
    verb("secret-tool", &["lookup|search"], &[], SecretPrinted),
    verb("security", &[SECURITY_READS], &[], SecretPrinted),
    verb("serverless", &["remove"], &[], CloudDestroy),
    verb("setenforce", &[], &[], SystemSettings),
    verb("sls", &["remove"], &[], CloudDestroy),
    verb("snap", &["remove"], &[], SystemPackages),
    verb("sops", &[], &["-d", "--decrypt"], SecretPrinted),
    verb("sops", &["decrypt|exec-env"], &[], SecretPrinted),
    verb("spctl", &[], &["--master-disable", "--global-disable"], SystemSettings),
    verb("ssh", &[], &["-R"], NetworkOpen),
    verb("ssh-copy-id", &[], &[], NetworkOpen),
    verb("svn", &["import"], &[], NetworkSend),
    verb("sysctl", &[], &["-w", "--write", "-p"], SystemSettings),
    verb("systemctl", &["disable|edit|enable|link|mask|set-default"], &[], SystemSettings),
    verb("terraform", &["output"], &["-json", "-raw"], SecretPrinted),
    verb("timedatectl", &["set-ntp|set-time|set-timezone"], &[], SystemSettings),
    verb("tofu", &["output"], &["-json", "-raw"], SecretPrinted),
    verb("trust", &["anchor"], &[], SystemSettings),
    verb("vault", &["kv", "get"], &[], SecretPrinted),
    verb("vault", &["read"], &[], SecretPrinted),
    verb("vercel", &[], &["--prod"], Publish),
    verb("vercel", &["remove|rm"], &[], CloudDestroy),
    verb("wrangler", &["delete"], &[], CloudDestroy),
    verb("yum", &["autoremove|erase|remove"], &[], SystemPackages),
    verb("zypper", &["remove|rm"], &[], SystemPackages),
];

const IAM_CHANGES: &str = "add-user-to-group|attach-group-policy|attach-role-policy|\
                           attach-user-policy|create-access-key|create-login-profile|create-user|\
                           put-group-policy|put-role-policy|put-user-policy";
const SECURITY_READS: &str = "dump-keychain|export|find-generic-password|find-internet-password";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_order() {
        assert!(TABLE.is_sorted_by_key(|it| it.program));
    }

    #[test]
    fn a_command_is_known_by_its_words() {
        for (command, expected) in [
            ("gh auth token", Some("secret.printed")),
            ("gh auth status", None),
            ("gh auth status -t", Some("secret.printed")),
            ("gh pr view 42 --json title", None),
            ("kubectl get secrets", None),
            ("kubectl get secret db -o yaml", Some("secret.printed")),
            ("kubectl -n prod get secret db -ojson", Some("secret.printed")),
            ("apt-get install -y jq", None),
            ("apt-get -y purge libc6", Some("system.packages")),
            ("date +%s", None),
            ("date -s 2001-01-01", Some("system.settings")),
            ("terraform output", None),
            ("heroku logs --tail", None),
        ] {
            let script = provost_shell::parse(command);
            let invocation = &script.invocations[0];
            let mut action = Action::default();
            let program = invocation.program().unwrap();
            judge(program, Arguments::of(invocation), &mut action);
            assert_eq!(action.found.first().map(|it| it.rule.id()), expected, "{command}");
        }
    }
}
