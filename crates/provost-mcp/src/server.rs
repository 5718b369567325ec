//! The server, as the SDK asks it: what it offers, and how it answers.
//!
//! Every call carries all that it needs, so nothing is remembered between two of them, and both
//! lifecycles of the protocol, with and without a handshake, find the same.

use std::{fmt, pin::pin, sync::Arc, time::Duration};

use axum::http::request::Parts;
use provost_engine::story::{
    self,
    tool::{Audience, Effect, Tool},
};
use provost_kernel::{Lang, shorten, shorten_to, story::StoryName};
use rmcp::{
    ErrorData, RoleServer, ServerHandler,
    model::{
        CallToolRequestParams, CallToolResponse, CustomRequest, CustomResult, ErrorCode,
        GetPromptRequestParams, GetPromptResponse, GetPromptResult, Implementation,
        InitializeRequestParams, InitializeResult, JsonObject, ListPromptsResult,
        ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
        ProgressNotificationParam, ProgressToken, Prompt, PromptArgument, PromptMessage,
        ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Role,
        ServerCapabilities, ServerConfig, ToolAnnotations,
    },
    service::{Peer, RequestContext},
};
use serde_json::{Value, json};
use tokio::{
    sync::{Semaphore, mpsc::UnboundedReceiver},
    task::spawn_blocking,
    time::{Instant, interval_at, timeout},
};
use tokio_util::sync::CancellationToken;

use crate::{Host, HostError, Reply, calls::Calls, gate, offer, resources, tools, watch::Watch};

/// How many calls are carried out at once; more wait.
const AT_ONCE: u32 = 16;
/// The number of the signal by which a call is ended.
const SIGTERM: i32 = 15;
/// How often a client hears that a call still runs: many give one up after a minute of silence.
const BEAT: Duration = Duration::from_secs(10);
/// The requests of the protocol that this server answers.
const METHODS: [&str; 9] = [
    "initialize",
    "ping",
    "tools/list",
    "tools/call",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "prompts/list",
    "prompts/get",
];
/// The name of the prompt.
const PROMPT: &str = "story";

/// Whom the server is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// The tools of an agent.
    Agent,
    /// Those of an operator as well.
    Operator,
}

/// The server. Its clones are one: the same host, and the same calls under way.
#[derive(Clone)]
pub struct Server {
    host: Arc<dyn Host>,
    offer: Offer,
    /// Records are written by one caller at a time.
    recording: Arc<Semaphore>,
    calls: Arc<Semaphore>,
    /// Those that a client may end by name.
    named: Calls,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("offer", &self.offer).finish_non_exhaustive()
    }
}

impl Server {
    pub fn new(host: Arc<dyn Host>, offer: Offer) -> Self {
        let recording = Arc::new(Semaphore::new(1));
        let calls = Arc::new(Semaphore::new(AT_ONCE as usize));
        Self { host, offer, recording, calls, named: Calls::default() }
    }

    /// The calls that a client may end by name.
    pub(crate) fn named(&self) -> Calls {
        self.named.clone()
    }

    fn silent(&self) -> Watch {
        Watch::silent(Arc::default(), self.lang())
    }

    /// Waits until no call is under way, or no longer.
    pub(crate) async fn settle(&self, patience: Duration) {
        let _ = timeout(patience, self.calls.acquire_many(AT_ONCE)).await;
    }

    fn lang(&self) -> Lang {
        self.host.lang()
    }

    /// The tools that are offered.
    fn offered(&self) -> impl Iterator<Item = Tool> {
        let offer = self.offer;
        Tool::ALL.into_iter().filter(move |it| match it.audience() {
            Audience::Agent => true,
            Audience::Operator => offer == Offer::Operator,
        })
    }

