//! Opens a PDF: takes off its password, mends it, and says how large its pages are.

use std::{borrow::Cow, collections::BTreeSet};

use lopdf::{Dictionary, Document, Object, ObjectId, content::Content};

use crate::ParseError;

/// A PDF that can be read.
pub(super) struct Opened<'a> {
    /// The file, without its password.
    pub(super) bytes: Cow<'a, [u8]>,
    /// Width and height of each page as it is seen, in points.
    pub(super) sizes: Vec<(f64, f64)>,
    pub(super) warning: Option<String>,
    document: Document,
}

/// What is said of a PDF with a password.
pub(super) fn sealed(given: bool) -> ParseError {
    let details = if given {
        "the password does not open the PDF"
    } else {
        "the PDF has a password; give it, or save the file without one"
    };
    ParseError::Encrypted { details: details.to_owned() }
}

pub(super) fn open<'a>(bytes: &'a [u8], password: Option<&str>) -> Result<Opened<'a>, ParseError> {
    let cut = |error: &dyn std::fmt::Display| {
        ParseError::unsupported(format!("the PDF cannot be read: {error}"))
    };
    let mut warning = None;
    let mut bytes = Cow::Borrowed(bytes);
    let loaded = match Document::load_mem(&bytes) {
        Ok(document) => Ok(document),
        Err(error) if is_about_password(&error) => Err(error),
        Err(error) => match mended(&bytes) {
            Some(mended) => {
                warning = Some("the PDF is damaged; what could be found in it is read".to_owned());
                bytes = Cow::Owned(mended);
                Document::load_mem(&bytes)
            }
            None => Err(error),
        },
    };
    let mut document = match (loaded, password) {
        (Ok(document), _) if !document.is_encrypted() => document,
        (Ok(_), None) => return Err(sealed(false)),
        (Ok(_), Some(password)) => with_password(&bytes, password)?,
        (Err(error), None) if is_about_password(&error) => return Err(sealed(false)),
        (Err(error), Some(password)) if is_about_password(&error) => {
            with_password(&bytes, password)?
        }
        (Err(error), _) => return Err(cut(&error)),
    };
    if document.is_encrypted() {
        return Err(sealed(password.is_some()));
    }
    if document.was_encrypted() {
        // Everything that comes after gets the file as it is without its password. It stays in memory.
        let mut open = Vec::new();
        document.save_to(&mut open).map_err(|error| cut(&error))?;
        bytes = Cow::Owned(open);
    }
    let sizes = document.page_iter().map(|page| size(&document, page)).collect();
    Ok(Opened { bytes, sizes, warning, document })
}

fn with_password(bytes: &[u8], password: &str) -> Result<Document, ParseError> {
    let options = lopdf::LoadOptions::with_password(password);
    Document::load_mem_with_options(bytes, options).map_err(|_| sealed(true))
}

fn is_about_password(error: &lopdf::Error) -> bool {
    matches!(
        error,
        lopdf::Error::InvalidPassword
            | lopdf::Error::Decryption(_)
            | lopdf::Error::Unimplemented(_)
    ) && !matches!(error, lopdf::Error::Unimplemented(_))
}

impl Opened<'_> {
    /// The file with the text of some pages made visible that lies unseen under a scan. None when there is none.
    pub(super) fn with_hidden_text(&self, pages: &BTreeSet<u32>) -> Option<Vec<u8>> {
        let mut document = self.document.clone();
        let mut changed = false;
        for (number, page) in self.document.get_pages() {
            if !pages.contains(&number) {
                continue;
            }
            let content = document.get_page_content_with_limit(page, 64 << 20).ok()?;
            let Ok(mut content) = Content::decode(&content) else { continue };
            let mut found = false;
            for operation in &mut content.operations {
                if operation.operator == "Tr"
                    && operation.operands.first().and_then(|mode| mode.as_i64().ok()) == Some(3)
                {
                    operation.operands = vec![Object::Integer(0)];
                    found = true;
                }
            }
            if found && let Ok(content) = content.encode() {
                changed |= document.change_page_content(page, content).is_ok();
            }
        }
        let mut bytes = Vec::new();
        (changed && document.save_to(&mut bytes).is_ok()).then_some(bytes)
    }
}

/// Width and height of a page as it is seen. Without a box it is a letter.
fn size(document: &Document, page: ObjectId) -> (f64, f64) {
    let media = inherited(document, page, b"MediaBox").and_then(|value| rectangle(document, value));
    let crop = inherited(document, page, b"CropBox").and_then(|value| rectangle(document, value));
    let [x0, y0, x1, y1] = match (media, crop) {
        (Some(media), Some(crop)) => overlap(media, crop).unwrap_or(media),
        (Some(own), None) | (None, Some(own)) => own,
        (None, None) => [0.0, 0.0, 612.0, 792.0],
    };
    let turn =
        inherited(document, page, b"Rotate").and_then(|value| value.as_i64().ok()).unwrap_or(0);
    let (width, height) = (x1 - x0, y1 - y0);
    if turn.rem_euclid(180) == 90 { (height, width) } else { (width, height) }
}

