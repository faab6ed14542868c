//! Rules of one's own that are not read yet, so that a call does not pay for a thousand rules that are not for it.
//!
//! A rule is left unread if it only asks for commands and nothing about it could be wrong or doubtful. It is taken out of
//! the text, and what is left is read as ever. Rules are looked for without knowing exactly what is around them: if one turns
//! out not to be where a hook is, the whole text is read. A rule that says more is read, and whoever wants to know what is
//! wrong with rules gets them all read.

use std::sync::Arc;

use jsonc_parser::ast::Object;
use jsonc_parser::common::Ranged as _;
use memchr::memmem;

use super::reader::last;
use crate::rules::{PatternPrograms, Rule};

/// Takes the place of a rule in the text that is left: a value that cannot be a hook.
pub(super) const MARK: &str = "0";
/// Whose rules are looked for.
const EVENT: &str = "BeforeTool";
/// The parser refuses values that are nested more deeply than several times this.
const MAX_BRACKETS: usize = 64;

/// A text without the rules that are not read.
#[derive(Debug)]
pub(super) struct CutText<'t> {
    /// What is left of it, with a mark for each rule.
    pub(super) text: String,
    /// The rules in their order.
    pub(super) rules: Vec<CutRule<'t>>,
}

/// A rule that was taken out of its text.
#[derive(Debug)]
pub(super) struct CutRule<'t> {
    /// Where its mark is in what is left.
    pub(super) mark: usize,
    /// Where it ends in the whole text.
    pub(super) end: usize,
    pub(super) name: Option<&'t str>,
    pub(super) description: Option<&'t str>,
    pub(super) rule: Arc<Rule>,
}

impl<'t> CutText<'t> {
    /// Takes out what need not be read; `None` if that is nothing. `text` is the content without a byte order mark.
    pub(super) fn of(text: &'t str, content: &Arc<String>) -> Option<Self> {
        let key = format!("\"{EVENT}\"");
        let mut scan = Scan { text, at: 0 };
        memmem::find_iter(text.as_bytes(), &key).find(|start| {
            scan.at = start + key.len();
            scan.eats(b':').is_some()
        })?;
        let shift = content.len() - text.len();
        let mut cut = Self { text: String::new(), rules: Vec::new() };
        let (mut end, mut depth) = (0, 0_usize);
        while let Some(sign) = scan.sign() {
            let start = scan.at;
            if sign == b'{'
                && let Some(rule) = scan.rule()
            {
                cut.text.push_str(text.get(end..start)?);
                end = scan.at;
                let (mark, place) = (cut.text.len(), start + shift..end + shift);
                cut.text.push_str(MARK);
                let PlainRule { programs, name, description, .. } = rule;
                let rule = Arc::new(Rule::unread(Arc::clone(content), place, programs));
                cut.rules.push(CutRule { mark, end, name, description, rule });
                continue;
            }
            scan.at = start;
            if sign == b'"' {
                scan.string()?;
                continue;
            }
            scan.at += 1;
            match sign {
                b'{' | b'[' => depth += 1,
                b'}' | b']' if depth < 2 => break,
                b'}' | b']' => depth -= 1,
                b'/' => scan.at += scan.comment()?,
                _ => {}
            }
        }
        cut.text.push_str(text.get(end..)?);
        (!cut.rules.is_empty()).then_some(cut)
    }

    /// Whether each mark is a hook of what is left. Then the whole text says the same, with a rule in the place of each.
    pub(super) fn is_of_hooks(&self, root: &Object<'_>) -> bool {
        let groups =
            last(root, "hooks").and_then(|map| last(map.value.as_object()?, EVENT)?.value.as_array());
        let groups = groups.into_iter().flat_map(|groups| &groups.elements);
        let lists = groups.filter_map(|group| last(group.as_object()?, "hooks")?.value.as_array());
        let mut marks = self.rules.iter().map(|cut| cut.mark).peekable();
        for hook in lists.flat_map(|list| &list.elements) {
            marks.next_if_eq(&hook.start());
        }
        marks.next().is_none()
    }
}

/// A rule on commands of which reading it in full would find nothing to say.
#[derive(Default)]
struct PlainRule<'t> {
    programs: PatternPrograms,
    name: Option<&'t str>,
    description: Option<&'t str>,
    /// The fields it has, a bit for each.
    fields: u16,
}

const TYPE: u16 = 1;
const WHEN: u16 = 1 << 1;
const BLOCK: u16 = 1 << 2;
const ASK: u16 = 1 << 3;

