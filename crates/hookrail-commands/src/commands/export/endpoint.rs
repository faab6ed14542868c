//! Where log records go: the variables of OpenTelemetry, read once.

use reqwest::Url;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};

use crate::exit::fail;

/// The collector's address, what is sent along, and who sends it.
pub(super) struct Endpoint {
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) resource: Vec<(String, String)>,
    /// A wish that cannot be met, for the person who runs it.
    pub(super) note: Option<String>,
}

impl Endpoint {
    /// The variables for logs win over those for everything.
    pub(super) fn read(env: impl Fn(&str) -> Option<String>) -> anyhow::Result<Self> {
        let env = |name: &str| env(name).filter(|value| !value.trim().is_empty());
        let (name, address) = if let Some(address) = env("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT") {
            ("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", address)
        } else {
            let base = env("OTEL_EXPORTER_OTLP_ENDPOINT");
            let base = base.unwrap_or_else(|| "http://localhost:4318".to_owned());
            ("OTEL_EXPORTER_OTLP_ENDPOINT", format!("{}/v1/logs", base.trim().trim_end_matches('/')))
        };
        let url = Url::parse(address.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let Some(url) = url else {
            let hint = "write it like `http://127.0.0.1:4318` or `https://collector.example`";
            return fail(format!("{name} is not an address of a collector"), hint);
        };
        let mut headers = HeaderMap::new();
        for name in ["OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_LOGS_HEADERS"] {
            for (key, value) in pairs(&env(name).unwrap_or_default()) {
                // The value may be a secret, so that only the variable is named.
                let header = HeaderName::try_from(key.as_str()).ok().zip(HeaderValue::try_from(value).ok());
                let Some((key, mut value)) = header else {
                    let hint = "write `name=value` pairs with commas between them, values percent-encoded";
                    return fail(format!("{name} has a header that cannot be sent"), hint);
                };
                value.set_sensitive(true);
                headers.insert(key, value);
            }
        }
        let mut resource = pairs(&env("OTEL_RESOURCE_ATTRIBUTES").unwrap_or_default());
        let is_named = resource.iter().any(|(key, _)| key == "service.name");
        if let Some(name) = env("OTEL_SERVICE_NAME").or_else(|| (!is_named).then(|| "hookrail".to_owned())) {
            resource.retain(|(key, _)| key != "service.name");
            resource.push(("service.name".to_owned(), name));
        }
        let protocol = env("OTEL_EXPORTER_OTLP_LOGS_PROTOCOL").or_else(|| env("OTEL_EXPORTER_OTLP_PROTOCOL"));
        let note = protocol.filter(|protocol| protocol.trim() != "http/json").map(|protocol| {
            format!("note: the protocol `{}` is not built in; http/json is used", protocol.trim())
        });
        Ok(Self { url, headers, resource, note })
    }
}

/// `key=value,key=value` with percent-encoded values. What has no `=` is left out, as the specification says.
fn pairs(text: &str) -> Vec<(String, String)> {
    let pair = |part: &str| {
        let (key, value) = part.split_once('=')?;
        let key = key.trim();
        (!key.is_empty()).then(|| (key.to_owned(), percent_decoded(value.trim())))
    };
    text.split(',').filter_map(pair).collect()
}

fn percent_decoded(text: &str) -> String {
    let mut decoded = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
        if let Some(byte) = code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            decoded.push(byte);
            rest = after.get(2..).unwrap_or_default();
        } else {
            decoded.push(*first);
            rest = after;
        }
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(variables: &[(&str, &str)]) -> anyhow::Result<Endpoint> {
        let variables: std::collections::HashMap<&str, &str> = variables.iter().copied().collect();
        Endpoint::read(|name| variables.get(name).map(|value| (*value).to_owned()))
    }

    #[test]
    fn the_variables_mean_what_opentelemetry_says() {
        let plain = endpoint(&[]).unwrap();
        assert_eq!(plain.url.as_str(), "http://localhost:4318/v1/logs");
        assert_eq!(plain.resource, [("service.name".to_owned(), "hookrail".to_owned())]);
        let given = endpoint(&[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "https://c.example/base/"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%20b, x-y=1"),
            ("OTEL_RESOURCE_ATTRIBUTES", "service.name=other,host.name=h%2C1"),
        ])
        .unwrap();
        assert_eq!(given.url.as_str(), "https://c.example/base/v1/logs");
        assert_eq!(given.headers.get("api-key").unwrap(), "a b");
        assert!(given.resource.contains(&("host.name".to_owned(), "h,1".to_owned())));
        assert!(given.resource.contains(&("service.name".to_owned(), "other".to_owned())));
        let logs = endpoint(&[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "https://c.example"),
            ("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", "https://d.example/in"),
        ]);
        assert_eq!(logs.unwrap().url.as_str(), "https://d.example/in");
        assert!(endpoint(&[("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")]).unwrap().note.is_some());
    }

    #[test]
    fn what_cannot_be_used_is_an_error_without_the_secret() {
        for (name, value) in [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"),
            ("OTEL_EXPORTER_OTLP_LOGS_ENDPOINT", "file:///etc/passwd"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "api key=s3cret"),
        ] {
            let error = endpoint(&[(name, value)]).err().unwrap().to_string();
            assert!(error.contains(name) && !error.contains("s3cret"), "{error}");
        }
    }
}
