//! Colours and weights of text. Where they are not wanted, the printer removes them.

/// How a piece of text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Style {
    /// Without any sequence.
    Plain,
    Bold,
    Dim,
    Red,
    Yellow,
    Cyan,
    BoldGreen,
}

/// The text between the escape sequences of a style.
pub(crate) fn paint(style: Style, text: &str) -> String {
    let code = match style {
        Style::Plain => return text.to_owned(),
        Style::Bold => "1",
        Style::Dim => "2",
        Style::Red => "31",
        Style::Yellow => "33",
        Style::Cyan => "36",
        Style::BoldGreen => "1;32",
    };
    format!("\u{1b}[{code}m{text}\u{1b}[0m")
}
