//! Command lines for a comparison with real bash: templates filled with programs and words that
//! are written in many ways. A seed gives the same lines each time.

/// One program with its arguments; `$HOME` is the home folder, written in any way.
type Payload = &'static [&'static str];

/// What the lines start: programs that rules know, most of them in a form that is refused, and
/// some that no rule is about.
const PAYLOADS: &[Payload] = &[
    &["rm", "-rf", "/"],
    &["rm", "-r", "-f", "$HOME"],
    &["rm", "-rf", "$HOME/docs"],
    &["rm", "-rf", "../other"],
    &["git", "push", "--force", "origin", "dev"],
    &["git", "reset", "--hard"],
    &["git", "clean", "-fdx"],
    &["chmod", "-R", "777", "/"],
    &["mkfs.ext4", "/dev/sda1"],
    &["sudo", "alpha"],
    &["npm", "publish"],
    &["shutdown", "now"],
    &["alpha", "one", "two"],
    &["beta", "-x", "three"],
    &["git", "status", "--short"],
    &["ls", "-la"],
];

/// Every program that the payloads and templates start and that is not a builtin.
pub(crate) const STUBS: &[&str] = &[
    "rm",
    "git",
    "chmod",
    "mkfs.ext4",
    "sudo",
    "npm",
    "shutdown",
    "alpha",
    "beta",
    "ls",
    "mv",
    "cp",
    "tee",
    "curl",
];

