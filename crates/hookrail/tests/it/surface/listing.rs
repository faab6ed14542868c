//! What of an exported item its users can name: fields, variants, methods, implemented traits, signatures.

use quote::ToTokens;
use syn::{Attribute, Fields, ImplItem, Item, TraitItem, Visibility};

use super::source::{ModulePath, Source, Target, attributes_text, name_of};

/// One item of the surface.
pub(super) struct Listed {
    /// What it is, and one line for each thing in it.
    pub(super) lines: Vec<String>,
    /// The types that these lines name: the module they stand in, and the text.
    pub(super) types: Vec<(ModulePath, String)>,
}

/// Lists an item of the crate.
pub(super) fn list(source: &Source, module: &ModulePath, name: &str) -> Listed {
    let mut listed = Listed { lines: Vec::new(), types: Vec::new() };
    let item = source.items(module).iter().find(|item| name_of(item).as_deref() == Some(name));
    match item {
        None => listed.lines.push(format!("{name}: made by a macro")),
        Some(Item::Fn(item)) => listed.line(module, "", &item.sig),
        Some(Item::Const(item)) => {
            listed.line(module, "", &item.ty);
            listed.prefix_last(&format!("const {name}: "));
        }
        Some(Item::Static(item)) => {
            listed.line(module, "", &item.ty);
            listed.prefix_last(&format!("static {name}: "));
        }
        Some(Item::Type(item)) => {
            listed.line(module, "", &item.ty);
            listed.prefix_last(&format!("type {name}{} = ", text(&item.generics)));
        }
        Some(Item::Trait(item)) => {
            let bounds = text(&item.supertraits);
            listed.lines.push(format!("trait {name}{}: {bounds}", text(&item.generics)));
            for method in &item.items {
                match method {
                    TraitItem::Fn(method) => {
                        let kind = if method.default.is_some() { "provided " } else { "" };
                        listed.line(module, &format!("  {kind}"), &method.sig);
                    }
                    other => listed.line(module, "  ", other),
                }
            }
        }
        Some(Item::Struct(item)) => {
            listed.lines.push(format!("struct {name}{}{}", text(&item.generics), marks(&item.attrs)));
            listed.fields(module, "  ", &item.fields, true);
        }
        Some(Item::Enum(item)) => {
            listed.lines.push(format!("enum {name}{}{}", text(&item.generics), marks(&item.attrs)));
            for variant in &item.variants {
                listed.lines.push(format!("  {}{}", variant.ident, marks(&variant.attrs)));
                listed.fields(module, "    ", &variant.fields, false);
            }
        }
        Some(_) => listed.lines.push(name.to_owned()),
    }
    listed.add_impls(source, module, name);
    listed
}

impl Listed {
    fn line(&mut self, module: &[String], before: &str, tokens: &impl ToTokens) {
        let text = text(tokens);
        self.lines.push(format!("{before}{}", without_own_paths(&text)));
        self.types.push((module.to_vec(), text));
    }

    fn prefix_last(&mut self, prefix: &str) {
        if let Some(last) = self.lines.last_mut() {
            *last = format!("{prefix}{last}");
        }
    }

    /// Public fields. Those of variants are public without saying so.
    fn fields(&mut self, module: &[String], indent: &str, fields: &Fields, must_be_public: bool) {
        let mut hidden = 0;
        for (place, field) in fields.iter().enumerate() {
            if (must_be_public && !is_public(&field.vis)) || is_hidden(&field.attrs) {
                hidden += 1;
                continue;
            }
            let name = field.ident.as_ref().map_or_else(|| place.to_string(), ToString::to_string);
            self.line(module, &format!("{indent}{name}: "), &field.ty);
        }
        if hidden > 0 {
            self.lines.push(format!("{indent}(private fields)"));
        }
    }

