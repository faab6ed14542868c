//! What a connection is used for: messages go out, answers and messages come in.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};

use crate::connection::{Connection, Message, Operation};

/// How often a server is asked whether it is still there, and how often in vain.
const PING_TIME: Duration = Duration::from_mins(1);
const MOST_SILENT: u32 = 2;

/// Hands what is to be sent to a connection, now or when there is one.
#[derive(Clone)]
pub(crate) struct Client(mpsc::UnboundedSender<Order>);

/// Something to send, and what has to come of it.
pub(crate) struct Order {
    bytes: Vec<u8>,
    then: Then,
}

enum Then {
    Nothing,
    /// The server has done all that was sent.
    Done(oneshot::Sender<()>),
    /// A message with this subject.
    Answer(String, oneshot::Sender<Message>),
}

/// What comes of itself.
pub(crate) enum News {
    Message(Message),
    Error(String),
}

impl Client {
    /// A client, and what a connection takes its orders from.
    pub(crate) fn new() -> (Self, mpsc::UnboundedReceiver<Order>) {
        let (orders, taken) = mpsc::unbounded_channel();
        (Self(orders), taken)
    }

    /// Sends, when there is a connection.
    pub(crate) fn send(&self, bytes: impl Into<Vec<u8>>) {
        let _ = self.0.send(Order { bytes: bytes.into(), then: Then::Nothing });
    }

    /// Sends, and waits until the server has done it, or the connection is lost.
    pub(crate) async fn send_and_wait(&self, bytes: impl Into<Vec<u8>>) {
        let (sender, done) = oneshot::channel();
        let mut bytes = bytes.into();
        bytes.extend(b"PING\r\n");
        let _ = self.0.send(Order { bytes, then: Then::Done(sender) });
        let _ = done.await;
    }

    /// Asks. The answer never comes if the connection is lost.
    pub(crate) fn ask(&self, subject: &str, reply: String, question: &[u8]) -> oneshot::Receiver<Message> {
        let (sender, answer) = oneshot::channel();
        let bytes = publication(&format!("{subject} {reply}"), question);
        let _ = self.0.send(Order { bytes, then: Then::Answer(reply, sender) });
        answer
    }
}

/// A message as it is sent.
pub(crate) fn publication(subjects: &str, payload: &[u8]) -> Vec<u8> {
    let head = format!("PUB {subjects} {}\r\n", payload.len());
    [head.as_bytes(), payload, b"\r\n"].concat()
}

/// Carries out orders until the connection ends; why it did.
pub(crate) async fn carry(
    mut connection: Connection,
    orders: &mut mpsc::UnboundedReceiver<Order>,
    tell: &mut (dyn FnMut(News) + Send),
) -> String {
    let (mut answers, mut pings) = (HashMap::new(), VecDeque::new());
    let mut clock = tokio::time::interval(PING_TIME);
    clock.reset();
    let mut silent = 0;
    loop {
        let sent = tokio::select! {
            operation = connection.next() => {
                silent = 0;
                match operation {
                    Ok(Operation::Message(message)) => {
                        // An answer counts once; whoever does not wait any more has dropped the other end.
                        match answers.remove(&message.subject) {
                            Some(sender) => drop(oneshot::Sender::send(sender, message)),
                            None => tell(News::Message(message)),
                        }
                        Ok(())
                    }
                    Ok(Operation::Ping) => connection.send(b"PONG\r\n").await,
                    Ok(Operation::Pong) => {
                        // Those of the clock have nobody who waits.
                        if let Some(Some(done)) = pings.pop_front() {
                            let _ = oneshot::Sender::send(done, ());
                        }
                        Ok(())
                    }
                    Ok(Operation::Error(why)) => {
                        tell(News::Error(why));
                        Ok(())
                    }
                    Ok(Operation::Info(_) | Operation::Fine) => Ok(()),
                    Err(why) => Err(why),
                }
            }
            order = orders.recv() => {
                let Some(order) = order else { return "it is not used any more".to_owned() };
                match order.then {
                    Then::Nothing => {}
                    Then::Done(sender) => pings.push_back(Some(sender)),
                    Then::Answer(subject, sender) => {
                        answers.retain(|_, sender: &mut oneshot::Sender<Message>| !sender.is_closed());
                        answers.insert(subject, sender);
                    }
                }
                connection.send(&order.bytes).await
            }
            _ = clock.tick() => {
                silent += 1;
                if silent > MOST_SILENT {
                    return "the connection was closed: the server is silent".to_owned();
                }
                pings.push_back(None);
                connection.send(b"PING\r\n").await
            }
        };
        if let Err(why) = sent {
            return why;
        }
    }
}
