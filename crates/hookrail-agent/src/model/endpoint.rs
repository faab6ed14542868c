//! Addresses: where a request goes, and how much of that a message shows. Pure.

use reqwest::Url;

use super::api_error::tidy;
use super::error::ModelError;

/// The address of `model`'s streaming method below `base`.
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
        // Pushing escapes whatever could leave the path, whoever named the model.
        path.push(collection).push(&format!("{name}:streamGenerateContent"));
    }
    url.set_query(Some("alt=sse"));
    Ok(url)
}

/// Scheme, host and port: all of an address that a message shows.
pub(crate) fn server(url: &Url) -> String {
    url.origin().ascii_serialization()
}

pub(crate) fn is_this_machine(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<std::net::IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_requests_go() {
        for (base, model, expected) in [
            (
                "https://generativelanguage.googleapis.com",
                "gemini-2.5-pro",
                "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
            ),
            (
                "http://127.0.0.1:8080/",
                "models/m",
                "http://127.0.0.1:8080/v1beta/models/m:streamGenerateContent?alt=sse",
            ),
            (
                "https://proxy.example/gemini",
                "tunedModels/t",
                "https://proxy.example/gemini/v1beta/tunedModels/t:streamGenerateContent?alt=sse",
            ),
            (
                " https://proxy.example/v1beta/ ",
                "m",
                "https://proxy.example/v1beta/models/m:streamGenerateContent?alt=sse",
            ),
            (
                "https://proxy.example",
                "../../x?y#z",
                "https://proxy.example/v1beta/models/..%2F..%2Fx%3Fy%23z:streamGenerateContent?alt=sse",
            ),
        ] {
            assert_eq!(endpoint(base, model).unwrap().as_str(), expected);
        }
    }

    #[test]
    fn addresses_and_names_that_cannot_be_used() {
        for (base, model, expected) in [
            (
                "generativelanguage.googleapis.com",
                "m",
                "the base URL is not usable: relative URL without a base; \
                check `--base-url` or `GOOGLE_GEMINI_BASE_URL`",
            ),
            (
                "ftp://user:pass@x",
                "m",
                "the base URL is not usable: it does not start with `https://` or `http://`; \
                check `--base-url` or `GOOGLE_GEMINI_BASE_URL`",
            ),
            (
                "https://x/?key=s3cret",
                "m",
                "the base URL is not usable: it has a `?` or `#`; \
                check `--base-url` or `GOOGLE_GEMINI_BASE_URL`",
            ),
            ("https://x", "", "`` is not the name of a model; name one with `--model`"),
            ("https://x", "a b\n", "`a b` is not the name of a model; name one with `--model`"),
        ] {
            assert_eq!(endpoint(base, model).unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn what_an_address_shows_and_where_it_leads() {
        let url = |text| Url::parse(text).unwrap();
        assert_eq!(server(&url("https://user:pass@example.org:8443/path?x")), "https://example.org:8443");
        for (text, local) in [
            ("http://localhost:1", true),
            ("http://127.1.2.3", true),
            ("http://[::1]:80", true),
            ("http://10.0.0.1", false),
            ("https://localhost.example.org", false),
        ] {
            assert_eq!(is_this_machine(&url(text)), local, "{text}");
        }
    }
}
