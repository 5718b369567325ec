//! What calls give back, where that can be known without running them.

mod methods;
mod texts;

use self::texts::{backwards, characters};
use super::{
    super::super::path_zones::{ANY, UNKNOWN},
    call::{Given, qualified},
    deed::Verb,
    javascript::module_name,
    known,
    machine::picked,
    value::{Origin, Value, join},
};

/// Calls that give back what they are given, as far as a judgement goes.
const SAME: &[&str] = &[
    "Array",
    "Array.from",
    "Array.of",
    "Buffer.from",
    "File.absolute_path",
    "File.expand_path",
    "File.realpath",
    "File.path",
    "Object.freeze",
    "Path",
    "Pathname",
    "Pathname.new",
    "PurePath",
    "String",
    "URI",
    "URI.parse",
    "ascii",
    "bytearray",
    "bytes",
    "encodeURI",
    "decodeURIComponent",
    "decodeURI",
    "enumerate.text",
    "fileURLToPath",
    "iter",
    "list",
    "next",
    "os.fsdecode",
    "os.fsencode",
    "os.fspath",
    "os.path.abspath",
    "os.path.expanduser",
    "os.path.expandvars",
    "os.path.normpath",
    "os.path.realpath",
    "path.normalize",
    "pathlib.Path",
    "pathlib.PosixPath",
    "pathlib.PurePath",
    "fs.realpathSync",
    "reversed",
    "set",
    "shlex.quote",
    "shlex.split.text",
    "sorted",
    "str",
    "tuple",
    "url.fileURLToPath",
    "util.promisify",
    "functools.partial.one",
    "wantarray",
    "Promise.resolve",
    "Promise.all",
    "abs_path",
    "Cwd.abs_path",
    "Cwd.realpath",
    "encode.text",
    "sys.intern",
    "repr.text",
];

