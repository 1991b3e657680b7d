//! PDFs: order, pages, boxes, what a page break cuts, passwords and hidden text.

use consign_parsers::{Layout, Options, ParseError, parse};
use lopdf::{EncryptionState, EncryptionVersion, Permissions};

use crate::{
    make::{
        pdf::{Look, Maker},
        words::Dice,
    },
    said, tables,
};

#[test]
fn blocks_have_their_page_box_and_headings() {
    let mut pdf = Maker::new();
    pdf.title = Some("A title".into());
    pdf.text(72.0, 90.0, 20.0, true, "Chapter one");
    pdf.prose(72.0, 130.0, 450.0, 11.0, &Dice::new(1).paragraph());
    pdf.page();
    pdf.text(72.0, 90.0, 20.0, true, "Chapter two");
    let bottom = pdf.prose(72.0, 400.0, 300.0, 11.0, &Dice::new(2).paragraph());
    let document = parse(&pdf.finish(), &Options::default()).unwrap();
    assert_eq!((document.title.as_deref(), document.pages), (Some("A title"), Some(2)));
    let expected = [
        (String::new(), "# Chapter one".to_owned()),
        ("Chapter one".into(), Dice::new(1).paragraph()),
        (String::new(), "# Chapter two".into()),
        ("Chapter two".into(), Dice::new(2).paragraph()),
    ];
    assert_eq!(said(&document), expected);
    let pages: Vec<_> = document.blocks.iter().map(|block| block.places[0].page.unwrap()).collect();
    assert_eq!(pages, [1, 1, 2, 2]);
    // The title stands on the baseline 90; the last paragraph begins above 400 and ends with its last line.
    let [left, top, right, low] = document.blocks[0].places[0].bbox.unwrap();
    assert!((left - 72.0).abs() < 1.0 && (70.0..76.0).contains(&top), "{left} {top}");
    assert!((90.0..96.0).contains(&low) && (150.0..230.0).contains(&right), "{low} {right}");
    let [left, top, right, low] = document.blocks[3].places[0].bbox.unwrap();
    assert!((left - 72.0).abs() < 1.0 && (388.0..392.0).contains(&top), "{left} {top}");
    let last = f64::from(bottom) - 11.0 * 1.25;
    assert!((last..last + 4.0).contains(&low) && right <= 374.0, "{low} {right}");
}

#[test]
fn columns_are_read_one_after_the_other() {
    let mut dice = Dice::new(5);
    let (left, right): (Vec<_>, Vec<_>) =
        (0..4).map(|_| (dice.paragraph(), dice.paragraph())).unzip();
    let mut pdf = Maker::new();
    pdf.text(72.0, 80.0, 18.0, true, "Two columns");
    // Drawn in turn, as a program does that fills both at once.
    let (mut y, mut z) = (110.0, 110.0);
    for (one, other) in left.iter().zip(&right) {
        y = pdf.prose(60.0, y, 220.0, 10.0, one) + 8.0;
        z = pdf.prose(315.0, z, 220.0, 10.0, other) + 8.0;
    }
    let document = parse(&pdf.finish(), &Options::default()).unwrap();
    let flat = document.text.split_whitespace().collect::<Vec<_>>().join(" ");
    let places: Vec<_> = left
        .iter()
        .chain(&right)
        .map(|text| flat.find(&text[..40]).expect("it is there"))
        .collect();
    assert!(places.is_sorted(), "{places:?}\n{flat}");
}

