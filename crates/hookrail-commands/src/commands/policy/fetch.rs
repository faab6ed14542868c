//! Gets a document and its signature from a server or from files. Nothing here trusts what it gets.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, bail};
use reqwest::header::{ETAG, IF_NONE_MATCH};
use reqwest::{Client, StatusCode, Url};

use crate::exit::fail;
use crate::plain_file;

/// How long a pull may take, all of it.
const TIMEOUT: Duration = Duration::from_mins(1);
/// More than a document may have; the verifier knows the bound.
const MOST: usize = (4 << 20) + 1;

/// What a pull got.
pub(super) enum Fetched {
    /// The server says that its document is the one that is known.
    Unchanged,
    /// A document, not verified.
    Document { bytes: Vec<u8>, signature: String, etag: Option<String> },
}

/// Gets the document of an address or a file.
pub(super) fn fetch(from: &str, etag: Option<&str>) -> anyhow::Result<Fetched> {
    if !from.contains("://") {
        let (bytes, signature) = read_files(Path::new(from))?;
        return Ok(Fetched::Document { bytes, signature, etag: None });
    }
    let url: Url = from.parse().with_context(|| format!("`{from}` is not an address"))?;
    let is_loopback = match url.host_str() {
        Some(host) => {
            host == "localhost"
                || host.trim_matches(['[', ']']).parse::<std::net::IpAddr>().is_ok_and(|ip| ip.is_loopback())
        }
        None => false,
    };
    if url.scheme() != "https" && !(url.scheme() == "http" && is_loopback) {
        let message =
            format!("`{from}` is not fetched: a policy comes by https, or by http from this machine");
        return fail(message, "use https, or download the two files and name the document");
    }
    get_within(TIMEOUT, &url, etag)
}

fn get_within(limit: Duration, url: &Url, etag: Option<&str>) -> anyhow::Result<Fetched> {
    let runtime = crate::signals::runtime()?;
    let fetched = runtime.block_on(async { tokio::time::timeout(limit, get_both(url, etag)).await });
    fetched.with_context(|| format!("{url} did not answer within {} s", limit.as_secs_f32()))?
}

async fn get_both(url: &Url, etag: Option<&str>) -> anyhow::Result<Fetched> {
    let client = hookrail_agent::model::http_client(url, Duration::from_secs(10))?;
    let Some((bytes, etag)) = get(&client, url.clone(), etag, MOST).await? else {
        return Ok(Fetched::Unchanged);
    };
    let mut beside = url.clone();
    beside.set_path(&format!("{}.minisig", url.path()));
    let signature = get(&client, beside, None, 4 << 10).await?.map(|(bytes, _)| bytes).unwrap_or_default();
    Ok(Fetched::Document { bytes, signature: String::from_utf8_lossy(&signature).into_owned(), etag })
}

/// One file; `None` where the server says that it has not changed.
async fn get(
    client: &Client,
    url: Url,
    etag: Option<&str>,
    most: usize,
) -> anyhow::Result<Option<(Vec<u8>, Option<String>)>> {
    let mut request = client.get(url.clone());
    if let Some(etag) = etag {
        request = request.header(IF_NONE_MATCH, etag);
    }
    let mut response = request.send().await.with_context(|| format!("cannot fetch {url}"))?;
    match response.status() {
        StatusCode::NOT_MODIFIED if etag.is_some() => return Ok(None),
        status if status.is_success() => {}
        status => bail!("cannot fetch {url}: the server answered {status}"),
    }
    let etag = response.headers().get(ETAG).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.with_context(|| format!("cannot fetch {url}"))? {
        bytes.extend_from_slice(&chunk);
        if bytes.len() > most {
            bail!("{url} is larger than {most} bytes");
        }
    }
    Ok(Some((bytes, etag)))
}

/// A document and the signature beside it.
pub(super) fn read_files(file: &Path) -> anyhow::Result<(Vec<u8>, String)> {
    let mut beside = file.as_os_str().to_owned();
    beside.push(".minisig");
    let read =
        |file: &Path| plain_file::read(file).with_context(|| format!("cannot read `{}`", file.display()));
    let signature = read(Path::new(&beside))?;
    Ok((read(file)?, String::from_utf8_lossy(&signature).into_owned()))
}

#[cfg(test)]
mod tests {
    use hookrail_testkit::model_server::{Server, Step, chunk, chunked_head, sized};

    use super::*;

    /// Each of these sends something again and again, or nothing at all, and has no end.
    #[test]
    fn a_slow_server_is_not_waited_for_longer_than_the_limit() {
        let drip = || {
            let more = (0..1000).flat_map(|_| [chunk(" "), Step::Pause(Duration::from_millis(20))]);
            [chunked_head()].into_iter().chain(more).collect::<Vec<_>>()
        };
        for scripts in [vec![vec![Step::Hang]], vec![drip()], vec![sized("200 OK", "", "{}"), drip()]] {
            let server = Server::start(scripts);
            let url: Url = format!("{}/policy.json", server.url()).parse().unwrap();
            let error = get_within(Duration::from_millis(500), &url, None).err().unwrap();
            assert!(format!("{error:#}").contains("did not answer within 0.5 s"), "{error:#}");
        }
    }
}
