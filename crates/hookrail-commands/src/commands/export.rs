//! `hookrail export`: sends the log to an OpenTelemetry collector.
//!
//! Nothing here is on the path of an event: the log is read from a remembered position. The position moves when the
//! collector has taken a batch, so that a crash repeats at most the batch in flight.

mod endpoint;
mod otlp;

use std::fs::{File, TryLockError};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use hookrail::settings::make_state_dir;
use reqwest::header::CONTENT_TYPE;
use reqwest::{Client, StatusCode};
use serde_json::Value;

use self::endpoint::Endpoint;
use crate::cli::ExportArgs;
use crate::context::Context;
use crate::exit::{ExitStatus, Hinted, fail};
use crate::hook_log::{Position, lost, path_in, position_file, read_batch};
use crate::terminal::layout::counted;
use crate::terminal::printer::{Printer, escape_line};

/// How often a followed log is looked at.
const PAUSE: Duration = Duration::from_millis(500);

/// How long one request may take.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// The wait before a failed batch is sent again: doubled each time, up to the second.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_mins(1);

/// How long a collector may be away if nobody asked to go on for ever.
const PATIENCE: Duration = Duration::from_secs(30);

/// How much of an answer is read.
const MAX_ANSWER: usize = 64 * 1024;

/// Sends what was not sent yet.
pub(crate) fn run(args: &ExportArgs, context: &Context, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
    let endpoint = Endpoint::read(|name| std::env::var(name).ok())?;
    if let Some(note) = &endpoint.note {
        printer.message(escape_line(note));
    }
    let state_dir = context.state_dir();
    make_state_dir(&state_dir).with_context(|| format!("cannot use `{}`", state_dir.display()))?;
    let _only_one = lock(&state_dir)?;
    let runtime = crate::signals::runtime()?;
    runtime.block_on(Exporter::new(args, endpoint, &path_in(&state_dir))?.run(printer))
}

/// One exporter at a time, or two would send everything twice.
fn lock(state_dir: &Path) -> anyhow::Result<File> {
    let path = state_dir.join("export.lock");
    let mut options = File::options();
    let file = options.create(true).truncate(false).write(true).mode(0o600).open(&path);
    let file = file.with_context(|| format!("cannot open `{}`", path.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            let hint = "stop that one first, or let it run";
            fail("another `hookrail export` is running", hint)
        }
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("cannot lock `{}`", path.display()))
        }
    }
}

struct Exporter<'a> {
    args: &'a ExportArgs,
    endpoint: Endpoint,
    client: Client,
    log: &'a Path,
    position: Option<Position>,
    sent: u64,
    /// What the collector refused for good.
    refused: u64,
}

/// What came of one batch.
enum Delivery {
    /// Taken, except for so many records.
    Taken { refused: u64 },
    /// Not wanted, and never will be.
    Refused(StatusCode),
    /// To be tried again.
    Away(String),
}

impl<'a> Exporter<'a> {
    fn new(args: &'a ExportArgs, endpoint: Endpoint, log: &'a Path) -> anyhow::Result<Self> {
        let position = Position::load(log).with_context(|| {
            let file = position_file(log);
            let message = format!("cannot read `{}`, which says what was sent", file.display());
            Hinted::new(message, "remove the file to send the whole log again")
        })?;
        let client = hookrail_agent::model::http_client(&endpoint.url, REQUEST_TIMEOUT)?;
        Ok(Self { args, endpoint, client, log, position, sent: 0, refused: 0 })
    }

    async fn run(mut self, printer: &mut Printer) -> anyhow::Result<ExitStatus> {
        loop {
            let batch = read_batch(self.log, self.position.as_ref()).context("cannot read the log")?;
            let mut records: Vec<Value> = batch
                .decisions
                .iter()
                .filter_map(|text| serde_json::from_str(text).ok())
                .map(|decision| otlp::record(&decision, self.args.prompts))
                .collect();
            let lost = lost(self.log);
            let reported = self.position.as_ref().map_or(0, |position| position.lost);
            if lost > reported && batch.end.is_some() {
                records.push(otlp::lost_record(lost - reported));
            }
            if !records.is_empty() && !self.deliver(&records, printer).await? {
                return Ok(ExitStatus::Failure);
            }
            if let Some(mut end) = batch.end {
                end.lost = lost;
                self.move_to(end)?;
            }
            if batch.has_more {
                if records.is_empty() {
                    tokio::time::sleep(PAUSE).await;
                }
                continue;
            }
            if !self.args.follow {
                break;
            }
            tokio::time::sleep(PAUSE).await;
        }
        printer.message(format_args!("sent {} to {}", counted(self.sent, "record"), self.address()));
        Ok(if self.refused == 0 { ExitStatus::Success } else { ExitStatus::Failure })
    }

