//! Reads manifests: the files that package managers and build tools use.
//!
//! Call [`read`]. Each kind of manifest has a file here; all of them take text and never fail: broken
//! parts are skipped.

mod cargo;
mod composer;
mod dotnet;
mod gemfile;
mod go;
mod gradle;
mod gradle_words;
mod kind;
mod maven;
mod npm;
mod pep508;
mod python;
mod setup_py;
mod shared;
mod xml;

#[cfg(test)]
mod noise;
#[cfg(test)]
mod tests;

pub(super) use kind::{Declared, Ecosystem, Manifest, Use};
pub(super) use shared::Shared;

/// The kind of a manifest, by its name.
pub(super) fn ecosystem(path: &str) -> Option<Ecosystem> {
    let name = path.rsplit('/').next().unwrap_or(path);
    Some(match name {
        "package.json" => Ecosystem::Npm,
        "Cargo.toml" => Ecosystem::Cargo,
        "go.mod" => Ecosystem::Go,
        "pom.xml" => Ecosystem::Maven,
        "build.gradle" | "build.gradle.kts" => Ecosystem::Gradle,
        "composer.json" => Ecosystem::Composer,
        "Gemfile" => Ecosystem::Gem,
        "pyproject.toml" | "setup.cfg" | "setup.py" | "Pipfile" => Ecosystem::Python,
        _ if name.ends_with(".gemspec") => Ecosystem::Gem,
        _ if name.starts_with("requirements") && name.ends_with(".txt") => Ecosystem::Python,
        _ if [".csproj", ".fsproj", ".vbproj"].iter().any(|end| name.ends_with(end)) => {
            Ecosystem::DotNet
        }
        _ => return None,
    })
}

/// Whether a file holds what other manifests refer to: versions for many.
pub(super) fn is_shared(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    ["Directory.Packages.props", "Directory.Build.props", "Gemfile.lock"].contains(&name)
        || name.ends_with(".versions.toml")
        || ["pnpm-workspace.yaml", "settings.gradle", "settings.gradle.kts", "go.work"]
            .contains(&name)
        || name == "gradle.properties"
}

/// What a manifest says. `shared` has what it may refer to.
pub(super) fn read(path: &str, text: &str, shared: &Shared) -> Option<Manifest> {
    let ecosystem = ecosystem(path)?;
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let mut manifest = Manifest::new(path, ecosystem);
    let name = path.rsplit('/').next().unwrap_or(path);
    match ecosystem {
        Ecosystem::Npm => npm::read(text, &mut manifest),
        Ecosystem::Cargo => cargo::read(text, shared, &mut manifest),
        Ecosystem::Go => go::read(text, &mut manifest),
        Ecosystem::Maven => maven::read(text, &mut manifest),
        Ecosystem::Gradle => gradle::read(text, shared, &mut manifest),
        Ecosystem::Composer => composer::read(text, &mut manifest),
        Ecosystem::Gem => gemfile::read(name, text, shared, &mut manifest),
        Ecosystem::DotNet => dotnet::read(text, shared, &mut manifest),
        Ecosystem::Python => python::read(name, text, &mut manifest),
    }
    manifest.bound();
    Some(manifest)
}
