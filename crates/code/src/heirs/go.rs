//! Finds the types that implement a Go interface: those that have all of its methods, with the same
//! types.

use std::collections::{BTreeMap, BTreeSet};

use super::Heir;
use crate::{
    Cancel, Error, Found, Language, Repository,
    symbols::Name,
    syntax::{GoBody, GoFile, Method, go_types},
    walk::{Entry, Listing},
};

/// A type by its folder, which is its package, and its name.
type Key = (String, String);

struct Kept {
    path: String,
    line: usize,
    package: String,
    body: GoBody,
}

/// How many levels of embedding are followed.
const DEEPEST: usize = 8;

impl Repository {
    pub(super) fn go_heirs(
        &self,
        listing: &Listing,
        name: &Name,
        into: &mut Found<Heir>,
    ) -> Result<(), Error> {
        let mut files: Vec<&Entry> =
            listing.files.iter().filter(|entry| entry.language == Some(Language::Go)).collect();
        into.at_least |= files.len() > self.limits.parses;
        files.sort_by_key(|entry| entry.class);
        files.truncate(self.limits.parses);
        let found = self.sweep(&files, |entry, language, bytes| {
            let parsed = self.parse(language, bytes)?;
            Some(vec![(entry.path.to_string(), go_types(&parsed, bytes))])
        })?;
        into.at_least |= found.late;
        let world = World::new(found.items);
        let asked = world.types.iter().filter(|((folder, own), kept)| {
            *own == name.last
                && name.of.last().is_none_or(|of| {
                    *of == kept.package || folder.rsplit('/').next() == Some(of.as_str())
                })
        });
        let mut heirs: BTreeMap<Key, &'static str> = BTreeMap::new();
        for (key, kept) in asked {
            match &kept.body {
                GoBody::Interface { .. } => {
                    let mut wanted = BTreeSet::new();
                    match world.wanted(key, &mut Seen::default(), &mut wanted) {
                        Ok(()) if wanted.is_empty() => {
                            into.note = Some(format!(
                                "`{}` is an empty interface, which every type implements",
                                name.last
                            ));
                        }
                        Ok(()) => {
                            for own in world
                                .having(&wanted, &self.cancel)
                                .into_iter()
                                .filter(|own| own != key)
                            {
                                heirs.entry(own).or_insert("has its methods");
                            }
                        }
                        Err(unknown) => {
                            into.note = Some(format!(
                                "`{}` embeds `{unknown}`, which is not defined here, so its implementations are unknown",
                                name.last
                            ));
                        }
                    }
                }
                GoBody::Struct { .. } | GoBody::Other => {
                    for own in world.embedding(key) {
                        heirs.entry(own).or_insert("embeds");
                    }
                }
            }
        }
        // One that comes with Go is defined nowhere here.
        let written = format!("{}.{}", name.of.join("."), name.last);
        let known = Method::of_known(&written).filter(|methods| !methods.is_empty());
        for own in known
            .map(|it| world.having(&it.into_iter().collect(), &self.cancel))
            .into_iter()
            .flatten()
        {
            heirs.entry(own).or_insert("has its methods");
        }
        self.cancel.check()?;
        into.at_least |= self.cancel.is_late();
        let mut heirs: Vec<Heir> = heirs
            .into_iter()
            .filter_map(|(key, how)| {
                let kept = world.types.get(&key)?;
                Some(Heir { name: key.1, path: kept.path.clone(), line: kept.line, how })
            })
            .collect();
        heirs.sort_by(|a, b| {
            let place = |heir: &Heir| (crate::Class::of(&heir.path), heir.path.clone(), heir.line);
            place(a).cmp(&place(b))
        });
        into.items.extend(heirs);
        Ok(())
    }
}

/// Types that were looked at: each is once, however many take it in.
#[derive(Default)]
struct Seen {
    types: BTreeSet<Key>,
    depth: usize,
}

impl Seen {
    fn enters(&mut self, key: &Key) -> bool {
        self.types.insert(key.clone())
    }
}

#[derive(Default)]
struct World {
    types: BTreeMap<Key, Kept>,
    methods: BTreeMap<Key, BTreeSet<Method>>,
    /// Types by package and name, the first of several.
    packages: BTreeMap<Key, Key>,
}

