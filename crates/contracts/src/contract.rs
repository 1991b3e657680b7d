//! The contracts that Consign publishes, and how to find one.

use std::{borrow::Cow, sync::OnceLock};

use sha2::{Digest, Sha256};

use crate::{
    Breach,
    json::{Json, Object},
    schema::Schema,
    wire::Message,
};

/// The document that a family of contracts comes from.
#[derive(Debug)]
pub struct Document {
    /// The first half of its contracts' names.
    pub family: &'static str,
    pub title: &'static str,
    pub version: &'static str,
    /// Where this repository says what the document promises.
    pub page: &'static str,
}

/// One published contract.
pub struct Contract {
    pub name: &'static str,
    pub title: &'static str,
    pub document: &'static Document,
    source: fn() -> Object<'static>,
    through: fn(&Json<'_>) -> Result<Json<'static>, Breach>,
    schema: OnceLock<Schema>,
    published: OnceLock<String>,
}

impl Contract {
    /// The contract of a message type.
    pub(crate) const fn of<T: Message>(document: &'static Document) -> Self {
        Self {
            name: T::NAME,
            title: T::TITLE,
            document,
            source: T::schema,
            through: |json| T::read(json).map(|message| message.write()),
            schema: OnceLock::new(),
            published: OnceLock::new(),
        }
    }

    /// Every contract, family by family.
    pub fn all() -> impl Iterator<Item = &'static Contract> {
        let families: [&'static [Contract]; 6] = [
            &crate::bridge::CONTRACTS,
            &crate::job::CONTRACTS,
            &crate::envelope::CONTRACTS,
            &crate::authoring::CONTRACTS,
            &crate::crew::CONTRACTS,
            &crate::engine::CONTRACTS,
        ];
        families.into_iter().flatten()
    }

    #[must_use]
    pub fn find(name: &str) -> Option<&'static Contract> {
        Self::all().find(|contract| contract.name == name)
    }

    /// The schema, compiled when it is first asked for.
    #[must_use]
    pub fn schema(&self) -> &Schema {
        self.schema.get_or_init(|| {
            Schema::compile_own(&self.source()).expect("a test compiles every published schema")
        })
    }

    /// The schema as a document.
    #[must_use]
    pub fn source(&self) -> Json<'static> {
        let mut schema = Object::new();
        schema.set("$schema", Json::from("http://json-schema.org/draft-07/schema#"));
        schema.set("title", Json::String(Cow::Borrowed(self.title)));
        for (keyword, value) in (self.source)().iter() {
            schema.set(keyword.to_owned(), value.clone());
        }
        Json::Object(schema)
    }

    /// What the contract is about, in its first sentence.
    #[must_use]
    pub fn meaning(&self) -> String {
        let schema = (self.source)();
        let description = schema.get("description").and_then(Json::as_str).unwrap_or_default();
        description.split_inclusive(". ").next().unwrap_or_default().trim().to_owned()
    }

    /// The schema as it is published under `schemas/`.
    #[must_use]
    pub fn published(&self) -> &str {
        self.published.get_or_init(|| format!("{:#}\n", self.source()))
    }

    /// The SHA-256 of the published file: `sha256sum` gives the same.
    #[must_use]
    pub fn digest(&self) -> String {
        format!("sha256:{}", hex::encode(Sha256::digest(self.published())))
    }

    /// A document, read into its Rust type and written again.
    pub fn through_type(&self, document: &Json<'_>) -> Result<Json<'static>, Breach> {
        (self.through)(document)
    }
}
