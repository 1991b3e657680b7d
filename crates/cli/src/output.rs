//! The output of a command: tables and colour on a terminal, plain lines in a pipe, JSON for programs.

use std::{
    borrow::Cow,
    io::{self, BufWriter, IsTerminal, Stdout, Write},
};

use anstream::{AutoStream, ColorChoice};
use anstyle::{AnsiColor, Style};
use comfy_table::{
    Attribute, Cell, Color, ColumnConstraint, ContentArrangement, LineStyle, Table, TableStyle,
};
use consign_contracts::json::{Json, Object};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::live;

pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default().bold();
pub(crate) const FAINT: Style = Style::new().dimmed();
pub(crate) const STRONG: Style = Style::new().bold();

/// A line below the head and nothing else: rows can be copied without frames.
const RULED: TableStyle = TableStyle::new().header_separator(LineStyle::none().fill('─'));

/// Columns with names that are typed into the next command, and how long these may be.
const COPIED: [(&str, usize); 2] = [("run", 64), ("interaction", 24)];

/// The reader of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Audience {
    Person,
    Pipe,
    Program,
}

/// Standard output, for one kind of reader.
pub(crate) struct Output {
    pub(crate) reader: Audience,
    /// The colour that the user wants.
    pub(crate) color: ColorChoice,
    out: BufWriter<AutoStream<Stdout>>,
}

impl Output {
    pub(crate) fn new(json: bool, color: ColorChoice) -> Self {
        let stdout = io::stdout();
        let reader = match json {
            true => Audience::Program,
            false if stdout.is_terminal() => Audience::Person,
            false => Audience::Pipe,
        };
        // What programs read has no styles, and nothing in it may be taken for one.
        let style = if json { ColorChoice::AlwaysAnsi } else { color };
        Self { reader, color, out: BufWriter::new(AutoStream::new(stdout, style)) }
    }

    /// Tells people how things go, on standard error: it is no result, and programs are spared.
    pub(crate) fn tell(&self, text: impl AsRef<str>) {
        if self.reader != Audience::Program {
            self.warn(text);
        }
    }

    /// Writes to standard error, for people and programs alike.
    pub(crate) fn warn(&self, text: impl AsRef<str>) {
        warn(self.color, text);
    }

    /// A line for people. Styles are stripped where there is no colour.
    pub(crate) fn line(&mut self, text: impl AsRef<str>) -> io::Result<()> {
        writeln!(self.out, "{}", text.as_ref())
    }

    /// From now on only JSON is written, in which every control character is escaped: there is nothing to
    /// look for in it.
    pub(crate) fn only_json(&mut self) -> io::Result<()> {
        *self = self.apart()?;
        Ok(())
    }

    /// A JSON-only output for another thread. This one must write nothing until that is done.
    pub(crate) fn apart(&mut self) -> io::Result<Self> {
        self.out.flush()?;
        let passed = AutoStream::new(io::stdout(), ColorChoice::AlwaysAnsi);
        let out = BufWriter::with_capacity(1 << 16, passed);
        Ok(Self { reader: self.reader, color: self.color, out })
    }

    /// Text as it is, such as a script or a schema.
    pub(crate) fn text(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())
    }

    /// An object on a line of its own.
    pub(crate) fn object(&mut self, object: Object<'_>) -> io::Result<()> {
        writeln!(self.out, "{}", Json::Object(object))
    }

    /// Rows: a table for people, tab-separated lines in a pipe.
    pub(crate) fn rows(&mut self, head: &[&str], rows: Vec<Vec<String>>) -> io::Result<()> {
        if self.reader != Audience::Person {
            for row in rows {
                let fields: Vec<_> = row.iter().map(|field| printable(field)).collect();
                writeln!(self.out, "{}", fields.join("\t"))?;
            }
            return Ok(());
        }
        let mut table = Table::new();
        table.load_style(RULED);
        table.set_content_arrangement(ContentArrangement::Dynamic);
        // Some terminals do not know their width and say zero.
        if table.width().is_none_or(|width| width < 20) {
            table.set_width(100);
        }
        table.set_header(head.iter().map(|name| Cell::new(name).add_attribute(Attribute::Dim)));
        table.add_rows(
            rows.iter().map(|row| row.iter().zip(head).map(|(field, head)| cell(head, field))),
        );
        // What is copied stays in one piece, unless that leaves no room for the rest.
        for (name, most) in COPIED {
            let Some(place) = head.iter().position(|head| *head == name) else { continue };
            let short = rows.iter().all(|row| row[place].len() <= most);
            if let (true, Some(column)) = (short, table.column_mut(place)) {
                column.set_constraint(ColumnConstraint::ContentWidth);
            }
        }
        writeln!(self.out, "{table}")
    }

    /// Fails once the reader of a pipe has gone, which otherwise shows only when something is written.
    pub(crate) fn is_read(&self) -> io::Result<()> {
        let stdout = io::stdout();
        let mut looked = [PollFd::new(&stdout, PollFlags::empty())];
        let gone = PollFlags::ERR | PollFlags::HUP;
        match poll(&mut looked, Some(&Timespec::default())) {
            Ok(1..) if looked[0].revents().intersects(gone) => {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            Ok(_) | Err(_) => Ok(()),
        }
    }

    pub(crate) fn finish(&mut self) -> Result<(), crate::error::Error> {
        Ok(self.out.flush()?)
    }
}

/// A field below its head. How a run stands is seen at a glance.
fn cell(head: &str, field: &str) -> Cell {
    let cell = Cell::new(printable(field));
    match (head, field) {
        ("status", "succeeded") => cell.fg(Color::Green),
        ("status", "failed") => cell.fg(Color::Red),
        ("status", "waiting") => cell.fg(Color::Yellow),
        ("status", "cancelled") => cell.add_attribute(Attribute::Dim),
        _ => cell,
    }
}

/// A line on standard error. A failure to write it is ignored: there is no other place to report it.
pub(crate) fn warn(color: ColorChoice, text: impl AsRef<str>) {
    let _ = writeln!(AutoStream::new(io::stderr(), color), "{}", text.as_ref());
    live::disturb();
}

/// Text from outside, fit for a line: an escape sequence in a document must not reach the terminal,
/// a line break must not forge a line of ours, and nothing may hide or turn around what is there.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unprintable) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace(is_unprintable, "\u{FFFD}"))
}

fn is_unprintable(letter: char) -> bool {
    let hides = matches!(letter,
        '\u{AD}' | '\u{61C}' | '\u{180E}' | '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}'
        | '\u{2060}'..='\u{206F}' | '\u{FEFF}' | '\u{FFF9}'..='\u{FFFB}' | '\u{E0000}'..='\u{E007F}');
    letter.is_control() || hides
}

/// An object with these members.
pub(crate) fn object<'a, const N: usize>(members: [(&'static str, Json<'a>); N]) -> Object<'a> {
    members.into_iter().map(|(key, value)| (Cow::Borrowed(key), value)).collect()
}

/// `text` in a style.
pub(crate) fn styled(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}