#[test]
fn a_table_goes_on_over_page_breaks() {
    for (again, look) in [(true, Look::Ruled), (false, Look::Ruled), (true, Look::ThreeLine)] {
        let mut dice = Dice::new(9);
        let heading: Vec<String> = ["item", "count", "price"].map(str::to_owned).to_vec();
        let mut rows = Vec::new();
        let mut pdf = Maker::new();
        pdf.text(72.0, 80.0, 18.0, true, "A long table");
        pdf.prose(72.0, 110.0, 450.0, 10.0, &dice.paragraph());
        for page in 0..3 {
            if page > 0 {
                pdf.page();
            }
            let own: Vec<Vec<String>> = (0..25)
                .map(|_| {
                    vec![
                        dice.words(2),
                        dice.below(999).to_string(),
                        format!("{}.50", dice.below(99)),
                    ]
                })
                .collect();
            let mut drawn = own.clone();
            if again || page == 0 {
                drawn.insert(0, heading.clone());
            }
            let y = if page == 0 { 220.0 } else { 72.0 };
            let end = pdf.table(72.0, y, &[200.0, 100.0, 100.0], &drawn, look);
            if page == 2 {
                pdf.prose(72.0, end + 30.0, 450.0, 10.0, &dice.paragraph());
            }
            rows.extend(own);
        }
        rows.insert(0, heading);
        let document = parse(&pdf.finish(), &Options::default()).unwrap();
        let found = tables::tables(&document);
        assert_eq!(found.len(), 1, "{look:?} {again}: {}", document.text);
        assert_eq!(found[0], rows, "{look:?} {again}");
        let table = document.blocks.iter().find(|block| block.layout == Layout::Table).unwrap();
        let pages: Vec<_> = table.places.iter().map(|place| place.page.unwrap()).collect();
        assert_eq!(pages, [1, 2, 3], "{look:?} {again}");
        for place in &table.places[1..] {
            let line = document.text[place.from..].lines().next().unwrap();
            assert_eq!(tables::cells(line)[0], rows[1 + 25 * (place.page.unwrap() as usize - 1)]);
        }
    }
}

#[test]
fn a_sentence_goes_on_over_a_page_break() {
    let mut pdf = Maker::new();
    pdf.prose(72.0, 100.0, 450.0, 11.0, &Dice::new(3).paragraph());
    pdf.prose(72.0, 780.0, 450.0, 11.0, "The river was full of");
    pdf.page();
    pdf.prose(
        72.0,
        80.0,
        450.0,
        11.0,
        "yellow boats that day. Nobody knew why they had come to the town at all.",
    );
    let document = parse(&pdf.finish(), &Options::default()).unwrap();
    assert!(
        document.text.contains("The river was full of yellow boats that day."),
        "{}",
        document.text
    );
    let block = document.blocks.last().unwrap();
    let pages: Vec<_> = block.places.iter().map(|place| place.page.unwrap()).collect();
    assert_eq!(pages, [1, 2]);
    assert!(document.text[block.places[1].from..].starts_with("yellow boats"));
}

fn sealed(user: &str) -> Vec<u8> {
    let mut pdf = Maker::new();
    pdf.text(72.0, 90.0, 12.0, false, "A secret that is told to those who know.");
    let mut document = lopdf::Document::load_mem(&pdf.finish()).unwrap();
    let id = lopdf::Object::string_literal("0123456789abcdef");
    document.trailer.set("ID", vec![id.clone(), id]);
    let version = EncryptionVersion::V2 {
        document: &document,
        owner_password: "owner",
        user_password: user,
        key_length: 128,
        permissions: Permissions::all(),
    };
    let state = EncryptionState::try_from(version).unwrap();
    document.encrypt(&state).unwrap();
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    bytes
}

#[test]
fn a_password_opens_a_pdf_and_nothing_else_does() {
    let file = sealed("open sesame");
    let with = |password: Option<&str>| {
        parse(&file, &Options { password: password.map(str::to_owned), ..Options::default() })
    };
    let document = with(Some("open sesame")).unwrap();
    assert_eq!(document.text, "A secret that is told to those who know.");
    assert!(document.blocks[0].places[0].bbox.is_some());
    for wrong in [None, Some("wrong")] {
        let error = with(wrong).unwrap_err();
        assert!(matches!(error, ParseError::Encrypted { .. }), "{error}");
    }
    // A file that only its owner may change is open to readers.
    assert!(parse(&sealed(""), &Options::default()).is_ok());
}

#[test]
fn a_password_is_in_no_message() {
    let options = Options { password: Some("hunter2".into()), ..Options::default() };
    assert!(!format!("{options:?}").contains("hunter2"));
    let error = parse(&sealed("other"), &options).unwrap_err();
    assert!(!format!("{error} {error:?}").contains("hunter2"));
}
