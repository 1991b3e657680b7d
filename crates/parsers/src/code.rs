//! Source code: the text itself, in parts between empty lines.

use crate::{
    Document, Kind, Options, ParseError,
    document::{Breaks, Layout, Writer},
    text,
};

/// Reads source code. The stored text is the text itself; a chunk ends at lines only.
pub(crate) fn read(
    text: String,
    language: Option<&str>,
    options: &Options,
) -> Result<Document, ParseError> {
    let mut writer = Writer::new(Kind::Code, options.limits.text);
    if let Some(language) = language {
        writer.fact("language", language);
    }
    let spans = text::paragraphs(&text);
    writer.whole(text);
    for span in spans {
        writer.mark(Layout::Text, Breaks::Lines, span, None);
    }
    writer.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stored_text_is_the_file() {
        let text = "#!/bin/sh\n\nfor x in *; do\n    echo \"$x\"\ndone\n";
        let document = read(text.to_owned(), Some("shell"), &Options::default()).unwrap();
        assert_eq!(document.text, text);
        assert_eq!(document.metadata["language"], "shell");
        assert_eq!(document.text_of(&document.blocks[1]), "for x in *; do\n    echo \"$x\"\ndone");
    }
}