/// How a line is put together. `%s` is a statement of its own, `%q` one that is quoted as a word,
/// `%c` a simple command and `%w` a word. Within one template `%P` is a program, `%A` its
/// arguments, `%B` the same without quotes, `%L` both without quotes; `%%` is a percent sign.
const TEMPLATES: &[&str] = &[
    // Lists, groups and branches.
    "%s; %s",
    "%s && %s",
    "%s || %s",
    "%s | %s",
    "%s & wait",
    "%s\n%s # %s",
    "! %c",
    "time %c",
    "{ %s; }",
    "( %s )",
    "if %s; then %s; else %s; fi",
    "if ! %s; then %s; fi",
    "case %w in one) %s;; *) %s;; esac",
    "case one in (o*) %s;& two) %s;; esac",
    "until %s; do break; done",
    "while true; do %s; break; done",
    "coproc %c; wait",
    "[[ one == o* ]] && %s",
    // Variables.
    "x=%P; $x %A",
    "x='%L'; $x",
    "x=%w; %P %A $x",
    "x=%P y='%B'; $x $y",
    "a=(%P %A); \"${a[@]}\"",
    "a=(%P); a+=(%A); ${a[@]}",
    "set -- %A; %P \"$@\"",
    "set -- %P %A; \"$@\"",
    "set -- zero %P %A; shift; $*",
    "IFS=,; x=%P,one; $x",
    "x=y; y='%L'; ${!x}",
    "declare -n r=x; x=%P; $r %A",
    "x=%P; export x; bash -c '$x %B'",
    "${none:-%P} %A",
    "${none-%P} %A",
    ": ${x:=%P}; $x %A",
    "x=1; ${x:+%P} %A",
    "x=q%P; ${x#q} %A",
    "x=%Pq; ${x%%q} %A",
    "x=%P; ${x^} %A; ${x,,} %A; ${x/q/} %A",
    "x='$(%L)'; echo \"${x@P}\"",
    "printf -v x %%s %P; $x %A",
    "read -r x <<<'%L'; $x",
    "read -r x y <<<'%L'; $x $y",
    "read -ra a <<<'%L'; \"${a[@]}\"",
    "mapfile -t a <<<'%P'; \"${a[0]}\" %A",
    "x=%P; f() { local y=$x; $y %A; }; f",
    "LC_ALL=C A=b %c",
    // Loops.
    "for x in %B; do %P $x; done",
    "for x in %P; do $x %A; done",
    "for x in %w %w; do %P %A \"$x\"; done",
    "for ((i=0; i<2; i++)); do %s; done",
    "while read -r x; do $x; done <<<'%L'",
    "while read -r x; do %P $x; done <<<'%B'",
    "echo '%L' | while read -r x; do eval \"$x\"; done",
    "printf '%%s\\n' '%B' | while read -r x; do %P $x; done",
    // Functions, aliases, traps.
    "f() { %s; }; f",
    "f() { %P \"$@\"; }; f %A",
    "f() { \"$@\"; }; f %P %A",
    "f() { shift; \"$@\"; }; f one %P %A",
    "f() { $1 $2; }; f %P '%B'",
    "function f { %s; }; f",
    "f() ( %s ); f",
    "g() { f; }; f() { %s; }; g",
    "shopt -s expand_aliases\nalias q='%L'\nq",
    "shopt -s expand_aliases\nalias q=%P\nq %A",
    "trap %q EXIT",
    "trap %q DEBUG; :",
    "trap %q ERR; false",
    "mapfile -C '%L' -c 1 a <<<x",
    // Code in words.
    "eval %q",
    "eval '%P' '%B'",
    "eval \"%L\"",
    "bash -c %q",
    "sh -c '%L'",
    "bash -c '\"$@\"' _ %P %A",
    "bash -c '$0 \"$@\"' %P %A",
    "bash -xec %q",
    "bash <<<%q",
    "echo %q | bash",
    "printf '%%s\\n' %q | sh",
    "bash <<E\n%L\nE",
    "bash <<'E'\n%L\nE",
    "bash <<-E\n\t%L\n\tE\n%c",
    "cat <<E | bash\n%L\nE",
    "source <(echo %q)",
    ". /dev/stdin <<<%q",
    "bash <(echo %q)",
    "echo %q >s; bash s",
    "echo %q >s; . ./s",
    "cat >s <<'E'\n%L\nE\nsh ./s",
    "tee s </dev/null; %c",
    "BASH_ENV=s bash -c :; %c",
    "echo '%L' >s; BASH_ENV=s bash -c :",
    "command %c",
    "builtin command %c",
    "exec %c",
    "(exec -a name %c)",
    "env %c",
    "env -i PATH=/stubs A=b %c",
    "env -S '%L'",
    "nice -n 5 %c",
    "nohup %c",
    "timeout 5 %c",
    "time -p %c",
    // What is fed to other programs.
    "echo %B | xargs %P",
    "echo %L | xargs",
    "xargs %P <<<'%B'",
    "echo %B | xargs -n1 %P",
    "echo '%B' | xargs -I{} %P {}",
    "echo %B | xargs -I@ sh -c '%P @'",
    "printf '%B\\0' | xargs -0 %P",
    "echo '%L' | xargs -I{} bash -c '{}'",
    "echo %L | xargs env",
    "echo '%B' >l; xargs -a l %P",
    "xargs -a <(echo %B) %P",
    "find . -maxdepth 0 -exec %c \\;",
    "find . -maxdepth 0 -exec %P %A {} +",
    "find . -maxdepth 0 -exec sh -c '%L' \\;",
    "find . -maxdepth 0 -exec bash -c '%P \"$@\"' _ %A {} \\;",
    "find . -maxdepth 0 | xargs %P %A",
    // Substitutions.
    "echo \"$(%s)\"",
    "x=$(%s); echo $x",
    "echo `%L`",
    ": \"${x:=$(%s)}\"",
    ": ${x:-`%L`}",
    "$(echo %P) %A",
    "$(echo %L)",
    "`echo %P` %A",
    "%P $(echo %B)",
    "%P `printf '%%s ' %B`",
    "x=$(echo %P); $x %A",
    "x=$(cat <<E\n%L\nE\n); $x",
    "cat <(%s)",
    "cat <<E\n$(%s)\nE",
    "cat <<<\"$(%s)\"",
    "echo one > >(%s); wait",
    "%P $(cat <<<'%B')",
    // Arithmetic and names that are evaluated.
    "echo $(( 1 + $(%L) 0 ))",
    "a[$(%L)]=1",
    "x='a[$(%L)]'; (( x ))",
    "x='a[$(%L)]'; echo $((x))",
    "x='a[$(%L)]'; [[ x -eq 0 ]]",
    "[[ -v 'a[$(%L)]' ]]",
    "test -v 'a[$(%L)]'",
    "declare -i x='a[$(%L)]'",
    "let 'x=a[$(%L)]'",
    "printf -v 'a[$(%L)]' x",
    "read 'a[$(%L)]' <<<x",
    "unset 'a[$(%L)]'",
    "(( $(%L) 1 )) && %c",
    "for ((x=$(%L) 0; x<1; x++)); do %s; done",
    "x=5; echo ${x:$(%L) 0:1}",
    "PS4='$(%L)'; set -x; :",
    "PS4='$(%L)' bash -xc :",
    // Braces, patterns, redirections.
    "%P {one,%B}",
    "{%P,one,two}",
    "%P {1..3}",
    "%P o@(ne|x) %A",
    "shopt -s extglob\n%P !(x) %A",
    ">o %c",
    "%P >o 2>&1 %A",
    "%P %A <<E >o\nbody\nE",
    "%c <<A; %c <<'B'\none\nA\n$(two)\nB",
    "2>/dev/null %c",
    "{ %s; } >o",
    "cd /; %c",
    "cd ..; %c",
    "(cd / && %c)",
    "pushd / >/dev/null; %c; popd",
    "%P \\\n%A",
    "%P %A #%w",
    "%P -- %A",
    "\\%L",
];

const WORDS: &[&str] = &["one", "two.txt", "-v", "a/b", "x=1", "t"];
/// How deep statements stand in statements.
const DEPTH: u32 = 3;

