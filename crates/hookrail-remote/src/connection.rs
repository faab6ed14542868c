//! One connection to a NATS server: how it is made, and what is read from it.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use serde::Deserialize;
use serde_json::json;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::key::Key;

/// How long a server is given to take a connection.
const CONNECT_TIME: Duration = Duration::from_secs(5);
/// More than a line of the protocol has, and more than a server lets a message have.
const MOST_LINE: usize = 1024 * 1024;
const MOST_MESSAGE: usize = 64 * 1024 * 1024;

/// A server, and who asks it or answers there.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Endpoint {
    /// `nats://` or `tls://`, maybe with a name and a password, or with a token.
    pub url: String,
    /// The text of a credentials file, or the seed of an nkey.
    pub credentials: Option<String>,
    /// The certificates that count for `tls://`, as a PEM file.
    pub certificates: PathBuf,
}

/// An endpoint as a connection needs it.
pub(crate) struct Login {
    /// `HOST:PORT`, an IPv6 address in brackets.
    pub(crate) address: String,
    /// What the subjects of answers begin with: credentials that may read it need not be able to read the answers to others.
    pub(crate) inbox: String,
    needs_tls: bool,
    certificates: PathBuf,
    user: Option<(String, Option<String>)>,
    key: Option<Key>,
    token: Option<String>,
}

impl Endpoint {
    /// Who connects, and where. Errors never show the address: there may be a password in it.
    pub(crate) fn login(&self) -> Result<Login, String> {
        let no_address = || "the address is not that of a NATS server".to_owned();
        let (scheme, rest) = self.url.split_once("://").unwrap_or(("nats", &self.url));
        let place = rest.split(['/', '?', '#']).next().unwrap_or_default();
        let (user, place) = place.rsplit_once('@').map_or((None, place), |(user, place)| (Some(user), place));
        if !matches!(scheme, "nats" | "tls") || place.is_empty() {
            return Err(no_address());
        }
        let has_port = place.rsplit(']').next().is_some_and(|end| end.contains(':'));
        let address = if has_port { place.trim_end_matches(':').to_owned() } else { format!("{place}:4222") };
        let user = user.filter(|_| self.credentials.is_none()).map(|user| match user.split_once(':') {
            Some((name, password)) => (name.to_owned(), Some(password.to_owned())),
            None => (user.to_owned(), None),
        });
        let (mut key, mut token) = (None, None);
        if let Some(text) = &self.credentials {
            let mut lines = text.lines().map(str::trim);
            let seed = lines.clone().find(|line| line.starts_with("SU"));
            key = seed.and_then(Key::of_seed);
            if key.is_none() {
                return Err(
                    "the credentials contain no seed of a user (a line that begins with `SU`)".to_owned()
                );
            }
            if lines.any(|line| line.contains("BEGIN NATS USER JWT")) {
                token = lines.next().map(str::to_owned);
            }
        }
        let owner = match (&key, &user) {
            (Some(key), _) => key.public(),
            (None, Some((name, Some(_)))) => name.clone(),
            _ => String::new(),
        };
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        let inbox = if owner.is_empty() || !owner.bytes().all(is_word) {
            "_INBOX".to_owned()
        } else {
            format!("_INBOX.{owner}")
        };
        let (needs_tls, certificates) = (scheme == "tls", self.certificates.clone());
        Ok(Login { address, inbox, needs_tls, certificates, user, key, token })
    }
}

impl Login {
    /// Connects to the server at an address and waits until it takes the user.
    pub(crate) async fn connect(&self, address: &str) -> Result<Connection, String> {
        let connected = tokio::time::timeout(CONNECT_TIME, self.try_to_connect(address)).await;
        let connected = connected.unwrap_or_else(|_| Err("no answer came in time".to_owned()));
        connected.map_err(|why| format!("cannot connect: {why}"))
    }

    async fn try_to_connect(&self, address: &str) -> Result<Connection, String> {
        let io_error = |error: std::io::Error| error.to_string();
        let stream = TcpStream::connect(address).await.map_err(io_error)?;
        stream.set_nodelay(true).map_err(io_error)?;
        let mut connection = Connection { stream: Box::new(stream), read: Vec::new(), info: Info::default() };
        let Operation::Info(info) = connection.next().await? else {
            return Err("it is not a NATS server".to_owned());
        };
        if self.needs_tls || info.tls_required {
            // Whoever is between here and the server could have added it; behind the handshake it would count as the server's.
            if !connection.read.is_empty() {
                return Err("the server sent more before it was asked for TLS".to_owned());
            }
            let host = address.rsplit_once(':').map_or(address, |(host, _)| host).trim_matches(['[', ']']);
            let name = ServerName::try_from(host.to_owned()).map_err(|error| error.to_string())?;
            let stream = self.tls().connect(name, connection.stream).await.map_err(io_error)?;
            connection.stream = Box::new(stream);
        }
        let (name, password) = match &self.user {
            Some((name, Some(password))) => (Some(name), Some(password)),
            _ => (None, None),
        };
        let hello = json!({
            "verbose": false, "pedantic": false, "lang": "rust", "version": env!("CARGO_PKG_VERSION"), "name": "hookrail",
            "protocol": 1, "echo": true, "headers": true, "no_responders": true, "tls_required": self.needs_tls,
            "user": name, "pass": password, "auth_token": self.user.as_ref().filter(|_| password.is_none()).map(|(token, _)| token),
            "jwt": self.token, "nkey": self.key.as_ref().filter(|_| self.token.is_none()).map(Key::public),
            "sig": self.key.as_ref().map(|key| key.sign(&info.nonce)),
        });
        connection.info = info;
        connection.send(format!("CONNECT {hello}\r\nPING\r\n").as_bytes()).await?;
        loop {
            match connection.next().await? {
                Operation::Pong => return Ok(connection),
                Operation::Error(why) => return Err(why),
                _ => {}
            }
        }
    }