/// A place in a text. A question passes what it asks for, with blanks before it; after a `None` the place is anywhere.
struct Scan<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Scan<'t> {
    fn rule(&mut self) -> Option<PlainRule<'t>> {
        let mut rule = PlainRule::default();
        self.items(*b"{}", |scan| {
            let key = scan.text()?;
            scan.eats(b':')?;
            let field = match key {
                "type" => (scan.text()? == "rule").then_some(TYPE)?,
                "when" => scan.when(&mut rule.programs).map(|()| WHEN)?,
                "block" => scan.sentence().map(|()| BLOCK)?,
                "ask" => scan.sentence().map(|()| ASK)?,
                "instead" => scan.sentence().map(|()| 1 << 4)?,
                "unknown" => matches!(scan.text()?, "block" | "ask").then_some(1 << 5)?,
                "examples" => scan.value(MAX_BRACKETS).map(|()| 1 << 6)?,
                "name" => {
                    rule.name = Some(scan.text()?);
                    1 << 7
                }
                "description" => {
                    rule.description = Some(scan.text()?);
                    1 << 8
                }
                _ => return None,
            };
            let is_new = rule.fields & field == 0;
            rule.fields |= field;
            is_new.then_some(())
        })?;
        let has_all = rule.fields & (TYPE | WHEN) == TYPE | WHEN && rule.fields & (BLOCK | ASK) != 0;
        has_all.then_some(rule)
    }

    /// `{ "command": … }` and nothing else.
    fn when(&mut self, programs: &mut PatternPrograms) -> Option<()> {
        self.eats(b'{')?;
        (self.text()? == "command").then_some(())?;
        self.eats(b':')?;
        match self.sign()? {
            b'[' => self.items(*b"[]", |scan| programs.add(scan.text()?))?,
            _ => programs.add(self.text()?)?,
        }
        self.eats(b'}').filter(|()| !programs.is_empty())
    }

    /// Passes the values of a list, or the fields of an object.
    fn items(&mut self, [open, close]: [u8; 2], mut item: impl FnMut(&mut Self) -> Option<()>) -> Option<()> {
        self.eats(open)?;
        if self.eats(close).is_some() {
            return Some(());
        }
        loop {
            item(self)?;
            if self.eats(close).is_some() {
                return Some(());
            }
            self.eats(b',')?;
        }
    }

    /// Passes lists and objects of strings, nested at most so deeply.
    fn value(&mut self, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match self.sign()? {
            b'[' => self.items(*b"[]", |scan| scan.value(depth)),
            b'{' => self.items(*b"{}", |scan| {
                scan.text()?;
                scan.eats(b':')?;
                scan.value(depth)
            }),
            // Some of these escapes stand for no character.
            _ => self.string().filter(|text| !text.contains("\\u")).map(drop),
        }
    }

    /// A text that says something.
    fn sentence(&mut self) -> Option<()> {
        self.text().filter(|text| !text.trim().is_empty()).map(drop)
    }

    /// A string without escapes.
    fn text(&mut self) -> Option<&'t str> {
        self.eats(b'"')?;
        let start = self.at;
        (self.ends()? == b'"').then(|| self.text.get(start..self.at - 1))?
    }

    /// A string as it is written, without its quotes.
    fn string(&mut self) -> Option<&'t str> {
        self.eats(b'"')?;
        let start = self.at;
        while self.ends()? == b'\\' {
            let escape = self.text.as_bytes().get(self.at)?;
            matches!(escape, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' | b'u')
                .then(|| self.at += 1)?;
        }
        self.text.get(start..self.at - 1)
    }

    /// Passes what is only itself in a string, and the quote or backslash after it.
    fn ends(&mut self) -> Option<u8> {
        let rest = self.text.as_bytes().get(self.at..)?;
        let length = rest.iter().position(|sign| matches!(sign, b'"' | b'\\' | ..b' '))?;
        self.at += length + 1;
        rest.get(length).copied().filter(|sign| *sign >= b' ')
    }

    /// How long the comment is that begins after a slash.
    fn comment(&self) -> Option<usize> {
        let rest = self.text.get(self.at..)?;
        if rest.starts_with('/') { rest.find('\n') } else { rest.find("*/").map(|end| end + 2) }
    }

    /// The next sign that is not a blank.
    fn sign(&mut self) -> Option<u8> {
        loop {
            let sign = *self.text.as_bytes().get(self.at)?;
            if !matches!(sign, b' ' | b'\n' | b'\r' | b'\t') {
                return Some(sign);
            }
            self.at += 1;
        }
    }

    fn eats(&mut self, sign: u8) -> Option<()> {
        (self.sign()? == sign).then(|| self.at += 1)
    }
}
