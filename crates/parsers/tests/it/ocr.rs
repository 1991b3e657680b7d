//! Scanned pages: read by a program or by the models, and told when nothing can read them.

use std::{
    env, fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use consign_parsers::{Limits, Ocr, Options, Quality, When, parse};
use hayro::{
    PixmapSettings, RenderCache, RenderSettings, hayro_interpret::InterpreterSettings,
    hayro_syntax::Pdf, render, vello_cpu::color::palette::css::WHITE,
};

use crate::make::{
    pdf::{Look, Maker, scanned},
    words::Dice,
};

/// The first page of a PDF as a scanner would give it: grey, at so many dots per inch, turned by some degrees.
fn scan(pdf: &[u8], dots: f32, degrees: f32) -> Vec<u8> {
    let pdf = Pdf::new(pdf.to_vec()).ok().unwrap();
    let scale = dots / 72.0;
    let settings = PixmapSettings { x_scale: scale, y_scale: scale, bg_color: WHITE };
    let drawn = render(
        &pdf.pages()[0],
        &RenderCache::new(),
        &InterpreterSettings::default(),
        &RenderSettings::default(),
        &settings,
    );
    let (wide, high) = (usize::from(drawn.width()), usize::from(drawn.height()));
    let grey = |x: f32, y: f32| {
        if x < 0.0 || y < 0.0 || x >= wide as f32 || y >= high as f32 {
            return 255.0;
        }
        f32::from(drawn.data()[y as usize * wide + x as usize].g)
    };
    let (sin, cos) = degrees.to_radians().sin_cos();
    let mut turned = Vec::with_capacity(wide * high);
    for row in 0..high {
        for column in 0..wide {
            let (x, y) = (column as f32 - wide as f32 / 2.0, row as f32 - high as f32 / 2.0);
            let (x, y) =
                (cos * x - sin * y + wide as f32 / 2.0, sin * x + cos * y + high as f32 / 2.0);
            let (dx, dy) = (x - x.floor(), y - y.floor());
            let upper = grey(x, y) * (1.0 - dx) + grey(x + 1.0, y) * dx;
            let lower = grey(x, y + 1.0) * (1.0 - dx) + grey(x + 1.0, y + 1.0) * dx;
            turned.push((upper * (1.0 - dy) + lower * dy) as u8);
        }
    }
    scanned(&[(wide, high, turned, scale)])
}

/// The share of characters that are right, white space aside.
fn right(drawn: &str, found: &str) -> f64 {
    let bare =
        |text: &str| text.chars().filter(|c| c.is_alphanumeric() || *c == '.').collect::<String>();
    let (drawn, found) = (bare(drawn), bare(found));
    1.0 - strsim::levenshtein(&drawn, &found) as f64 / drawn.chars().count() as f64
}

fn options(ocr: Ocr) -> Options {
    let limits = Limits { time: Duration::from_secs(600), ..Limits::default() };
    Options { ocr, limits, ..Options::default() }
}

/// Twenty pages: what was drawn, and the scan.
fn pages() -> Vec<(String, Vec<u8>)> {
    let fonts: [&[u8]; 3] = [b"Helvetica", b"Times-Roman", b"Courier"];
    let mut pages = Vec::new();
    for seed in 1..=20_u64 {
        let mut dice = Dice::new(seed * 77);
        let mut pdf = Maker::new();
        pdf.font = fonts[seed as usize % 3];
        let size = [9.0, 10.0, 11.0, 12.0, 14.0][seed as usize % 5];
        let dots = [150.0, 200.0, 300.0][seed as usize / 3 % 3];
        let degrees = [0.0, 0.0, 1.0, -1.5][seed as usize % 4];
        // Courier is wider than what lines are broken by.
        let wide = if seed % 3 == 2 { 330.0 } else { 450.0 };
        let mut drawn = String::new();
        let mut say = |text: &str| {
            drawn.push_str(text);
            drawn.push('\n');
        };
        if seed % 5 == 0 {
            pdf.font = b"Helvetica";
            let texts: Vec<String> = (0..6).map(|_| dice.paragraph()).collect();
            let (mut y, mut z) = (80.0, 80.0);
            for text in &texts[..3] {
                y = pdf.prose(60.0, y, 220.0, 10.0, text) + 10.0;
            }
            for text in &texts[3..] {
                z = pdf.prose(315.0, z, 220.0, 10.0, text) + 10.0;
            }
            texts.iter().for_each(|text| say(text));
        } else {
            let mut y = 80.0;
            for _ in 0..4 {
                let text = dice.paragraph();
                y = pdf.prose(72.0, y, wide, size, &text) + size;
                say(&text);
            }
            if seed % 4 == 0 {
                let rows: Vec<Vec<String>> = (0..6)
                    .map(|_| vec![dice.words(1), dice.below(9999).to_string(), dice.words(2)])
                    .collect();
                pdf.table(72.0, y + 10.0, &[150.0, 100.0, 150.0], &rows, Look::Ruled);
                rows.iter().flatten().for_each(|cell| say(cell));
            }
        }
        pages.push((drawn, scan(&pdf.finish(), dots, degrees)));
    }
    pages
}

fn measure(ocr: &Ocr) -> f64 {
    let options = options(ocr.clone());
    let (mut sum, begun) = (0.0, Instant::now());
    let pages = pages();
    for (at, (drawn, scan)) in pages.iter().enumerate() {
        let document = parse(scan, &options).unwrap();
        let share = right(drawn, &document.text);
        if share < 0.98 {
            println!(
                "page {}: {share:.4}\n{drawn}\n---\n{}\n{:?}",
                at + 1,
                document.text,
                document.warnings
            );
        }
        sum += share;
    }
    let mean = sum / pages.len() as f64;
    println!("{mean:.4} of characters right, {:?} for {} pages", begun.elapsed(), pages.len());
    mean
}

#[test]
#[ignore = "needs the models: CONSIGN_OCR_MODELS names their folder"]
fn the_models_read_twenty_pages() {
    let models = PathBuf::from(env::var_os("CONSIGN_OCR_MODELS").expect("names the folder"));
    let ocr = Ocr { quality: Quality::Best, models: Some(models), ..Ocr::default() };
    assert!(measure(&ocr) >= 0.98);
}

#[test]
#[ignore = "needs tesseract"]
fn tesseract_reads_twenty_pages() {
    let tesseract = Some(consign_parsers::find_tesseract().expect("is installed"));
    assert!(measure(&Ocr { tesseract, ..Ocr::default() }) >= 0.98);
}

/// The folder of the models, where they were fetched. Without them it says so: nothing was tested.
fn models() -> Option<PathBuf> {
    let cache = || match env::var_os("XDG_CACHE_HOME") {
        Some(cache) => Some(PathBuf::from(cache)),
        None => Some(PathBuf::from(env::var_os("HOME")?).join(".cache")),
    };
    let folder = env::var_os("CONSIGN_OCR_MODELS").map(PathBuf::from).or_else(|| {
        let all = env::var_os("CONSIGN_MODELS").map(PathBuf::from);
        Some(all.or_else(|| Some(cache()?.join("consign/models")))?.join("pp-ocrv6-small"))
    });
    let found = folder.filter(|folder| folder.join("ppocrv6_dict.txt").is_file());
    if found.is_none() {
        println!("SKIPPED: there are no models for OCR; `consign models pull ocr` fetches them");
    }
    found
}

/// A small page in two columns with a table below them, laid down askew.
fn askew() -> (Vec<&'static str>, Vec<u8>) {
    let columns = [
        "The tenant shall return both keys within ten days and pay for all repairs of the garden. \
         No part of the building may be let to others, and no animals are kept in it. Whoever \
         enters after dark turns on the light in the hall and leaves it on until the morning.",
        "Each regional office has paid a deposit of 1,250.00 euros and kept two of the receipts. \
         The auditor asked for a third one, which the bank had lost in 2019. Nothing more was \
         heard of the matter until the committee met again, nine months later, in Bristol.",
    ];
    let mut pdf = Maker::new();
    pdf.prose(72.0, 90.0, 200.0, 11.0, columns[0]);
    pdf.prose(310.0, 90.0, 200.0, 11.0, columns[1]);
    let rows = [["Valve", "metal", "17"], ["Hinge", "rubber", "204"], ["Cable", "leather", "95"]];
    let owned: Vec<Vec<String>> = rows.iter().map(|row| row.map(str::to_owned).to_vec()).collect();
    pdf.table(72.0, 260.0, &[150.0, 150.0, 138.0], &owned, Look::Ruled);
    let said = columns.into_iter().chain(rows.into_iter().flatten()).collect();
    (said, scan(&pdf.finish(), 150.0, 2.0))
}

fn reads_askew(ocr: Ocr) {
    let (said, scan) = askew();
    let document = crate::in_child(&scan, &options(ocr)).unwrap();
    let text = document.text.replace('|', "").replace("---", "");
    let share = right(&said.concat(), &text);
    assert!(share >= 0.98, "{share}: {text}");
    assert_eq!(document.warnings, Vec::<String>::new());
    let first = document.blocks[0].places[0].bbox.unwrap();
    // Turned by two degrees around the middle, the corner at 72, 80 comes to lie some 12 points to the left of there or
    // to the right, and lower or higher by 8.
    assert!((first[0] - 72.0).abs() < 18.0 && (first[1] - 80.0).abs() < 16.0, "{first:?}");
    assert!((first[0] - 72.0).abs() > 4.0, "the box is where it would be on a straight page");
}

#[test]
fn the_models_read_a_page_that_lies_askew() {
    let Some(models) = models() else { return };
    reads_askew(Ocr { quality: Quality::Best, models: Some(models), ..Ocr::default() });
}

#[test]
fn tesseract_reads_a_page_that_lies_askew() {
    let Some(tesseract) = consign_parsers::find_tesseract() else {
        return println!("SKIPPED: there is no tesseract");
    };
    reads_askew(Ocr { tesseract: Some(tesseract), ..Ocr::default() });
}

#[test]
fn what_is_asked_for_comes_first_and_what_is_there_else() {
    let folder = tempfile::tempdir().unwrap();
    let row = "printf 'head\\n4\\t1\\t1\\t1\\t1\\t0\\t200\\t400\\t300\\t30\\t-1\\t\\n\
        5\\t1\\t1\\t1\\t1\\t1\\t200\\t400\\t140\\t30\\t90\\tProgram\\n'";
    let program = program(folder.path(), row);
    let missing = Some(folder.path().join("none"));
    let read = |quality, models: Option<PathBuf>| {
        let ocr = Ocr { quality, models, ..program.clone() };
        let document = parse(&one_scan(), &options(ocr)).unwrap();
        (document.text, document.warnings.join(" "))
    };
    assert_eq!(read(Quality::Fast, missing.clone()), ("Program".to_owned(), String::new()));
    let (text, warning) = read(Quality::Best, None);
    assert_eq!(text, "Program");
    assert!(warning.contains("by tesseract") && warning.contains("models pull ocr"), "{warning}");
    let (text, warning) = read(Quality::Best, missing);
    assert_eq!(text, "Program");
    assert!(warning.contains("none") && warning.contains("anew"), "{warning}");
    if let Some(models) = models() {
        let (text, warning) = read(Quality::Best, Some(models.clone()));
        // A line alone on a page may be taken for a heading.
        let text = text.trim_start_matches("## ");
        assert_eq!((text, warning.as_str()), ("Words on paper.", ""));
        let ocr = Ocr { models: Some(models), ..Ocr::default() };
        let document = parse(&one_scan(), &options(ocr)).unwrap();
        assert!(document.text.ends_with("Words on paper."), "{document:?}");
    }
}

#[test]
fn models_that_are_damaged_fail_their_page_only() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx", "ppocrv6_dict.txt"] {
        fs::write(folder.path().join(name), b"\x08\x07not a model").unwrap();
    }
    let models = Some(folder.path().to_owned());
    let document = parse(&one_scan(), &options(Ocr { models, ..Ocr::default() })).unwrap();
    assert!(document.warnings[0].contains("PP-OCRv6_det_small.onnx"), "{:?}", document.warnings);
}

