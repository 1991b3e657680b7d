//! A few lines on a terminal that are drawn again and again in the same place.
//!
//! There is no alternate screen: what was drawn last stays in the scrollback. Where lines cannot be
//! drawn again (a pipe, a dumb terminal, no colour wanted) nothing is drawn at all.

use std::io::{self, Write};

use anstream::{AutoStream, ColorChoice, stream::RawStream};

use crate::text::shortened;

/// Lines at the end of a terminal.
pub(crate) struct Live<W> {
    to: Option<W>,
    drawn: usize,
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
        Self { to: able.then_some(to), drawn: 0 }
    }
}

impl<W: Write> Live<W> {
    /// Draws nothing.
    pub(crate) fn nowhere() -> Self {
        Self { to: None, drawn: 0 }
    }

    pub(crate) fn is_able(&self) -> bool {
        self.to.is_some()
    }

    /// Draws these lines in place of those before. They are cut to the terminal, in both directions.
    pub(crate) fn draw(&mut self, lines: &[String]) -> io::Result<()> {
        let (columns, rows) = size();
        let lines = &lines[..lines.len().min(rows.saturating_sub(1))];
        let mut text = self.wipe();
        for line in lines {
            text += &shortened(line, columns.saturating_sub(1));
            text += "\n";
        }
        self.drawn = lines.len();
        self.write(&text)
    }

    /// Takes away what was drawn, so that other lines can be written.
    pub(crate) fn clear(&mut self) -> io::Result<()> {
        let text = self.wipe();
        self.drawn = 0;
        self.write(&text)
    }

    /// Up over what was drawn, and away with everything from there on.
    fn wipe(&self) -> String {
        if self.drawn == 0 { String::new() } else { format!("\r\x1b[{}A\x1b[J", self.drawn) }
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

/// Columns and rows; some terminals do not know theirs and say zero.
fn size() -> (usize, usize) {
    let known = terminal_size::terminal_size();
    let (columns, rows) = known.map_or((0, 0), |(columns, rows)| (columns.0, rows.0));
    let or = |known: u16, usual: usize| if known < 4 { usual } else { known.into() };
    (or(columns, 80), or(rows, 24))
}
