//! What a message asks for: `/command@bot arguments`.

use crate::callback::Verb;

/// A message that begins with a slash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Command<'a> {
    Start,
    Help,
    List,
    Inbox,
    Task(&'a str),
    /// An order, with everything behind its name.
    Order(Verb, &'a str),
    Unknown,
    /// For another bot in the same chat.
    ForOther,
}

/// Reads a command; none where a text is not one.
pub(crate) fn parse<'a>(text: &'a str, bot: &str) -> Option<Command<'a>> {
    let text = text.trim().strip_prefix('/')?;
    let (head, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
    let (name, addressee) = head.split_once('@').unwrap_or((head, bot));
    if !addressee.eq_ignore_ascii_case(bot) {
        return Some(Command::ForOther);
    }
    let (name, rest) = (name.to_ascii_lowercase(), rest.trim());
    Some(match name.as_str() {
        "start" => Command::Start,
        "help" => Command::Help,
        "tasks" | "rdloop" => Command::List,
        "inbox" => Command::Inbox,
        "task" => Command::Task(rest),
        other => Verb::named(other).map_or(Command::Unknown, |it| Command::Order(it, rest)),
    })
}

/// The task of an order, and what is said with it.
pub(crate) fn split(rest: &str) -> (&str, &str) {
    let (task, text) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    (task, text.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_read_with_its_arguments() {
        for (text, expected) in [
            ("/tasks", Some(Command::List)),
            ("/rdloop", Some(Command::List)),
            ("/RDLOOP@Provost_Bot", Some(Command::List)),
            ("/tasks@other_bot", Some(Command::ForOther)),
            ("/start", Some(Command::Start)),
            ("/help me", Some(Command::Help)),
            ("/inbox", Some(Command::Inbox)),
            ("/task  t1 ", Some(Command::Task("t1"))),
            ("/task", Some(Command::Task(""))),
            ("/answer t1 yes\nplease", Some(Command::Order(Verb::Answer, "t1 yes\nplease"))),
            ("/approve", Some(Command::Order(Verb::Approve, ""))),
            ("/land t1", Some(Command::Unknown)),
            ("/", Some(Command::Unknown)),
            ("/@", Some(Command::ForOther)),
            ("tasks", None),
            ("", None),
            ("😀", None),
        ] {
            assert_eq!(parse(text, "provost_bot"), expected, "{text}");
        }
        assert_eq!(split("t1 yes  please"), ("t1", "yes  please"));
        assert_eq!(split("t1\nyes"), ("t1", "yes"));
        assert_eq!(split("t1"), ("t1", ""));
        assert_eq!(split(""), ("", ""));
    }
}