    /// Carries something out on a thread of its own. The caller may give it up; what fails in
    /// it fails alone.
    async fn carry_out<T: Send + 'static>(
        &self,
        effect: Effect,
        cancelled: CancellationToken,
        watch: Watch,
        work: impl FnOnce(&dyn Host, &Watch) -> T + Send + 'static,
    ) -> Result<T, Lost> {
        let permits = async {
            let call = Arc::clone(&self.calls).acquire_owned().await.ok();
            let alone = match effect {
                Effect::Reads => None,
                Effect::Records | Effect::RecordsOnce | Effect::Ends => {
                    Arc::clone(&self.recording).acquire_owned().await.ok()
                }
            };
            (call, alone)
        };
        let permits = tokio::select! {
            permits = permits => permits,
            () = cancelled.cancelled() => return Err(Lost::Cancelled),
        };
        let (host, interrupt) = (Arc::clone(&self.host), Arc::clone(&watch.interrupt));
        let mut task = spawn_blocking(move || {
            let _held_until_done = permits;
            work(host.as_ref(), &watch)
        });
        let done = tokio::select! {
            done = &mut task => done,
            () = cancelled.cancelled() => {
                interrupt.raise(SIGTERM);
                task.await
            }
        };
        done.map_err(|_| Lost::Crashed)
    }

    fn no_tool(&self, name: &str, nearest: Option<&str>) -> ErrorData {
        let shown = shorten(name);
        let lang = self.lang();
        let text = lang.pick(format!("unknown tool {shown:?}"), format!("未知的工具 {shown:?}"));
        let offered: Vec<&str> = self.offered().map(Tool::name).collect();
        let nearest = nearest.filter(|it| offered.contains(it));
        ErrorData::invalid_params(text, Some(json!({"nearest": nearest, "tools": offered})))
    }

    fn failed(&self, error: &HostError) -> ErrorData {
        let (fault, lang) = (error.fault(), self.lang());
        let data = json!({"codes": [error.code()], "next": lang.render_all(&fault.hints())});
        ErrorData::invalid_params(lang.render(&fault.text()), Some(data))
    }

    fn lost(&self, lost: Lost) -> ErrorData {
        let reply = lost.reply(self.lang());
        let text = reply.value["error"].as_str().unwrap_or_default().to_owned();
        ErrorData::internal_error(text, Some(reply.value))
    }
}

/// Why there is nothing to answer with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lost {
    Cancelled,
    Crashed,
}

impl Lost {
    fn reply(self, lang: Lang) -> Reply {
        match self {
            Self::Cancelled => Reply::cancelled(lang),
            Self::Crashed => Reply::crashed(lang),
        }
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let offered = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .build();
        let mut about = Implementation::new("provost", env!("CARGO_PKG_VERSION"));
        about.title = Some("provost".to_owned());
        let mut config = ServerConfig::new(offered).with_instructions(instructions(self.lang()));
        config.server_info = about;
        config
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let agreed = self.negotiate_initialize(&request)?;
        // What comes later is read by what was agreed on, and not by what was asked for.
        let known = request.with_protocol_version(agreed.protocol_version.clone());
        context.peer.set_peer_info(known);
        Ok(agreed)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let lang = self.lang();
        Ok(ListToolsResult::with_all_items(self.offered().map(|it| offer(it, lang)).collect()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool: Tool = request
            .name
            .parse()
            .map_err(|it: story::tool::UnknownTool| self.no_tool(&request.name, it.nearest))?;
        if !self.offered().any(|it| it == tool) {
            return Err(self.no_tool(&request.name, None));
        }
        let arguments = request.arguments.unwrap_or_default();
        let headers = context.extensions.get::<Parts>().map(|it| &it.headers);
        let under_way =
            self.named.begin(headers.and_then(gate::session), context.id.clone(), &context.ct);
        let (watch, steps) = match context.meta.get_progress_token() {
            None => (self.silent(), None),
            Some(token) => {
                let (watch, steps) = Watch::told(Arc::default(), self.lang());
                (watch, Some((token, steps)))
            }
        };
        let done = self.carry_out(tool.effect(), under_way.token(), watch, move |host, watch| {
            tools::call(host, tool, arguments, watch)
        });
        let done = match steps {
            None => done.await,
            Some((token, steps)) => tell(&context.peer, token, steps, done).await,
        };
        let reply = done.unwrap_or_else(|lost| lost.reply(self.lang()));
        Ok(reply.result().into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let cursor = request.and_then(|it| it.cursor);
        let listed = self.carry_out(Effect::Reads, context.ct, self.silent(), move |host, _| {
            resources::list(host, cursor.as_deref())
        });
        let page = listed.await.map_err(|it| self.lost(it))?.map_err(|it| self.failed(&it))?;
        let page = page.ok_or_else(|| {
            let text = self.lang().pick("no such cursor", "游标无效");
            ErrorData::invalid_params(text, None)
        })?;
        let mut result = ListResourcesResult::with_all_items(page.resources);
        result.next_cursor = page.next;
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates(self.lang())))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let uri = request.uri;
        let shown = shorten_to(&uri, 200);
        let done = self.carry_out(Effect::Reads, context.ct, self.silent(), move |host, _| {
            resources::read(host, &uri)
        });
        let found = done.await.map_err(|it| self.lost(it))?;
        let missing = |error: Option<&HostError>| {
            let lang = self.lang();
            let text = error.map_or_else(
                || lang.pick("there is nothing at this address", "此地址没有内容").to_owned(),
                |it| lang.render(&it.fault().text()),
            );
            ErrorData::resource_not_found(text, Some(json!({"uri": shown})))
        };
        match found {
            Ok(Some(contents)) => Ok(ReadResourceResult::new(vec![contents]).into()),
            Ok(None) => Err(missing(None)),
            Err(error) => Err(missing(Some(&error))),
        }
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        let lang = self.lang();
        let argument = |name, about: [&str; 2], required| {
            PromptArgument::new(name)
                .with_description(lang.pick(about[0], about[1]))
                .with_required(required)
        };
        let arguments = vec![
            argument("storyId", ["the story: `US-001`", "故事：`US-001`"], true),
            argument("branch", ["the branch of its plan", "计划的分支"], false),
        ];
        let about = lang.pick(
            "what the agent of a story is told: open criteria, evidence rules, limits",
            "故事代理的提示词：未完成的 AC、证据规则与限制",
        );
        Ok(ListPromptsResult::with_all_items(vec![Prompt::new(
            PROMPT,
            Some(about),
            Some(arguments),
        )]))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let lang = self.lang();
        let arguments = request.arguments.unwrap_or_default();
        let text = |key: &str| arguments.get(key).and_then(Value::as_str);
        let story = text("storyId").and_then(|it| it.parse().ok());
        let (PROMPT, Some(story)) = (request.name.as_str(), story) else {
            let message = lang.pick(
                "the prompt is `story`, with a `storyId` such as `US-001`",
                "提示词为 `story`，需要 `storyId`，如 `US-001`",
            );
            return Err(ErrorData::invalid_params(message, None));
        };
        let name = StoryName { of: text("branch").map(str::to_owned), story };
        let done = self.carry_out(Effect::Reads, context.ct, self.silent(), move |host, watch| {
            tools::prompt(host, &name, watch)
        });
        let told = done.await.map_err(|it| self.lost(it))?.map_err(|it| self.failed(&it))?;
        let message = PromptMessage::new_text(Role::User, told);
        Ok(GetPromptResult::new(vec![message]).into())
    }

    /// A request that the SDK has no type for: a method that is not there, or one whose parameters
    /// do not have its form.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let (lang, shown) = (self.lang(), shorten(&request.method));
        if METHODS.contains(&request.method.as_str()) {
            let text = lang.pick(
                format!("the parameters of {shown:?} do not have their form"),
                format!("{shown:?} 的参数格式不正确"),
            );
            return Err(ErrorData::invalid_params(text, None));
        }
        let text = lang.pick(format!("unknown method {shown:?}"), format!("未知的方法 {shown:?}"));
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, text, None))
    }
}

