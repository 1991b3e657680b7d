//! A few lines on a terminal that are drawn again and again in the same place.
//!
//! There is no alternate screen: what was drawn last stays in the scrollback. Where lines cannot be
//! drawn again (a pipe, a dumb terminal, no colour wanted) nothing is drawn at all.

use std::{
    io::{self, Write},
    sync::atomic::{AtomicBool, Ordering},
};

use anstream::{AutoStream, ColorChoice, stream::RawStream};

use unicode_width::UnicodeWidthStr;

use crate::text::shortened;

/// Something else was written below what is drawn.
static DISTURBED: AtomicBool = AtomicBool::new(false);

/// Lets the next drawing begin anew, below what was just written.
pub(crate) fn disturb() {
    DISTURBED.store(true, Ordering::Relaxed);
}

/// Lines at the end of a terminal.
pub(crate) struct Live<W> {
    to: Option<W>,
    /// The widths of the lines that are there now.
    drawn: Vec<usize>,
}

impl Live<io::Stderr> {
    /// On standard error, for progress that is no result.
    pub(crate) fn on_stderr(color: ColorChoice) -> Self {
        Self::on(io::stderr(), color)
    }
}

impl Live<io::Stdout> {
    /// On standard output, where the view is the result.
    pub(crate) fn on_stdout(color: ColorChoice) -> Self {
        Self::on(io::stdout(), color)
    }
}

impl<W: RawStream> Live<W> {
    fn on(to: W, color: ColorChoice) -> Self {
        let able = color != ColorChoice::Never
            && to.is_terminal()
            && AutoStream::choice(&to) != ColorChoice::Never;
        Self { to: able.then_some(to), drawn: Vec::new() }
    }
}

impl<W: Write> Live<W> {
    /// Draws nothing.
    pub(crate) fn nowhere() -> Self {
        Self { to: None, drawn: Vec::new() }
    }

    pub(crate) fn is_able(&self) -> bool {
        self.to.is_some()
    }

    /// How many lines there is room for: the last row is the cursor's.
    pub(crate) fn room(&self) -> usize {
        size().1.saturating_sub(1)
    }

    /// Draws these lines in place of those before. They are cut to the terminal, in both directions.
    pub(crate) fn draw(&mut self, lines: &[String]) -> io::Result<()> {
        self.leave_if_disturbed();
        let (columns, rows) = size();
        let lines = &lines[..lines.len().min(rows.saturating_sub(1))];
        // Over what is there, and only then away with the rest: some terminals keep a screen that is
        // wiped from its first row on.
        let again = !self.drawn.is_empty();
        let mut text = self.back();
        let mut drawn = Vec::with_capacity(lines.len());
        for line in lines {
            let line = shortened(line, columns.saturating_sub(1));
            drawn.push(line.width());
            text += &line;
            text += if again { "\x1b[K\n" } else { "\n" };
        }
        if again {
            text += "\x1b[J";
        }
        self.drawn = drawn;
        self.write(&text)
    }

    /// Takes away what was drawn, so that other lines can be written.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        self.leave_if_disturbed();
        // Line by line, for the same reason.
        let (back, drawn) = (self.back(), self.height());
        self.drawn.clear();
        self.write(&format!("{back}{}{}", "\x1b[2K\n".repeat(drawn), up(drawn)))
    }

    /// What is no longer at the end stays as it is.
    fn leave_if_disturbed(&mut self) {
        if DISTURBED.swap(false, Ordering::Relaxed) {
            self.drawn.clear();
        }
    }

    /// Up to where the drawing begins.
    fn back(&self) -> String {
        up(self.height())
    }

    /// The rows that the drawing takes up now: lines that no longer fit were folded by the terminal.
    fn height(&self) -> usize {
        let (columns, rows) = size();
        let folded = self.drawn.iter().map(|width| width.div_ceil(columns).max(1));
        folded.sum::<usize>().min(rows.saturating_sub(1))
    }

    fn write(&mut self, text: &str) -> io::Result<()> {
        match &mut self.to {
            Some(to) if !text.is_empty() => {
                to.write_all(text.as_bytes())?;
                to.flush()
            }
            Some(_) | None => Ok(()),
        }
    }
}

fn up(rows: usize) -> String {
    if rows == 0 { String::new() } else { format!("\r\x1b[{rows}A") }
}

/// How wide the terminal is.
pub(crate) fn columns() -> usize {
    size().0
}

/// Columns and rows; some terminals do not know theirs and say zero.
fn size() -> (usize, usize) {
    let known = terminal_size::terminal_size();
    let (columns, rows) = known.map_or((0, 0), |(columns, rows)| (columns.0, rows.0));
    let or = |known: u16, usual: usize| if known == 0 { usual } else { known.into() };
    (or(columns, 80), or(rows, 24))
}
