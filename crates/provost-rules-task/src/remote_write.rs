//! Who may read and order from a chat (LOOP-A8). Closed unless everything says otherwise.
//!
//! Reading needs a chat on the allow-list. An order needs the flag, a chat and a user that are both on the
//! list, and a place within the rate (LOOP-A16).

use std::{collections::BTreeSet, str::FromStr};

use provost_kernel::{Message, Millis};
pub use provost_rules::rate::Window;

/// The chats and users that are admitted. An empty list admits nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allowlist(BTreeSet<i64>);

/// Whether orders are taken at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WriteMode {
    #[default]
    Disabled,
    Enabled,
    /// An agent runs this process, and agents give no orders (ruling 70).
    BelowAgent,
}

/// Where something came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sender {
    pub chat: i64,
    pub user: i64,
}

/// The gate in front of orders.
#[derive(Clone, Debug)]
pub struct WriteGate {
    allowlist: Allowlist,
    mode: WriteMode,
    per_minute: u32,
}

/// An entry of the allow-list that is not an id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(
    code = "telegram.allowlist",
    en = "`{entry}` in `TELEGRAM_CHAT_ALLOWLIST` is not a chat id",
    zh = "`TELEGRAM_CHAT_ALLOWLIST` 中的 `{entry}` 不是聊天 id",
    hint(
        en = "write numbers separated by commas; the bot tells a chat its id",
        zh = "请填写以逗号分隔的数字；机器人会告知聊天的 id"
    )
)]
pub struct AllowlistError {
    pub entry: String,
}

/// Why something from a chat is not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, Message)]
#[error("{}", self.text())]
#[message(code = "telegram.refused", exit = Refused)]
pub enum RemoteRefusal {
    #[message(
        en = "this chat ({chat}) may not use this bot",
        zh = "此聊天（{chat}）无权使用该机器人",
        hint(
            en = "its owner can add the id to `TELEGRAM_CHAT_ALLOWLIST`",
            zh = "机器人的所有者可将该 id 加入 `TELEGRAM_CHAT_ALLOWLIST`"
        )
    )]
    Chat { chat: i64 },
    #[message(
        en = "you ({user}) may not give orders here",
        zh = "你（{user}）无权在此下达指令",
        hint(
            en = "the owner of the bot can add your id to `TELEGRAM_CHAT_ALLOWLIST`",
            zh = "机器人的所有者可将你的 id 加入 `TELEGRAM_CHAT_ALLOWLIST`"
        )
    )]
    User { user: i64 },
    #[message(
        en = "this bot takes no orders",
        zh = "该机器人不接受指令",
        hint(
            en = "its owner can start it with `RDLOOP_ENABLE_WRITES=true`",
            zh = "所有者可用 `RDLOOP_ENABLE_WRITES=true` 启动它"
        )
    )]
    Disabled,
    #[message(
        en = "this bot takes no orders: an agent started it",
        zh = "该机器人由智能体启动，不接受指令",
        hint(
            en = "start `provost bot` in a terminal of your own",
            zh = "请在自己的终端启动 `provost bot`"
        )
    )]
    BelowAgent,
    #[message(
        en = "too many orders within a minute: at most {per_minute}",
        zh = "一分钟内的指令过多：最多 {per_minute} 个",
        hint(en = "try again in {seconds} s", zh = "请在 {seconds} 秒后重试"),
        exit = Quota
    )]
    TooMany { per_minute: u32, seconds: u64 },
    /// It came again after it was refused.
    #[message(
        en = "this order was refused because there were too many, and is not carried out later",
        zh = "该指令因数量过多已被拒绝，之后也不会执行",
        hint(en = "give it again", zh = "请重新下达"),
        exit = Quota
    )]
    RefusedBefore,
}

impl Allowlist {
    pub fn has(&self, id: i64) -> bool {
        self.0.contains(&id)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn ids(&self) -> impl Iterator<Item = i64> {
        self.0.iter().copied()
    }
}

impl FromStr for Allowlist {
    type Err = AllowlistError;

    /// Ids separated by commas. One that is none is an error: an allow-list is never guessed.
    fn from_str(text: &str) -> Result<Self, AllowlistError> {
        let entries = text.split(',').map(str::trim).filter(|it| !it.is_empty());
        let parse = |it: &str| {
            let id: Option<i64> = it.parse().ok().filter(|id| *id != 0);
            id.ok_or_else(|| AllowlistError { entry: provost_kernel::shorten(it) })
        };
        entries.map(parse).collect::<Result<_, _>>().map(Self)
    }
}

impl WriteMode {
    /// `true` enables orders, and nothing else does.
    pub fn of(flag: Option<&str>, is_below_agent: bool) -> Self {
        match flag {
            Some("true") if is_below_agent => Self::BelowAgent,
            Some("true") => Self::Enabled,
            Some(_) | None => Self::Disabled,
        }
    }
}

impl RemoteRefusal {
    /// As the audit names it.
    pub fn code(self) -> &'static str {
        match self {
            Self::Chat { .. } => "chat_not_allowed",
            Self::User { .. } => "user_not_allowed",
            Self::Disabled => "writes_disabled",
            Self::BelowAgent => "below_agent",
            Self::TooMany { .. } => "too_many",
            Self::RefusedBefore => "refused_before",
        }
    }
}

impl WriteGate {
    pub fn new(allowlist: Allowlist, mode: WriteMode, per_minute: u32) -> Self {
        Self { allowlist, mode, per_minute }
    }

    /// Whether a chat may read.
    pub fn admit_read(&self, sender: Sender) -> Result<(), RemoteRefusal> {
        if self.allowlist.has(sender.chat) {
            Ok(())
        } else {
            Err(RemoteRefusal::Chat { chat: sender.chat })
        }
    }

