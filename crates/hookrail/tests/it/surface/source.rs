//! The crate's source as modules of items, and which item a path means.
#![expect(clippy::unwrap_used, reason = "helpers of tests fail them by panicking")]

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use quote::ToTokens as _;
use syn::{Attribute, Item, ItemImpl, UseTree};

/// A path inside of the crate; the crate itself is the empty one.
pub(super) type ModulePath = Vec<String>;

/// What a name means.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Target {
    /// An item of this crate.
    Own(ModulePath, String),
    /// An item of another crate, `std` included.
    Foreign(String),
}

/// All modules of the crate. Those that exist in tests only are left out.
pub(super) struct Source {
    modules: BTreeMap<ModulePath, Vec<Item>>,
    /// Where the `impl` blocks of each type are.
    impls: BTreeMap<Target, Vec<(ModulePath, usize)>>,
}

impl Source {
    /// Reads the crate whose `lib.rs` is in this folder.
    pub(super) fn load(src: &Path) -> Self {
        let mut source = Self { modules: BTreeMap::new(), impls: BTreeMap::new() };
        source.add_file(&src.join("lib.rs"), src, Vec::new());
        let mut impls: BTreeMap<Target, Vec<(ModulePath, usize)>> = BTreeMap::new();
        for (module, items) in &source.modules {
            for (index, item) in items.iter().enumerate() {
                let Item::Impl(item) = item else { continue };
                let syn::Type::Path(of) = item.self_ty.as_ref() else { continue };
                let path: Vec<String> = of.path.segments.iter().map(|part| part.ident.to_string()).collect();
                let Some(of) = source.resolve(module, &path) else { continue };
                impls.entry(of).or_default().push((module.clone(), index));
            }
        }
        source.impls = impls;
        source
    }

    /// The items of a module.
    pub(super) fn items(&self, module: &[String]) -> &[Item] {
        self.modules.get(module).map_or(&[], Vec::as_slice)
    }

    /// Whether there is such a module.
    pub(super) fn is_module(&self, path: &[String]) -> bool {
        self.modules.contains_key(path)
    }

    /// The `impl` blocks of a type, each with the module it stands in.
    pub(super) fn impls_of(&self, target: &Target) -> impl Iterator<Item = (&ModulePath, &ItemImpl)> {
        let places = self.impls.get(target).into_iter().flatten();
        places.filter_map(|(module, index)| match self.items(module).get(*index) {
            Some(Item::Impl(item)) => Some((module, item)),
            _ => None,
        })
    }

    /// What a path that stands in `module` means. `None` for what a language element, a prelude or a type parameter is.
    pub(super) fn resolve(&self, module: &[String], path: &[String]) -> Option<Target> {
        let (first, rest) = path.split_first()?;
        let mut module = module.to_vec();
        match first.as_str() {
            "crate" => return self.resolve_in(Vec::new(), rest),
            "self" => return self.resolve_in(module, rest),
            "super" => {
                module.pop();
                return match rest.first().map(String::as_str) {
                    Some("super") => self.resolve(&module, rest),
                    _ => self.resolve_in(module, rest),
                };
            }
            _ => {}
        }
        if let Some(target) = self.resolve_in(module.clone(), path) {
            return Some(target);
        }
        module.push(first.clone());
        if let [name] = rest
            && self.is_module(&module)
        {
            // No item of that module, so that a macro makes it.
            return Some(Target::Own(module, name.clone()));
        }
        let is_crate = first.starts_with(|char: char| char.is_ascii_lowercase()) && !rest.is_empty();
        is_crate.then(|| Target::Foreign(path.join("::")))
    }

    /// What a path below a module means.
    fn resolve_in(&self, module: ModulePath, path: &[String]) -> Option<Target> {
        let (name, rest) = path.split_first()?;
        let mut inner = module.clone();
        inner.push(name.clone());
        if self.is_module(&inner) && !rest.is_empty() {
            return self.resolve_in(inner, rest);
        }
        let items = self.items(&module);
        if self.is_module(&inner) || items.iter().any(|item| name_of(item).as_ref() == Some(name)) {
            // What follows the name of a type is one of its variants or methods.
            return Some(Target::Own(module, name.clone()));
        }
        for item in items {
            let Item::Use(item) = item else { continue };
            for (used, alias) in used_paths(&item.tree) {
                if alias == *name {
                    let whole: Vec<String> = used.into_iter().chain(rest.iter().cloned()).collect();
                    return self.resolve(&module, &whole).or_else(|| Some(Target::Foreign(whole.join("::"))));
                }
            }
        }
        None
    }

    fn add_file(&mut self, file: &Path, children: &Path, module: ModulePath) {
        let text = fs::read_to_string(file).unwrap();
        let parsed = syn::parse_file(&text).unwrap();
        self.add_items(parsed.items, children, module);
    }

    fn add_items(&mut self, items: Vec<Item>, children: &Path, module: ModulePath) {
        let mut kept = Vec::new();
        for item in items {
            let Item::Mod(inner) = item else {
                kept.push(item);
                continue;
            };
            if attributes_text(&inner.attrs).contains("cfg") {
                continue;
            }
            let name = inner.ident.to_string();
            let path: ModulePath = module.iter().cloned().chain([name.clone()]).collect();
            match inner.content {
                Some((_, items)) => self.add_items(items, &children.join(&name), path),
                None => self.add_file(&children.join(format!("{name}.rs")), &children.join(&name), path),
            }
        }
        self.modules.insert(module, kept);
    }
}

/// The paths that a `use` brings in, each with the name it gets.
pub(super) fn used_paths(tree: &UseTree) -> Vec<(Vec<String>, String)> {
    let before = |first: String, inner: Vec<(Vec<String>, String)>| {
        let longer = move |(path, alias): (Vec<String>, String)| {
            ([first.clone()].into_iter().chain(path).collect::<Vec<_>>(), alias)
        };
        inner.into_iter().map(longer).collect::<Vec<_>>()
    };
    match tree {
        UseTree::Path(path) => before(path.ident.to_string(), used_paths(&path.tree)),
        UseTree::Name(name) if name.ident == "self" => vec![(Vec::new(), String::new())],
        UseTree::Name(name) => vec![(vec![name.ident.to_string()], name.ident.to_string())],
        UseTree::Rename(name) => vec![(vec![name.ident.to_string()], name.rename.to_string())],
        UseTree::Group(group) => group.items.iter().flat_map(used_paths).collect(),
        UseTree::Glob(_) => Vec::new(),
    }
    .into_iter()
    // `use a::b::{self}` is named by its last word.
    .map(|(path, alias)| match path.last() {
        Some(last) if alias.is_empty() => (path.clone(), last.clone()),
        _ => (path, alias),
    })
    .collect()
}

/// The name of an item that a path can mean.
pub(super) fn name_of(item: &Item) -> Option<String> {
    let ident = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        _ => return None,
    };
    Some(ident.to_string())
}

/// Attributes as one text.
pub(super) fn attributes_text(attributes: &[Attribute]) -> String {
    attributes
        .iter()
        .map(|attribute| attribute.meta.to_token_stream().to_string())
        .collect::<Vec<_>>()
        .join("\n")
}