fn one_scan() -> Vec<u8> {
    let mut pdf = Maker::new();
    pdf.prose(72.0, 90.0, 450.0, 12.0, "Words on paper.");
    scan(&pdf.finish(), 100.0, 0.0)
}

#[test]
fn a_scan_that_nothing_can_read_says_how_to_read_it() {
    let document = parse(&one_scan(), &Options::default()).unwrap();
    assert_eq!(document.pages, Some(1));
    let warning = document.warnings.join(" ");
    assert!(warning.starts_with("page 1 has no text; to read it"), "{warning}");
    for way in ["`consign models pull ocr`", "apt install tesseract-ocr"] {
        assert!(warning.contains(way), "{warning}");
    }
    let off = parse(&one_scan(), &options(Ocr { when: When::Off, ..Ocr::default() })).unwrap();
    assert_eq!(off.warnings, ["page 1 has no text that can be read without OCR"]);
    let models = Some(PathBuf::from("/no/such/folder"));
    let document = parse(&one_scan(), &options(Ocr { models, ..Ocr::default() })).unwrap();
    assert!(document.warnings[0].contains("/no/such/folder"), "{:?}", document.warnings);
}

#[test]
fn text_that_lies_unseen_under_a_scan_is_read_without_ocr() {
    let mut document = lopdf::Document::load_mem(&one_scan()).unwrap();
    let page = document.get_pages()[&1];
    let font =
        lopdf::dictionary! {"Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica"};
    let font = document.add_object(font);
    let own = document.get_dictionary_mut(page).unwrap();
    let resources = own.get_mut(b"Resources").unwrap().as_dict_mut().unwrap();
    resources.set("Font", lopdf::dictionary! {"F1" => font});
    let hidden =
        b"BT 3 Tr /F1 12 Tf 72 752 Td (Words that a scanner has read before.) Tj ET".to_vec();
    document.add_page_contents(page, hidden).unwrap();
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    let document = parse(&bytes, &Options::default()).unwrap();
    assert!(document.text.contains("Words that a scanner has read before."), "{document:?}");
    assert_eq!(document.warnings, Vec::<String>::new());
    let said =
        document.blocks.iter().find(|block| document.text_of(block).contains("scanner")).unwrap();
    assert!((said.places[0].bbox.unwrap()[0] - 72.0).abs() < 1.0);
}

