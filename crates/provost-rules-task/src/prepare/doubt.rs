//! What could make an installation run something that was delivered.

use std::collections::BTreeMap;

use provost_rules::ecosystem::{FilePattern, Install, Manifest, Sources, Workspace};

use super::{Files, join, members, upwards};

/// The file that could make the installation of a folder run something that was delivered.
pub(super) fn doubt(row: &Install, folder: &str, files: Files<'_>) -> Option<String> {
    row.settings
        .iter()
        .find_map(|it| setting(it, folder, files))
        .or_else(|| manager(row.manifest.as_ref()?, folder, files))
        .or_else(|| source(row.sources.as_ref()?, folder, files))
        .or_else(|| workspace(row.workspace.as_ref()?, folder, files))
}

/// A file of the settings that is not that of the base, here or in a folder above.
fn setting(name: &str, folder: &str, files: Files<'_>) -> Option<String> {
    if let Some(inner) = name.strip_suffix('/') {
        let differs = |at: &str| {
            let below = format!("{}/", join(at, inner));
            let all = files.paths.iter().chain(files.base_paths);
            let mut below = all.filter(|it| it.starts_with(&below));
            below.find(|it| !(files.is_same)(it)).cloned()
        };
        return upwards(folder).find_map(differs);
    }
    if name.contains('*') {
        let pattern = FilePattern::new(name);
        let all = files.paths.iter().chain(files.base_paths);
        return all.filter(|it| pattern.matches(it)).find(|it| !(files.is_same)(it)).cloned();
    }
    upwards(folder).map(|it| join(it, name)).find(|it| !(files.is_same)(it))
}

/// A lock file with a package from a source that is refused.
fn source(sources: &Sources, folder: &str, files: Files<'_>) -> Option<String> {
    let is_refused = |it: &String| {
        let text = (files.delivered)(it).unwrap_or_default();
        let is_new = !(files.is_same)(it) && sources.refused.is_match(&text);
        is_new || sources.always_refused.is_match(&text)
    };
    sources.files.iter().map(|it| join(folder, it)).find(is_refused)
}

/// A workspace file with other settings than those of the base.
fn workspace(workspace: &Workspace, folder: &str, files: Files<'_>) -> Option<String> {
    let file = join(folder, &workspace.file);
    let sections = |text: Option<String>| {
        let mut sections = sections(&text.unwrap_or_default());
        sections.retain(|key, _| !workspace.harmless.contains(key));
        sections
    };
    let differs = !(files.is_same)(&file)
        && sections((files.base)(&file)) != sections((files.delivered)(&file));
    differs.then_some(file)
}

/// The top-level keys of a YAML file, with their lines.
fn sections(text: &str) -> BTreeMap<String, String> {
    let mut sections: BTreeMap<String, String> = BTreeMap::new();
    let mut key = String::new();
    for line in text.lines().filter(|it| !it.trim().is_empty() && !it.starts_with('#')) {
        if !line.starts_with([' ', '\t', '-']) {
            line.split(':').next().unwrap_or_default().trim().clone_into(&mut key);
        }
        let section = sections.entry(key.clone()).or_default();
        section.push_str(line);
        section.push('\n');
    }
    sections
}

/// A manifest that selects or configures another package manager than that of the base.
fn manager(manifest: &Manifest, folder: &str, files: Files<'_>) -> Option<String> {
    let differs = |file: &String| {
        if (files.is_same)(file) {
            return false;
        }
        let read = |text: Option<String>| members::read(file, &text.unwrap_or_default());
        let (base, delivered) = (read((files.base)(file)), read((files.delivered)(file)));
        manifest.keys.iter().any(|it| members::at(&base, it) != members::at(&delivered, it))
    };
    upwards(folder).map(|it| join(it, &manifest.file)).find(differs)
}
