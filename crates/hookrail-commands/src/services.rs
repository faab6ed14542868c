//! Asks the services of `http` and `remote` hooks. Nothing is made before the first question: a program without such hooks
//! pays nothing.

use std::io::Read as _;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use hookrail::Hook;
use hookrail::components::{HookKind, HttpHook, ServiceAnswer, ServiceClient, ServiceQuestion};
#[cfg(feature = "nats")]
use hookrail::components::{NatsHook, ServiceUrl};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

/// The longest answer that is read, and the longest file of headers.
const MOST_BYTES: usize = 1024 * 1024;
const MOST_HEADER_BYTES: u64 = 64 * 1024;
/// `--no-default-features` leaves NATS out.
#[cfg(not(feature = "nats"))]
const NO_NATS: &str = "this program was built without NATS";

/// Where Linux distributions keep the certificates of the system. Read here and not by a library: those ask variables that a
/// project's `.env` may set.
#[cfg(any(feature = "nats", not(target_os = "macos")))]
const CERTIFICATES: [&str; 5] = [
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
];

/// The client of this program.
pub(crate) struct Services {
    home: PathBuf,
    #[cfg(feature = "nats")]
    asker: hookrail_remote::Asker,
}

impl Services {
    /// A client for the user with this home.
    pub(crate) fn new(home: &Path) -> Self {
        Self {
            home: home.to_owned(),
            #[cfg(feature = "nats")]
            asker: hookrail_remote::Asker::default(),
        }
    }
}

impl ServiceClient for Services {
    fn ask<'a>(&'a self, question: ServiceQuestion<'a>) -> ServiceAnswer<'a> {
        Box::pin(async move {
            match &question.hook.kind {
                HookKind::Http(http) => post(http, question, &self.home).await,
                #[cfg(feature = "nats")]
                HookKind::Remote(nats) => {
                    let endpoint = endpoint(question.hook, nats, &self.home)?;
                    let (event, payload) = (question.hook.event.as_str(), question.payload.as_bytes());
                    let asked = hookrail_remote::Question { event, payload, caller: &question.caller };
                    let answer = self.asker.ask(&endpoint, &nats.subject, asked.message()?).await?;
                    hookrail_remote::output_of(&answer)
                }
                _ => Err(format!("this program cannot ask hooks of type `{}`", question.hook.type_name())),
            }
        })
    }
}

