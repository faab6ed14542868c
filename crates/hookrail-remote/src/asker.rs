//! Asks services.

use std::collections::HashMap;
use std::time::Duration;

use async_nats::{Client, Event, ReconnectToServer, RequestErrorKind};
use futures_util::StreamExt as _;
use tokio::sync::{Mutex, watch};

use crate::connection::Endpoint;

/// The longest answer that is read.
const MOST_BYTES: usize = 1024 * 1024;
/// How long the test of rights may take.
const TEST_TIME: Duration = Duration::from_secs(5);

/// Asks, over connections that are kept for the next question.
#[derive(Default)]
pub struct Asker {
    kept: Mutex<HashMap<Endpoint, Connected>>,
}

/// What credentials may do with a subject, besides asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rights {
    /// Nothing.
    AskOnly,
    /// They receive what others ask, and can answer it.
    CanAnswer,
}

#[derive(Clone)]
struct Connected {
    client: Client,
    /// Why nothing more is to be expected of it.
    trouble: watch::Receiver<Option<String>>,
}

impl Asker {
    /// Asks once, without a deadline of its own: whoever asks drops it when the time is over.
    pub async fn ask(
        &self,
        endpoint: &Endpoint,
        subject: &str,
        question: Vec<u8>,
    ) -> Result<Vec<u8>, String> {
        let connected = self.connected(endpoint).await?;
        let answer = connected.request(subject, question).await;
        if connected.trouble.borrow().is_some() {
            self.kept.lock().await.remove(endpoint);
        }
        answer
    }

    /// The connection of an earlier question, or a new one. Questions that come together share the same.
    async fn connected(&self, endpoint: &Endpoint) -> Result<Connected, String> {
        let mut kept = self.kept.lock().await;
        let usable =
            |kept: &&Connected| kept.trouble.borrow().is_none() && kept.trouble.has_changed().is_ok();
        if let Some(connected) = kept.get(endpoint).filter(usable) {
            return Ok(connected.clone());
        }
        let connected = connect(endpoint).await?;
        kept.insert(endpoint.clone(), connected.clone());
        Ok(connected)
    }
}

impl Connected {
    async fn request(&self, subject: &str, question: Vec<u8>) -> Result<Vec<u8>, String> {
        let mut trouble = self.trouble.clone();
        let asked = self.client.request(subject.to_owned(), question.into());
        let answer = tokio::select! {
            answer = asked => answer.map_err(|error| match error.kind() {
                RequestErrorKind::NoResponders => format!("no service listens on `{subject}`"),
                _ => error.to_string(),
            })?,
            Ok(why) = trouble.wait_for(Option::is_some) => {
                return Err(why.clone().unwrap_or_default());
            }
        };
        if answer.payload.len() > MOST_BYTES {
            return Err(format!("the service answered with more than {MOST_BYTES} bytes"));
        }
        Ok(answer.payload.into())
    }
}

/// A connection that is given up when it breaks: the next question makes a new one, and knows at once if it cannot.
async fn connect(endpoint: &Endpoint) -> Result<Connected, String> {
    let (address, options) = endpoint.options()?;
    let (told, trouble) = watch::channel(None);
    let only = address.clone();
    // At once: the client's own pause, even one of no length, waits for the timer's next millisecond, as long as all the rest takes.
    let options = options.reconnect_to_server_callback(move |_, _| {
        let chosen = ReconnectToServer { addr: only.clone(), delay: Some(Duration::ZERO) };
        std::future::ready(Some(chosen))
    });
    let options = options.ignore_discovered_servers().max_reconnects(1).event_callback(move |event| {
        let why = match event {
            Event::ServerError(error) => Some(error.to_string()),
            Event::Disconnected | Event::Closed => Some("the connection was closed".to_owned()),
            _ => None,
        };
        if let Some(why) = why {
            told.send_if_modified(|first| first.is_none() && first.replace(why).is_none());
        }
        std::future::ready(())
    });
    let client = options.connect(address).await.map_err(|error| {
        let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
        format!("cannot connect: {}{cause}", error.kind())
    })?;
    Ok(Connected { client, trouble })
}

/// Finds out whether credentials that ask could answer as well. The question is one that services refuse to read.
pub async fn rights(endpoint: &Endpoint, subject: &str) -> Result<Rights, String> {
    let tested = async {
        let connected = connect(endpoint).await?;
        let listening = connected.client.subscribe(subject.to_owned()).await;
        let mut listening = listening.map_err(|error| error.to_string())?;
        let asked = connected.client.request(subject.to_owned(), "{}".into());
        tokio::select! {
            biased;
            // The server hands a subscriber its own question before anybody can answer it.
            Some(_) = listening.next() => Ok(Rights::CanAnswer),
            answer = asked => match answer {
                Ok(_) => Ok(Rights::AskOnly),
                Err(error) if error.kind() == RequestErrorKind::NoResponders => Ok(Rights::AskOnly),
                Err(error) => Err(error.to_string()),
            },
        }
    };
    tokio::time::timeout(TEST_TIME, tested).await.unwrap_or_else(|_| Err("no answer came".to_owned()))
}
