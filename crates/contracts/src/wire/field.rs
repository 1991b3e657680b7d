//! What a field can be, and the pieces that [`super::wire!`] expands to.

use std::borrow::Cow;

use crate::{
    Breach,
    json::{Json, Object},
};

/// A value that travels: its schema, and the way in and out.
pub trait Wire: Sized {
    /// Whether an object that has this as a member must have that member.
    const REQUIRED: bool = true;

    /// The JSON Schema of the value.
    fn schema() -> Object<'static>;

    /// Takes the value in. The breach's pointer is relative to `json`.
    fn read(json: &Json<'_>) -> Result<Self, Breach>;

    /// Gives the value out, with everything that was taken in.
    fn write(&self) -> Json<'static>;

    /// The JSON value, without a copy of what can be moved.
    fn give(self) -> Json<'static> {
        self.write()
    }

    /// The JSON value of a member, moved; `None` where it is absent.
    fn give_member(self) -> Option<Json<'static>> {
        Some(self.give())
    }

    /// Takes in a member that may be absent.
    fn read_member(member: Option<&Json<'_>>, name: &str) -> Result<Self, Breach> {
        match member {
            Some(json) => Self::read(json).map_err(|breach| breach.under(name)),
            None => Err(Breach::new("required", format!("`{name}` is missing"))),
        }
    }

    /// Gives out a member, or nothing where it is absent.
    fn write_member(&self) -> Option<Json<'static>> {
        Some(self.write())
    }

    /// What stands at a place inside: members by their names, items by their numbers. Nothing of it is
    /// written for that.
    fn find(&self, place: &[&str]) -> Option<&dyn Written> {
        if place.is_empty() { Some(self) } else { None }
    }
}

/// A value that can be given out, whatever its type.
pub trait Written {
    fn written(&self) -> Json<'static>;
}

impl<T: Wire> Written for T {
    fn written(&self) -> Json<'static> {
        self.write()
    }
}

/// A member that may be absent, but not `null`.
impl<T: Wire> Wire for Option<T> {
    const REQUIRED: bool = false;

    fn schema() -> Object<'static> {
        T::schema()
    }

    fn read(json: &Json<'_>) -> Result<Self, Breach> {
        T::read(json).map(Some)
    }

    fn write(&self) -> Json<'static> {
        self.as_ref().map_or(Json::Null, T::write)
    }

    fn read_member(member: Option<&Json<'_>>, name: &str) -> Result<Self, Breach> {
        member.map(|json| T::read_member(Some(json), name)).transpose()
    }

    fn write_member(&self) -> Option<Json<'static>> {
        self.as_ref().map(T::write)
    }

    fn find(&self, place: &[&str]) -> Option<&dyn Written> {
        self.as_ref()?.find(place)
    }

    fn give(self) -> Json<'static> {
        self.map_or(Json::Null, T::give)
    }

    fn give_member(self) -> Option<Json<'static>> {
        self.map(T::give)
    }
}

/// A value that may be `null`. `Option<Nullable<T>>` may also be absent, and remembers which.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nullable<T>(pub Option<T>);

impl<T: Wire> Wire for Nullable<T> {
    fn schema() -> Object<'static> {
        let mut schema = T::schema();
        if let Some(Json::String(kind)) = schema.get("type") {
            let both = vec![Json::String(kind.clone()), Json::from("null")];
            schema.set("type", Json::Array(both));
        }
        if let Some(Json::Array(words)) = schema.get_mut("enum") {
            words.push(Json::Null);
        }
        schema
    }

    fn read(json: &Json<'_>) -> Result<Self, Breach> {
        if matches!(json, Json::Null) {
            return Ok(Self(None));
        }
        T::read(json).map(|value| Self(Some(value)))
    }

    fn write(&self) -> Json<'static> {
        self.0.as_ref().map_or(Json::Null, T::write)
    }

    fn find(&self, place: &[&str]) -> Option<&dyn Written> {
        match &self.0 {
            Some(value) => value.find(place),
            None if place.is_empty() => Some(self),
            None => None,
        }
    }

    fn give(self) -> Json<'static> {
        self.0.map_or(Json::Null, T::give)
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn schema() -> Object<'static> {
        let mut schema = typed("array");
        schema.set("items", Json::Object(T::schema()));
        schema
    }

    fn read(json: &Json<'_>) -> Result<Self, Breach> {
        let items = json.as_array().ok_or_else(|| super::unfit("type", "an array", json))?;
        let read =
            |(at, item)| T::read(item).map_err(|breach| breach.under(&usize::to_string(&at)));
        items.iter().enumerate().map(read).collect()
    }

    fn write(&self) -> Json<'static> {
        Json::Array(self.iter().map(T::write).collect())
    }

    fn find(&self, place: &[&str]) -> Option<&dyn Written> {
        match place.split_first() {
            None => Some(self),
            Some((item, rest)) => self.get(item.parse::<usize>().ok()?)?.find(rest),
        }
    }

    fn give(self) -> Json<'static> {
        Json::Array(self.into_iter().map(T::give).collect())
    }
}

