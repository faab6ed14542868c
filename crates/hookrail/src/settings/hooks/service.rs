//! Hooks of type `http` and `remote`: which service is asked.

use std::path::PathBuf;
use std::sync::Arc;

use jsonc_parser::ast::{ObjectProp, Value};

use super::super::reader::{Node, Reader, last};
use crate::diagnostic::DiagnosticCode as Code;
use crate::hook::{HookKind, HttpHook, NatsHook, ServiceUrl};

/// A field cannot be read, and a finding says why.
struct Reported;

/// What follows from a field that cannot be read.
const BLOCKS: &str = "the hook blocks until then";

impl Reader<'_> {
    /// Reads a hook that asks a service. One that cannot be read blocks, like a rule that cannot be read: the last finding
    /// says why.
    pub(super) fn read_service(&mut self, kind: &'static str, hook: Node<'_, '_>) -> HookKind {
        let read = if kind == "http" { self.read_http(hook) } else { self.read_remote(hook) };
        let last = self.settings.diagnostics.len().saturating_sub(1);
        read.unwrap_or_else(|Reported| self.malformed(kind, hook, last))
    }

    /// Reads a hook that is asked by HTTP.
    fn read_http(&mut self, hook: Node<'_, '_>) -> Result<HookKind, Reported> {
        let (url, at) = self.read_url(hook, &["https", "http"])?;
        if url.scheme() == "http" && !url.is_loopback() {
            let message =
                format!("`{}` sends what agents do unencrypted to another machine", hook.route.key("url"));
            self.error(Code::InvalidValue, &at.value, message, "write https://");
            return Err(Reported);
        }
        let headers = self.read_headers(hook)?;
        let headers_file = self.read_text(hook, "headersFile")?.map(PathBuf::from);
        Ok(HookKind::Http(Arc::new(HttpHook { url, headers, headers_file })))
    }

    /// Reads a hook that is asked over NATS.
    fn read_remote(&mut self, hook: Node<'_, '_>) -> Result<HookKind, Reported> {
        let (url, at) = self.read_url(hook, &["nats", "tls"])?;
        if url.scheme() == "nats" && !url.is_loopback() {
            let message = format!("`{}` does not ask for encryption", hook.route.key("url"));
            self.warn(Code::InvalidValue, &at.value, message, "write tls://");
        }
        let subject = self.read_text(hook, "subject")?;
        if let (Some(text), Some(value)) = (&subject, hook.given("subject"))
            && !NatsHook::is_subject(text)
        {
            let route = hook.route.key("subject");
            let message = format!("`{route}` is not a subject: write words with dots between them");
            self.error(Code::InvalidValue, value, message, "write it like hookrail.decide");
            return Err(Reported);
        }
        let subject = subject.unwrap_or_else(|| NatsHook::DEFAULT_SUBJECT.to_owned());
        let credentials = self.read_text(hook, "credentials")?.map(PathBuf::from);
        Ok(HookKind::Remote(Arc::new(NatsHook { url, subject, credentials })))
    }

    /// Warns of fields that a hook of this type does not have.
    pub(super) fn warn_of_service_fields(&mut self, hook: Node<'_, '_>, named: Option<&str>) {
        let (http, remote) = (named == Some("http"), named == Some("remote"));
        for (key, has_effect, types) in [
            ("url", http || remote, "`http` and `remote`"),
            ("headers", http, "`http`"),
            ("headersFile", http, "`http`"),
            ("subject", remote, "`remote`"),
            ("credentials", remote, "`remote`"),
        ] {
            if let (Some(prop), false) = (last(hook.object, key), has_effect) {
                let types = format!("hooks of type {types}");
                self.without_effect(hook.route.key(key), &prop.name, &types, "remove it");
            }
        }
    }

    fn read_url<'n, 'a>(
        &mut self,
        hook: Node<'n, 'a>,
        schemes: &[&str],
    ) -> Result<(ServiceUrl, &'n ObjectProp<'a>), Reported> {
        let example = format!("write {}://…", schemes.first().copied().unwrap_or_default());
        let Some(prop) = last(hook.object, "url") else {
            let message = format!("`{}` has no `url`, so there is no service to ask", hook.route);
            self.error(Code::MissingCommand, &hook.brace(), message, example);
            return Err(Reported);
        };
        let route = hook.route.key("url");
        let Some(text) = prop.value.as_string_lit() else {
            self.wrong_type(route, "a string", &prop.value, BLOCKS);
            return Err(Reported);
        };
        let known = || schemes.iter().map(|scheme| format!("`{scheme}://`")).collect::<Vec<_>>().join(" or ");
        let why = match ServiceUrl::parse(&text.value) {
            Ok(url) if schemes.contains(&url.scheme()) => return Ok((url, prop)),
            Ok(_) => format!("must begin with {}", known()),
            Err(why) => why.to_owned(),
        };
        self.error(Code::InvalidValue, &prop.value, format!("`{route}` {why}"), example);
        Err(Reported)
    }

    /// An optional text.
    fn read_text(&mut self, hook: Node<'_, '_>, key: &str) -> Result<Option<String>, Reported> {
        match hook.given(key) {
            None => Ok(None),
            Some(Value::StringLit(text)) if !text.value.is_empty() => Ok(Some(text.value.to_string())),
            Some(other) => {
                self.wrong_type(hook.route.key(key), "a string that is not empty", other, BLOCKS);
                Err(Reported)
            }
        }
    }

    fn read_headers(&mut self, hook: Node<'_, '_>) -> Result<Vec<(String, String)>, Reported> {
        let Some(value) = hook.given("headers") else { return Ok(Vec::new()) };
        let route = hook.route.key("headers");
        let Some(object) = value.as_object() else {
            self.wrong_type(route, "an object of strings", value, BLOCKS);
            return Err(Reported);
        };
        let mut headers = Vec::new();
        for prop in &object.properties {
            let name = prop.name.as_str();
            let Some(text) = prop.value.as_string_lit() else {
                self.wrong_type(route.key(name), "a string", &prop.value, BLOCKS);
                return Err(Reported);
            };
            if let Some(why) = HttpHook::header_problem(name, &text.value) {
                let message = format!("`{}` {why}", route.key(name));
                self.error(Code::InvalidValue, &prop.value, message, "remove or correct it");
                return Err(Reported);
            }
            headers.push((name.to_owned(), text.value.to_string()));
        }
        Ok(headers)
    }
}
