//! The desktop of the person, through the program that it has for that.

use std::{fmt, sync::Arc};

use crate::{Channel, Delivery, DeliveryError, Launch, command::run, payload::titled};

/// Shows a notification on the desktop.
pub struct Desktop {
    launch: Arc<dyn Launch>,
    dialect: Dialect,
}

/// Which program shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    NotifySend,
    AppleScript,
}

impl Desktop {
    pub fn new(launch: Arc<dyn Launch>) -> Self {
        let dialect =
            if cfg!(target_os = "macos") { Dialect::AppleScript } else { Dialect::NotifySend };
        Self { launch, dialect }
    }
}

impl Channel for Desktop {
    fn target(&self) -> &'static str {
        "desktop"
    }

    fn deliver(&self, delivery: &Delivery<'_>) -> Result<(), DeliveryError> {
        let (title, lines) = titled(delivery);
        run(&*self.launch, &argv(self.dialect, &title, &lines.join("\n")), b"")
    }
}

/// The arguments: what a notice says is data to both programs, never an option or a script.
fn argv(dialect: Dialect, title: &str, body: &str) -> Vec<String> {
    let (title, body) = (plain(title), plain(body));
    let words: Vec<String> = match dialect {
        Dialect::NotifySend => {
            let head = ["notify-send", "--app-name=provost", "--"].map(str::to_owned);
            // A body may have markup.
            let body = body.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
            head.into_iter().chain([title, body]).collect()
        }
        Dialect::AppleScript => {
            let script = [
                "osascript",
                "-e",
                "on run argv",
                "-e",
                "display notification (item 2 of argv) with title (item 1 of argv)",
                "-e",
                "end run",
                "--",
            ];
            script.map(str::to_owned).into_iter().chain([title, body]).collect()
        }
    };
    words
}

/// Without characters that an argument or a terminal could not hold.
fn plain(text: &str) -> String {
    text.chars().filter(|it| *it == '\n' || !it.is_control()).collect()
}

impl fmt::Debug for Desktop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Desktop").field("dialect", &self.dialect).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_text_is_data() {
        let made = argv(Dialect::NotifySend, "--help\0\x1b[31m", "<b>a</b> & \"b\"\nc");
        let expected = ["notify-send", "--app-name=provost", "--", "--help[31m"];
        assert_eq!(made[..4], expected);
        assert_eq!(made[4], "&lt;b&gt;a&lt;/b&gt; &amp; \"b\"\nc");
        let made = argv(Dialect::AppleScript, "\" & (do shell script \"x\") & \"", "b");
        assert_eq!(made[8], "\" & (do shell script \"x\") & \"");
        assert_eq!(made.len(), 10);
    }
}