/// One question and its answer. The deadline is the engine's, over all of it.
async fn post(http: &HttpHook, question: ServiceQuestion<'_>, home: &Path) -> Result<Vec<u8>, String> {
    // An address may hold a password, which error texts of the library would show.
    let plain = |error: reqwest::Error| {
        let error = error.without_url();
        let cause = std::iter::successors(std::error::Error::source(&error), |cause| cause.source()).last();
        cause.map_or_else(|| error.to_string(), |cause| format!("{error}: {cause}"))
    };
    let mut headers = HeaderMap::new();
    let from_file = read_headers(question.hook, http, home)?;
    for (name, value) in http.headers.iter().chain(&from_file) {
        let (Ok(name), Ok(mut value)) =
            (HeaderName::try_from(name.as_str()), HeaderValue::try_from(value.as_str()))
        else {
            return Err("a header cannot be sent".to_owned());
        };
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let client = client(http).map_err(plain)?;
    let asked = client.post(http.url.as_str()).headers(headers).body(question.payload.as_bytes().to_vec());
    let mut response = asked.send().await.map_err(plain)?;
    if !response.status().is_success() {
        return Err(format!("the service answered with status {}", response.status().as_u16()));
    }
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(plain)? {
        if body.len() + chunk.len() > MOST_BYTES {
            return Err(format!("the service answered with more than {MOST_BYTES} bytes"));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

/// A client that follows no redirects and asks no proxy.
fn client(http: &HttpHook) -> reqwest::Result<reqwest::Client> {
    hookrail_agent::model::use_ring();
    let builder = reqwest::Client::builder()
        .user_agent(concat!("hookrail/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .no_proxy();
    if http.url.scheme() == "http" {
        // Checked when the settings were read: this machine. A resolver might say something else of its name.
        let loopback = [(Ipv4Addr::LOCALHOST, 0).into(), (Ipv6Addr::LOCALHOST, 0).into()];
        return builder.resolve_to_addrs("localhost", &loopback).tls_certs_only([]).build();
    }
    #[cfg(not(target_os = "macos"))]
    let builder = {
        let bundle = CERTIFICATES.iter().find_map(|file| std::fs::read(file).ok()).unwrap_or_default();
        builder.tls_certs_only(reqwest::Certificate::from_pem_bundle(&bundle)?)
    };
    builder.https_only(true).build()
}

/// Why the service of a hook cannot be asked by this program; `None` where it can, and for hooks of this machine.
pub(crate) fn problem(hook: &Hook, home: &Path) -> Option<String> {
    match &hook.kind {
        HookKind::Http(http) => read_headers(hook, http, home).err(),
        #[cfg(feature = "nats")]
        HookKind::Remote(nats) => endpoint(hook, nats, home).err(),
        #[cfg(not(feature = "nats"))]
        HookKind::Remote(_) => Some(NO_NATS.to_owned()),
        _ => None,
    }
}

/// The server of a hook. Its certificates are those of the system, too.
#[cfg(feature = "nats")]
fn endpoint(hook: &Hook, nats: &NatsHook, home: &Path) -> Result<hookrail_remote::Endpoint, String> {
    let file = nats.credentials.as_deref().map(|written| place_of(hook, written, home));
    nats_endpoint(&nats.url, file.as_deref())
}

/// A server, with the credentials in a file.
#[cfg(feature = "nats")]
pub(crate) fn nats_endpoint(
    url: &ServiceUrl,
    credentials: Option<&Path>,
) -> Result<hookrail_remote::Endpoint, String> {
    hookrail_agent::model::use_ring();
    let credentials =
        credentials.map(|file| read_private("credentials", file, Owner::UserOrRoot)).transpose()?;
    let found = CERTIFICATES.iter().map(PathBuf::from).find(|file| file.is_file());
    let certificates = found.unwrap_or_else(|| PathBuf::from("/etc/ssl/cert.pem"));
    Ok(hookrail_remote::Endpoint { url: url.as_str().to_owned(), credentials, certificates })
}

/// Whether the credentials of a `remote` hook can do more than ask. `None` for other hooks.
#[cfg(feature = "nats")]
pub(crate) async fn can_answer(hook: &Hook, home: &Path) -> Option<Result<bool, String>> {
    let HookKind::Remote(nats) = &hook.kind else { return None };
    let tested = async {
        let rights = hookrail_remote::rights(&endpoint(hook, nats, home)?, &nats.subject).await?;
        Ok(rights == hookrail_remote::Rights::CanAnswer)
    };
    Some(tested.await)
}

/// The headers in the file of a hook.
fn read_headers(hook: &Hook, http: &HttpHook, home: &Path) -> Result<Vec<(String, String)>, String> {
    let Some(written) = &http.headers_file else { return Ok(Vec::new()) };
    let file = place_of(hook, written, home);
    let text = read_private("headersFile", &file, Owner::User)?;
    let shown = file.display();
    let headers: std::collections::BTreeMap<String, String> = serde_json::from_str(&text)
        .map_err(|_| format!("headersFile `{shown}` must hold a JSON object of texts"))?;
    match headers.iter().find_map(|(name, value)| HttpHook::header_problem(name, value)) {
        Some(why) => Err(format!("headersFile `{shown}` has a header that {why}")),
        None => Ok(headers.into_iter().collect()),
    }
}

/// Where a file is that a hook names.
fn place_of(hook: &Hook, written: &Path, home: &Path) -> PathBuf {
    match written.strip_prefix("~") {
        Ok(rest) => home.join(rest),
        Err(_) => hook.origin.file.parent().unwrap_or(Path::new("/")).join(written),
    }
}

/// Whose a file with secrets may be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    User,
    /// Also root's, if nobody else can write it: what is for the agents of a machine is readable to their users.
    #[cfg(feature = "nats")]
    UserOrRoot,
}

/// A file with secrets. Only the user may read it, and it is a file: no link, no pipe.
fn read_private(setting: &str, file: &Path, owner: Owner) -> Result<String, String> {
    let shown = file.display();
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    let flags = i32::try_from(flags.bits()).unwrap_or_default();
    let opened = std::fs::OpenOptions::new().read(true).custom_flags(flags).open(file);
    let opened = opened.map_err(|error| format!("{setting} `{shown}` cannot be read: {error}"))?;
    let metadata =
        opened.metadata().map_err(|error| format!("{setting} `{shown}` cannot be read: {error}"))?;
    let for_others = metadata.mode() & 0o077;
    let is_private = for_others == 0 && metadata.uid() == rustix::process::geteuid().as_raw();
    let is_roots = owner != Owner::User && metadata.uid() == 0 && metadata.mode() & 0o022 == 0;
    if !metadata.is_file() || !(is_private || is_roots) {
        return Err(format!("{setting} `{shown}` must be a file of yours with mode 0600"));
    }
    let mut text = String::new();
    let read = opened.take(MOST_HEADER_BYTES + 1).read_to_string(&mut text);
    if read.is_err() || text.len() as u64 > MOST_HEADER_BYTES {
        return Err(format!("{setting} `{shown}` is not text, or is longer than {MOST_HEADER_BYTES} bytes"));
    }
    Ok(text)
}
