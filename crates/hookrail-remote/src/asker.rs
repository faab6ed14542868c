//! Asks services.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use tokio::sync::{Mutex, mpsc, watch};

use crate::client::{Client, News, carry};
use crate::connection::{Endpoint, Message};
use crate::key::random;

/// The longest answer that is read.
const MOST_BYTES: usize = 1024 * 1024;
/// How long the test of rights may take.
const TEST_TIME: Duration = Duration::from_secs(5);

/// Asks, over connections that are kept for the next question.
#[derive(Default)]
pub struct Asker {
    kept: std::sync::Mutex<HashMap<Endpoint, Arc<Place>>>,
}

/// The connection to one server. Whoever makes it keeps those waiting who ask there, and nobody else.
type Place = Mutex<Option<Connected>>;

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
    /// Where answers come, but for the last word.
    inbox: String,
    max_payload: usize,
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
        let answer = self.connected(endpoint).await?.request(subject, &question).await?;
        if answer.has_no_responders {
            return Err(format!("no service listens on `{subject}`"));
        }
        if answer.payload.len() > MOST_BYTES {
            return Err(format!("the service answered with more than {MOST_BYTES} bytes"));
        }
        Ok(answer.payload)
    }

    /// The connection of an earlier question, or a new one. Questions that come together share the same.
    async fn connected(&self, endpoint: &Endpoint) -> Result<Connected, String> {
        let mut kept = self.place(endpoint).lock_owned().await;
        let usable =
            |kept: &&Connected| kept.trouble.borrow().is_none() && kept.trouble.has_changed().is_ok();
        if let Some(connected) = kept.as_ref().filter(usable) {
            return Ok(connected.clone());
        }
        let (connected, _) = connect(endpoint).await?;
        *kept = Some(connected.clone());
        Ok(connected)
    }

    fn place(&self, endpoint: &Endpoint) -> Arc<Place> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(kept.entry(endpoint.clone()).or_default())
    }
}

impl Connected {
    async fn request(&self, subject: &str, question: &[u8]) -> Result<Message, String> {
        if question.len() > self.max_payload {
            return Err("the question is longer than the NATS server accepts".to_owned());
        }
        let mut trouble = self.trouble.clone();
        let answer = self.client.ask(subject, format!("{}.{}", self.inbox, word()?), question);
        tokio::select! {
            Ok(answer) = answer => Ok(answer),
            why = trouble.wait_for(Option::is_some) => {
                Err(why.ok().and_then(|why| why.clone()).unwrap_or_else(|| "the connection was closed".to_owned()))
            }
        }
    }
}

/// A word that nobody guesses.
fn word() -> Result<String, String> {
    Ok(format!("{:032x}", u128::from_ne_bytes(random()?)))
}

/// A connection that is given up when it breaks: the next question makes a new one, and knows at once if it cannot. With
/// it comes what is heard besides answers.
async fn connect(endpoint: &Endpoint) -> Result<(Connected, mpsc::Receiver<Message>), String> {
    let login = endpoint.login()?;
    let connection = login.connect(&login.address).await?;
    let (client, mut orders) = Client::new();
    let (told, trouble) = watch::channel(None);
    let (deliver, heard) = mpsc::channel(1);
    let inbox = format!("{}.{}", login.inbox, word()?);
    client.send(format!("SUB {inbox}.* 1\r\n"));
    let max_payload = connection.info.max_payload;
    tokio::spawn(async move {
        let first = |why| {
            told.send_if_modified(|first| first.is_none() && first.replace(why).is_none());
        };
        let mut tell = |news| match news {
            // What nobody waits for is dropped.
            News::Message(message) => drop(deliver.try_send(message)),
            News::Error(why) => first(why),
        };
        let why = carry(connection, &mut orders, &mut tell).await;
        first(why);
    });
    Ok((Connected { client, inbox, max_payload, trouble }, heard))
}

/// Finds out whether credentials that ask could answer as well. The question is one that services refuse to read.
pub async fn rights(endpoint: &Endpoint, subject: &str) -> Result<Rights, String> {
    let tested = async {
        let (connected, mut heard) = connect(endpoint).await?;
        connected.client.send(format!("SUB {subject} 2\r\n"));
        // Refused, this subscription is a trouble that says nothing about asking.
        let answer = connected.client.ask(subject, format!("{}.{}", connected.inbox, word()?), b"{}");
        tokio::select! {
            biased;
            // The server hands a subscriber its own question before anybody can answer it.
            Some(_) = heard.recv() => Ok(Rights::CanAnswer),
            Ok(_) = answer => Ok(Rights::AskOnly),
            else => Err("the connection was closed".to_owned()),
        }
    };
    tokio::time::timeout(TEST_TIME, tested).await.unwrap_or_else(|_| Err("no answer came".to_owned()))
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use tokio::net::TcpListener;
    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn a_server_that_says_nothing_delays_no_question_to_another() {
        let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let gone = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let endpoint = |address| Endpoint {
            url: format!("nats://{address}"),
            credentials: None,
            certificates: PathBuf::from("/dev/null"),
        };
        let (first, second) = (endpoint(silent.local_addr().unwrap()), endpoint(gone));
        let asker = Asker::default();
        let both = async {
            tokio::select! {
                biased;
                answer = asker.ask(&first, "s", Vec::new()) => panic!("the silent server: {answer:?}"),
                answer = asker.ask(&second, "s", Vec::new()) => answer,
            }
        };
        let answer = timeout(Duration::from_secs(4), both).await.expect("it waits for the other");
        assert!(answer.unwrap_err().starts_with("cannot connect: "));
    }
}
