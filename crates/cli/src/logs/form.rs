//! An event as a line: for people, or as a JSON object for programs.

use std::fmt::Write;

use anstyle::{AnsiColor, Style};
use consign_contracts::json::Json;
use jiff::Timestamp;
use tracing::Level;

use super::{
    LogFormat,
    fields::{Fields, Value},
};
use crate::output::{BAD, FAINT, GOOD, WARN, printable};

/// How lines look.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form {
    pub(super) format: LogFormat,
    pub(super) color: bool,
}

impl Default for Form {
    fn default() -> Self {
        Self { format: LogFormat::Text, color: false }
    }
}

/// All that a line says.
pub(super) struct Entry<'a> {
    pub(super) time: Timestamp,
    pub(super) level: Level,
    pub(super) target: &'a str,
    /// The fields of the spans around it.
    pub(super) around: &'a Fields,
    pub(super) message: &'a str,
    pub(super) own: &'a Fields,
}

impl Form {
    pub(super) fn line(self, entry: &Entry<'_>) -> String {
        match self.format {
            LogFormat::Text => self.text(entry),
            LogFormat::Json => json(entry),
        }
    }

    /// Says that so many lines are missing.
    pub(super) fn left_out(self, lines: u64) -> String {
        let mut own = Fields::default();
        own.set("lines", Value::Literal(lines.to_string()));
        self.line(&Entry {
            time: Timestamp::now(),
            level: Level::WARN,
            target: module_path!(),
            around: &Fields::default(),
            message: "lines were left out here, because standard error was not read",
            own: &own,
        })
    }

    fn text(self, entry: &Entry<'_>) -> String {
        let Entry { time, level, target, around, message, own } = entry;
        let style = |style: Style| if self.color { style } else { Style::new() };
        let (faint, strong) = (style(FAINT), style(style_of(*level)));
        let mut line = format!("{faint}{time:.3}{faint:#} {strong}{level:>5}{strong:#} {target}");
        for (name, value) in around.iter() {
            push(&mut line, name, value);
        }
        line.push_str(": ");
        line.push_str(&printable(message));
        for (name, value) in own.iter() {
            push(&mut line, name, value);
        }
        line
    }
}

fn style_of(level: Level) -> Style {
    match level {
        Level::ERROR => BAD,
        Level::WARN => WARN,
        Level::INFO => GOOD,
        Level::DEBUG => AnsiColor::Blue.on_default(),
        Level::TRACE => FAINT,
    }
}

/// ` name=value`. A value that would not be told from what is around it is put in quotes.
fn push(line: &mut String, name: &str, value: &Value) {
    let (Value::Text(text) | Value::Literal(text)) = value;
    let text = printable(text);
    let is_plain = |letter: char| !letter.is_whitespace() && !"\"=".contains(letter);
    let plain = !text.is_empty() && text.chars().all(is_plain);
    let _ = match plain {
        true => write!(line, " {name}={text}"),
        false => write!(line, " {name}={}", Json::String(text)),
    };
}

/// One object, flat: what people filter by is found under its name alone.
fn json(entry: &Entry<'_>) -> String {
    let Entry { time, level, target, around, message, own } = entry;
    let level = level.as_str().to_ascii_lowercase();
    let mut line = format!(
        "{{\"time\":\"{time:.3}\",\"level\":\"{level}\",\"target\":{},\"message\":{}",
        Json::String((*target).into()),
        Json::String((*message).into())
    );
    let mut fields = (*around).clone();
    own.iter().for_each(|(name, value)| fields.set(name, value.clone()));
    for (name, value) in fields.iter() {
        let _ = match value {
            Value::Text(text) => write!(line, ",\"{name}\":{}", Json::String(text.into())),
            Value::Literal(text) => write!(line, ",\"{name}\":{text}"),
        };
    }
    line.push('}');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields<const N: usize>(members: [(&'static str, &str); N]) -> Fields {
        let mut fields = Fields::default();
        for (name, value) in members {
            let value = match value.parse::<u64>() {
                Ok(_) => Value::Literal(value.to_owned()),
                Err(_) => Value::Text(value.to_owned()),
            };
            fields.set(name, value);
        }
        fields
    }

    fn check(around: &Fields, message: &str, own: &Fields, text: &str, object: &str) {
        let entry = Entry {
            time: "2026-10-01T12:00:00.1234Z".parse().unwrap(),
            level: Level::WARN,
            target: "consign_engine::logs",
            around,
            message,
            own,
        };
        let form = |format| Form { format, color: false };
        let head = "2026-10-01T12:00:00.123Z  WARN consign_engine::logs";
        assert_eq!(form(LogFormat::Text).line(&entry), format!("{head}{text}"));
        let head =
            r#"{"time":"2026-10-01T12:00:00.123Z","level":"warn","target":"consign_engine::logs","#;
        let json = form(LogFormat::Json).line(&entry);
        assert_eq!(json, format!("{head}{object}"));
        serde_json::from_str::<serde_json::Value>(&json).unwrap();
    }

    #[test]
    fn a_line_has_the_fields_around_it_then_the_message_then_its_own() {
        check(
            &fields([("run", "2a3g"), ("owner", "local"), ("attempt", "1")]),
            "attempt failed and is tried again",
            &fields([("code", "TIMEOUT"), ("retry_in_ms", "250")]),
            " run=2a3g owner=local attempt=1: attempt failed and is tried again code=TIMEOUT retry_in_ms=250",
            r#""message":"attempt failed and is tried again","run":"2a3g","owner":"local","attempt":1,"code":"TIMEOUT","retry_in_ms":250}"#,
        );
        check(
            &fields([]),
            "server stopped",
            &fields([]),
            ": server stopped",
            r#""message":"server stopped"}"#,
        );
    }

    #[test]
    fn no_value_is_taken_for_something_else() {
        check(
            &fields([("path", "/a b")]),
            "x",
            &fields([("why", "say \"no\""), ("empty", ""), ("like", "a=b")]),
            r#" path="/a b": x why="say \"no\"" empty="" like="a=b""#,
            r#""message":"x","path":"/a b","why":"say \"no\"","empty":"","like":"a=b"}"#,
        );
        let escape = "\u{1b}[31mred\nnext";
        check(
            &fields([("run", escape)]),
            escape,
            &fields([]),
            " run=\u{fffd}[31mred\u{fffd}next: \u{fffd}[31mred\u{fffd}next",
            r#""message":"\u001b[31mred\nnext","run":"\u001b[31mred\nnext"}"#,
        );
    }

    #[test]
    fn an_inner_field_counts_in_place_of_an_outer_one() {
        let mut around = fields([("owner", "local"), ("run", "a")]);
        around.set("owner", Value::Text("alice".to_owned()));
        check(
            &around,
            "x",
            &fields([("run", "b")]),
            " owner=alice run=a: x run=b",
            r#""message":"x","owner":"alice","run":"b"}"#,
        );
    }
}