/// An object whose keys are the user's and whose values are of one kind. Order is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map<T>(pub Vec<(String, T)>);

impl<T> Map<T> {
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&T> {
        self.0.iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }
}

impl<T> Default for Map<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Wire> Wire for Map<T> {
    fn schema() -> Object<'static> {
        let mut schema = typed("object");
        schema.set("additionalProperties", Json::Object(T::schema()));
        schema
    }

    fn read(json: &Json<'_>) -> Result<Self, Breach> {
        let object = json.as_object().ok_or_else(|| super::unfit("type", "an object", json))?;
        let read = |(key, value)| {
            T::read(value)
                .map(|value| (str::to_owned(key), value))
                .map_err(|breach| breach.under(key))
        };
        object.iter().map(read).collect::<Result<_, _>>().map(Self)
    }

    fn write(&self) -> Json<'static> {
        let write = |(key, value): &(String, T)| (Cow::Owned(key.clone()), value.write());
        Json::Object(self.0.iter().map(write).collect())
    }

    fn find(&self, place: &[&str]) -> Option<&dyn Written> {
        match place.split_first() {
            None => Some(self),
            Some((key, rest)) => self.get(key)?.find(rest),
        }
    }

    fn give(self) -> Json<'static> {
        let give = |(key, value): (String, T)| (Cow::Owned(key), value.give());
        Json::Object(self.0.into_iter().map(give).collect())
    }
}

/// The members of an object that is being read.
pub struct Members<'a, 'json>(&'a Object<'json>);

impl<'a, 'json> Members<'a, 'json> {
    pub fn of(json: &'a Json<'json>) -> Result<Self, Breach> {
        json.as_object().map(Self).ok_or_else(|| super::unfit("type", "an object", json))
    }

    pub fn read<T: Wire>(&self, name: &str) -> Result<T, Breach> {
        T::read_member(self.0.get(name), name)
    }

    /// Everything that is not among `named`.
    pub fn others(&self, named: &[&str]) -> Object<'static> {
        let unnamed = self.0.iter().filter(|(key, _)| !named.contains(key));
        unnamed.map(|(key, value)| (Cow::Owned(key.to_owned()), value.to_static())).collect()
    }
}

/// Adds a member, unless it is absent.
pub fn put<T: Wire>(object: &mut Object<'static>, name: &'static str, value: &T) {
    if let Some(json) = value.write_member() {
        object.set(name, json);
    }
}

/// Adds a member by moving it, unless it is absent.
pub fn give<T: Wire>(object: &mut Object<'static>, name: &'static str, value: T) {
    if let Some(json) = value.give_member() {
        object.set(name, json);
    }
}

/// A schema of one type.
pub(super) fn typed(kind: &'static str) -> Object<'static> {
    let mut schema = Object::new();
    schema.set("type", Json::from(kind));
    schema
}

/// The schema of an object, as it grows field by field.
pub struct ObjectSchema {
    description: String,
    required: Vec<Json<'static>>,
    properties: Object<'static>,
    also: Object<'static>,
}

impl ObjectSchema {
    pub fn new(doc: &[&str]) -> Self {
        Self {
            description: prose(doc),
            required: Vec::new(),
            properties: Object::new(),
            also: Object::new(),
        }
    }

    pub fn field<T: Wire>(
        &mut self,
        name: &'static str,
        doc: &[&str],
        keywords: &[(&'static str, serde_json::Value)],
    ) {
        if T::REQUIRED {
            self.required.push(Json::from(name));
        }
        let mut schema = T::schema();
        // A field says more than its type does: its words replace the type's.
        schema.remove("description");
        for (keyword, value) in keywords {
            schema.set(*keyword, Json::from(value));
        }
        let description = prose(doc);
        if !description.is_empty() {
            schema.set("description", Json::String(Cow::Owned(description)));
        }
        self.properties.set(name, Json::Object(schema));
    }

    /// Adds keywords that speak about the whole object.
    pub fn also(&mut self, keywords: Object<'static>) {
        self.also = keywords;
    }

    pub fn finish(self, closed: bool) -> Object<'static> {
        let mut schema = Object::new();
        if !self.description.is_empty() {
            schema.set("description", Json::String(Cow::Owned(self.description)));
        }
        schema.set("type", Json::from("object"));
        if !self.required.is_empty() {
            schema.set("required", Json::Array(self.required));
        }
        schema.set("properties", Json::Object(self.properties));
        if closed {
            schema.set("additionalProperties", Json::Bool(false));
        }
        for (keyword, value) in self.also.iter() {
            schema.set(keyword.to_owned(), value.clone());
        }
        schema
    }
}

/// Keywords about a whole object, written as JSON. For constants only: anything else than an object panics.
#[must_use]
pub fn rules(text: &'static str) -> Object<'static> {
    match crate::json::parse(text.as_bytes()) {
        Ok(Json::Object(keywords)) => keywords,
        _ => unreachable!("declared rules are JSON objects: a test publishes every schema"),
    }
}

/// Doc comments as one line of text.
fn prose(doc: &[&str]) -> String {
    doc.iter().map(|line| line.trim()).filter(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}
