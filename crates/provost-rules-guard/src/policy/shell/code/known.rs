//! What the calls of the libraries do: one table for all languages, as data.
//!
//! A row names a call and says for each thing that it is given what becomes of it. The names of
//! methods begin with a dot; what they belong to counts as the first thing given.

use std::{collections::BTreeMap, sync::LazyLock};

/// What becomes of one thing that a call is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Nothing,
    /// A path that is gone afterwards.
    Delete,
    /// A path that is no longer where it was.
    Move,
    Write,
    /// A folder that is filled with names which do not stand in the code.
    Unpack,
    Read,
    /// A path that goes on under a second name.
    Link,
    /// A path; the next thing says whether it is read or written.
    Open,
    /// A path in the form of perl, which says itself whether it is written.
    OpenSigned,
    /// A line for a shell.
    Line,
    /// A program and its words, in one list; a line if it is a text.
    Words,
    /// A program; what follows are its words.
    Program,
    /// A program; the next thing is the list of its words.
    ProgramList,
    /// Code that is run.
    Code,
    /// Statements for a database.
    Statement,
    /// An address that something is fetched from.
    Address,
    /// Something that leaves the machine.
    Sent,
    /// A function that is called.
    Call,
}

use Role::{
    Address, Call, Code, Delete, Line, Link, Move, Nothing, Open, OpenSigned, Program, ProgramList,
    Read, Sent, Statement, Unpack, Words, Write,
};

/// What becomes of what a call is given, by the name it has in its language.
pub(super) fn roles(name: &str) -> Option<&'static [Role]> {
    TABLE.get(name).copied()
}

/// The rows by each of their names.
static TABLE: LazyLock<BTreeMap<&'static str, &'static [Role]>> = LazyLock::new(|| {
    let mut table = BTreeMap::new();
    for (names, roles) in ROWS {
        for name in names.split_whitespace() {
            table.entry(name).or_insert(*roles);
        }
    }
    table
});

/// Whether a call starts or deletes something, or runs code.
pub(super) fn acts(name: &str) -> bool {
    let python = format!("python.{name}");
    let roles = roles(name).or_else(|| roles(&python)).unwrap_or_default();
    roles.iter().any(|it| matches!(it, Delete | Line | Words | Program | ProgramList | Code))
}

