//! Chunks: within their length, at sentences and rows, with page, box and heading.

use consign_parsers::{Chunk, Document, Layout, Measure, Options, chunks, estimate, parse};

use crate::make::{
    pdf::{Look, Maker},
    words::Dice,
};

fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

fn cut(document: &Document, most: usize) -> Vec<Chunk> {
    chunks(document, &Measure { most, hard: most * 2, count: &words })
}

#[test]
fn a_chunk_is_whole_sentences_below_one_heading() {
    let mut dice = Dice::new(4);
    let mut text = String::new();
    for section in 0..6 {
        text += &format!("# Section {section}\n\n");
        for _ in 0..5 {
            text += &dice.paragraph();
            text += "\n\n";
        }
    }
    let document =
        parse(text.as_bytes(), &Options { name: Some("a.md".into()), ..Options::default() })
            .unwrap();
    let found = cut(&document, 60);
    assert!(found.len() > 12);
    for (at, chunk) in found.iter().enumerate() {
        let said = &document.text[chunk.span.clone()];
        assert_eq!(chunk.index, at);
        assert_eq!(chunk.tokens, words(said));
        assert!(chunk.tokens <= 60, "{said}");
        assert!(
            said.ends_with('.') && said.starts_with(|c: char| c.is_uppercase() || c == '#'),
            "{said}"
        );
        assert_eq!(chunk.heading.len(), 1);
        assert_eq!(said.matches("# Section").count(), usize::from(said.starts_with('#')));
    }
    // As full as they can be: the next sentence would not have fitted.
    let full = found.windows(2).filter(|pair| pair[0].heading == pair[1].heading);
    for pair in full {
        let next = &document.text[pair[1].span.clone()];
        let sentence = words(&next[..=next.find('.').unwrap()]);
        assert!(pair[0].tokens + sentence > 60);
    }
    assert_eq!(found, cut(&document, 60));
}

#[test]
fn a_numbered_heading_stays_whole_and_with_its_text() {
    let text =
        "# 1. Before you go\n\nFill in the form.\n\n## 1.2. Dr. No. Which form?\n\nThe blue one.";
    let options = Options { name: Some("a.md".into()), ..Options::default() };
    let document = parse(text.as_bytes(), &options).unwrap();
    let found = cut(&document, 60);
    let said: Vec<_> = found.iter().map(|chunk| &document.text[chunk.span.clone()]).collect();
    let expected =
        ["# 1. Before you go\n\nFill in the form.", "## 1.2. Dr. No. Which form?\n\nThe blue one."];
    assert_eq!(said, expected);
    assert!(found.iter().all(|chunk| chunk.layout == Layout::Text));
}

#[test]
fn a_table_is_cut_after_rows_and_knows_its_columns() {
    let mut csv = String::from("name,size,colour\n");
    let mut dice = Dice::new(6);
    for at in 0..100 {
        csv += &format!("{},{at},{}\n", dice.words(3), dice.word());
    }
    let document = parse(csv.as_bytes(), &Options::default()).unwrap();
    let found = cut(&document, 80);
    assert!(found.len() > 5);
    let heading = "| name | size | colour |\n| --- | --- | --- |";
    for chunk in &found {
        let said = &document.text[chunk.span.clone()];
        assert_eq!(chunk.layout, Layout::Table);
        assert!(said.lines().all(|line| line.starts_with('|') && line.ends_with('|')), "{said}");
        match &chunk.columns {
            None => assert!(said.starts_with(heading)),
            Some(columns) => assert_eq!(&document.text[columns.clone()], heading),
        }
    }
    assert_eq!(found.iter().filter(|chunk| chunk.columns.is_none()).count(), 1);
}

#[test]
fn what_is_too_long_is_a_chunk_of_its_own_and_is_cut_at_words_at_last() {
    let long = Dice::new(7).words(30);
    let longer = Dice::new(8).words(95);
    let text = format!("Short one. {long}. Short two.\n\n{longer}.");
    let document = parse(text.as_bytes(), &Options::default()).unwrap();
    let found: Vec<_> = cut(&document, 20)
        .into_iter()
        .map(|chunk| (chunk.tokens, document.text[chunk.span].to_owned()))
        .collect();
    let counts: Vec<_> = found.iter().map(|(tokens, _)| *tokens).collect();
    assert_eq!(counts, [32, 2, 40, 40, 15], "{found:?}");
}

#[test]
fn a_chunk_of_a_pdf_has_the_page_and_box_of_what_it_says() {
    let mut dice = Dice::new(3);
    let mut pdf = Maker::new();
    let rows: Vec<Vec<String>> = (0..20).map(|_| vec![dice.words(1), dice.words(2)]).collect();
    for page in 0..4 {
        if page > 0 {
            pdf.page();
        }
        pdf.text(72.0, 90.0, 18.0, true, &format!("Part {page}"));
        let y = pdf.prose(72.0, 130.0, 450.0, 10.0, &dice.paragraph());
        pdf.table(72.0, y + 30.0, &[150.0, 150.0], &rows, Look::Ruled);
    }
    let document = parse(&pdf.finish(), &Options::default()).unwrap();
    let found = cut(&document, 100);
    for page in 1..=4_u32 {
        let of_page: Vec<_> = found.iter().filter(|chunk| chunk.page == Some(page)).collect();
        assert!(of_page.len() >= 2, "{found:?}");
        assert_eq!(of_page[0].heading.as_ref(), [format!("Part {}", page - 1)]);
        let (text, table) = (of_page[0].bbox.unwrap(), of_page.last().unwrap().bbox.unwrap());
        assert!(text[1] < 90.0 && text[3] < table[1] + 1.0, "{text:?} {table:?}");
    }
}

#[test]
fn the_estimate_counts_about_as_tokenizers_do() {
    assert_eq!(estimate(""), 0);
    assert_eq!(estimate("ten words of text give about thirteen tokens as said"), 13);
    assert_eq!(estimate("吾輩は猫である"), 7);
    assert!(estimate(&"x".repeat(4000)) > 400);
}
