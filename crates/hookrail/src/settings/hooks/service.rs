//! Hooks of type `http` and `remote`: which service is asked.

use std::path::PathBuf;
use std::sync::Arc;

use jsonc_parser::ast::{Object, ObjectProp, Value};

use super::super::diagnose::{Route, kind_of, span};
use super::super::read::given;
use super::HookReader;
use crate::diagnostic::DiagnosticCode;
use crate::hook::{HookKind, HttpHook, NatsHook, ServiceUrl, UnreadableRule};

/// The fields of a hook that is a service.
pub(super) struct ServiceFields<'v, 'a> {
    pub(super) url: Option<&'v ObjectProp<'a>>,
    pub(super) headers: Option<&'v ObjectProp<'a>>,
    pub(super) headers_file: Option<&'v ObjectProp<'a>>,
    pub(super) subject: Option<&'v ObjectProp<'a>>,
    pub(super) credentials: Option<&'v ObjectProp<'a>>,
}

/// The first mistake. It is reported already.
struct Mistake(DiagnosticCode, String);

impl HookReader<'_, '_, '_> {
    /// Reads a hook that is asked by HTTP. One that cannot be read blocks, like a rule that cannot be read.
    pub(super) fn read_http(
        &mut self,
        object: &Object<'_>,
        fields: &ServiceFields<'_, '_>,
        route: Route<'_>,
    ) -> HookKind {
        let read = |this: &mut Self| {
            let (url, at) = this.read_url(object, fields.url, &["https", "http"], route)?;
            if url.scheme() == "http" && !url.is_loopback() {
                let message =
                    format!("`{}` sends what agents do unencrypted to another machine", route.key("url"));
                return Err(this.mistake(DiagnosticCode::InvalidValue, &at.value, message, "write https://"));
            }
            let headers = this.read_headers(fields.headers, route)?;
            let headers_file =
                this.read_text(fields.headers_file, route.key("headersFile"))?.map(PathBuf::from);
            Ok(HookKind::Http(Arc::new(HttpHook { url, headers, headers_file })))
        };
        read(self).unwrap_or_else(|mistake| self.unreadable_service("http", object, mistake))
    }

    /// Reads a hook that is asked over NATS.
    pub(super) fn read_remote(
        &mut self,
        object: &Object<'_>,
        fields: &ServiceFields<'_, '_>,
        route: Route<'_>,
    ) -> HookKind {
        let read = |this: &mut Self| {
            let (url, at) = this.read_url(object, fields.url, &["nats", "tls"], route)?;
            if url.scheme() == "nats" && !url.is_loopback() {
                let message = format!("`{}` does not ask for encryption", route.key("url"));
                this.findings.warn(DiagnosticCode::InvalidValue, &at.value, message, "write tls://");
            }
            let subject = this.read_text(fields.subject, route.key("subject"))?;
            if let (Some(text), Some(prop)) = (&subject, fields.subject)
                && !NatsHook::is_subject(text)
            {
                let message = format!(
                    "`{}` is not a subject: write words with dots between them",
                    route.key("subject")
                );
                return Err(this.mistake(
                    DiagnosticCode::InvalidValue,
                    &prop.value,
                    message,
                    "write it like hookrail.decide",
                ));
            }
            let credentials =
                this.read_text(fields.credentials, route.key("credentials"))?.map(PathBuf::from);
            let subject = subject.unwrap_or_else(|| NatsHook::DEFAULT_SUBJECT.to_owned());
            Ok(HookKind::Remote(Arc::new(NatsHook { url, subject, credentials })))
        };
        read(self).unwrap_or_else(|mistake| self.unreadable_service("remote", object, mistake))
    }

    /// Warns of fields that a hook of this type does not have.
    pub(super) fn warn_of_service_fields(
        &mut self,
        fields: &ServiceFields<'_, '_>,
        named: Option<&str>,
        route: Route<'_>,
    ) {
        let (http, remote) = (named == Some("http"), named == Some("remote"));
        for (field, has_effect, types) in [
            (fields.url, http || remote, "`http` and `remote`"),
            (fields.headers, http, "`http`"),
            (fields.headers_file, http, "`http`"),
            (fields.subject, remote, "`remote`"),
            (fields.credentials, remote, "`remote`"),
        ] {
            if let (Some(prop), false) = (field, has_effect) {
                let key = route.key(prop.name.as_str());
                let message = format!("`{key}` has an effect only on hooks of type {types}");
                self.findings.warn(DiagnosticCode::NoEffect, &prop.name, message, "remove it");
            }
        }
    }

    fn unreadable_service(&mut self, what: &'static str, object: &Object<'_>, mistake: Mistake) -> HookKind {
        let Mistake(code, message) = mistake;
        let place = self.findings.source().place(object.range.start..object.range.start + 1);
        HookKind::UnreadableRule(UnreadableRule::Malformed { what, place, code, message })
    }

    fn mistake(
        &mut self,
        code: DiagnosticCode,
        at: &impl jsonc_parser::common::Ranged,
        message: String,
        help: &str,
    ) -> Mistake {
        self.findings.error(code, at, message.clone(), help);
        Mistake(code, message)
    }

    fn read_url<'v, 'a>(
        &mut self,
        object: &Object<'_>,
        field: Option<&'v ObjectProp<'a>>,
        schemes: &[&str],
        route: Route<'_>,
    ) -> Result<(ServiceUrl, &'v ObjectProp<'a>), Mistake> {
        let example = format!("write {}://…", schemes.first().copied().unwrap_or_default());
        let Some(prop) = field else {
            let brace = span(object.range.start..object.range.start + 1);
            let message = format!("`{route}` has no `url`, so there is no service to ask");
            return Err(self.mistake(DiagnosticCode::MissingCommand, &brace, message, &example));
        };
        let route = route.key("url");
        let text = match &prop.value {
            Value::StringLit(text) => text.value.as_ref(),
            other => return Err(self.wrong(route, "a string", other)),
        };
        let url = ServiceUrl::parse(text).map_err(|why| {
            self.mistake(DiagnosticCode::InvalidValue, &prop.value, format!("`{route}` {why}"), &example)
        })?;
        if !schemes.contains(&url.scheme()) {
            let known: Vec<String> = schemes.iter().map(|scheme| format!("`{scheme}://`")).collect();
            let message = format!("`{route}` must begin with {}", known.join(" or "));
            return Err(self.mistake(DiagnosticCode::InvalidValue, &prop.value, message, &example));
        }
        Ok((url, prop))
    }

    fn read_text(
        &mut self,
        field: Option<&ObjectProp<'_>>,
        route: Route<'_>,
    ) -> Result<Option<String>, Mistake> {
        match given(field) {
            None => Ok(None),
            Some(Value::StringLit(text)) if !text.value.is_empty() => {
                Ok(Some(text.value.clone().into_owned()))
            }
            Some(other) => Err(self.wrong(route, "a string that is not empty", other)),
        }
    }

    fn read_headers(
        &mut self,
        field: Option<&ObjectProp<'_>>,
        route: Route<'_>,
    ) -> Result<Vec<(String, String)>, Mistake> {
        let route = route.key("headers");
        let Some(value) = given(field) else { return Ok(Vec::new()) };
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
                return Err(self.mistake(
                    DiagnosticCode::InvalidValue,
                    &prop.value,
                    message,
                    "remove or correct it",
                ));
            }
            headers.push((name.to_owned(), text.value.clone().into_owned()));
        }
        Ok(headers)
    }

    fn wrong(&mut self, route: Route<'_>, expected: &str, value: &Value<'_>) -> Mistake {
        let message = format!("`{route}` must be {expected}, not {}", kind_of(value));
        self.mistake(DiagnosticCode::WrongType, value, message, "the hook blocks until then")
    }
}