/// Tells a client of the steps of a call, and that it still runs, until it is done.
async fn tell<T>(
    peer: &Peer<RoleServer>,
    token: ProgressToken,
    mut steps: UnboundedReceiver<String>,
    done: impl Future<Output = T>,
) -> T {
    let mut done = pin!(done);
    let (mut count, mut last) = (0.0, String::new());
    let mut beat = interval_at(Instant::now() + BEAT, BEAT);
    loop {
        let result = tokio::select! {
            biased;
            Some(step) = steps.recv() => {
                last = step;
                None
            }
            result = &mut done => Some(result),
            _ = beat.tick() => None,
        };
        if let Some(result) = result {
            return result;
        }
        count += 1.0;
        let mut progress = ProgressNotificationParam::new(token.clone(), count);
        progress.message = Some(last.clone()).filter(|it| !it.is_empty());
        // A client that cannot be told is one that the answer will not reach either.
        let _ = peer.notify_progress(progress).await;
    }
}

/// A tool as the protocol has it.
fn offer(tool: Tool, lang: Lang) -> rmcp::model::Tool {
    let schema = match tool.schema() {
        Value::Object(schema) => schema,
        // It is one, by its table.
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            JsonObject::new()
        }
    };
    let (is_reading, is_ending, is_once) = match tool.effect() {
        Effect::Reads => (true, false, true),
        Effect::Records => (false, false, false),
        Effect::RecordsOnce => (false, false, true),
        Effect::Ends => (false, true, true),
    };
    // Nothing here reaches beyond this machine: what is run is run without the network.
    let hints = ToolAnnotations::with_title(offer::title(tool, lang))
        .read_only(is_reading)
        .destructive(is_ending)
        .idempotent(is_once)
        .open_world(false);
    rmcp::model::Tool::new(tool.name(), offer::about(tool, lang), Arc::new(schema))
        .with_title(offer::title(tool, lang))
        .with_annotations(hints)
}

fn instructions(lang: Lang) -> &'static str {
    lang.pick(
        "Work on stories: `ralph_get` shows what is open, `ralph_declare` comes before the first change, `ralph_update` reports with evidence for each criterion. Every command is run again on a clean checkout; a refusal says what to send next.",
        "按故事工作：`ralph_get` 查看未完成的内容；首次改动前先 `ralph_declare`；用 `ralph_update` 为每条 AC 提供证据。每条命令都会在干净检出上重跑；被拒绝时会说明下一步应发送什么。",
    )
}