const ROWS: &[(&str, &[Role])] = &[
    // Deleting. `rmdir` takes nothing but empty folders.
    (
        "File.delete File.unlink FileUtils.rm FileUtils.rm_f FileUtils.rm_r FileUtils.rm_rf \
         FileUtils.rmtree FileUtils.remove FileUtils.remove_file FileUtils.safe_unlink rm_rf rm_r rm_f \
         File.Path.rmtree File.Path.remove_tree rmtree remove_tree unlink",
        &[Delete, Delete, Delete, Delete, Delete, Delete],
    ),
    (
        "os.remove os.unlink shutil.rmtree os.removedirs .unlink .rmtree fs.rm fs.rmSync fs.unlink \
         fs.unlinkSync fs.rmdirSync fs.rmdir fs.remove fs.removeSync fs.emptyDir fs.emptyDirSync \
         rimraf rimraf.sync rimraf.rimraf rimraf.rimrafSync rimrafSync del del.sync \
         Deno.remove Deno.removeSync .rmSync .unlinkSync .rmdirSync .removeSync \
         FileUtils.remove_dir FileUtils.remove_entry FileUtils.remove_entry_secure Dir.delete \
         Dir.rmdir Dir.unlink send2trash trash",
        &[Delete],
    ),
    (
        "shutil.move os.rename os.renames os.replace fs.rename fs.renameSync fs.move fs.moveSync \
      File.rename FileUtils.mv FileUtils.move rename move Deno.rename Deno.renameSync File.Copy.move \
      mv",
        &[Move, Write],
    ),
    // Of a text or a path alone: other things are renamed and deleted too.
    (".rename .delete", &[Move, Nothing]),
    // Writing.
    (
        "fs.writeFile fs.writeFileSync fs.appendFile fs.appendFileSync fs.createWriteStream \
      fs.truncate fs.truncateSync fs.outputFile fs.outputFileSync fs.outputJson fs.outputJsonSync fs.writeJson \
      fs.writeJsonSync fs.chmod fs.chmodSync fs.chown fs.chownSync fs.utimes fs.mkdtemp fs.lchmod \
      .writeFileSync .appendFileSync .writeFile .appendFile .createWriteStream .outputFile \
      Deno.writeTextFile Deno.writeTextFileSync Deno.writeFile Deno.writeFileSync Bun.write \
      .write_text .write_bytes .touch os.truncate os.chmod os.chown os.lchown os.utime os.mkfifo \
      File.write File.binwrite IO.write IO.binwrite .binwrite File.truncate \
      FileUtils.touch FileUtils.mkdir_p touch \
      File.Slurp.write_file write_file spew",
        &[Write],
    ),
    // Names that stand in an archive come to lie in the folder.
    (".extractall .extractAllTo", &[Nothing, Unpack]),
    ("shutil.unpack_archive", &[Read, Unpack]),
    (".to_csv .to_json .to_pickle .to_parquet .to_excel .savefig .save", &[Nothing, Write]),
    (
        "File.chmod chmod chown FileUtils.chmod FileUtils.chmod_R FileUtils.chown FileUtils.chown_R",
        &[Nothing, Write, Write, Write],
    ),
    (
        "shutil.copy shutil.copyfile shutil.copy2 shutil.copytree fs.copyFile fs.copyFileSync fs.cp \
      fs.cpSync fs.copy fs.copySync .copyFileSync .cpSync FileUtils.cp FileUtils.cp_r \
      FileUtils.copy FileUtils.install File.Copy.copy copy cp Deno.copyFile Deno.copyFileSync \
      IO.copy_stream",
        &[Read, Write],
    ),
    (
        "os.symlink os.link fs.symlink fs.symlinkSync fs.link fs.linkSync File.symlink File.link \
      FileUtils.ln_s FileUtils.ln_sf FileUtils.ln symlink link",
        &[Link, Write],
    ),
    (".symlink_to .hardlink_to", &[Write, Link]),
    // Reading.
    (
        "fs.readFile fs.readFileSync fs.createReadStream fs.readJson fs.readJsonSync .readFileSync \
      .readFile .createReadStream Deno.readTextFile Deno.readTextFileSync Deno.readFile \
      Deno.readFileSync Bun.file .read_text .read_bytes File.read File.readlines File.binread \
      File.foreach IO.read IO.readlines IO.binread IO.foreach YAML.load_file File.Slurp.read_file \
      read_file slurp linecache.getline linecache.getlines fileinput.input numpy.loadtxt \
      pandas.read_csv pandas.read_json dotenv.load_dotenv load_dotenv dotenv.dotenv_values \
      runpy.run_path io.open_code",
        &[Read],
    ),
    (
        "open io.open codecs.open gzip.open bz2.open lzma.open os.open builtins.open .open fs.open \
      fs.openSync tarfile.open zipfile.ZipFile File.open File.new Kernel.open os.fdopen aiofiles.open \
      sysopen",
        &[Open],
    ),
    ("perl.open", &[Nothing, OpenSigned]),
    // Programs.
    (
        "os.system os.popen system.line subprocess.getoutput subprocess.getstatusoutput .system \
      commands.getoutput popen2.popen2 asyncio.create_subprocess_shell pty.spawn_line \
      child_process.exec child_process.execSync .execSync execSync util.promisify.exec \
      Bun.$ Deno.run_line ctypes.system zx.$ execa.command execa.commandSync execaCommand \
      execaCommandSync shelljs.exec .shell",
        &[Line],
    ),
    (
        "subprocess.run subprocess.call subprocess.check_call subprocess.check_output \
      subprocess.Popen pty.spawn Bun.spawn Bun.spawnSync Deno.run .check_output .check_call .Popen",
        &[Words],
    ),
    (
        "child_process.spawn child_process.spawnSync child_process.execFile \
      child_process.execFileSync child_process.fork .spawnSync .execFileSync .execFile execa \
      execa.sync execa.execa execa.execaSync cross-spawn cross-spawn.sync Deno.Command",
        &[ProgramList],
    ),
    (
        "os.execl os.execle os.execlp os.execlpe asyncio.create_subprocess_exec system exec spawn \
      Process.spawn Process.exec Open3.capture2 Open3.capture2e Open3.capture3 Open3.popen2 \
      Open3.popen2e Open3.popen3 Open3.pipeline PTY.spawn IO.popen PTY.getpty",
        &[Program],
    ),
    ("os.execv os.execve os.execvp os.execvpe os.posix_spawn os.posix_spawnp", &[ProgramList]),
    ("os.spawnv os.spawnve os.spawnvp os.spawnvpe", &[Nothing, ProgramList]),
    ("os.spawnl os.spawnle os.spawnlp os.spawnlpe", &[Nothing, Nothing, Program]),
    // Code.
    (
        "eval exec.code python.exec instance_eval class_eval module_eval .instance_eval .class_eval \
      .module_eval marshal.loads pickle.loads pickle.load _pickle.loads cPickle.loads dill.loads \
      joblib.load yaml.unsafe_load Marshal.load types.FunctionType \
      vm.runInThisContext vm.runInNewContext vm.runInContext vm.Script vm.compileFunction \
      .runInThisContext .runInNewContext Function .constructor code.interact \
      Kernel.eval do.text binding.eval .eval_code builtins.exec builtins.eval execjs.eval \
      setTimeout.text jsonpickle.decode shelve.open_code",
        &[Code],
    ),
    // Databases.
    (
        ".execute .executescript .executemany .query .raw .exec_query .execute_query .queryRaw \
      .$executeRawUnsafe .$queryRawUnsafe .executeRaw .exec_driver_sql .execute_batch .do .prepare \
      .exec_params .fetch .fetchrow .fetchval .run .all .exec",
        &[Nothing, Statement],
    ),
    ("sqlalchemy.text text", &[Statement]),
    // The network.
    (
        "urllib.request.urlopen urllib.request.Request urllib2.urlopen requests.get requests.head \
      httpx.get http.get https.get axios axios.get fetch got superagent.get .urlopen \
      urllib.request.urlretrieve node-fetch undici.fetch undici.request aiohttp.request \
      Net.HTTP.get Net.HTTP.get_response URI.open OpenURI.open_uri LWP.Simple.get get getstore \
      LWP.Simple.getstore wget.download open-uri https.request http.request requests.request \
      request.get needle.get",
        &[Address, Sent, Sent, Sent, Sent],
    ),
    (
        "requests.post requests.put requests.patch requests.delete httpx.post httpx.put axios.post \
      axios.put axios.patch Net.HTTP.post Net.HTTP.post_form Net.HTTP.put .post .put .patch \
      .urlencode_send got.post superagent.post .post_form",
        &[Sent, Sent, Sent, Sent, Sent],
    ),
    (
        ".send .sendall .sendto .send_message .sendmail .storbinary .storlines .upload_file .put_object \
      .upload .send_file",
        &[Nothing, Sent, Sent, Sent],
    ),
    // What is handed a function.
    (
        "map filter forEach .forEach .map .each .flatMap .then .select .reject .filter .each_with_index \
      .collect .each_entry .find .some .every .reduce .sort_by .apply_async .submit .tap .each_slice \
      .imap .starmap",
        &[Nothing, Call],
    ),
];

