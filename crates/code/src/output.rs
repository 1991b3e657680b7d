//! Recognises folders of build output and fetched code, by what is in and beside them.
//!
//! `build`, `bin`, `out` and their like are output in one project and source in the next. The name alone
//! makes a folder suspect; marks decide.

/// Folders of foreign code, wherever they are.
const ALWAYS: &[&str] = &[
    "node_modules",
    "bower_components",
    "jspm_packages",
    "third_party",
    "third-party",
    "__pycache__",
    "site-packages",
    "Pods",
    "DerivedData",
    "TestResults",
];

/// A suspect name, what beside it proves it, and what inside of it does. A mark that begins with `*` is the
/// end of a name.
struct Suspect {
    name: &'static str,
    beside: &'static [&'static str],
    inside: &'static [&'static str],
}

const SUSPECTS: &[Suspect] = &[
    Suspect {
        name: "target",
        beside: &["Cargo.toml", "pom.xml", "build.sbt"],
        inside: &["CACHEDIR.TAG", "debug", "release", "classes", "maven-status"],
    },
    Suspect {
        name: "build",
        beside: &["build.gradle", "build.gradle.kts"],
        inside: &[
            "classes",
            "libs",
            "tmp",
            "reports",
            "CMakeCache.txt",
            "CMakeFiles",
            "asset-manifest.json",
            "index.html",
            "outputs",
            "intermediates",
            "manifest.json",
            "Debug",
            "Release",
            "*.map",
            "*.class",
        ],
    },
    Suspect {
        name: "dist",
        beside: &["package.json", "pyproject.toml", "setup.py", "setup.cfg"],
        inside: &["index.html", "*.map", "*.min.js", "*.whl", "*.tar.gz", "*.d.ts"],
    },
    Suspect {
        name: "out",
        beside: &["*.iml", "next.config.js", "next.config.mjs", "next.config.ts"],
        inside: &["production", "_next", "artifacts", "index.html", "*.map", "*.class", "*.d.ts"],
    },
    Suspect {
        name: "bin",
        beside: &["*.csproj", "*.fsproj", "*.vbproj"],
        inside: &["Debug", "Release", "*.dll", "*.pdb", "*.class"],
    },
    Suspect {
        name: "obj",
        beside: &["*.csproj", "*.fsproj", "*.vbproj"],
        inside: &["Debug", "Release", "project.assets.json", "*.nuget.g.props"],
    },
    Suspect {
        name: "vendor",
        beside: &["go.mod", "composer.json", "Gemfile", "Cargo.toml", "package.json"],
        inside: &["modules.txt", "autoload.php", "bundle", "cache"],
    },
    Suspect {
        name: "coverage",
        beside: &["package.json"],
        inside: &["lcov.info", "lcov-report", "coverage-final.json", "clover.xml", "index.html"],
    },
    Suspect { name: "lib", beside: &["libman.json"], inside: &[] },
];

/// Whether the name of a folder is reason enough to leave it out.
pub(crate) fn is_always_foreign(name: &str) -> bool {
    name.starts_with('.') || ALWAYS.contains(&name)
}

/// Whether a folder of this name is proven to be output by what is beside it.
pub(crate) fn is_told_from_beside(name: &str, beside: &[&str]) -> bool {
    suspect(name).is_some_and(|suspect| any(suspect.beside, beside))
        // What a browser is served is there to be written, but for the libraries in it.
        || name == "lib" && beside.contains(&"favicon.ico")
}

/// Whether a folder is proven to be output by what is in it.
pub(crate) fn is_told_from_inside(name: &str, inside: &[&str]) -> bool {
    inside.contains(&"pyvenv.cfg")
        || suspect(name).is_some_and(|suspect| any(suspect.inside, inside))
}

fn suspect(name: &str) -> Option<&'static Suspect> {
    SUSPECTS.iter().find(|suspect| suspect.name == name)
}

fn any(marks: &[&str], names: &[&str]) -> bool {
    names.iter().any(|name| {
        marks.iter().any(|mark| match mark.strip_prefix('*') {
            Some(end) => name.ends_with(end),
            None => name == mark,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_decide_and_not_names() {
        for (name, beside, inside, expected) in [
            ("bin", &["Shop.csproj"][..], &[][..], true),
            ("bin", &["package.json"], &["www.js"], false),
            ("build", &["package.json"], &["webpack.config.js"], false),
            ("build", &["package.json"], &["index.html", "static"], true),
            ("build", &["build.gradle.kts"], &[], true),
            ("target", &["Cargo.toml"], &[], true),
            ("target", &["main.py"], &["aim.py"], false),
            ("out", &["main.go"], &["out.go"], false),
            ("vendor", &["order", "customer"], &["Vendor.java"], false),
            ("vendor", &["go.mod"], &["modules.txt"], true),
            ("env", &[], &["pyvenv.cfg", "lib"], true),
            ("lib", &["package.json"], &["index.js"], false),
        ] {
            let told = is_told_from_beside(name, beside) || is_told_from_inside(name, inside);
            assert_eq!(told, expected, "{name} beside {beside:?} with {inside:?}");
        }
    }
}