impl World {
    fn new(files: Vec<(String, GoFile)>) -> Self {
        let mut world = Self::default();
        for (path, file) in files {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            for of in file.types {
                let kept = Kept {
                    path: path.clone(),
                    line: of.row + 1,
                    package: file.package.clone(),
                    body: of.body,
                };
                let key = (folder.to_owned(), of.name.clone());
                world.packages.entry((file.package.clone(), of.name.clone())).or_insert(key);
                // One for each platform: the first is told.
                world.types.entry((folder.to_owned(), of.name)).or_insert(kept);
            }
            for (of, method) in file.methods {
                world.methods.entry((folder.to_owned(), of)).or_default().insert(method);
            }
        }
        world
    }

    /// The type that is meant by a name in a folder.
    fn resolve(&self, folder: &str, written: &str) -> Option<Key> {
        match written.rsplit_once('.') {
            None => {
                let key = (folder.to_owned(), written.to_owned());
                self.types.contains_key(&key).then_some(key)
            }
            Some((package, own)) => {
                self.packages.get(&(package.to_owned(), own.to_owned())).cloned()
            }
        }
    }

    /// All methods that an interface asks for; or what of it is not here.
    fn wanted(
        &self,
        key: &Key,
        seen: &mut Seen,
        into: &mut BTreeSet<Method>,
    ) -> Result<(), String> {
        if !seen.enters(key) {
            return Ok(());
        }
        let Some(Kept { body: GoBody::Interface { methods, embeds, bounds }, .. }) =
            self.types.get(key)
        else {
            return Err(key.1.clone());
        };
        if *bounds || seen.depth > DEEPEST {
            return Err(key.1.clone());
        }
        seen.depth += 1;
        into.extend(methods.iter().cloned());
        for written in embeds {
            let known = self.resolve(&key.0, written);
            match (known, Method::of_known(written)) {
                (Some(known), _) => self.wanted(&known, seen, into)?,
                (None, Some(methods)) => into.extend(methods),
                (None, None) => return Err(written.clone()),
            }
        }
        seen.depth -= 1;
        Ok(())
    }

    /// The types that have all of these methods, of their own or by what they take in. An interface that
    /// asks for them is none.
    fn having(&self, wanted: &BTreeSet<Method>, cancel: &Cancel) -> Vec<Key> {
        let keys = self.types.iter().filter(|(_, kept)| match kept.body {
            GoBody::Struct { .. } | GoBody::Other => true,
            GoBody::Interface { .. } => false,
        });
        keys.map(|(key, _)| key)
            .take_while(|_| !cancel.is_over())
            .filter(|key| {
                let mut own = BTreeSet::new();
                self.own(key, &mut Seen::default(), &mut own);
                wanted.iter().all(|method| own.contains(method))
            })
            .cloned()
            .collect()
    }

    fn own(&self, key: &Key, seen: &mut Seen, into: &mut BTreeSet<Method>) {
        if !seen.enters(key) {
            return;
        }
        into.extend(self.methods.get(key).into_iter().flatten().cloned());
        let embeds = match self.types.get(key).map(|kept| &kept.body) {
            Some(GoBody::Struct { embeds }) if seen.depth <= DEEPEST => embeds,
            Some(GoBody::Interface { .. }) => {
                // A struct that takes in an interface has its methods, as far as they are known.
                let _ = self.wanted(key, &mut Seen::default(), into);
                return;
            }
            Some(GoBody::Struct { .. } | GoBody::Other) | None => return,
        };
        seen.depth += 1;
        for written in embeds {
            if let Some(known) = self.resolve(&key.0, written) {
                self.own(&known, seen, into);
            }
        }
        seen.depth -= 1;
    }

    fn embedding(&self, wanted: &Key) -> Vec<Key> {
        let embeds = |(key, kept): &(&Key, &Kept)| match &kept.body {
            GoBody::Struct { embeds } => {
                embeds.iter().any(|written| self.resolve(&key.0, written).as_ref() == Some(wanted))
            }
            GoBody::Interface { .. } | GoBody::Other => false,
        };
        self.types.iter().filter(embeds).map(|(key, _)| key.clone()).collect()
    }
}