/// A source of lines.
#[derive(Debug)]
pub(crate) struct Lines(u64);

impl Lines {
    pub(crate) fn seeded(seed: u64) -> Self {
        // Two seeds side by side must not give the same numbers, one step apart.
        let mut lines = Self(seed);
        lines.0 = lines.bits().rotate_left(17) ^ seed;
        lines
    }

    /// The next line.
    pub(crate) fn line(&mut self) -> String {
        self.template(0)
    }

    /// A number below `n`.
    fn below(&mut self, n: usize) -> usize {
        let n = u64::try_from(n.max(1)).unwrap_or(1);
        usize::try_from(self.bits() % n).unwrap_or_default()
    }

    /// The next number of the generator `SplitMix64`.
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut it = self.0;
        it = (it ^ (it >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        it = (it ^ (it >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        it ^ (it >> 31)
    }

    fn pick<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }

    fn template(&mut self, depth: u32) -> String {
        let template = self.pick(TEMPLATES);
        let payload = self.pick(PAYLOADS);
        let mut line = String::new();
        let mut signs = template.chars();
        while let Some(sign) = signs.next() {
            if sign != '%' {
                line.push(sign);
                continue;
            }
            let part = match signs.next() {
                Some('s') => self.statement(depth),
                Some('q') => {
                    let inner = self.statement(depth);
                    self.quote(&inner)
                }
                Some('c') => self.command(),
                Some('w') => {
                    let word = self.pick(WORDS);
                    self.word(word)
                }
                Some('P') => self.word(payload[0]),
                Some('A') => self.words(&payload[1..]),
                Some('B') => payload[1..].join(" "),
                Some('L') => payload.join(" "),
                Some(_) | None => "%".to_owned(),
            };
            line.push_str(&part);
        }
        line
    }

    fn statement(&mut self, depth: u32) -> String {
        if depth + 1 >= DEPTH || self.below(3) == 0 {
            return self.command();
        }
        self.template(depth + 1)
    }

    fn command(&mut self) -> String {
        let payload = self.pick(PAYLOADS);
        self.words(payload)
    }

    fn words(&mut self, texts: Payload) -> String {
        let words: Vec<String> = texts.iter().map(|it| self.word(it)).collect();
        words.join(" ")
    }

    /// A text as one word of a line.
    fn quote(&mut self, text: &str) -> String {
        match self.below(3) {
            0 if !text.contains(['!', '`']) => {
                let mut quoted = String::new();
                for it in text.chars() {
                    if matches!(it, '"' | '\\' | '$') {
                        quoted.push('\\');
                    }
                    quoted.push(it);
                }
                format!("\"{quoted}\"")
            }
            1 => {
                let escaped = text.replace('\\', "\\\\").replace('\'', "\\'");
                format!("$'{escaped}'")
            }
            _ => format!("'{}'", text.replace('\'', r"'\''")),
        }
    }

    /// A word in one of the ways in which it can be written.
    fn word(&mut self, text: &str) -> String {
        if text.contains('$') {
            return self.home(text);
        }
        let at = 1 + self.below(text.len().saturating_sub(1));
        let (head, tail) = text.split_at(at.min(text.len()));
        match self.below(24) {
            0 => format!("'{text}'"),
            1 => format!("\"{text}\""),
            2 => format!("{head}''{tail}"),
            3 => format!("\"{head}\"{tail}"),
            4 => format!("{head}\\{tail}"),
            5 => text.bytes().fold("$'".to_owned(), |all, it| format!("{all}\\x{it:02x}")) + "'",
            6 => format!("$'{head}'\"{tail}\""),
            7 => format!("{head}$'\\{:03o}'{}", tail.bytes().next().unwrap_or(b' '), skip(tail)),
            8 => format!("{head}\\\n{tail}"),
            // Whether a variable of the environment stands before a path is not known.
            9 if !text.contains('/') => format!("${{none}}{text}"),
            10 if !text.contains('/') => format!("{head}${{none}}{tail}"),
            11 => format!("$(echo {text})"),
            12 => format!("{head}`echo {tail}`"),
            13 => format!("${{none:-{text}}}"),
            14 => format!("\"${{none-{head}}}\"{tail}"),
            _ => text.to_owned(),
        }
    }

    /// The home folder, or something in it.
    fn home(&mut self, text: &str) -> String {
        let rest = text.trim_start_matches("$HOME");
        match self.below(8) {
            0 => format!("~{rest}"),
            1 => format!("\"$HOME\"{rest}"),
            2 => format!("${{HOME}}{rest}"),
            3 => format!("\"${{HOME}}{rest}\""),
            4 => format!("${{HOME:-/nowhere}}{rest}"),
            5 => format!("$(echo ~){rest}"),
            _ => text.to_owned(),
        }
    }
}

/// What follows the first character.
fn skip(text: &str) -> &str {
    text.get(1..).unwrap_or_default()
}
