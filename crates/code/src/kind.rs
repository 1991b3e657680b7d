//! The kinds of symbols.

use std::fmt;

/// One vocabulary for all languages: a Go interface and a TypeScript one are both interfaces.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Function,
    /// A function that belongs to a type; constructors too.
    Method,
    Class,
    Struct,
    Enum,
    Trait,
    Interface,
    /// Another name for a type.
    Type,
    Constant,
    Variable,
    Module,
    Macro,
    /// A member that holds a value. Found by name, left out of outlines.
    Field,
    /// One of an enum's cases. Found by name, left out of outlines.
    Variant,
}

impl Kind {
    pub const ALL: [Self; 14] = [
        Self::Function,
        Self::Method,
        Self::Class,
        Self::Struct,
        Self::Enum,
        Self::Trait,
        Self::Interface,
        Self::Type,
        Self::Constant,
        Self::Variable,
        Self::Module,
        Self::Macro,
        Self::Field,
        Self::Variant,
    ];

    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Method => "method",
            Self::Class => "class",
            Self::Struct => "struct",
            Self::Enum => "enum",
            Self::Trait => "trait",
            Self::Interface => "interface",
            Self::Type => "type",
            Self::Constant => "constant",
            Self::Variable => "variable",
            Self::Module => "module",
            Self::Macro => "macro",
            Self::Field => "field",
            Self::Variant => "variant",
        }
    }

    /// The kind that people mean by this word.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name().eq_ignore_ascii_case(word))
    }

    /// Whether this kind fits a question for `wanted`. People say "function" for methods and
    /// "class" for structs.
    #[must_use]
    pub(crate) fn answers(self, wanted: Self) -> bool {
        let group = |kind| match kind {
            Self::Function | Self::Method | Self::Macro => 0,
            Self::Class
            | Self::Struct
            | Self::Enum
            | Self::Trait
            | Self::Interface
            | Self::Type => 1,
            Self::Constant | Self::Variable | Self::Field | Self::Variant => 2,
            Self::Module => 3,
        };
        group(self) == group(wanted)
    }

    pub(crate) const fn is_type(self) -> bool {
        match self {
            Self::Class
            | Self::Struct
            | Self::Enum
            | Self::Trait
            | Self::Interface
            | Self::Type => true,
            Self::Function
            | Self::Method
            | Self::Constant
            | Self::Variable
            | Self::Module
            | Self::Macro
            | Self::Field
            | Self::Variant => false,
        }
    }

    pub(crate) const fn is_function(self) -> bool {
        match self {
            Self::Function | Self::Method | Self::Macro => true,
            Self::Class
            | Self::Struct
            | Self::Enum
            | Self::Trait
            | Self::Interface
            | Self::Type
            | Self::Constant
            | Self::Variable
            | Self::Module
            | Self::Field
            | Self::Variant => false,
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
