//! Files that are not the same afterwards, though nothing in the command says that they are written.

use provost_shell::{Invocation, Trait};

use super::{
    super::{
        arguments::{Arguments, known, program},
        path_zones::{Tail, Zone},
    },
    Part,
};

/// Whether what is copied goes on under two names.
pub(super) fn makes_links(name: &str, arguments: Arguments<'_>) -> bool {
    match name {
        "ln" | "link" => true,
        "cp" | "gcp" => {
            arguments.has_letter("ls")
                || arguments.has_long("--link")
                || arguments.has_long("--symbolic-link")
        }
        _ => false,
    }
}

/// Whether a packer leaves nothing but the packed file: `gzip x`, `7z a x.7z -sdel x`.
pub(super) fn replaces_originals(name: &str, arguments: Arguments<'_>) -> bool {
    let keeps = arguments.has_letter("cklt")
        || ["--keep", "--list", "--stdout", "--test"].iter().any(|it| arguments.has_long(it));
    match name {
        "bzip2" | "compress" | "gunzip" | "gzip" | "lzma" | "xz" => !keeps,
        "lz4" | "zstd" => arguments.has_long("--rm") || arguments.has_letter("m"),
        "7z" | "7za" | "7zr" | "7zz" => arguments.has("-sdel"),
        _ => false,
    }
}

/// Whether an invocation changes the files that it is given.
pub(super) fn changes(invocation: &Invocation) -> bool {
    let known = known(invocation);
    let arguments = Arguments::of(invocation);
    let is_in_place = arguments.has_letter("i") || arguments.has_long("--in-place");
    let is_editor = known.is(Trait::EditsInPlace)
        || matches!(program(invocation).as_deref(), Some("perl" | "ruby"));
    (is_editor && is_in_place) || known.name == "truncate"
}

/// Whether the files that `xargs` or `find` hands on lie outside the project: `grep -rl x ~ | xargs sed -i`.
pub(super) fn is_listed_outside(part: &Part<'_>, by: usize) -> bool {
    let all = &part.script.invocations;
    let feeders = part.script.feeders(by).into_iter().filter_map(|it| all.get(it));
    let finder = all.get(by).filter(|it| known(it).is(Trait::Finds));
    feeders.chain(finder).flat_map(|it| Arguments::of(it).operands()).any(|it| {
        let target = part.zones.target(it, Some(&part.zones.directory));
        let is_path = target.tail != Tail::Anything && target.path.starts_with('/');
        let zone = part.zones.reach(&target);
        is_path
            && !part.zones.is_inside(&target.path)
            && matches!(zone, Zone::Whole | Zone::Outside | Zone::System)
    })
}
