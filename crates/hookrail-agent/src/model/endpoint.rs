//! Addresses: where a request goes, and how much of that a message shows. Pure.

use reqwest::Url;

use super::api_error::tidy;
use super::error::ModelError;

/// The address of `model`'s streaming method below `base`.
/// `base` may name a proxy with a path of its own and may end in the API's version, as other programs expect it. Query and
/// fragment are refused, because the method's path and query are appended.
pub(crate) fn endpoint(base: &str, model: &str) -> Result<Url, ModelError> {
    let bad = |why: &str| ModelError::BadBaseUrl { why: why.to_owned() };
    let mut url = Url::parse(base.trim()).map_err(|error| bad(&error.to_string()))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(bad("it does not start with `https://` or `http://`"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(bad("it has a `?` or `#`"));
    }
    let (collection, name) = match model.split_once('/') {
        Some((collection @ ("models" | "tunedModels"), name)) => (collection, name),
        _ => ("models", model),
    };
    if name.is_empty() || name.contains(|letter: char| letter.is_control() || letter.is_whitespace()) {
        return Err(ModelError::BadModelName { model: tidy(model) });
    }
    let has_version = url.path().trim_end_matches('/').ends_with("/v1beta");
    {
        let mut path = url.path_segments_mut().map_err(|()| bad("nothing can be below it"))?;
        path.pop_if_empty();
        if !has_version {
            path.push("v1beta");
        }
        // Pushing escapes everything that could leave the path, wherever the model's name comes from.
        path.push(collection).push(&format!("{name}:streamGenerateContent"));
    }
    url.set_query(Some("alt=sse"));
    Ok(url)
}

/// Scheme, host and port: all of an address that a message shows.
pub(crate) fn server(url: &Url) -> String {
    url.origin().ascii_serialization()
}

/// Whether the server is on this machine, for which no proxy is used.
pub(crate) fn is_this_machine(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests;
