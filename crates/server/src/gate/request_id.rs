//! The id of a request: the client's own, if it is valid, else a new UUID.

use axum::http::{HeaderMap, HeaderName, HeaderValue};

pub(super) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The name that the authoring document has for it.
pub(super) const REQUEST_ID: HeaderName = HeaderName::from_static("request-id");

const MOST: usize = 128;

pub(super) struct RequestId(HeaderValue);

impl RequestId {
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let given = headers.get(X_REQUEST_ID).or_else(|| headers.get(REQUEST_ID));
        match given.filter(|id| is_fit(id.as_bytes())) {
            Some(id) => Self(id.clone()),
            None => Self::random(),
        }
    }

    fn random() -> Self {
        let mut random = [0; 16];
        getrandom::fill(&mut random).expect("the kernel always has randomness once it is up");
        let id = uuid::Builder::from_random_bytes(random).into_uuid();
        let mut text = uuid::Uuid::encode_buffer();
        let text = id.hyphenated().encode_lower(&mut text);
        Self(HeaderValue::from_str(text).expect("digits and dashes fit into a header"))
    }

    pub(super) fn as_str(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }

    pub(super) fn header(&self) -> HeaderValue {
        self.0.clone()
    }
}

/// It ends up in logs and in other programs' headers.
fn is_fit(id: &[u8]) -> bool {
    let plain = |letter: &u8| letter.is_ascii_alphanumeric() || b"-_.:/+=@~".contains(letter);
    (1..=MOST).contains(&id.len()) && id.iter().all(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fit_id_is_kept_and_another_replaced() {
        let check = |given: &[u8], kept: bool| {
            let mut headers = HeaderMap::new();
            headers.insert(X_REQUEST_ID, HeaderValue::from_bytes(given).unwrap());
            let id = RequestId::of(&headers);
            assert_eq!(id.as_str().as_bytes() == given, kept, "{given:?}");
            assert!(is_fit(id.as_str().as_bytes()));
        };
        check(b"7d3f-abc:1", true);
        check(&[b'a'; 128], true);
        check(&[b'a'; 129], false);
        check(b"", false);
        check(b"two words", false);
        check(b"\"quoted\"", false);
        check(b"\xff\xfe", false);
    }

    #[test]
    fn a_made_id_is_a_uuid() {
        let id = RequestId::random();
        let shape: String =
            id.as_str().chars().map(|c| if c.is_ascii_hexdigit() { 'x' } else { c }).collect();
        assert_eq!(shape, "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx");
        assert_eq!(&id.as_str()[14..15], "4");
        assert_ne!(id.as_str(), RequestId::random().as_str());
    }
}
