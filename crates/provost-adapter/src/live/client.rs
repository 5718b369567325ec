//! A client of the table that can be driven without a person, against a model on this machine.

use provost_kernel::guard::{Harness, client::Live};

/// A client that can be driven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveClient {
    pub harness: Harness,
    pub live: &'static Live,
}

/// Where the address of the model goes.
const BASE: &str = "{base}";

impl LiveClient {
    /// Every client that can be driven.
    pub fn all() -> impl Iterator<Item = Self> {
        Harness::ALL.iter().filter_map(|it| Self::of(*it))
    }

    /// How a client is driven; none when it cannot be.
    pub fn of(harness: Harness) -> Option<Self> {
        harness.entry().live.as_ref().map(|live| Self { harness, live })
    }

    /// The program, as it is found on `PATH`.
    pub fn program(self) -> &'static str {
        self.harness.entry().agent.name
    }

    /// Its arguments, with the model at this address.
    pub(super) fn arguments(self, base: &str) -> impl Iterator<Item = String> {
        self.live.arguments.iter().map(move |it| it.replace(BASE, base))
    }

    /// Its variables, with the model at this address.
    pub(super) fn variables(self, base: &str) -> impl Iterator<Item = (String, String)> {
        let variables = self.live.variables.iter();
        variables.map(move |(name, it)| ((*name).to_owned(), it.replace(BASE, base)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_client_is_sent_to_the_model_and_nowhere_else() {
        for client in LiveClient::all() {
            let words: Vec<String> = client
                .arguments("http://127.0.0.1:9")
                .chain(client.variables("http://127.0.0.1:9").map(|(_, it)| it))
                .collect();
            let addresses: Vec<_> = words.iter().filter(|it| it.contains("://")).collect();
            assert!(!addresses.is_empty(), "{words:?}");
            let is_ours = |it: &&String| it.contains("http://127.0.0.1:9");
            assert!(addresses.iter().all(is_ours), "{addresses:?}");
            assert!(!words.iter().any(|it| it.contains(BASE)), "{words:?}");
        }
    }

    #[test]
    fn a_client_that_cannot_be_driven_is_none() {
        assert_eq!(LiveClient::of(Harness::Claude).map(LiveClient::program), Some("claude"));
        assert_eq!(LiveClient::of(Harness::Cursor), None);
        assert_eq!(LiveClient::of(Harness::Opencode), None);
    }
}
