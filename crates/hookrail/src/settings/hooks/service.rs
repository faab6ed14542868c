//! Hooks of type `http` and `remote`: which service is asked.

use std::path::PathBuf;
use std::sync::Arc;

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;

use super::super::diagnose::{Route, must_be, span};
use super::super::read::{given, last};
use super::HookReader;
use crate::diagnostic::DiagnosticCode;
use crate::hook::{HookKind, HttpHook, NatsHook, ServiceUrl, UnreadableRule};

/// The first mistake. It is reported already.
struct Mistake(DiagnosticCode, String);

impl HookReader<'_, '_, '_> {
    /// Reads a hook that asks a service. One that cannot be read blocks, like a rule that cannot be read.
    pub(super) fn read_service(
        &mut self,
        what: &'static str,
        object: &Object<'_>,
        route: Route<'_>,
    ) -> HookKind {
        let read = match what {
            "http" => self.read_http(object, route),
            _ => self.read_remote(object, route),
        };
        read.unwrap_or_else(|Mistake(code, message)| {
            let place = self.findings.source.place(object.range.start..object.range.start + 1);
            HookKind::UnreadableRule(UnreadableRule::Malformed { what, place, code, message })
        })
    }

    /// Reads a hook that is asked by HTTP.
    fn read_http(&mut self, object: &Object<'_>, route: Route<'_>) -> Result<HookKind, Mistake> {
        let (url, at) = self.read_url(object, &["https", "http"], route)?;
        if url.scheme() == "http" && !url.is_loopback() {
            let message =
                format!("`{}` sends what agents do unencrypted to another machine", route.key("url"));
            return Err(self.invalid(&at.value, message, "write https://"));
        }
        let headers = self.read_headers(object, route.key("headers"))?;
        let headers_file = self.read_text(object, "headersFile", route)?.map(PathBuf::from);
        Ok(HookKind::Http(Arc::new(HttpHook { url, headers, headers_file })))
    }

    /// Reads a hook that is asked over NATS.
    fn read_remote(&mut self, object: &Object<'_>, route: Route<'_>) -> Result<HookKind, Mistake> {
        let (url, at) = self.read_url(object, &["nats", "tls"], route)?;
        if url.scheme() == "nats" && !url.is_loopback() {
            let message = format!("`{}` does not ask for encryption", route.key("url"));
            self.findings.warn(DiagnosticCode::InvalidValue, &at.value, message, "write tls://");
        }
        let subject = self.read_text(object, "subject", route)?;
        if let (Some(text), Some(prop)) = (&subject, last(object, "subject"))
            && !NatsHook::is_subject(text)
        {
            let route = route.key("subject");
            let message = format!("`{route}` is not a subject: write words with dots between them");
            return Err(self.invalid(&prop.value, message, "write it like hookrail.decide"));
        }
        let subject = subject.unwrap_or_else(|| NatsHook::DEFAULT_SUBJECT.to_owned());
        let credentials = self.read_text(object, "credentials", route)?.map(PathBuf::from);
        Ok(HookKind::Remote(Arc::new(NatsHook { url, subject, credentials })))
    }

    /// Warns of fields that a hook of this type does not have.
    pub(super) fn warn_of_service_fields(
        &mut self,
        object: &Object<'_>,
        named: Option<&str>,
        route: Route<'_>,
    ) {
        let (http, remote) = (named == Some("http"), named == Some("remote"));
        for (key, has_effect, types) in [
            ("url", http || remote, "`http` and `remote`"),
            ("headers", http, "`http`"),
            ("headersFile", http, "`http`"),
            ("subject", remote, "`remote`"),
            ("credentials", remote, "`remote`"),
        ] {
            if let (Some(prop), false) = (last(object, key), has_effect) {
                let message = format!("`{}` has an effect only on hooks of type {types}", route.key(key));
                self.findings.warn(DiagnosticCode::NoEffect, &prop.name, message, "remove it");
            }
        }
    }

    fn mistake(&mut self, code: DiagnosticCode, at: &impl Ranged, message: String, help: &str) -> Mistake {
        self.findings.error(code, at, message.clone(), help);
        Mistake(code, message)
    }

    fn invalid(&mut self, at: &impl Ranged, message: String, help: &str) -> Mistake {
        self.mistake(DiagnosticCode::InvalidValue, at, message, help)
    }

    fn wrong(&mut self, route: Route<'_>, expected: &str, value: &Value<'_>) -> Mistake {
        let message = must_be(route, expected, value);
        self.mistake(DiagnosticCode::WrongType, value, message, "the hook blocks until then")
    }

    fn read_url<'v, 'a>(
        &mut self,
        object: &'v Object<'a>,
        schemes: &[&str],
        route: Route<'_>,
    ) -> Result<(ServiceUrl, &'v ObjectProp<'a>), Mistake> {
        let example = format!("write {}://…", schemes.first().copied().unwrap_or_default());
        let Some(prop) = last(object, "url") else {
            let brace = span(object.range.start..object.range.start + 1);
            let message = format!("`{route}` has no `url`, so there is no service to ask");
            return Err(self.mistake(DiagnosticCode::MissingCommand, &brace, message, &example));
        };
        let route = route.key("url");
        let text = match &prop.value {
            Value::StringLit(text) => text.value.as_ref(),
            other => return Err(self.wrong(route, "a string", other)),
        };
        let url = ServiceUrl::parse(text)
            .map_err(|why| self.invalid(&prop.value, format!("`{route}` {why}"), &example))?;
        if !schemes.contains(&url.scheme()) {
            let known: Vec<String> = schemes.iter().map(|scheme| format!("`{scheme}://`")).collect();
            let message = format!("`{route}` must begin with {}", known.join(" or "));
            return Err(self.invalid(&prop.value, message, &example));
        }
        Ok((url, prop))
    }

    fn read_text(
        &mut self,
        object: &Object<'_>,
        key: &str,
        route: Route<'_>,
    ) -> Result<Option<String>, Mistake> {
        match given(last(object, key)) {
            None => Ok(None),
            Some(Value::StringLit(text)) if !text.value.is_empty() => Ok(Some(text.value.to_string())),
            Some(other) => Err(self.wrong(route.key(key), "a string that is not empty", other)),
        }
    }

    fn read_headers(
        &mut self,
        object: &Object<'_>,
        route: Route<'_>,
    ) -> Result<Vec<(String, String)>, Mistake> {
        let Some(value) = given(last(object, "headers")) else { return Ok(Vec::new()) };
        let Some(object) = value.as_object() else {
            return Err(self.wrong(route, "an object of strings", value));
        };
        let mut headers = Vec::new();
        for prop in &object.properties {
            let name = prop.name.as_str();
            let Some(text) = prop.value.as_string_lit() else {
                return Err(self.wrong(route.key(name), "a string", &prop.value));
            };
            if let Some(why) = HttpHook::header_problem(name, &text.value) {
                let message = format!("`{}` {why}", route.key(name));
                return Err(self.invalid(&prop.value, message, "remove or correct it"));
            }
            headers.push((name.to_owned(), text.value.to_string()));
        }
        Ok(headers)
    }
}
