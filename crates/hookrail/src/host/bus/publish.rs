//! Publish and subscribe within one process.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use crate::host::bus::message::BusMessage;

/// An in-process bus. Subscribers are called on the publisher's thread and must not block.
#[derive(Default)]
pub struct MessageBus {
    subscribers: Mutex<Subscribers>,
}

#[derive(Default)]
struct Subscribers {
    next_id: u64,
    list: Vec<(u64, Subscriber)>,
}

type Subscriber = Arc<dyn Fn(&BusMessage) + Send + Sync>;

impl MessageBus {
    /// An empty bus.
    pub fn new() -> Arc<Self> {
        Arc::new(Self::default())
    }

    /// Delivers a message to all subscribers.
    pub fn publish(&self, message: &BusMessage) {
        // Cloned out of the lock, so that a subscriber may publish or unsubscribe.
        let list: Vec<_> = self.lock().list.iter().map(|(_, subscriber)| Arc::clone(subscriber)).collect();
        for subscriber in list {
            subscriber(message);
        }
    }

    /// Calls `subscriber` for every message until the subscription is dropped.
    pub fn subscribe(
        self: &Arc<Self>,
        subscriber: impl Fn(&BusMessage) + Send + Sync + 'static,
    ) -> Subscription {
        let mut subscribers = self.lock();
        let id = subscribers.next_id;
        subscribers.next_id += 1;
        subscribers.list.push((id, Arc::new(subscriber)));
        Subscription { bus: Arc::downgrade(self), id }
    }

    /// How many subscribers there are.
    pub fn subscriber_count(&self) -> usize {
        self.lock().list.len()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Subscribers> {
        self.subscribers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for MessageBus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MessageBus").field("subscribers", &self.subscriber_count()).finish()
    }
}

/// A subscription to a [`MessageBus`], which ends when this is dropped.
#[must_use = "a dropped subscription ends at once"]
#[derive(Debug)]
pub struct Subscription {
    bus: Weak<MessageBus>,
    id: u64,
}

impl Drop for Subscription {
    fn drop(&mut self) {
        if let Some(bus) = self.bus.upgrade() {
            bus.lock().list.retain(|(id, _)| *id != self.id);
        }
    }
}

/// The subscription to requests on the bus, while there is one. It exists before the handler does, because a
/// request may be the first event.
pub(crate) type SubscriptionSlot = Arc<Mutex<Option<Subscription>>>;

/// Ends a subscription, if there is one.
pub(crate) fn end_subscription(slot: &SubscriptionSlot) {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take();
}
