//! Answers questions, as one of the services of a queue group.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::client::{Client, News, Order, carry, publication};
use crate::connection::{Connection, Endpoint, Login, Message};

/// The longest pause between two attempts to reach the server.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// How long the end waits for a server that may be away.
const END_TIME: Duration = Duration::from_secs(2);
/// Questions that may wait here. The server hands out more than that to nobody's use: they would be answered too late.
const MOST_WAITING: usize = 1024;

/// What a service listens to, and how much it does at once.
#[derive(Clone)]
pub struct Place {
    /// The subject.
    pub subject: String,
    /// The group in which each question goes to one service.
    pub queue: String,
    /// Questions that are worked on at once.
    pub most_at_once: usize,
    /// How the server is called in messages.
    pub shown: String,
}

/// Where a service says what happens to its connection.
type Say = Arc<dyn Fn(&str) + Send + Sync>;

/// Answers until `stop`, then what was taken up to then. A server that is away is tried again and again.
pub async fn serve<A>(
    endpoint: &Endpoint,
    place: &Place,
    say: Say,
    stop: impl Future<Output = ()>,
    answer: impl Fn(Vec<u8>) -> A,
) -> Result<(), String>
where
    A: Future<Output = Vec<u8>> + Send + 'static,
{
    let (client, orders) = Client::new();
    let (deliver, mut requests) = mpsc::channel(MOST_WAITING);
    let most = Arc::new(AtomicUsize::new(usize::MAX));
    let service =
        Service { login: endpoint.login()?, place: place.clone(), say, deliver, most: Arc::clone(&most) };
    let connection = tokio::spawn(service.stay_connected(orders));
    let mut running = JoinSet::new();
    let take = |request: Message, running: &mut JoinSet<()>| {
        // Without an address for the answer there is nothing to do.
        let Some(reply) = request.reply else { return };
        let (client, most, answer) = (client.clone(), Arc::clone(&most), answer(request.payload));
        running.spawn(async move {
            let mut answer = answer.await;
            if answer.len() > most.load(Ordering::Relaxed) {
                answer = br#"{"type":"hook-execution-response","success":false,"error":{"code":"internal_error","message":"the answer is larger than the NATS server accepts","details":{}}}"#.to_vec();
            }
            // Whoever asked finds out by the deadline.
            client.send(publication(&reply, &answer));
        });
    };
    tokio::pin!(stop);
    loop {
        tokio::select! {
            biased;
            () = &mut stop => break,
            Some(_) = running.join_next() => {}
            Some(request) = requests.recv(), if running.len() < place.most_at_once => take(request, &mut running),
        }
    }
    // What the server had sent before it knew of the end has come when it says that it does.
    let _ = tokio::time::timeout(END_TIME, client.send_and_wait("UNSUB 1\r\n")).await;
    while let Ok(request) = requests.try_recv() {
        take(request, &mut running);
    }
    while running.join_next().await.is_some() {}
    let _ = tokio::time::timeout(END_TIME, client.send_and_wait("")).await;
    connection.abort();
    Ok(())
}

/// The part of a service that has the connection.
struct Service {
    login: Login,
    place: Place,
    say: Say,
    deliver: mpsc::Sender<Message>,
    /// The most bytes that the server takes.
    most: Arc<AtomicUsize>,
}

impl Service {
    /// Connects, again and again.
    async fn stay_connected(self, mut orders: mpsc::UnboundedReceiver<Order>) {
        let (shown, say) = (&self.place.shown, &self.say);
        let (mut attempt, mut others) = (0, Vec::new());
        loop {
            attempt += 1;
            let pause = pause_before(attempt);
            if !pause.is_zero() {
                say(&format!("{shown} is away; trying again in {} s", pause.as_secs()));
            }
            tokio::time::sleep(pause).await;
            let connection = match self.connect(&others).await {
                Ok(connection) => connection,
                Err(why) => {
                    say(&format!("warning: {shown} cannot be used: {why}"));
                    continue;
                }
            };
            attempt = 0;
            others.clone_from(&connection.info.connect_urls);
            self.most.store(connection.info.max_payload, Ordering::Relaxed);
            say(&format!("connected to {shown}"));
            let mut tell = |news| match news {
                News::Message(message) => {
                    if self.deliver.try_send(message).is_err() {
                        say("warning: more questions arrive than this service can answer; some were dropped");
                    }
                }
                News::Error(why) => say(&format!("warning: {shown}: {why}")),
            };
            carry(connection, &mut orders, &mut tell).await;
            say(&format!("warning: the connection to {shown} is lost"));
        }
    }

    /// To the server of the settings; where it cannot be reached, to another one of its cluster.
    async fn connect(&self, others: &[String]) -> Result<Connection, String> {
        let mut first = self.login.connect(&self.login.address).await;
        for other in others {
            if first.is_err() {
                first = self.login.connect(other).await.or(first);
            }
        }
        let mut connection = first?;
        let subscription = format!("SUB {} {} 1\r\n", self.place.subject, self.place.queue);
        connection.send(subscription.as_bytes()).await?;
        Ok(connection)
    }
}

/// Nothing before the first attempt, then one second, doubled each time.
fn pause_before(attempt: usize) -> Duration {
    match attempt {
        0 | 1 => Duration::ZERO,
        more => Duration::from_secs(1 << (more - 2).min(5)).min(LONGEST_PAUSE),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_half_a_minute() {
        let pauses: Vec<u64> = (1..=9).map(|attempt| pause_before(attempt).as_secs()).collect();
        assert_eq!(pauses, [0, 1, 2, 4, 8, 16, 30, 30, 30]);
    }
}