    /// Sends until the collector has taken or refused them. `false` if it stayed away.
    async fn deliver(&mut self, records: &[Value], printer: &mut Printer) -> anyhow::Result<bool> {
        let body = serde_json::to_vec(&otlp::request(&self.endpoint.resource, records))?;
        let count = records.len() as u64;
        let start = Instant::now();
        let mut wait = FIRST_WAIT;
        loop {
            let cause = match self.post(body.clone()).await {
                Delivery::Taken { refused } => {
                    self.sent += count.saturating_sub(refused);
                    self.refused += refused;
                    if refused > 0 {
                        printer.message(format_args!("warning: the collector refused {refused} records"));
                    }
                    return Ok(true);
                }
                Delivery::Refused(status) => {
                    self.refused += count;
                    printer.message(format_args!(
                        "warning: the collector refused {count} records as bad ({status}); they are skipped"
                    ));
                    return Ok(true);
                }
                Delivery::Away(cause) => cause,
            };
            if wait == FIRST_WAIT {
                let address = self.address();
                printer.message(format_args!("waiting for {address}: {}", escape_line(&cause)));
            }
            let left = PATIENCE.saturating_sub(start.elapsed());
            if !self.args.follow && left.is_zero() {
                let message = format!("{} did not accept the records: {cause}", self.address());
                let hint = "nothing is lost: run `hookrail export --otlp` again when it can be reached";
                return fail(message, hint);
            }
            tokio::time::sleep(if self.args.follow { wait } else { wait.min(left) }).await;
            wait = (wait * 2).min(LONGEST_WAIT);
        }
    }

    async fn post(&self, body: Vec<u8>) -> Delivery {
        let request = self.client.post(self.endpoint.url.clone()).headers(self.endpoint.headers.clone());
        let request = request.header(CONTENT_TYPE, "application/json").timeout(REQUEST_TIMEOUT).body(body);
        let mut response = match request.send().await {
            Ok(response) => response,
            Err(error) => return Delivery::Away(without_address(error)),
        };
        match response.status() {
            status if status.is_success() => {}
            status @ (StatusCode::BAD_REQUEST
            | StatusCode::PAYLOAD_TOO_LARGE
            | StatusCode::UNPROCESSABLE_ENTITY) => return Delivery::Refused(status),
            status => return Delivery::Away(format!("it answered {status}")),
        }
        let kind =
            response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok()).unwrap_or_default();
        if kind.to_ascii_lowercase().starts_with("text/html") {
            // No collector answers so; whatever stands in its place has not taken the records.
            return Delivery::Away("it answered with a web page".to_owned());
        }
        let mut answer = Vec::new();
        // The records were taken; an answer that breaks off changes nothing about that.
        while let Ok(Some(chunk)) = response.chunk().await {
            answer.extend_from_slice(&chunk);
            if answer.len() > MAX_ANSWER {
                break;
            }
        }
        Delivery::Taken { refused: rejected_records(&answer) }
    }

    fn move_to(&mut self, position: Position) -> anyhow::Result<()> {
        if self.position.as_ref() == Some(&position) {
            return Ok(());
        }
        let file = position_file(self.log);
        let folder = self.log.parent().unwrap_or(Path::new("/"));
        let write = || -> anyhow::Result<()> {
            let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
            temporary.write_all(&serde_json::to_vec(&position)?)?;
            temporary.persist(&file)?;
            Ok(())
        };
        write().with_context(|| format!("cannot write `{}`", file.display()))?;
        self.position = Some(position);
        Ok(())
    }

    /// The collector's address without a user name or a password in it.
    fn address(&self) -> String {
        let url = &self.endpoint.url;
        format!("{}{}", url.origin().ascii_serialization(), escape_line(url.path()))
    }
}

/// How many records of a taken batch the collector left out (`partialSuccess`).
fn rejected_records(answer: &[u8]) -> u64 {
    let answer: Value = serde_json::from_slice(answer).unwrap_or_default();
    match answer.pointer("/partialSuccess/rejectedLogRecords") {
        Some(Value::String(text)) => text.parse().unwrap_or(0),
        number => number.and_then(Value::as_u64).unwrap_or(0),
    }
}

/// Why a request failed, with its causes. The address may have a password in it.
fn without_address(error: reqwest::Error) -> String {
    let error = anyhow::Error::new(error.without_url());
    format!("{error:#}")
}
