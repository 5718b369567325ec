//! Resources: plans, stories, and what commands printed.

use provost_engine::story::{self, Readable};
use provost_kernel::{Lang, story::StoryName};
use rmcp::model::{Resource, ResourceContents, ResourceTemplate};

use crate::{
    Host, HostError, Reply,
    address::{Address, TEMPLATES},
};

/// So many plans are listed at once.
const PAGE: usize = 20;

const JSON: &str = "application/json";
const MARKDOWN: &str = "text/markdown";
const TEXT: &str = "text/plain";

/// Some of the resources, and where the next ones begin.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) resources: Vec<Resource>,
    pub(crate) next: Option<String>,
}

/// The resources of the plans that go on. None where the cursor is none that we gave.
pub(crate) fn list(host: &dyn Host, cursor: Option<&str>) -> Result<Option<Page>, HostError> {
    let skip = match cursor.map(str::parse::<usize>) {
        None => 0,
        Some(Ok(skip)) => skip,
        Some(Err(_)) => return Ok(None),
    };
    let (plans, has_more) = story::readable(&host.desk()?, skip, PAGE)?;
    let resources = plans.iter().flat_map(|it| of_plan(it, host.lang())).collect();
    Ok(Some(Page { resources, next: has_more.then(|| (skip + PAGE).to_string()) }))
}

pub(crate) fn templates(lang: Lang) -> Vec<ResourceTemplate> {
    let template = |(name, template, about): (&str, &str, [&str; 2])| {
        ResourceTemplate::new(template, name).with_description(lang.pick(about[0], about[1]))
    };
    TEMPLATES.into_iter().map(template).collect()
}

fn of_plan(plan: &Readable, lang: Lang) -> Vec<Resource> {
    let execution = &plan.execution;
    let branch = execution.branch.to_string();
    let mut found = Vec::new();
    if execution.plan_digest.is_some() {
        let address = Address::Plan { branch: branch.clone() };
        found.push(
            Resource::new(address.to_string(), branch.clone())
                .with_title(lang.pick(format!("plan {branch}"), format!("计划 {branch}")))
                .with_mime_type(format_of(&execution.prd_path)),
        );
    }
    for it in &plan.stories {
        let address = Address::Story { branch: branch.clone(), story: it.id.clone() };
        found.push(
            Resource::new(address.to_string(), format!("{branch}:{}", it.id))
                .with_title(it.title.clone())
                .with_mime_type(JSON),
        );
        for &output in &it.outputs {
            let (execution, story) = (execution.id.clone(), it.id.clone());
            let address = Address::Evidence { execution, story, output };
            let name = format!("{branch}:{} {output}", it.id);
            found.push(Resource::new(address.to_string(), name).with_mime_type(TEXT));
        }
    }
    found
}

/// What is at an address; none if there is nothing.
pub(crate) fn read(host: &dyn Host, uri: &str) -> Result<Option<ResourceContents>, HostError> {
    let Ok(address) = uri.parse::<Address>() else { return Ok(None) };
    let desk = host.desk()?;
    let text = |bytes: &[u8], format: &str| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        ResourceContents::text(text, uri).with_mime_type(format)
    };
    Ok(match address {
        Address::Plan { branch } => {
            let plan = story::plan_file(&desk, &branch)?;
            plan.map(|(name, bytes)| text(&bytes, format_of(&name)))
        }
        Address::Story { branch, story } => {
            let view =
                story::story_view(&desk, host.freshness(), &StoryName { of: Some(branch), story })?;
            let value = Reply::of(&view).localized(host.lang()).value;
            let bytes = serde_json::to_vec_pretty(&value).unwrap_or_default();
            Some(text(&bytes, JSON))
        }
        Address::Evidence { execution, story, output } => {
            let kept = story::output(&desk, &execution, &story, output)?;
            kept.map(|mut it| {
                if it.left_out > 0 {
                    let rest = format!("\n… {} more bytes\n", it.left_out);
                    it.bytes.extend_from_slice(rest.as_bytes());
                }
                text(&it.bytes, TEXT)
            })
        }
    })
}

fn format_of(name: &str) -> &'static str {
    let is_json = name.rsplit_once('.').is_some_and(|(_, it)| it.eq_ignore_ascii_case("json"));
    if is_json { JSON } else { MARKDOWN }
}
