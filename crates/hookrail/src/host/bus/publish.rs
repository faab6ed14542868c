//! Publish and subscribe within one process.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::host::bus::message::BusMessage;

/// An in-process bus. Subscribers are called on the publisher's thread and must not block.
#[derive(Default)]
pub struct MessageBus {
    subscribers: Mutex<Vec<Weak<Subscriber>>>,
}

type Subscriber = dyn Fn(&BusMessage) + Send + Sync;

impl MessageBus {
    /// An empty bus.
    pub fn new() -> Arc<Self> {
        Arc::new(Self::default())
    }

    /// Delivers a message to all subscribers.
    pub fn publish(&self, message: &BusMessage) {
        // Taken out of the lock, so that a subscriber may publish or unsubscribe.
        for subscriber in self.subscribers() {
            subscriber(message);
        }
    }

    /// Calls `subscriber` for every message until the subscription is dropped.
    pub fn subscribe(&self, subscriber: impl Fn(&BusMessage) + Send + Sync + 'static) -> Subscription {
        let subscriber: Arc<Subscriber> = Arc::new(subscriber);
        let mut all = self.subscribers.lock().unwrap_or_else(PoisonError::into_inner);
        all.retain(|other| other.strong_count() > 0);
        all.push(Arc::downgrade(&subscriber));
        Subscription { _subscriber: subscriber }
    }

    /// How many subscribers there are.
    pub fn subscriber_count(&self) -> usize {
        self.subscribers().len()
    }

    fn subscribers(&self) -> Vec<Arc<Subscriber>> {
        let all = self.subscribers.lock().unwrap_or_else(PoisonError::into_inner);
        all.iter().filter_map(Weak::upgrade).collect()
    }
}

impl fmt::Debug for MessageBus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessageBus").field("subscribers", &self.subscriber_count()).finish()
    }
}

/// A subscription to a [`MessageBus`], which ends when this is dropped.
#[must_use = "a dropped subscription ends at once"]
pub struct Subscription {
    _subscriber: Arc<Subscriber>,
}