fn overlap(one: [f64; 4], other: [f64; 4]) -> Option<[f64; 4]> {
    let [a, b, c, d] = one;
    let [e, f, g, h] = other;
    let both = [a.max(e), b.max(f), c.min(g), d.min(h)];
    (both[2] > both[0] && both[3] > both[1]).then_some(both)
}

/// What a page says, or a folder of pages that it is in.
fn inherited<'a>(document: &'a Document, page: ObjectId, key: &[u8]) -> Option<&'a Object> {
    let mut at: &Dictionary = document.get_dictionary(page).ok()?;
    for _ in 0..32 {
        if let Ok(value) = at.get(key) {
            return document.dereference(value).ok().map(|(_, value)| value);
        }
        at = document.get_dictionary(at.get(b"Parent").ok()?.as_reference().ok()?).ok()?;
    }
    None
}

fn rectangle(document: &Document, value: &Object) -> Option<[f64; 4]> {
    let numbers: Vec<f64> = value
        .as_array()
        .ok()?
        .iter()
        .filter_map(|number| document.dereference(number).ok()?.1.as_float().ok())
        .map(f64::from)
        .filter(|number| number.is_finite())
        .collect();
    let &[a, b, c, d, ..] = numbers.as_slice() else { return None };
    let sides = [a.min(c), b.min(d), a.max(c), b.max(d)];
    (sides[2] > sides[0] && sides[3] > sides[1]).then_some(sides)
}

/// A file whose end is missing, with a list of its objects made anew. None when nothing in it is an object.
fn mended(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut objects: Vec<(u32, usize)> = Vec::new();
    let mut catalog = None;
    let mut pages = Vec::new();
    let mut from = 0;
    while let Some(at) = find(bytes, b" obj", from) {
        from = at + 4;
        let Some((number, start)) = number_before(bytes, at) else { continue };
        let end = find(bytes, b"endobj", at).map_or(bytes.len(), |end| end + 6);
        let head = bytes.get(at..end.min(at + 4096)).unwrap_or_default();
        let head = head.split(|byte| *byte == b's').next().map_or(head, |_| head);
        if find(bytes, b"endobj", at).is_none() {
            break;
        }
        if contains(head, b"/Catalog") {
            catalog = Some(number);
        }
        if contains(head, b"/Page") && !contains(head, b"/Pages") && contains(head, b"/Type") {
            pages.push(number);
        }
        objects.push((number, start));
    }
    if objects.is_empty() {
        return None;
    }
    let last = objects
        .iter()
        .rposition(|_| true)
        .and_then(|at| objects.get(at))
        .map(|(_, start)| *start)?;
    let end = find(bytes, b"endobj", last)? + 6;
    let mut mended = bytes.get(..end)?.to_vec();
    mended.push(b'\n');
    let most = objects.iter().map(|(number, _)| *number).max()?;
    // Object numbers of a hostile file; a table of them is written.
    if most > 10_000_000 {
        return None;
    }
    let root = match catalog {
        Some(root) if pages.is_empty() => root,
        _ => {
            // The tree of pages may be what is missing: a new one has the pages that were found.
            let kids: Vec<String> = pages.iter().map(|page| format!("{page} 0 R")).collect();
            let (tree, root) = (most + 1, most + 2);
            objects.push((tree, mended.len()));
            let count = pages.len();
            mended.extend_from_slice(
                format!(
                    "{tree} 0 obj\n<</Type/Pages/Kids[{}]/Count {count}>>\nendobj\n",
                    kids.join(" ")
                )
                .as_bytes(),
            );
            objects.push((root, mended.len()));
            mended.extend_from_slice(
                format!("{root} 0 obj\n<</Type/Catalog/Pages {tree} 0 R>>\nendobj\n").as_bytes(),
            );
            root
        }
    };
    let table = mended.len();
    // The last object of a number is the one that counts.
    let places: std::collections::BTreeMap<u32, usize> = objects.into_iter().collect();
    let mut list = String::from("xref\n0 1\n0000000000 65535 f \n");
    for (number, start) in &places {
        list.push_str(&format!("{number} 1\n{start:010} 00000 n \n"));
    }
    let size = places.keys().max()? + 1;
    list.push_str(&format!(
        "trailer\n<</Size {size}/Root {root} 0 R>>\nstartxref\n{table}\n%%EOF\n"
    ));
    mended.extend_from_slice(list.as_bytes());
    Some(mended)
}

fn find(bytes: &[u8], what: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    rest.windows(what.len()).position(|window| window == what).map(|at| from + at)
}

fn contains(bytes: &[u8], what: &[u8]) -> bool {
    find(bytes, what, 0).is_some()
}

/// The number of the object whose `obj` stands here, and where it begins.
fn number_before(bytes: &[u8], at: usize) -> Option<(u32, usize)> {
    let back = |mut at: usize| {
        let end = at;
        while at > 0 && bytes.get(at - 1).is_some_and(u8::is_ascii_digit) {
            at -= 1;
        }
        (at < end).then_some(at)
    };
    let generation = back(at)?;
    let space = generation.checked_sub(1).filter(|at| bytes.get(*at) == Some(&b' '))?;
    let start = back(space)?;
    let number = std::str::from_utf8(bytes.get(start..space)?).ok()?.parse().ok()?;
    Some((number, start))
}
