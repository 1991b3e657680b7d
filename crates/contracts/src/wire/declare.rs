//! The two declaring macros. [`super`] explains how to use them.

/// Declares a message or a part of one.
#[doc(hidden)]
#[macro_export]
macro_rules! __wire {
    (
        $(#[doc = $doc:literal])*
        pub open struct $name:ident $(= $contract:literal)? {
            $($(#[doc = $field_doc:literal])* $field:ident $(as $wire:literal)? : $ty:ty $([ $($keyword:ident : $value:expr),+ ])?),* $(,)?
        }
        $(with $also:expr)?
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name {
            $($(#[doc = $field_doc])* pub $field: $ty,)*
            /// Members that the contract does not name.
            pub extra: $crate::json::Object<'static>,
        }

        impl $crate::wire::Wire for $name {
            $crate::wire::wire! { @schema [$($doc)*] [$($also)?] false
                $([$($field_doc)*] $field $($wire)? : $ty [$($($keyword: $value),+)?],)* }

            fn read(json: &$crate::json::Json<'_>) -> Result<Self, $crate::Breach> {
                let members = $crate::wire::Members::of(json)?;
                Ok(Self {
                    $($field: members.read($crate::wire::wire!(@name $field $($wire)?))?,)*
                    extra: members.others(&[$($crate::wire::wire!(@name $field $($wire)?)),*]),
                })
            }

            fn write(&self) -> $crate::json::Json<'static> {
                let mut object = $crate::json::Object::new();
                $($crate::wire::put(&mut object, $crate::wire::wire!(@name $field $($wire)?), &self.$field);)*
                $crate::json::Json::Object(object.followed_by(self.extra.clone()))
            }

            fn find(&self, place: &[&str]) -> Option<&dyn $crate::wire::Written> {
                let Some((name, rest)) = place.split_first() else { return Some(self) };
                match *name {
                    $($crate::wire::wire!(@name $field $($wire)?) => $crate::wire::Wire::find(&self.$field, rest),)*
                    _ => $crate::wire::Wire::find(&self.extra, place),
                }
            }

            fn give(self) -> $crate::json::Json<'static> {
                let mut object = $crate::json::Object::new();
                $($crate::wire::give(&mut object, $crate::wire::wire!(@name $field $($wire)?), self.$field);)*
                $crate::json::Json::Object(object.followed_by(self.extra))
            }
        }

        $($crate::wire::wire! { @message $name $contract })?
    };

    (
        $(#[doc = $doc:literal])*
        pub closed struct $name:ident $(= $contract:literal)? {
            $($(#[doc = $field_doc:literal])* $field:ident $(as $wire:literal)? : $ty:ty $([ $($keyword:ident : $value:expr),+ ])?),* $(,)?
        }
        $(with $also:expr)?
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct $name {
            $($(#[doc = $field_doc])* pub $field: $ty,)*
        }

        impl $crate::wire::Wire for $name {
            $crate::wire::wire! { @schema [$($doc)*] [$($also)?] true
                $([$($field_doc)*] $field $($wire)? : $ty [$($($keyword: $value),+)?],)* }

            fn read(json: &$crate::json::Json<'_>) -> Result<Self, $crate::Breach> {
                let members = $crate::wire::Members::of(json)?;
                Ok(Self { $($field: members.read($crate::wire::wire!(@name $field $($wire)?))?,)* })
            }

            fn write(&self) -> $crate::json::Json<'static> {
                let mut object = $crate::json::Object::new();
                $($crate::wire::put(&mut object, $crate::wire::wire!(@name $field $($wire)?), &self.$field);)*
                $crate::json::Json::Object(object)
            }

            fn find(&self, place: &[&str]) -> Option<&dyn $crate::wire::Written> {
                let Some((name, rest)) = place.split_first() else { return Some(self) };
                match *name {
                    $($crate::wire::wire!(@name $field $($wire)?) => $crate::wire::Wire::find(&self.$field, rest),)*
                    _ => None,
                }
            }
        }

        $($crate::wire::wire! { @message $name $contract })?
    };

    (@schema [$($doc:literal)*] [$($also:expr)?] $closed:literal
        $([$($field_doc:literal)*] $field:ident $($wire:literal)? : $ty:ty [$($keyword:ident : $value:expr),*],)*
    ) => {
        fn schema() -> $crate::json::Object<'static> {
            #[allow(unused_mut, reason = "a struct may declare no field")]
            let mut object = $crate::wire::ObjectSchema::new(&[$($doc),*]);
            $(object.field::<$ty>(
                $crate::wire::wire!(@name $field $($wire)?),
                &[$($field_doc),*],
                &[$((stringify!($keyword), $crate::wire::json!($value))),*],
            );)*
            $(object.also($also);)?
            object.finish($closed)
        }
    };

    (@message $name:ident $contract:literal) => {
        impl $crate::wire::Message for $name {
            const NAME: &'static str = $contract;
            const TITLE: &'static str = stringify!($name);
        }
    };

    (@name $field:ident $wire:literal) => { $wire };
    (@name $field:ident) => { stringify!($field) };
}

/// Declares a closed vocabulary: an enum whose variants are words on the wire.
macro_rules! words {
    (
        $(#[doc = $doc:literal])*
        pub enum $name:ident { $($(#[doc = $word_doc:literal])* $variant:ident = $word:literal),+ $(,)? }
    ) => {
        $(#[doc = $doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum $name { $($(#[doc = $word_doc])* $variant),+ }

        impl $name {
            /// Every word, in the document's order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word on the wire.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),+ }
            }

            /// The word's variant, if it is one of ours.
            #[must_use]
            pub fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.as_str())
            }
        }

        impl $crate::wire::Wire for $name {
            fn schema() -> $crate::json::Object<'static> {
                $crate::wire::words!(@schema $($word),+)
            }

            fn read(json: &$crate::json::Json<'_>) -> Result<Self, $crate::Breach> {
                json.as_str()
                    .and_then(Self::from_word)
                    .ok_or_else(|| $crate::wire::unfit("enum", concat!("a word of ", stringify!($name)), json))
            }

            fn write(&self) -> $crate::json::Json<'static> {
                $crate::json::Json::from(self.as_str())
            }
        }
    };

    (@schema $($word:literal),+) => {{
        let mut schema = $crate::json::Object::new();
        schema.set("type", $crate::json::Json::from("string"));
        schema.set("enum", $crate::json::Json::Array(vec![$($crate::json::Json::from($word)),+]));
        schema
    }};
}

pub use __wire as wire;
pub(crate) use words;