    /// Only the named certificates count; variables that say where others are do not.
    fn tls(&self) -> TlsConnector {
        let certificates = || File::open(&self.certificates).ok().map(CertificateDer::pem_reader_iter);
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(certificates().into_iter().flatten().flatten());
        let config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
        Arc::new(config).into()
    }
}

trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}
impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

/// A connection that the server has taken.
pub(crate) struct Connection {
    stream: Box<dyn Stream>,
    /// What was read and not yet used.
    read: Vec<u8>,
    pub(crate) info: Info,
}

/// What a server says of itself.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct Info {
    nonce: String,
    tls_required: bool,
    /// The most bytes that it takes in one message.
    pub(crate) max_payload: usize,
    /// Other servers of its cluster.
    pub(crate) connect_urls: Vec<String>,
}

/// What comes from a server.
pub(crate) enum Operation {
    Info(Info),
    Message(Message),
    Ping,
    Pong,
    Error(String),
    Fine,
}

/// A message of a subscription.
#[derive(Debug, PartialEq)]
pub(crate) struct Message {
    pub(crate) subject: String,
    pub(crate) reply: Option<String>,
    pub(crate) payload: Vec<u8>,
    /// The server's own answer: nobody listens.
    pub(crate) has_no_responders: bool,
}

impl Connection {
    pub(crate) async fn send(&mut self, bytes: &[u8]) -> Result<(), String> {
        let sent = async {
            self.stream.write_all(bytes).await?;
            self.stream.flush().await
        };
        sent.await.map_err(closed)
    }

    /// What comes next. What was read so far is kept if this is dropped.
    pub(crate) async fn next(&mut self) -> Result<Operation, String> {
        loop {
            if let Some((operation, length)) = first(&self.read)? {
                self.read.drain(..length);
                return Ok(operation);
            }
            if self.stream.read_buf(&mut self.read).await.map_err(closed)? == 0 {
                return Err("the connection was closed".to_owned());
            }
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is handed to `map_err`")]
fn closed(error: std::io::Error) -> String {
    format!("the connection was closed: {error}")
}

/// The first operation and its length; `None` where more has to come.
fn first(read: &[u8]) -> Result<Option<(Operation, usize)>, String> {
    let strange = || "what the server sent is not the protocol of NATS".to_owned();
    let Some(end) = read.iter().position(|byte| *byte == b'\n') else {
        return if read.len() > MOST_LINE { Err(strange()) } else { Ok(None) };
    };
    let (line, rest) = read.split_at_checked(end + 1).ok_or_else(strange)?;
    let line = str::from_utf8(line).map_err(|_| strange())?.trim_end();
    let (name, words) = line.split_once(' ').unwrap_or((line, ""));
    let operation = match name {
        "INFO" => Operation::Info(serde_json::from_str(words).map_err(|_| strange())?),
        "MSG" | "HMSG" => {
            let words: Vec<&str> = words.split_ascii_whitespace().collect();
            let (subject, reply, headers, total) = match (name, &*words) {
                ("MSG", [subject, _, total]) => (subject, None, "0", total),
                ("MSG", [subject, _, reply, total]) => (subject, Some(reply), "0", total),
                ("HMSG", [subject, _, headers, total]) => (subject, None, *headers, total),
                ("HMSG", [subject, _, reply, headers, total]) => (subject, Some(reply), *headers, total),
                _ => return Err(strange()),
            };
            let length = |text: &str| text.parse().ok().filter(|length| *length <= MOST_MESSAGE);
            let (Some(headers), Some(total)) = (length(headers), length(total)) else {
                return Err(strange());
            };
            let Some(message) = rest.get(..total + 2) else { return Ok(None) };
            let payload = message.get(headers..total).ok_or_else(strange)?.to_vec();
            let message = Message {
                subject: (*subject).to_owned(),
                reply: reply.map(|reply| (*reply).to_owned()),
                payload,
                has_no_responders: headers > 0 && message.starts_with(b"NATS/1.0 503"),
            };
            return Ok(Some((Operation::Message(message), end + 1 + total + 2)));
        }
        "PING" => Operation::Ping,
        "PONG" => Operation::Pong,
        "+OK" => Operation::Fine,
        "-ERR" => Operation::Error(words.trim_matches('\'').to_owned()),
        _ => return Err(strange()),
    };
    Ok(Some((operation, end + 1)))
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt as _;
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn what_comes_before_tls_does_not_count_behind_it() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("tls://{}", listener.local_addr().unwrap());
        let endpoint = Endpoint { url, credentials: None, certificates: PathBuf::from("/dev/null") };
        let server = tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            stream.write_all(b"INFO {\"tls_required\":true}\r\nPONG\r\n").await.unwrap();
            stream
        });
        let login = endpoint.login().unwrap();
        let refused = login.connect(&login.address).await.err();
        assert_eq!(
            refused.as_deref(),
            Some("cannot connect: the server sent more before it was asked for TLS")
        );
        drop(server.await.unwrap());
    }
}