#[cfg(test)]
mod tests {
    use provost_engine::{
        Desk, Engine, Interrupt,
        story::{Freshness, StoryError},
        task::Progress,
    };
    use provost_kernel::Actor;
    use tokio::runtime::Builder;

    use super::*;
    use crate::{Place, PlanFile};

    /// A host in which nothing can be done without a panic.
    struct Ruin;

    impl Host for Ruin {
        fn lang(&self) -> Lang {
            Lang::En
        }

        fn desk(&self) -> Result<Desk, HostError> {
            panic!("no desk")
        }

        fn actor(&self) -> Actor {
            panic!("no actor")
        }

        fn freshness(&self) -> &Freshness {
            panic!("no freshness")
        }

        fn plan(&self, _path: &str, _folder: Option<&str>) -> Result<PlanFile, HostError> {
            panic!("no plan")
        }

        fn engine(
            &self,
            _place: &Place,
            _interrupt: &Arc<Interrupt>,
            _progress: &dyn Progress,
            _work: &mut dyn FnMut(&Engine<'_>) -> Result<Reply, StoryError>,
        ) -> Result<Reply, HostError> {
            panic!("no engine")
        }

        fn doctor(&self) -> Result<Reply, HostError> {
            panic!("no doctor")
        }
    }

    fn wait<T>(future: impl Future<Output = T>) -> T {
        Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
    }

    /// Every tool panics here, and every one of them is answered, with nothing held afterwards.
    #[test]
    fn a_panic_is_an_answer_and_the_next_call_is_answered_too() {
        let server = Server::new(Arc::new(Ruin), Offer::Operator);
        for tool in Tool::ALL {
            let arguments = json!({
                "prdPath": "p.md", "storyId": "US-001", "branch": "b", "passes": true,
                "expectedFiles": ["a"], "agentTaskId": "a",
            });
            let known = tool.schema();
            let Value::Object(mut arguments) = arguments else { panic!() };
            arguments.retain(|key, _| known["properties"].get(key).is_some());
            let done = wait(server.carry_out(
                tool.effect(),
                CancellationToken::new(),
                server.silent(),
                move |host, watch| tools::call(host, tool, arguments, watch),
            ));
            assert_eq!(done.map(|it| it.value), Err(Lost::Crashed), "{tool:?}");
        }
        assert_eq!(server.calls.available_permits(), AT_ONCE as usize);
        assert_eq!(server.recording.available_permits(), 1);
        assert!(Lost::Crashed.reply(Lang::En).is_error);
    }

    #[test]
    fn a_call_that_is_given_up_is_told_so() {
        let server = Server::new(Arc::new(Ruin), Offer::Agent);
        let cancelled = CancellationToken::new();
        let giving_up = cancelled.clone();
        let done =
            server.carry_out(Effect::Records, cancelled, server.silent(), move |_, watch| {
                let interrupt = &watch.interrupt;
                giving_up.cancel();
                // It ends as soon as it is told; a test that is never told is ended by its runner.
                while interrupt.signal().is_none() {
                    std::thread::yield_now();
                }
                interrupt.signal().and_then(|it| it.name)
            });
        assert_eq!(wait(done), Ok(Some("SIGTERM".to_owned())));
    }

    /// A call that waits for its turn does not begin after it was given up.
    #[test]
    fn a_call_that_waits_can_be_given_up() {
        let server = Server::new(Arc::new(Ruin), Offer::Agent);
        let alone = Arc::clone(&server.recording).try_acquire_owned().unwrap();
        let cancelled = CancellationToken::new();
        cancelled.cancel();
        let done = wait(server.carry_out(Effect::Records, cancelled, server.silent(), |_, _| ()));
        assert_eq!(done, Err(Lost::Cancelled));
        drop(alone);
    }

    #[test]
    fn an_operator_is_offered_twelve_tools_and_an_agent_six() {
        let count = |offer| Server::new(Arc::new(Ruin), offer).offered().count();
        assert_eq!((count(Offer::Agent), count(Offer::Operator)), (6, 12));
    }

    /// A client asks a person by these hints, so they are true: only what records nothing is said
    /// to read.
    #[test]
    fn hints_are_those_of_the_effect() {
        for tool in Tool::ALL {
            let hints = offer(tool, Lang::En).annotations.unwrap();
            let effect = tool.effect();
            assert_eq!(hints.read_only_hint, Some(effect == Effect::Reads), "{tool:?}");
            assert_eq!(hints.destructive_hint, Some(effect == Effect::Ends), "{tool:?}");
            assert_eq!(hints.open_world_hint, Some(false));
        }
    }
}
