//! The id of something in Google Drive, from what a person copies.

use reqwest::Url;

use crate::Error;

/// The longest id. Today's have 33 to 44 letters.
const LONGEST: usize = 200;

/// `gdrive:ID`, `ID`, or the address of a file or folder in a browser.
pub(super) fn id(identifier: &str) -> Result<String, Error> {
    let word = identifier.trim();
    let prefix = word.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("gdrive:"));
    let word = if prefix { &word[7..] } else { word };
    let found = match Url::parse(word) {
        Ok(url) if matches!(url.scheme(), "http" | "https") => in_address(&url),
        Ok(_) | Err(_) => Some(word.to_owned()),
    };
    found.filter(|id| is_id(id)).ok_or_else(|| {
        let why = format!("{identifier:?} has no id of a file in Google Drive: write gdrive:ID");
        Error::not_found(why)
    })
}

/// `/file/d/ID/view`, `/document/d/ID/edit`, `/drive/folders/ID`, `/open?id=ID`.
fn in_address(url: &Url) -> Option<String> {
    let google = |host: &str| host == "google.com" || host.ends_with(".google.com");
    url.host_str().filter(|host| google(host))?;
    let mut segments = url.path_segments()?.skip_while(|part| !matches!(*part, "d" | "folders"));
    segments.next();
    let in_path = segments.next().map(str::to_owned);
    in_path.or_else(|| Some(url.query_pairs().find(|(name, _)| name == "id")?.1.into_owned()))
}

/// Such an id is a plain word: it goes into a path and into a query.
pub(super) fn is_id(id: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    (1..=LONGEST).contains(&id.len()) && id.bytes().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_found_in_what_a_person_copies() {
        let check = |word: &str, expected: Option<&str>| {
            assert_eq!(id(word).ok().as_deref(), expected, "{word}");
        };
        check("gdrive:1a-B_2", Some("1a-B_2"));
        check("1a-B_2", Some("1a-B_2"));
        check("https://drive.google.com/file/d/1aB/view?usp=sharing", Some("1aB"));
        check("https://docs.google.com/document/d/1aB/edit#heading=h", Some("1aB"));
        check("https://drive.google.com/drive/u/0/folders/1aB", Some("1aB"));
        check("https://drive.google.com/open?id=1aB", Some("1aB"));
        check("https://drive.google.com.evil.example/open?id=1aB", None);
        check("gdrive:", None);
        check("a/../b", None);
        check("x' in parents or '1'='1", None);
    }
}