impl super::machine::Machine<'_> {
    /// What a function of a library gives back; none if the table of deeds decides.
    pub(super) fn fold(&mut self, name: &str, given: &Given) -> Option<Value> {
        let first = given.at(0);
        let value = match name {
            "Buffer.from" if matches!(given.at(1).known_text(), Some("base64" | "base64url")) => {
                self.decoded("atob", &first)
            }
            "Buffer.from" if given.at(1).known_text() == Some("hex") => {
                self.decoded("fromhex", &first)
            }
            _ if SAME.contains(&name) => first,
            "os.path.join" | "path.join" | "File.join" | "File.Spec.catfile" | "catfile"
            | "catdir" | "File.Spec.catdir" | "join.path" | "posixpath.join" => {
                self.paths(&given.values)
            }
            "path.resolve" => self.paths(&given.values),
            "os.homedir"
            | "homedir"
            | "Path.home"
            | "pathlib.Path.home"
            | "Dir.home"
            | "File.HomeDir.my_home"
            | "Etc.getpwuid.dir" => Value::text(&self.zones.user_home),
            "os.getcwd" | "process.cwd" | "Dir.pwd" | "Dir.getwd" | "getcwd" | "cwd"
            | "Path.cwd" | "pathlib.Path.cwd" | "Cwd.cwd" | "Cwd.getcwd" | "__dir__" => {
                match self.folder.clone() {
                    Some(folder) => Value::text(&folder),
                    None => Value::NOTHING,
                }
            }
            "os.tmpdir" | "tempfile.gettempdir" | "Dir.tmpdir" | "File.Spec.tmpdir" => {
                Value::text("/tmp")
            }
            "tempfile.mkdtemp"
            | "tempfile.mktemp"
            | "tempfile.TemporaryDirectory"
            | "tempfile.NamedTemporaryFile"
            | "fs.mkdtempSync"
            | "fs.mkdtemp"
            | "Dir.mktmpdir"
            | "Tempfile.new"
            | "Tempfile.create"
            | "tempdir"
            | "File.Temp.tempdir" => {
                self.call_back(
                    given,
                    &Value::Text(format!("/tmp/made{UNKNOWN}"), Origin::default()),
                );
                Value::Text(format!("/tmp/made/{UNKNOWN}"), Origin::default())
            }
            "tempfile.mkstemp" => {
                let path = Value::Text(format!("/tmp/made/{UNKNOWN}"), Origin::default());
                Value::List(vec![Value::NOTHING, path])
            }
            "os.path.dirname" | "path.dirname" | "File.dirname" | "dirname" => {
                let (text, origin) = first.piece();
                let above = text.rsplit_once('/').map_or("", |it| it.0);
                Value::Text(
                    if text.contains(UNKNOWN) { UNKNOWN.to_string() } else { above.to_owned() },
                    origin,
                )
            }
            "os.getenv" | "getenv" | "Deno.env.get" | "os.environ.get" | "os.environ.fetch" => {
                match first.known_text() {
                    Some(name) => self.variable(name),
                    None => Value::Unknown(Origin::default()),
                }
            }
            "os.environ.copy" | "os.environ.items" | "os.environ.keys" | "os.environ.values"
            | "os.environ.to_h" => Value::Unknown(Origin::ENVIRONMENT),
            "os.environ.each" => {
                self.call_back(given, &Value::Unknown(Origin::ENVIRONMENT));
                Value::Unknown(Origin::ENVIRONMENT)
            }
            "require"
            | "import"
            | "process.require"
            | "createRequire"
            | "__import__"
            | "importlib.import_module"
            | "importlib.__import__"
            | "import_module"
            | "Object.const_get"
            | "const_get"
            | "require_relative" => self.module(name, &first),
            "getattr" | "operator.attrgetter" => self.attribute(&first, &given.at(1)),
            "send" | "public_send" | "__send__" | "method" => self.sent(None, name, given),
            "globals" | "locals" | "vars" | "eval.self" => Value::Known(String::new()),
            "chr" | "String.fromCharCode" | "String.fromCodePoint" => characters(&given.values),
            "map" => return self.mapped(given),
            "filter" => picked(given.at(1)),
            "Function.prototype.call" => Value::NOTHING,
            "glob" | "glob.glob" | "glob.iglob" | "Dir.glob" | "fs.globSync" | "fs.glob"
            | "glob.sync" | "glob.globSync" | "globSync" | "fast-glob" | "fast-glob.sync"
            | "fg.sync" | "Dir.[]" | "File.Glob.bsd_glob" => {
                let found = self.perl_patterns(&first);
                let found = self.listing(&found, false);
                self.with_blocks(given, found)
            }
            "os.listdir" | "fs.readdirSync" | "fs.readdir" | "Dir.children" | "Dir.entries"
            | "Dir.each_child" | "Dir.foreach" | "readdirSync" => {
                let found = Value::List(vec![Value::Text(ANY.to_string(), first.origin())]);
                self.with_blocks(given, found)
            }
            "os.scandir" => self.listing(&first, true),
            "os.walk" | "os.fwalk" => {
                let names = Value::List(vec![Value::Text(ANY.to_string(), Origin::default())]);
                Value::List(vec![Value::List(vec![first, names.clone(), names])])
            }
            "os.chdir" | "process.chdir" | "Dir.chdir" | "chdir" | "FileUtils.cd"
            | "FileUtils.chdir" => {
                self.go(&first);
                self.call_back(given, &first);
                Value::NOTHING
            }
            "base64.b64decode"
            | "base64.urlsafe_b64decode"
            | "base64.standard_b64decode"
            | "base64.decodebytes"
            | "atob"
            | "Base64.decode64"
            | "Base64.strict_decode64"
            | "Base64.urlsafe_decode64"
            | "decode_base64"
            | "MIME.Base64.decode_base64"
            | "base64.b32decode"
            | "base64.b16decode"
            | "base64.a85decode"
            | "base64.b85decode"
            | "bytes.fromhex"
            | "bytearray.fromhex"
            | "binascii.unhexlify"
            | "binascii.a2b_hex"
            | "binascii.a2b_base64"
            | "codecs.decode"
            | "zlib.decompress"
            | "gzip.decompress"
            | "bz2.decompress"
            | "lzma.decompress"
            | "zlib.inflateSync"
            | "zlib.gunzipSync"
            | "zlib.brotliDecompressSync"
            | "Zlib.inflate"
            | "Zlib.Inflate.inflate"
            | "pack"
            | "Buffer.from.decoded" => self.decoded(name, &first),
            "marshal.loads" | "pickle.loads" => return None,
            "shift" => {
                let all = self.lookup("@_").cloned();
                all.and_then(|it| it.members().and_then(|it| it.first().cloned()))
                    .unwrap_or(Value::Unknown(first.origin()))
            }
            "join" if given.values.len() > 1 => {
                let rest = given.values.get(1..).unwrap_or_default();
                let rest: Vec<Value> = rest
                    .iter()
                    .flat_map(|it| it.members().map_or_else(|| vec![it.clone()], <[Value]>::to_vec))
                    .collect();
                join(&rest, first.known_text().unwrap_or_default())
            }
            "reverse" | "reversed.text" => backwards(&first),
            "parse_args" | "getopt.getopt" | "getopt" => Value::Unknown(self.asked()),
            "computed.text" => Value::Unknown(Origin::COMPUTED),
            "shlex.split" => match first.known_text() {
                Some(text) => Value::List(text.split_whitespace().map(Value::text).collect()),
                None => Value::Unknown(first.origin()),
            },
            "sprintf" | "format" | "util.format" if !given.values.is_empty() => {
                let rest = Value::List(given.values.get(1..).unwrap_or_default().to_vec());
                self.formatted(&first, &rest)
            }
            "dict" => {
                let named = given.named.iter().cloned();
                let rest = Value::Unknown(first.origin());
                Value::Dict(named.chain([(String::new(), rest)]).collect())
            }
            "include" | "extend" | "using" => {
                if let Value::Known(module) = &first {
                    self.stars.push(module.clone());
                }
                Value::NOTHING
            }
            "zip" | "itertools.product" => Value::Unknown(given.origin()),
            "functools.partial" | "partial" => return self.partial(given),
            _ => return None,
        };
        // What is computed of a secret is one.
        Some(value)
    }

    /// Names in a row as one path; one that begins at the root begins anew.
    fn paths(&mut self, parts: &[Value]) -> Value {
        let flat: Vec<Value> = parts
            .iter()
            .flat_map(|it| it.members().map_or_else(|| vec![it.clone()], <[Value]>::to_vec))
            .collect();
        let is_root = |it: &Value| it.known_text().is_some_and(|it| it.starts_with('/'));
        let begin = flat.iter().rposition(is_root).unwrap_or(0);
        let begins_anew = self.language == super::parse::Language::Python;
        let flat = flat.get(if begins_anew { begin } else { 0 }..).unwrap_or_default();
        join(flat, "/")
    }

    /// Where options come from: nobody, if nothing stands behind the code.
    fn asked(&self) -> Origin {
        if self.arguments.len() > 1 { Origin::default() } else { Origin::CALLER }
    }

    fn go(&mut self, to: &Value) {
        self.folder = match to.texts().as_slice() {
            [(text, _)] => {
                let target = self.zones.spelled(text, self.folder.as_deref());
                let is_known = target.tail == super::super::super::path_zones::Tail::Exact;
                is_known.then_some(target.path)
            }
            _ => None,
        };
    }

    /// A module by its name.
    fn module(&mut self, how: &str, name: &Value) -> Value {
        let is_hidden = name.origin().has(Origin::COMPUTED) && name.known_text().is_some();
        if is_hidden && !how.starts_with("require_") {
            self.note(Verb::Hide, name);
        }
        match name.known_text() {
            // A file of the project is not a library.
            Some(text) if text.starts_with('.') || text.starts_with('/') => {
                self.note(Verb::Read, name);
                Value::NOTHING
            }
            Some("Kernel" | "Object" | "builtins") => Value::Known(String::new()),
            Some(text) => Value::Known(module_name(text).to_owned()),
            None => Value::NOTHING,
        }
    }

    /// `getattr(os, 'system')`
    fn attribute(&mut self, of: &Value, name: &Value) -> Value {
        let texts: Vec<String> =
            name.options().iter().filter_map(Value::known_text).map(str::to_owned).collect();
        let found: Vec<Value> = texts.iter().map(|it| self.part(of, it)).collect();
        let acts = |it: &Value| matches!(it, Value::Known(it) if known::acts(it));
        if name.origin().has(Origin::COMPUTED) && found.iter().any(acts) {
            self.note(Verb::Hide, name);
        }
        if texts.is_empty() { Value::Unknown(of.origin()) } else { Value::either(found) }
    }

    /// `Kernel.send(:system, 'ls')`
    pub(super) fn sent(&mut self, of: Option<&Value>, how: &str, given: &Given) -> Value {
        let name = given.at(0);
        let Some(method) = name.known_text().map(str::to_owned) else {
            return Value::Unknown(given.origin());
        };
        if name.origin().has(Origin::COMPUTED) {
            self.note(Verb::Hide, &name);
        }
        let full = match of {
            Some(Value::Known(base)) => qualified(base, &method),
            _ => method,
        };
        if how == "method" {
            return Value::Known(full);
        }
        let rest = given.values.get(1..).unwrap_or_default().to_vec();
        self.invoke(&full, &Given { values: rest, named: given.named.clone() })
    }

    fn mapped(&mut self, given: &Given) -> Option<Value> {
        let (function, items) = (given.at(0), given.at(1));
        let all = items.members().map_or_else(|| vec![items.clone()], <[Value]>::to_vec);
        let made = all.into_iter().take(4096).map(|it| self.call_value(&function, vec![it]));
        Some(Value::List(made.collect()))
    }

    fn partial(&mut self, given: &Given) -> Option<Value> {
        let rest = given.values.get(1..).unwrap_or_default().to_vec();
        Some(self.call_value(&given.at(0), rest))
    }

    /// A function is called with each member.
    fn over(&mut self, of: &Value, given: &Given) -> Value {
        let functions: Vec<Value> = given.values.iter().chain(given.named("&")).cloned().collect();
        let Some(function) = functions.first() else { return of.clone() };
        let turns = match of {
            Value::List(all) if all.len() <= 256 => all.clone(),
            other => vec![Value::Unknown(other.origin())],
        };
        let made: Vec<Value> =
            turns.into_iter().map(|it| self.call_value(function, vec![it])).collect();
        if matches!(of, Value::List(_)) {
            Value::List(made)
        } else {
            Value::Unknown(super::value::origin_of(&made))
        }
    }

    fn over_value(&mut self, of: &Value, given: &Given) -> Value {
        let functions: Vec<Value> = given.values.iter().chain(given.named("&")).cloned().collect();
        let made: Vec<Value> =
            functions.iter().map(|it| self.call_value(it, vec![of.clone()])).collect();
        Value::either(made).with(of.origin())
    }

    /// What is found is handed to a block, where there is one.
    fn with_blocks(&mut self, given: &Given, found: Value) -> Value {
        if given.named("&").is_some() {
            let only = Given { values: Vec::new(), named: given.named.clone() };
            return self.over(&found, &only);
        }
        // `fs.readdir(path, (error, names) => …)`
        self.call_back(given, &found);
        found
    }

    /// perl's `glob` takes several patterns in one text.
    fn perl_patterns(&self, pattern: &Value) -> Value {
        match pattern.known_text() {
            Some(text) if self.language == super::parse::Language::Perl => {
                Value::either(text.split_whitespace().map(Value::text))
            }
            _ => pattern.clone(),
        }
    }
}
