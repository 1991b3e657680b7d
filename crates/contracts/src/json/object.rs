//! The members of a JSON object: unique keys, in the order they came.

use std::{
    borrow::Cow,
    collections::{HashMap, hash_map::Entry},
};

use super::Json;

/// An ordered set of members. Lookup scans, which is the fastest way for the objects that
/// contracts are made of and stays harmless for large ones.
#[derive(Clone, Debug, Default)]
pub struct Object<'a> {
    members: Vec<(Cow<'a, str>, Json<'a>)>,
}

impl<'a> Object<'a> {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes members whose keys are already known to differ.
    pub(super) fn from_unique(members: Vec<(Cow<'a, str>, Json<'a>)>) -> Self {
        Self { members }
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.members.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Json<'a>> {
        self.members.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    pub fn get_mut(&mut self, key: &str) -> Option<&mut Json<'a>> {
        self.members.iter_mut().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// Sets a member: in place where the key exists, at the end where it does not.
    pub fn set(&mut self, key: impl Into<Cow<'a, str>>, value: Json<'a>) {
        let key = key.into();
        match self.get_mut(&key) {
            Some(old) => *old = value,
            None => self.members.push((key, value)),
        }
    }

    pub fn remove(&mut self, key: &str) -> Option<Json<'a>> {
        let at = self.members.iter().position(|(name, _)| name == key)?;
        Some(self.members.remove(at).1)
    }

    /// These members and then those of `other`, which win where both have one.
    #[must_use]
    pub fn followed_by(mut self, other: Object<'a>) -> Self {
        if self.len().saturating_mul(other.len()) <= 4096 {
            for (key, value) in other.members {
                self.set(key, value);
            }
            return self;
        }
        // With many members on both sides, a scan for each would cost their product.
        let ours: HashMap<Cow<'a, str>, usize> =
            self.members.iter().enumerate().map(|(at, (key, _))| (key.clone(), at)).collect();
        for (key, value) in other.members {
            match ours.get(&key) {
                Some(at) => self.members[*at].1 = value,
                None => self.members.push((key, value)),
            }
        }
        self
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Json<'a>)> {
        self.members.iter().map(|(key, value)| (key.as_ref(), value))
    }

    pub fn keys(&self) -> impl ExactSizeIterator<Item = &str> {
        self.members.iter().map(|(key, _)| key.as_ref())
    }

    pub(crate) fn members(&self) -> std::slice::Iter<'_, (Cow<'a, str>, Json<'a>)> {
        self.members.iter()
    }

    /// The same members in the order of their names, and so at every depth.
    #[must_use]
    pub fn sorted(self) -> Self {
        let mut members: Vec<_> =
            self.members.into_iter().map(|(key, value)| (key, value.sorted())).collect();
        members.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        Self { members }
    }

    /// A copy that is free of the bytes that this was read from.
    #[must_use]
    pub fn to_static(&self) -> Object<'static> {
        let copy = |(key, value): &(Cow<'a, str>, Json<'a>)| {
            (Cow::Owned(key.as_ref().to_owned()), value.to_static())
        };
        Object { members: self.members.iter().map(copy).collect() }
    }

    #[must_use]
    pub fn into_owned(self) -> Object<'static> {
        let own = |(key, value): (Cow<'a, str>, Json<'a>)| {
            (Cow::Owned(key.into_owned()), value.into_owned())
        };
        Object { members: self.members.into_iter().map(own).collect() }
    }
}

impl PartialEq for Object<'_> {
    fn eq(&self, other: &Self) -> bool {
        if self.len() != other.len() {
            return false;
        }
        // Documents are mostly compared with their own copies, where the order is the same.
        let in_order = self.members.iter().zip(&other.members).all(|(a, b)| a.0 == b.0);
        if in_order {
            return self.members.iter().zip(&other.members).all(|(a, b)| a.1 == b.1);
        }
        let mut ours: Vec<_> = self.members.iter().collect();
        let mut theirs: Vec<_> = other.members.iter().collect();
        ours.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        theirs.sort_unstable_by(|a, b| a.0.cmp(&b.0));
        ours == theirs
    }
}

impl Eq for Object<'_> {}

/// Up to so many members are looked through one by one: a table would cost more than it saves.
const FEW: usize = 16;

/// Later members win over earlier ones with the same key.
impl<'a> FromIterator<(Cow<'a, str>, Json<'a>)> for Object<'a> {
    fn from_iter<I: IntoIterator<Item = (Cow<'a, str>, Json<'a>)>>(members: I) -> Self {
        let members = members.into_iter();
        let mut object = Object::new();
        if members.size_hint().1.is_some_and(|most| most <= FEW) {
            for (key, value) in members {
                object.set(key, value);
            }
            return object;
        }
        let mut places: HashMap<Cow<'a, str>, usize> = HashMap::new();
        for (key, value) in members {
            match places.entry(key.clone()) {
                Entry::Occupied(place) => object.members[*place.get()].1 = value,
                Entry::Vacant(place) => {
                    place.insert(object.members.len());
                    object.members.push((key, value));
                }
            }
        }
        object
    }
}
