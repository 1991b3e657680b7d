//! Access to the parts of a document by JSON pointer (RFC 6901).

use super::Json;

impl<'a> Json<'a> {
    /// The value at a pointer; the empty pointer is the value itself.
    #[must_use]
    pub fn at(&self, pointer: &str) -> Option<&Json<'a>> {
        let Some((parent, token)) = split(pointer) else {
            return pointer.is_empty().then_some(self);
        };
        match self.at(parent)? {
            Json::Object(object) => object.get(&token),
            Json::Array(items) => items.get(index(&token)?),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
        }
    }

    /// The value at a pointer, to be changed.
    pub fn at_mut(&mut self, pointer: &str) -> Option<&mut Json<'a>> {
        let Some((parent, token)) = split(pointer) else {
            return pointer.is_empty().then_some(self);
        };
        match self.at_mut(parent)? {
            Json::Object(object) => object.get_mut(&token),
            Json::Array(items) => items.get_mut(index(&token)?),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
        }
    }

    /// Puts a value at a pointer: replaces what is there, or adds a member or an item at the end.
    /// `None` where the pointer leads nowhere.
    pub fn set_at(&mut self, pointer: &str, value: Json<'a>) -> Option<()> {
        let Some((parent, token)) = split(pointer) else {
            return pointer.is_empty().then(|| *self = value);
        };
        match self.at_mut(parent)? {
            Json::Object(object) => object.set(token, value),
            Json::Array(items) => match index(&token)? {
                end if end == items.len() => items.push(value),
                inside => *items.get_mut(inside)? = value,
            },
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => return None,
        }
        Some(())
    }

    /// Removes the value at a pointer; `None` where there is none, or for the empty pointer.
    pub fn remove_at(&mut self, pointer: &str) -> Option<Json<'a>> {
        let (parent, token) = split(pointer)?;
        match self.at_mut(parent)? {
            Json::Object(object) => object.remove(&token),
            Json::Array(items) => {
                let inside = index(&token).filter(|inside| *inside < items.len())?;
                Some(items.remove(inside))
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => None,
        }
    }
}

/// The pointer to the value around, and the last step from there.
fn split(pointer: &str) -> Option<(&str, String)> {
    let (parent, token) = pointer.rsplit_once('/')?;
    Some((parent, token.replace("~1", "/").replace("~0", "~")))
}

fn index(token: &str) -> Option<usize> {
    // `01` and `+1` are members' names, not places.
    let plain = token == "0" || !token.starts_with(['0', '+']);
    plain.then(|| token.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    const DOCUMENT: &[u8] = br#"{"a":[{"b/c":1,"~":2}],"":3}"#;

    #[test]
    fn pointers_lead_to_values() {
        let document = parse(DOCUMENT).unwrap();
        let at = |pointer: &str| document.at(pointer).map(ToString::to_string);
        assert_eq!(at("/a/0/b~1c").as_deref(), Some("1"));
        assert_eq!(at("/a/0/~0").as_deref(), Some("2"));
        assert_eq!(at("/").as_deref(), Some("3"));
        assert_eq!(at(""), Some(document.to_string()));
        for nowhere in ["/a/1", "/a/00", "/a/+0", "/a/-", "a", "/b", "//", "/a/0/b~1c/x"] {
            assert_eq!(at(nowhere), None, "{nowhere}");
        }
    }

    #[test]
    fn values_are_set_and_removed_in_place() {
        let mut document = parse(DOCUMENT).unwrap();
        assert!(document.set_at("/a/0/~0", "x".into()).is_some());
        assert!(document.set_at("/a/1", "y".into()).is_some());
        assert!(document.set_at("/new", "z".into()).is_some());
        for nowhere in ["a", "/a/7", "/nowhere/at/all"] {
            assert!(document.set_at(nowhere, "no".into()).is_none(), "{nowhere}");
        }
        assert_eq!(document.remove_at("/a/0/b~1c").unwrap().to_string(), "1");
        assert!(document.remove_at("/a/2").is_none());
        assert!(document.remove_at("").is_none());
        assert_eq!(document.to_string(), r#"{"a":[{"~":"x"},"y"],"":3,"new":"z"}"#);
    }
}
