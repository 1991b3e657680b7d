//! What holds for any bytes: no panic, exact spans, and chunks that leave nothing out.

use consign_parsers::{Document, Measure, Options, chunks, estimate, parse};
use proptest::prelude::*;

use crate::make::office;

/// Spans lie in order, are whole characters, and between them is nothing but white space.
fn check(document: &Document) {
    let blank = |from: usize, to: usize| {
        let between = document.text.get(from..to).expect("spans are in order and whole characters");
        assert!(between.trim().is_empty(), "left out: {between:?} of {:?}", document.text);
    };
    let mut end = 0;
    for block in &document.blocks {
        blank(end, block.span.start);
        assert!(!document.text_of(block).trim().is_empty());
        assert_eq!(block.places[0].from, block.span.start);
        assert!(block.places.iter().all(|place| block.span.contains(&place.from)));
        end = block.span.end;
    }
    blank(end, document.text.len());
    for (most, hard) in [(200, 400), (12, 24), (1, 1)] {
        let found = chunks(document, &Measure { most, hard, count: &estimate });
        let mut end = 0;
        for (at, chunk) in found.iter().enumerate() {
            blank(end, chunk.span.start);
            assert_eq!(chunk.index, at);
            let said = document.text.get(chunk.span.clone()).expect("whole characters");
            assert!(!said.trim().is_empty());
            let one = said.chars().count() <= 2;
            assert!(
                chunk.tokens <= hard.max(most) || one || most == 1,
                "{} tokens: {said:?}",
                chunk.tokens
            );
            end = chunk.span.end;
        }
        blank(end, document.text.len());
        assert_eq!(found, chunks(document, &Measure { most, hard, count: &estimate }));
    }
}

fn try_it(bytes: &[u8], name: Option<&str>) {
    let options = Options { name: name.map(str::to_owned), ..Options::default() };
    match parse(bytes, &options) {
        Ok(document) => check(&document),
        Err(error) => {
            let said = error.to_string();
            assert!(!said.contains("the reader failed"), "{said}");
        }
    }
}

/// Text of what documents are made of, so that every reader is reached.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("# "),
        Just("\n\n"),
        Just("\n"),
        Just("| a | b |\n|---|---|\n"),
        Just("- "),
        Just("1. "),
        Just("> "),
        Just("```\n"),
        Just("[x](y)"),
        Just("[x]: y\n"),
        Just("---\n"),
        Just("<p>"),
        Just("</p>"),
        Just("<table><tr><td>"),
        Just("</table>"),
        Just("<li>"),
        Just("<ul>"),
        Just("<h2>"),
        Just("<!doctype html>"),
        Just("<td rowspan=3 colspan=4>"),
        Just("From: a@b.c\nTo: x\nSubject: y\n"),
        Just("a,b,c\n"),
        Just("\"q;\n"),
        Just("a;b\n"),
        Just("Ein Satz. "),
        Just("吾輩は猫である。"),
        Just("x.y!z? "),
        Just("\u{301}"),
        Just("🏳️‍🌈"),
        Just("<b><a href=x>"),
        Just("&amp;"),
        Just("\t"),
        Just("![p](q)"),
        Just("<pre>"),
        Just("<img alt=x src=y>"),
        Just("{\"a\": 1}"),
        Just("    "),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        try_it(&bytes, None);
    }

    #[test]
    fn any_text_is_read_and_nothing_of_it_is_left_out(text in "\\PC{0,200}", name in proptest::option::of("[a-z]{1,3}\\.(md|txt|py|csv|html)")) {
        try_it(text.as_bytes(), name.as_deref());
    }

    #[test]
    fn whatever_documents_are_made_of_is_read(text in pieces(), name in proptest::option::of(Just("a.md"))) {
        try_it(text.as_bytes(), name);
    }

    #[test]
    fn damaged_files_are_read_or_refused(
        which in 0_usize..4,
        faults in proptest::collection::vec((any::<proptest::sample::Index>(), any::<u8>()), 1..20),
    ) {
        let mut bytes = match which {
            0 => office::docx("<w:p><w:r><w:t>Some words here.</w:t></w:r></w:p><w:tbl><w:tr><w:tc/></w:tr></w:tbl>"),
            1 => office::pptx(&[("<p:sp><p:txBody><a:p><a:r><a:t>x</a:t></a:r></a:p></p:txBody></p:sp>", "n")]),
            2 => office::xlsx(&[("S", "<row r='1'><c r='A1'><v>1</v></c></row>")]),
            _ => {
                let mut pdf = crate::make::pdf::Maker::new();
                pdf.prose(72.0, 90.0, 400.0, 11.0, "Some words that are read from a PDF that is damaged.");
                pdf.finish()
            }
        };
        for (place, byte) in faults {
            let at = place.index(bytes.len());
            bytes[at] = byte;
        }
        try_it(&bytes, None);
    }
}
