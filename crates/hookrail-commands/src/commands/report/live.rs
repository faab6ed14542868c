//! `hookrail report --live`: the page on 127.0.0.1, with what is new every second, and no way to change anything.
//!
//! Who may read it is whoever got the printed address. Its code is behind the `#`, so that it is in no request and in no
//! referrer; the page posts it once, from its own origin, for a cookie that no script sees and no other site sends. The
//! cookie is for a path that nobody else knows, because browsers send cookies of 127.0.0.1 to servers on its other ports,
//! too. A name that was made to lead to 127.0.0.1 is refused by the `Host`, other pages by the `Origin`.

use std::convert::Infallible;
use std::io::Write as _;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Context as _;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderMap, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tempfile::NamedTempFile;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::collect::Collected;
use super::{coverage, open, page, policy};
use crate::cli::ReportArgs;
use crate::context::Context;
use crate::exit::ExitStatus;
use crate::signals::{EndSignals, boxed};
use crate::terminal::printer::Printer;
use crate::texts::TEXTS;

const SIGN_IN: &str = include_str!("../../report/sign-in.html");
const SIGN_IN_SCRIPT: &str = include_str!("../../report/sign-in.js");

/// Connections at once. A browser has at most six, for all of its tabs.
const MOST_CONNECTIONS: usize = 64;
/// How long the head of a request may take, and how long one connection lasts; a browser makes a new one.
const HEAD_TIMEOUT: Duration = Duration::from_secs(5);
const CONNECTION_TIMEOUT: Duration = Duration::from_mins(2);
/// The head of a request, and the code that is posted, in bytes.
const MOST_HEAD: usize = 16 * 1024;
const MOST_BODY: usize = 256;
/// How often the log is looked at, and after how many times the state of the agents.
const PAUSE: Duration = Duration::from_millis(300);
const COVERAGE_EVERY: u32 = 10;

/// Serves the page until Ctrl-C.
pub(super) fn run(
    args: &ReportArgs,
    collected: Collected,
    context: &Context,
    printer: &mut Printer,
) -> anyhow::Result<ExitStatus> {
    let runtime = crate::signals::runtime()?;
    runtime.block_on(async {
        let mut signals = EndSignals::listen().context("cannot listen to signals")?;
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.context("cannot listen on 127.0.0.1")?;
        let host = listener.local_addr().context("cannot listen on 127.0.0.1")?.to_string();
        let [path, code, cookie] = [random(), random(), random()];
        let address = format!("http://{host}/r/{path}/#{code}");
        let report = Arc::new(LiveReport {
            origin: format!("http://{host}"),
            host,
            path: format!("/r/{path}/"),
            cookie,
            state: Mutex::new(State { code: Some(code), collected, coverage: coverage(context), page: None }),
            args: args.clone(),
        });
        printer.data(&address)?;
        printer.message("the code in this address works once; Ctrl-C ends the report");
        printer.flush()?;
        let _file = args.open.then(|| open_browser(&address, context, printer)).transpose()?;
        let connections = Arc::new(Semaphore::new(MOST_CONNECTIONS));
        let mut pause = tokio::time::interval(PAUSE);
        pause.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Skip);
        let mut looks = 0_u32;
        loop {
            tokio::select! {
                _ = signals.next() => return Ok(ExitStatus::Success),
                _ = pause.tick() => {
                    looks = looks.wrapping_add(1);
                    report.look(looks.is_multiple_of(COVERAGE_EVERY).then_some(context));
                }
                accepted = listener.accept() => match (accepted, Arc::clone(&connections).try_acquire_owned()) {
                    (Ok((stream, _)), Ok(permit)) => {
                        tokio::spawn(boxed(serve(stream, Arc::clone(&report), permit)));
                    }
                    // Too many at once: this one is closed.
                    (Ok(_), Err(_)) => {}
                    // Out of descriptors, most likely: others are given time to end.
                    (Err(_), _) => tokio::time::sleep(PAUSE).await,
                },
            }
        }
    })
}

/// 122 random bits, in hexadecimal digits.
fn random() -> String {
    uuid::Uuid::new_v4().simple().to_string()
}