    /// Public methods, and the traits that are implemented by hand.
    fn add_impls(&mut self, source: &Source, module: &ModulePath, name: &str) {
        let this = Target::Own(module.clone(), name.to_owned());
        let (mut methods, mut traits) = (Self { lines: Vec::new(), types: Vec::new() }, Vec::new());
        for (place, item) in source.impls_of(&this).filter(|(_, item)| !is_test(&item.attrs)) {
            if let Some((implemented, _)) = &item.trait_ {
                traits.push(format!("  impl {}", without_own_paths(&text(implemented))));
                continue;
            }
            for inner in &item.items {
                match inner {
                    ImplItem::Fn(method) if is_public(&method.vis) && !is_hidden(&method.attrs) => {
                        methods.line(place, "  ", &method.sig);
                    }
                    ImplItem::Const(constant) if is_public(&constant.vis) => {
                        methods.line(place, &format!("  const {}: ", constant.ident), &constant.ty);
                    }
                    _ => {}
                }
            }
        }
        methods.lines.sort_by_key(|line| line.split("fn ").last().map(str::to_owned));
        traits.sort();
        self.lines.append(&mut methods.lines);
        self.types.append(&mut methods.types);
        self.lines.append(&mut traits);
    }
}

fn is_public(visibility: &Visibility) -> bool {
    matches!(visibility, Visibility::Public(_))
}

fn is_hidden(attributes: &[Attribute]) -> bool {
    attributes_text(attributes).contains("doc (hidden)") || is_test(attributes)
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes_text(attributes).lines().any(|line| line.starts_with("cfg (test"))
}

/// What attributes promise or take away: ` [non_exhaustive] is Debug, Clone`.
fn marks(attributes: &[Attribute]) -> String {
    let (mut flags, mut derived) = (Vec::new(), Vec::new());
    for attribute in attributes_text(attributes).lines() {
        if attribute == "non_exhaustive" {
            flags.push("non_exhaustive");
        } else if attribute.starts_with("must_use") {
            flags.push("must_use");
        } else if let Some(traits) = attribute.strip_prefix("derive (") {
            derived.push(spaced(traits.trim_end_matches(')')));
        }
    }
    let flags = if flags.is_empty() { String::new() } else { format!(" [{}]", flags.join(", ")) };
    let derived = if derived.is_empty() { String::new() } else { format!(" is {}", derived.join(", ")) };
    flags + &derived
}

/// Code as it is usually written.
fn text(tokens: &impl ToTokens) -> String {
    spaced(&tokens.to_token_stream().to_string())
}

/// The crate's own types by their names alone: users name them by what is exported, and a line must not change with
/// how the source happens to spell a path.
fn without_own_paths(text: &str) -> String {
    let is_part = |char: char| char.is_alphanumeric() || char == '_' || char == ':';
    let mut rest = text;
    let mut out = String::new();
    while let Some(start) = rest.find(is_part) {
        let end = rest[start..].find(|char| !is_part(char)).map_or(rest.len(), |length| start + length);
        let path = &rest[start..end];
        let own = ["crate::", "super::", "self::"].iter().any(|start| path.starts_with(start));
        out.push_str(&rest[..start]);
        out.push_str(if own { path.rsplit("::").next().unwrap_or(path) } else { path });
        rest = &rest[end..];
    }
    out + rest
}

#[test]
fn a_type_is_listed_alike_however_its_path_is_spelled() {
    assert_eq!(
        without_own_paths("problem: Option<crate::diagnostic::Diagnostic>"),
        "problem: Option<Diagnostic>"
    );
    assert_eq!(
        without_own_paths("fn f(a: &super::A, c: self::C) -> io::Result<crate::B>"),
        "fn f(a: &A, c: C) -> io::Result<B>"
    );
}

/// Takes the spaces out that a stream of tokens is printed with.
fn spaced(tokens: &str) -> String {
    let mut text = tokens.split_whitespace().collect::<Vec<_>>().join(" ");
    for (long, short) in [
        (" :: ", "::"),
        (":: ", "::"),
        (" ::", "::"),
        (" < ", "<"),
        ("< ", "<"),
        (" <", "<"),
        (" >", ">"),
        ("& ", "&"),
        (" ,", ","),
        (" :", ":"),
        (" ;", ";"),
        ("( ", "("),
        (" )", ")"),
        (" (", "("),
        ("[ ", "["),
        (" ]", "]"),
        (",)", ")"),
        (", >", ">"),
        (",>", ">"),
        ("->(", "-> ("),
        (",(", ", ("),
        (":(", ": ("),
        ("=(", "= ("),
        (":<", ": <"),
        ("(mut ", "("),
        (", mut ", ", "),
    ] {
        text = text.replace(long, short);
    }
    text
}