/// A program that takes a picture as tesseract does, and then does this.
fn program(folder: &Path, then: &str) -> Ocr {
    let path = folder.join("tesseract");
    fs::write(&path, format!("#!/bin/sh\nhead -c 2 | grep -q P6 || exit 3\n{then}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    Ocr { tesseract: Some(path), ..Ocr::default() }
}

#[test]
fn what_the_program_sees_stands_where_it_saw_it() {
    let folder = tempfile::tempdir().unwrap();
    let rows = "printf 'head\\n4\\t1\\t1\\t1\\t1\\t0\\t200\\t400\\t300\\t30\\t-1\\t\\n\
        5\\t1\\t1\\t1\\t1\\t1\\t200\\t400\\t140\\t30\\t90\\tSeen\\n5\\t1\\t1\\t1\\t1\\t2\\t360\\t400\\t140\\t30\\t90\\twords.\\n'";
    let document = parse(&one_scan(), &options(program(folder.path(), rows))).unwrap();
    assert_eq!(document.text, "Seen words.", "{:?}", document.warnings);
    let [left, top, right, _] = document.blocks[0].places[0].bbox.unwrap();
    // At 200 dots per inch a pixel is 0.36 points.
    assert!((left - 72.0).abs() < 1.0 && (right - 180.0).abs() < 1.0, "{left} {right}");
    assert!((top - 144.0).abs() < 6.0, "{top}");
}

#[test]
fn a_program_that_fails_or_hangs_fails_its_page_only() {
    let folder = tempfile::tempdir().unwrap();
    let ocr = program(folder.path(), "echo 'no language eng' >&2; exit 1");
    let document = parse(&one_scan(), &options(ocr)).unwrap();
    assert!(document.warnings[0].contains("no language eng"), "{:?}", document.warnings);
    let ocr = program(folder.path(), "exec sleep 600");
    let limits = Limits { time: Duration::from_secs(4), ..Limits::default() };
    let begun = Instant::now();
    let document = parse(&one_scan(), &Options { ocr, limits, ..Options::default() }).unwrap();
    assert!(document.warnings[0].contains("too long"), "{:?}", document.warnings);
    assert!(begun.elapsed() < Duration::from_secs(60));
}