/// Opens the browser by a private file that leads it to the address: a command line, which all users of the machine see, must
/// not hold the code. The file is gone with what is returned.
fn open_browser(address: &str, context: &Context, printer: &mut Printer) -> anyhow::Result<NamedTempFile> {
    let state = context.state_dir();
    let written = tempfile::Builder::new().prefix("live-report-").suffix(".html").tempfile_in(&state);
    let written = written.and_then(|mut file| {
        write!(
            file,
            "<!doctype html><meta charset=utf-8><title>hookrail</title><meta http-equiv=refresh content=\"0;url={address}\">"
        )?;
        Ok(file)
    });
    let file = written.with_context(|| format!("cannot write to `{}`", state.display()))?;
    open(file.path(), context, printer);
    Ok(file)
}

/// One connection, from its first request to its end.
async fn serve(stream: TcpStream, report: Arc<LiveReport>, _permit: OwnedSemaphorePermit) {
    let service = service_fn(|request| {
        let report = Arc::clone(&report);
        async move { Ok::<_, Infallible>(report.answer(request).await) }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .max_buf_size(MOST_HEAD)
        .serve_connection(TokioIo::new(stream), service);
    let _ = tokio::time::timeout(CONNECTION_TIMEOUT, connection).await;
}

/// What is served, and to whom.
struct LiveReport {
    /// The only `Host` and the only `Origin` that are answered.
    host: String,
    origin: String,
    path: String,
    cookie: String,
    state: Mutex<State>,
    args: ReportArgs,
}

struct State {
    /// Gone once it was used.
    code: Option<String>,
    collected: Collected,
    coverage: Value,
    /// The page as it was at a cursor; it may be long, and tabs share it.
    page: Option<(u64, Bytes)>,
}

type Answer = Response<Full<Bytes>>;

impl LiveReport {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the log, and at the agents if a context is given. A log that cannot be read now is tried again.
    fn look(&self, context: Option<&Context>) {
        let now = context.map(coverage);
        let mut state = self.state();
        let _ = state.collected.poll();
        if let Some(now) = now.filter(|now| *now != state.coverage) {
            state.coverage = now;
            state.page = None;
        }
    }

    async fn answer(&self, request: Request<Incoming>) -> Answer {
        if let Err(why) = self.check_sender(request.headers()) {
            return plain(StatusCode::FORBIDDEN, why);
        }
        let (head, body) = request.into_parts();
        let Some(place) = head.uri.path().strip_prefix(&self.path) else {
            return plain(StatusCode::NOT_FOUND, "not found");
        };
        match (place, &head.method) {
            ("", &Method::GET) if self.is_known(&head.headers) => self.page(),
            ("", &Method::GET) => sign_in(),
            ("updates", &Method::GET) if self.is_known(&head.headers) => self.updates(head.uri.query()),
            ("updates", &Method::GET) => plain(StatusCode::FORBIDDEN, "this browser has not given the code"),
            ("session", &Method::POST) => self.exchange(&head.headers, body).await,
            ("" | "updates" | "session", _) => {
                let allowed = if place == "session" { "POST" } else { "GET" };
                let mut answer = plain(StatusCode::METHOD_NOT_ALLOWED, "this changes nothing");
                answer.headers_mut().insert(header::ALLOW, HeaderValue::from_static(allowed));
                answer
            }
            _ => plain(StatusCode::NOT_FOUND, "not found"),
        }
    }

    /// Whether a request is for this server by its own address, and not from another page.
    fn check_sender(&self, headers: &HeaderMap) -> Result<(), &'static str> {
        let is = |value: &HeaderValue, wanted: &str| value.as_bytes() == wanted.as_bytes();
        let mut hosts = headers.get_all(header::HOST).iter();
        if !hosts.next().is_some_and(|host| is(host, &self.host)) || hosts.next().is_some() {
            return Err("this address does not belong to this server");
        }
        if headers.get_all(header::ORIGIN).iter().any(|origin| !is(origin, &self.origin)) {
            return Err("other pages are not answered");
        }
        // A person may follow a link to it; the cookie is not sent then.
        let is_navigation = headers.get("sec-fetch-mode").is_some_and(|mode| is(mode, "navigate"));
        let site = headers.get("sec-fetch-site");
        if !is_navigation && site.is_some_and(|site| !is(site, "same-origin") && !is(site, "none")) {
            return Err("other pages are not answered");
        }
        Ok(())
    }

    /// Whether the cookie of this report came along.
    fn is_known(&self, headers: &HeaderMap) -> bool {
        let cookies = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let values =
            cookies.flat_map(|cookies| cookies.split(';')).filter_map(|pair| pair.trim().split_once('='));
        values.filter(|(name, _)| *name == "hookrail").any(|(_, value)| is_same(value, &self.cookie))
    }

    fn page(&self) -> Answer {
        let mut state = self.state();
        let cursor = state.collected.total;
        let cached = state.page.as_ref().filter(|(at, _)| *at == cursor).map(|(_, page)| page.clone());
        let body = cached.unwrap_or_else(|| {
            let (data, _) = state.collected.page_data(&self.args, &state.coverage, true);
            let made = Bytes::from(page(&data, "'self'"));
            state.page = Some((cursor, made.clone()));
            made
        });
        let policy = policy(&[TEXTS.get(super::SCRIPT)], &[TEXTS.get(super::STYLE)], "'self'");
        answer(StatusCode::OK, "text/html; charset=utf-8", body, &policy)
    }

    fn updates(&self, query: Option<&str>) -> Answer {
        let after = query.and_then(|query| query.strip_prefix("after=")?.parse().ok());
        let Some(after) = after else { return plain(StatusCode::BAD_REQUEST, "`after` is missing") };
        let state = self.state();
        let update = state.collected.update(after, &state.coverage);
        let body = update.unwrap_or_else(|| "{\"reload\":true}".to_owned());
        answer(StatusCode::OK, "application/json", body.into(), &policy(&[], &[], ""))
    }

    /// Takes the code, once, from the page itself, and gives the cookie for it.
    async fn exchange(&self, headers: &HeaderMap, body: Incoming) -> Answer {
        if !headers.contains_key(header::ORIGIN) {
            return plain(StatusCode::FORBIDDEN, "other pages are not answered");
        }
        let read = tokio::time::timeout(HEAD_TIMEOUT, Limited::new(body, MOST_BODY).collect()).await;
        let Ok(Ok(given)) = read else { return plain(StatusCode::BAD_REQUEST, "no code") };
        let given = given.to_bytes();
        let mut state = self.state();
        let is_right = |code: &String| std::str::from_utf8(&given).is_ok_and(|given| is_same(given, code));
        if state.code.take_if(|code| is_right(code)).is_none() {
            return plain(
                StatusCode::FORBIDDEN,
                "this code was used already, or is not the one of this report",
            );
        }
        let cookie = format!("hookrail={}; HttpOnly; SameSite=Strict; Path={}", self.cookie, self.path);
        let mut answer = plain(StatusCode::OK, "");
        if let Ok(cookie) = HeaderValue::from_str(&cookie) {
            answer.headers_mut().insert(header::SET_COOKIE, cookie);
        }
        answer
    }
}

/// Compared by hashes, so that the time that it takes tells nothing.
fn is_same(given: &str, secret: &str) -> bool {
    Sha256::digest(given.as_bytes()) == Sha256::digest(secret.as_bytes())
}

/// The page that posts the code.
fn sign_in() -> Answer {
    let page = SIGN_IN.replace("<!--script-->", &format!("<script>{SIGN_IN_SCRIPT}</script>"));
    let policy = policy(&[SIGN_IN_SCRIPT], &[], "'self'");
    answer(StatusCode::OK, "text/html; charset=utf-8", page.into(), &policy)
}

fn plain(status: StatusCode, text: &'static str) -> Answer {
    answer(status, "text/plain; charset=utf-8", Bytes::from_static(text.as_bytes()), &policy(&[], &[], ""))
}

/// An answer with everything that keeps it out of caches, frames, referrers and other pages.
fn answer(status: StatusCode, kind: &'static str, body: Bytes, policy: &str) -> Answer {
    let mut answer = Response::new(Full::new(body));
    *answer.status_mut() = status;
    let headers = answer.headers_mut();
    for (name, value) in [
        ("content-type", kind),
        ("cache-control", "no-store"),
        ("referrer-policy", "no-referrer"),
        ("x-content-type-options", "nosniff"),
        ("x-frame-options", "DENY"),
        ("cross-origin-opener-policy", "same-origin"),
        ("cross-origin-resource-policy", "same-origin"),
    ] {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    let policy = format!("{policy}; frame-ancestors 'none'");
    if let Ok(policy) = HeaderValue::from_str(&policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    answer
}
