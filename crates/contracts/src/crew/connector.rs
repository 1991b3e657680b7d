//! Connector: from a source to a file.

use crate::{
    json::Object,
    wire::{Integer, Nullable, wire, words},
};

wire! {
    /// A source to fetch.
    pub open struct ConnectorInput = "crew/connector.input" {
        /// What kind of source it is.
        source_type: SourceType,
        /// An address, a path or an id.
        source_identifier: String,
        /// The credentials to use, by name.
        credentials_id: Option<Nullable<String>>,
        /// Whether to fetch what lies below or behind it too.
        recursive: Option<bool> [default: false],
    }
}

words! {
    /// Kinds of source.
    pub enum SourceType {
        Gdrive = "gdrive",
        Web = "web",
        Local = "local",
    }
}

wire! {
    /// A source that was fetched.
    pub open struct ConnectorOutput = "crew/connector.output" {
        /// The file, as an absolute path.
        file_path: String,
        /// Its size.
        file_size_bytes: Integer [minimum: 0],
        /// What the source says about it.
        source_metadata: Object<'static>,
        /// A hash of its bytes.
        checksum: String,
    }
}
