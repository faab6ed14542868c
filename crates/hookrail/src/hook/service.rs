//! Hooks that a service answers: where it is, and what is sent along. Who asks it is the host.

use std::net::{Ipv4Addr, Ipv6Addr};
use std::path::PathBuf;

/// A hook that is asked by HTTP.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpHook {
    /// `https`, or `http` on this machine.
    pub url: ServiceUrl,
    /// Headers that are no secret, in the order of the settings.
    pub headers: Vec<(String, String)>,
    /// A file with further headers, as written.
    pub headers_file: Option<PathBuf>,
}

/// A hook that is asked over NATS.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NatsHook {
    /// `nats` or `tls`.
    pub url: ServiceUrl,
    /// What services subscribe to.
    pub subject: String,
    /// A file with credentials, as written.
    pub credentials: Option<PathBuf>,
}

impl HttpHook {
    /// What keeps a header from being sent. The client itself sets those that decide where a message ends or whom it is for.
    pub fn header_problem(name: &str, value: &str) -> Option<&'static str> {
        const OWN: [&str; 6] =
            ["host", "content-length", "content-type", "transfer-encoding", "connection", "upgrade"];
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        if name.is_empty() || !name.bytes().all(is_token) {
            Some("is not the name of a header")
        } else if OWN.contains(&name.to_ascii_lowercase().as_str()) {
            Some("is set by hookrail itself")
        } else if !value.bytes().all(|byte| byte == b'\t' || (b' '..0x7f).contains(&byte)) {
            Some("has a value that no header can have")
        } else {
            None
        }
    }
}

impl NatsHook {
    /// What is asked where the settings name no subject.
    pub const DEFAULT_SUBJECT: &'static str = "hookrail.decide";

    /// Whether a text is one subject, and no pattern of subjects.
    pub fn is_subject(text: &str) -> bool {
        let is_word = |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_graphic());
        text.len() <= 255 && !text.contains(['*', '>']) && text.split('.').all(is_word)
    }
}

/// The address of a service. Stricter than browsers are: two readers must not find two hosts in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceUrl {
    text: String,
    scheme: usize,
    host: String,
    /// Where the name and the password end; 0 without them.
    user_end: usize,
}

impl ServiceUrl {
    /// Reads an address. The error says what is wrong with it, without the address: there may be a password in it.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        if !text.bytes().all(|byte| byte.is_ascii_graphic() && !b"\\\"<>^`{|}".contains(&byte)) {
            return Err("has characters that no address has");
        }
        let Some((scheme, rest)) = text.split_once("://") else {
            return Err("is not an address: it has no `://`");
        };
        let authority = rest.get(..rest.find(['/', '?', '#']).unwrap_or(rest.len())).unwrap_or_default();
        let (user, place) = match authority.rsplit_once('@') {
            Some((user, place)) => (Some(user), place),
            None => (None, authority),
        };
        let (host, port) = match place.strip_prefix('[') {
            Some(inside) => {
                let (host, behind) = inside.split_once(']').ok_or("has a host without its `]`")?;
                host.parse::<Ipv6Addr>().map_err(|_| "has a host that is not an IPv6 address")?;
                (host, behind.strip_prefix(':').or_else(|| behind.is_empty().then_some("")))
            }
            None => match place.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (place, Some("")),
            },
        };
        let is_name = |host: &str| {
            let name = host.strip_suffix('.').unwrap_or(host);
            let is_label = |label: &str| {
                !label.is_empty()
                    && label.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
            };
            // What ends in a number would be an address to some readers.
            let last = name.rsplit('.').next().unwrap_or_default();
            let is_number = last.starts_with(|first: char| first.is_ascii_digit());
            name.split('.').all(is_label) && (!is_number || host.parse::<Ipv4Addr>().is_ok())
        };
        if !place.starts_with('[') && !is_name(host) {
            return Err("has no host, or one that is neither a name nor an address");
        }
        if !port.is_some_and(|port| port.is_empty() || port.parse::<u16>().is_ok_and(|port| port > 0)) {
            return Err("has a port that is not a number from 1 to 65535");
        }
        let scheme = scheme.len();
        let user_end = user.map_or(0, |user| scheme + "://".len() + user.len());
        Ok(Self { text: text.to_owned(), scheme, host: host.to_ascii_lowercase(), user_end })
    }

    /// The whole of it, with what may be secret.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// What is before `://`.
    pub fn scheme(&self) -> &str {
        self.text.get(..self.scheme).unwrap_or_default()
    }

    /// Whether it can only lead to this machine.
    pub fn is_loopback(&self) -> bool {
        self.host == "localhost"
            || self.host.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
            || self.host.parse::<Ipv6Addr>().is_ok_and(|address| address == Ipv6Addr::LOCALHOST)
    }

    /// The address for people and logs: name, password and query are masked.
    pub fn shown(&self) -> String {
        let (user, rest) = match self.user_end {
            0 => ("", self.text.get(self.scheme + "://".len()..)),
            end => ("***@", self.text.get(end + 1..)),
        };
        let rest = rest.unwrap_or_default();
        let (plain, query) = match rest.find(['?', '#']) {
            Some(at) => (rest.get(..at).unwrap_or_default(), "?***"),
            None => (rest, ""),
        };
        format!("{}://{user}{plain}{query}", self.scheme())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_one_meaning_or_none() {
        for (text, shown, loopback) in [
            ("https://policy.example/hook", "https://policy.example/hook", false),
            ("http://127.0.0.1:8181/v1?a=b", "http://127.0.0.1:8181/v1?***", true),
            ("http://[::1]:80", "http://[::1]:80", true),
            ("http://LOCALHOST", "http://LOCALHOST", true),
            ("https://u:p@a.example/x", "https://***@a.example/x", false),
            ("https://127.0.0.1@evil.example", "https://***@evil.example", false),
            ("https://a@b@evil.example", "https://***@evil.example", false),
            ("nats://10.0.0.1", "nats://10.0.0.1", false),
            ("http://127.0.0.1.evil.example", "http://127.0.0.1.evil.example", false),
        ] {
            let url = ServiceUrl::parse(text).unwrap();
            assert_eq!((url.shown().as_str(), url.is_loopback()), (shown, loopback), "{text}");
        }
        for bad in [
            "",
            "x",
            "https://",
            "https:///x",
            "http://2130706433",
            "http://0x7f.1",
            "http://127.1",
            "https://a b",
            "https://a\\@b",
            "https://a:0",
            "https://a:b",
            "https://[::1",
            "https://[x]",
            "https://[::1]x",
            "https://a..b",
            "https://ä.example",
            "https://a:1:2",
            "http://127.0.0.1:80\t@x",
        ] {
            assert!(ServiceUrl::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_subject_is_no_pattern() {
        assert!(NatsHook::is_subject("hookrail.decide"));
        for bad in ["", ".", "a..b", "a.*", "a.>", "a b", "a\r\nPUB x", "ä"] {
            assert!(!NatsHook::is_subject(bad), "{bad}");
        }
    }
}
