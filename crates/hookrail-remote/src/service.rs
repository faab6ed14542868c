//! Answers questions, as one of the services of a queue group.

use std::sync::Arc;
use std::time::Duration;

use async_nats::{Client, Event, Message};
use futures_util::StreamExt as _;
use tokio::task::JoinSet;

use crate::connection::Endpoint;

/// The longest pause between two attempts to reach the server.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// How long a server is given for what it has sent already to arrive here.
const ROUND_TRIP: Duration = Duration::from_millis(100);
/// How long the end waits for a server that may be away.
const END_TIME: Duration = Duration::from_secs(2);
/// Questions that may wait here. The server hands out more than that to nobody's use: they would be answered too late.
const MOST_WAITING: usize = 1024;

/// What a service listens to, and how much it does at once.
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

/// Answers until `stop`, then what was taken up to then. A server that is away is tried again and again.
///
/// It must be the only thing that the thread of its runtime does at the end: see `drain`.
pub async fn serve<A>(
    endpoint: &Endpoint,
    place: &Place,
    say: Arc<dyn Fn(&str) + Send + Sync>,
    stop: impl Future<Output = ()>,
    answer: impl Fn(Vec<u8>) -> A,
) -> Result<(), String>
where
    A: Future<Output = Vec<u8>> + Send + 'static,
{
    let (address, options) = endpoint.options()?;
    let (shown, say_event) = (place.shown.clone(), Arc::clone(&say));
    let away = place.shown.clone();
    let options = options
        .retry_on_initial_connect()
        .subscription_capacity(MOST_WAITING)
        .event_callback(move |event| {
            match event {
                Event::Connected => say_event(&format!("connected to {shown}")),
                Event::Disconnected => say_event(&format!("warning: the connection to {shown} is lost")),
                Event::SlowConsumer(_) => {
                    say_event(
                        "warning: more questions arrive than this service can answer; some were dropped",
                    );
                }
                Event::ServerError(error) => say_event(&format!("warning: {shown}: {error}")),
                Event::ClientError(error) => say_event(&format!("warning: {shown} cannot be used: {error}")),
                Event::LameDuckMode | Event::Draining | Event::Closed => {}
            }
            std::future::ready(())
        })
        .reconnect_delay_callback(move |attempt| {
            let pause = pause_before(attempt);
            if !pause.is_zero() {
                say(&format!("{away} is away; trying again in {} s", pause.as_secs()));
            }
            pause
        });
    let client = options.connect(address).await.map_err(|error| error.to_string())?;
    let requests = client.queue_subscribe(place.subject.clone(), place.queue.clone()).await;
    let mut requests = requests.map_err(|error| error.to_string())?;
    let mut running = JoinSet::new();
    tokio::pin!(stop);
    loop {
        tokio::select! {
            biased;
            () = &mut stop => break,
            Some(_) = running.join_next() => {}
            request = requests.next(), if running.len() < place.most_at_once => match request {
                Some(request) => take(&client, request, &answer, &mut running),
                None => return Err("the connection ended".to_owned()),
            },
        }
    }
    drain(&client, &mut requests, |request| take(&client, request, &answer, &mut running)).await;
    while running.join_next().await.is_some() {}
    let sent = async {
        let _ = client.flush().await;
        // Closed with something unread, a connection may lose what was just written to it.
        tokio::time::sleep(ROUND_TRIP).await;
    };
    let _ = tokio::time::timeout(END_TIME, sent).await;
    Ok(())
}

/// Nothing before the first attempt, then one second, doubled each time.
fn pause_before(attempt: usize) -> Duration {
    match attempt {
        0 | 1 => Duration::ZERO,
        more => Duration::from_secs(1 << (more - 2).min(5)).min(LONGEST_PAUSE),
    }
}

/// Starts to work on a question. Without an address for the answer there is nothing to do.
fn take<A: Future<Output = Vec<u8>> + Send + 'static>(
    client: &Client,
    request: Message,
    answer: &impl Fn(Vec<u8>) -> A,
    running: &mut JoinSet<()>,
) {
    let Some(reply) = request.reply else { return };
    let (client, answer) = (client.clone(), answer(request.payload.into()));
    running.spawn(async move {
        let mut answer = answer.await;
        if answer.len() > client.max_payload() {
            answer = br#"{"type":"hook-execution-response","success":false,"error":{"code":"internal_error","message":"the answer is larger than the NATS server accepts","details":{}}}"#.to_vec();
        }
        // Whoever asked finds out by the deadline.
        let _ = client.publish(reply, answer.into()).await;
    });
}

/// Ends the subscription, and takes what the server had sent before it knew.
async fn drain(client: &Client, requests: &mut async_nats::Subscriber, mut take: impl FnMut(Message)) {
    let drained = async {
        // Both in one step of the connection, which forgets the subscription in the next one, whatever still comes.
        let _ = tokio::join!(requests.drain(), client.flush());
        // So that everything has come by then, that step has to wait: nothing else runs on this thread.
        std::thread::sleep(ROUND_TRIP);
        while let Some(request) = requests.next().await {
            take(request);
        }
    };
    let _ = tokio::time::timeout(END_TIME, drained).await;
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