    /// Whether an order could be given; takes nothing from the rate.
    pub fn check_write(&self, sender: Sender) -> Result<(), RemoteRefusal> {
        self.admit_read(sender)?;
        if !self.allowlist.has(sender.user) {
            return Err(RemoteRefusal::User { user: sender.user });
        }
        match self.mode {
            WriteMode::Enabled => Ok(()),
            WriteMode::Disabled => Err(RemoteRefusal::Disabled),
            WriteMode::BelowAgent => Err(RemoteRefusal::BelowAgent),
        }
    }

    /// The refusal of a minute of which nothing is known.
    pub fn full(&self) -> RemoteRefusal {
        RemoteRefusal::TooMany { per_minute: self.per_minute, seconds: 60 }
    }

    /// Whether an order is taken now; one that is takes its place in the window.
    pub fn admit_write(
        &self,
        sender: Sender,
        window: &mut Window,
        now: Millis,
    ) -> Result<(), RemoteRefusal> {
        self.check_write(sender)?;
        let per_minute = self.per_minute;
        let too_many =
            |wait: u64| RemoteRefusal::TooMany { per_minute, seconds: wait.div_ceil(1000) };
        window.take(per_minute, now).map_err(too_many)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CHAT: i64 = -100;
    const USER: i64 = 7;

    /// LOOP-A8, LOOP-A16: flag × allow-list × chat × user × rate. Five cells of 1,008 are open.
    #[test]
    fn an_order_is_taken_only_when_everything_says_so() {
        let flags =
            [None, Some(""), Some("1"), Some("yes"), Some("TRUE"), Some(" true"), Some("true")];
        let lists = ["", "-100", "7", "-100,7", "-100,8", "-101,7"];
        let mut open = 0;
        for flag in flags {
            for is_below_agent in [false, true] {
                for list in lists {
                    for chat in [CHAT, USER, -1] {
                        for user in [USER, 8] {
                            for per_minute in [0, 10] {
                                let allowlist: Allowlist = list.parse().unwrap();
                                let is_listed =
                                    allowlist.has(chat) && allowlist.has(user) && !list.is_empty();
                                let mode = WriteMode::of(flag, is_below_agent);
                                let gate = WriteGate::new(allowlist, mode, per_minute);
                                let mut window = Window::default();
                                let sender = Sender { chat, user };
                                let is_open =
                                    gate.admit_write(sender, &mut window, Millis(0)).is_ok();
                                let expected = flag == Some("true")
                                    && !is_below_agent
                                    && is_listed
                                    && per_minute > 0;
                                let cell = (flag, is_below_agent, list, chat, user, per_minute);
                                assert_eq!(is_open, expected, "{cell:?}");
                                open += usize::from(is_open);
                            }
                        }
                    }
                }
            }
        }
        // The group and its member; a private chat with the user, by three lists; user 8 in the group.
        assert_eq!(open, 5);
    }

    #[test]
    fn a_refusal_names_the_first_thing_that_is_missing() {
        let refused = |list: &str, mode, chat, user| {
            let gate = WriteGate::new(list.parse().unwrap(), mode, 10);
            gate.check_write(Sender { chat, user }).map_err(RemoteRefusal::code)
        };
        assert_eq!(refused("", WriteMode::Enabled, CHAT, USER), Err("chat_not_allowed"));
        assert_eq!(refused("7", WriteMode::Enabled, CHAT, USER), Err("chat_not_allowed"));
        assert_eq!(refused("-100", WriteMode::Enabled, CHAT, USER), Err("user_not_allowed"));
        assert_eq!(refused("-100,7", WriteMode::Disabled, CHAT, USER), Err("writes_disabled"));
        assert_eq!(refused("-100,7", WriteMode::BelowAgent, CHAT, USER), Err("below_agent"));
        assert_eq!(refused("-100,7", WriteMode::Enabled, CHAT, USER), Ok(()));
        assert_eq!(refused("7", WriteMode::Enabled, USER, USER), Ok(()));
    }

    /// LOOP-A16: ten in any minute, to the order. What is refused for another reason takes no place.
    #[test]
    fn ten_orders_a_minute_are_taken() {
        let list: Allowlist = "-100,7".parse().unwrap();
        let gate = WriteGate::new(list, WriteMode::Enabled, 10);
        let mut window = Window::default();
        let (known, stranger) = (Sender { chat: CHAT, user: USER }, Sender { chat: -1, user: 9 });
        let mut admit = |sender, at| gate.admit_write(sender, &mut window, Millis(at));
        for _ in 0..100 {
            assert!(admit(stranger, 0).is_err());
        }
        for at in 0..10 {
            assert_eq!(admit(known, at * 1000), Ok(()));
        }
        let too_many = |seconds| Err(RemoteRefusal::TooMany { per_minute: 10, seconds });
        assert_eq!(admit(known, 9_000), too_many(51));
        assert_eq!(admit(known, 59_999), too_many(1));
        assert_eq!(admit(known, 60_000), Ok(()));
        assert_eq!(admit(known, 60_000), too_many(1));
    }

    #[test]
    fn an_allow_list_is_read_strictly() {
        let ids = |text: &str| text.parse::<Allowlist>().map(|it| it.ids().collect::<Vec<_>>());
        assert_eq!(ids(""), Ok(vec![]));
        assert_eq!(ids(" , "), Ok(vec![]));
        assert_eq!(ids("7, -100,7"), Ok(vec![-100, 7]));
        for text in ["@name", "7;8", "7 8", "*", "0", "7,all", "99999999999999999999"] {
            assert!(ids(text).is_err(), "{text}");
        }
    }
}