/// Calls that do nothing with what they are given but show or compute: a text in them is a text.
pub(super) fn is_harmless(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name);
    let first = name.split('.').next().unwrap_or(name);
    HARMLESS_NAMES.contains(&last) || HARMLESS_MODULES.contains(&first)
}

const HARMLESS_MODULES: [&str; 22] = [
    "JSON",
    "Math",
    "argparse",
    "ast",
    "collections",
    "console",
    "datetime",
    "hashlib",
    "html",
    "itertools",
    "json",
    "logging",
    "math",
    "parser",
    "random",
    "re",
    "string",
    "textwrap",
    "time",
    "tokenize",
    "unittest",
    "warnings",
];

const HARMLESS_NAMES: [&str; 74] = [
    "Error",
    "Exception",
    "RuntimeError",
    "TypeError",
    "ValueError",
    "RegExp",
    "abort",
    "add",
    "add_argument",
    "append",
    "assert",
    "assertEqual",
    "assertIn",
    "basename",
    "count",
    "critical",
    "debug",
    "die",
    "dirname",
    "endsWith",
    "end_with",
    "endswith",
    "eq",
    "equal",
    "error",
    "escape",
    "exists",
    "existsSync",
    "extend",
    "find",
    "format",
    "get",
    "grep",
    "gsub",
    "has",
    "include?",
    "includes",
    "index",
    "indexOf",
    "info",
    "insert",
    "isfile",
    "isdir",
    "join",
    "len",
    "length",
    "log",
    "match",
    "p",
    "pprint",
    "print",
    "printf",
    "push",
    "puts",
    "raise",
    "replace",
    "replaceAll",
    "say",
    "search",
    "set",
    "split",
    "sprintf",
    "startsWith",
    "start_with",
    "startswith",
    "strip",
    "strictEqual",
    "sub",
    "subn",
    "table",
    "test",
    "trim",
    "warn",
    "warning",
];

/// Whether a call that is not in the table changes what it names, by its own name.
pub(super) fn sounds_like_writing(name: &str) -> bool {
    let last = name.rsplit('.').next().unwrap_or(name).to_ascii_lowercase();
    [
        "append", "chmod", "copy", "create", "delete", "dump", "move", "output", "patch", "remove",
        "rename", "save", "symlink", "touch", "truncate", "unlink", "write",
    ]
    .iter()
    .any(|it| last.contains(it))
}
