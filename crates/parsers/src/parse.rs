//! From bytes to a document: which reader reads what.

use std::{any::Any, panic::AssertUnwindSafe, thread};

use crate::{
    Document, Kind, Options, ParseError, code, html,
    kind::{self, Content},
    mail, markdown, office, pdf, sheet, text,
};

/// The stack of the thread that reads. Readers that follow a file's nesting are held by [`Limits::depth`], and this is
/// enough for that.
///
/// [`Limits::depth`]: crate::Limits::depth
const STACK: usize = 64 << 20;

/// Reads a file in this process. It keeps to the limits on depth, expansion, entries and text; those on memory and time
/// hold only in a [child process](crate::child).
///
/// # Errors
/// When the file is encrypted, of a kind that is not read, or would take too much.
pub fn parse(bytes: &[u8], options: &Options) -> Result<Document, ParseError> {
    let parsed = thread::scope(|scope| {
        let thread = thread::Builder::new().stack_size(STACK);
        let reading = thread.spawn_scoped(scope, || {
            // A fault in a reader is the fault of that file, not of the program.
            std::panic::catch_unwind(AssertUnwindSafe(|| read(bytes, options, 0)))
        });
        match reading {
            Ok(reading) => reading.join().unwrap_or_else(Err),
            Err(error) => Ok(Err(ParseError::Process { details: error.to_string() })),
        }
    });
    let mut document = parsed.unwrap_or_else(|panic| Err(fault(&*panic)))?;
    if let Some(wished) = options.wished.filter(|wished| *wished != document.kind.file_type()) {
        let found = document.kind;
        document.warnings.insert(0, format!("taken for {wished}, but its content is {found}"));
    }
    Ok(document)
}

fn fault(panic: &(dyn Any + Send)) -> ParseError {
    let said = panic.downcast_ref::<String>().map(String::as_str);
    let said = said.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a fault");
    ParseError::unsupported(format!("the reader failed on this file: {said}"))
}

/// Reads a file that may be inside another one: `depth` counts.
pub(crate) fn read(bytes: &[u8], options: &Options, depth: usize) -> Result<Document, ParseError> {
    match kind::look(bytes, options.name.as_deref(), &options.limits)? {
        Content::Pdf => pdf::read(bytes, options),
        Content::Image => pdf::image(bytes, options),
        Content::Packed(Kind::Docx, archive) => office::docx(&archive, options),
        Content::Packed(Kind::Pptx, archive) => office::pptx(&archive, options),
        Content::Packed(_, archive) => sheet::xlsx(bytes, &archive, options),
        Content::Text(kind, decoded, language) => {
            let (encoding, damaged) = (decoded.encoding, decoded.damaged);
            let text = decoded.text;
            let mut document = match kind {
                Kind::Html => html::read(&text, options)?,
                Kind::Eml => mail::read(bytes, options, depth)?,
                Kind::Csv => sheet::csv(&text, options)?,
                Kind::Markdown => markdown::read(text, options)?,
                Kind::Code => code::read(text, language, options)?,
                Kind::Pdf | Kind::Docx | Kind::Pptx | Kind::Xlsx | Kind::Image | Kind::Txt => {
                    text::read(text, options)?
                }
            };
            document.metadata.insert("encoding".to_owned(), encoding.to_owned());
            if damaged {
                document.warnings.push(format!("some bytes are no characters of {encoding}"));
            }
            Ok(document)
        }
    }
}
