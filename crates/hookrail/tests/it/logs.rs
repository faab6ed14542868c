//! What the engine writes to its log on this thread, for tests to look at; and a log that breaks.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Once;

use tracing::field::{Field, Visit};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt as _};
use tracing_subscriber::registry::Registry;

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) target: String,
    pub(crate) level: tracing::Level,
    pub(crate) message: String,
    pub(crate) fields: BTreeMap<String, String>,
}

impl Record {
    /// A field as text; empty if it is missing.
    pub(crate) fn field(&self, name: &str) -> &str {
        self.fields.get(name).map_or("", String::as_str)
    }
}

thread_local! {
    static HEARD: RefCell<Option<Vec<Record>>> = const { RefCell::new(None) };
    static BREAKS_AT: RefCell<Option<&'static str>> = const { RefCell::new(None) };
}

/// Listens on this thread until it is dropped. One subscriber serves all tests, because subscribers that come and
/// go at the same time confuse what is known about each place that logs.
#[must_use]
pub(crate) struct Listening(());

pub(crate) fn listen() -> Listening {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        let _ = tracing::subscriber::set_global_default(Registry::default().with(CapturingLayer));
    });
    HEARD.set(Some(Vec::new()));
    Listening(())
}

impl Listening {
    /// Makes the log panic at messages that contain this text.
    pub(crate) fn break_at(self, text: &'static str) -> Self {
        BREAKS_AT.set(Some(text));
        self
    }

    /// What the engine has said so far.
    #[expect(clippy::unused_self, reason = "there is something to read while somebody listens")]
    pub(crate) fn records(&self) -> Vec<Record> {
        HEARD.with_borrow(|heard| heard.clone().unwrap_or_default())
    }

    /// The warnings among it.
    pub(crate) fn warnings(&self) -> Vec<Record> {
        self.records().into_iter().filter(|record| record.level == tracing::Level::WARN).collect()
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        HEARD.set(None);
        BREAKS_AT.set(None);
    }
}

struct CapturingLayer;

impl Layer<Registry> for CapturingLayer {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, Registry>) {
        let metadata = event.metadata();
        if !metadata.target().starts_with("llxprt:") {
            return;
        }
        let mut fields = Fields::default();
        event.record(&mut fields);
        let message = fields.0.remove("message").unwrap_or_default();
        let breaks = BREAKS_AT.with_borrow(|text| text.is_some_and(|text| message.contains(text)));
        assert!(!breaks, "the log is full");
        let (target, level) = (metadata.target().to_owned(), *metadata.level());
        HEARD.with_borrow_mut(|heard| {
            if let Some(heard) = heard {
                heard.push(Record { target, level, message, fields: fields.0 });
            }
        });
    }
}

#[derive(Default)]
struct Fields(BTreeMap<String, String>);

impl Visit for Fields {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.0.insert(field.name().to_owned(), value.to_owned());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.0.insert(field.name().to_owned(), format!("{value:?}"));
    }
}
