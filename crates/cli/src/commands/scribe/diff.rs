//! What a job changes, as a unified diff: in colour on a terminal, plain in a pipe.

use consign_app::agent_jobs::ChangedFile;
use similar::{ChangeTag, TextDiff};

use crate::{
    error::Error,
    output::{Audience, BAD, FAINT, GOOD, Output, STRONG, printable, styled},
};

/// Lines around a change.
const AROUND: usize = 3;

/// Writes the changes, file by file.
pub(super) fn write(files: &[ChangedFile], output: &mut Output) -> Result<(), Error> {
    let is_person = output.reader == Audience::Person;
    let styled_line = |style, text: String| match is_person {
        true => styled(style, text).to_string(),
        false => text,
    };
    for file in files {
        let path = printable(&file.path);
        let before = file.before.as_deref().unwrap_or_default();
        let from = match file.before {
            Some(_) => format!("--- a/{path}"),
            None => "--- /dev/null".to_owned(),
        };
        output.line(styled_line(STRONG, from))?;
        output.line(styled_line(STRONG, format!("+++ b/{path}")))?;
        let diff = TextDiff::from_lines(before, &file.after);
        for hunk in diff.unified_diff().context_radius(AROUND).iter_hunks() {
            output.line(styled_line(FAINT, hunk.header().to_string()))?;
            for change in hunk.iter_changes() {
                let text = change.value();
                let line = printable(text.trim_end_matches(['\n', '\r']));
                let line = match change.tag() {
                    ChangeTag::Equal => format!(" {line}"),
                    ChangeTag::Insert => styled_line(GOOD, format!("+{line}")),
                    ChangeTag::Delete => styled_line(BAD, format!("-{line}")),
                };
                output.line(line)?;
                if change.missing_newline() {
                    output.line(styled_line(FAINT, "\\ No newline at end of file".to_owned()))?;
                }
            }
        }
    }
    Ok(())
}
