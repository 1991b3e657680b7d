//! A file of every kind that is read, each with a sentence of its own, so that a test knows where it must be found.

use crate::make::{office, pdf::Maker};

/// A file, and the sentence in it that is looked for.
pub(super) struct Sample {
    pub(super) name: &'static str,
    pub(super) kind: &'static str,
    pub(super) bytes: Vec<u8>,
    /// The words that are looked for, and stand in no other file.
    pub(super) words: &'static str,
    /// What the passage must have in it.
    pub(super) quote: &'static str,
    pub(super) page: Option<u64>,
}

/// One of each kind but pictures: what these say is read by other programs.
pub(super) fn every_kind() -> Vec<Sample> {
    vec![
        Sample {
            name: "lease.pdf",
            kind: "pdf",
            bytes: pdf(&[
                "The landlord paints the stairs every seventh summer.",
                "The tenant keeps a walrus in the courtyard on Sundays.",
            ]),
            words: "walrus courtyard Sundays",
            quote: "The tenant keeps a walrus in the courtyard on Sundays.",
            page: Some(2),
        },
        Sample {
            name: "page.html",
            kind: "html",
            bytes: b"<!doctype html><html><head><title>Harvest</title></head><body><main><h1>Harvest</h1>\
                <p>The beekeeper counts forty hives before the thunderstorm begins in earnest.</p></main></body></html>"
                .to_vec(),
            words: "beekeeper hives thunderstorm",
            quote: "The beekeeper counts forty hives before the thunderstorm begins in earnest.",
            page: None,
        },
        Sample {
            name: "letter.docx",
            kind: "docx",
            bytes: office::docx(
                "<w:p><w:r><w:t>The violinist repairs a harpsichord in the lighthouse.</w:t></w:r></w:p>",
            ),
            words: "violinist harpsichord lighthouse",
            quote: "The violinist repairs a harpsichord in the lighthouse.",
            page: None,
        },
        Sample {
            name: "talk.pptx",
            kind: "pptx",
            bytes: office::pptx(&[
                (&shape("The glacier is an opening act."), ""),
                (&shape("The submarine delivers marmalade to Reykjavik."), ""),
            ]),
            words: "submarine marmalade Reykjavik",
            quote: "The submarine delivers marmalade to Reykjavik.",
            page: Some(2),
        },
        Sample {
            name: "stock.xlsx",
            kind: "xlsx",
            bytes: office::xlsx(&[
                ("First", &cells(&["thing", "amount"], &["cabbage", "12"])),
                ("Second", &cells(&["thing", "amount"], &["periscope", "77"])),
            ]),
            words: "periscope",
            quote: "| periscope | 77 |",
            page: Some(2),
        },
        Sample {
            name: "towns.csv",
            kind: "csv",
            bytes: b"name,river,people\nUlm,Danube,126000\nTimbuktu,Niger,54000\nBonn,Rhine,336000\n".to_vec(),
            words: "Timbuktu Niger",
            quote: "| Timbuktu | Niger | 54000 |",
            page: None,
        },
        Sample {
            name: "note.txt",
            kind: "txt",
            bytes: b"A first paragraph of no weight.\n\nThe cartographer hides a compass under the piano.\n".to_vec(),
            words: "cartographer compass piano",
            quote: "The cartographer hides a compass under the piano.",
            page: None,
        },
        Sample {
            name: "guide.md",
            kind: "markdown",
            bytes: b"# Guide\n\nSome **bold** words.\n\n## Care\n\nThe ostrich needs a velvet blanket in November.\n"
                .to_vec(),
            words: "ostrich velvet November",
            quote: "The ostrich needs a velvet blanket in November.",
            page: None,
        },
        Sample {
            name: "mail.eml",
            kind: "eml",
            bytes: b"From: ann@example.org\r\nTo: bob@example.org\r\nSubject: Boats\r\nDate: Mon, 6 Jan 2025 10:00:00 +0000\r\n\
                \r\nThe gondolier returns the accordion tomorrow at noon.\r\n"
                .to_vec(),
            words: "gondolier accordion",
            quote: "The gondolier returns the accordion tomorrow at noon.",
            page: None,
        },
        Sample {
            name: "engine.rs",
            kind: "code",
            bytes: b"//! Steam.\n\n/// Opens the kaleidoscope valve of the zeppelin.\nfn vent() {\n    open();\n}\n".to_vec(),
            words: "kaleidoscope zeppelin valve",
            quote: "/// Opens the kaleidoscope valve of the zeppelin.",
            page: None,
        },
    ]
}

/// A PDF with a sentence on each page.
pub(super) fn pdf(pages: &[&str]) -> Vec<u8> {
    let mut maker = Maker::new();
    for (at, said) in pages.iter().enumerate() {
        if at > 0 {
            maker.page();
        }
        maker.prose(72.0, 100.0, 400.0, 11.0, said);
    }
    maker.finish()
}

/// A file of Office that is sealed with a password.
pub(super) fn sealed() -> Vec<u8> {
    let mut bytes = vec![0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
    bytes.extend("EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes));
    bytes
}

fn shape(text: &str) -> String {
    format!("<p:sp><p:txBody><a:p><a:r><a:t>{text}</a:t></a:r></a:p></p:txBody></p:sp>")
}

fn cells(head: &[&str], row: &[&str]) -> String {
    let cells = |number: usize, cells: &[&str]| {
        let cell = |(place, text): (usize, &&str)| {
            let column = ["A", "B"][place];
            format!("<c r='{column}{number}' t='inlineStr'><is><t>{text}</t></is></c>")
        };
        let cells: String = cells.iter().enumerate().map(cell).collect();
        format!("<row r='{number}'>{cells}</row>")
    };
    cells(1, head) + &cells(2, row)
}
