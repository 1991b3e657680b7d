//! Finds the files that a newcomer to the project should read first.

use consign_code::Class;

use super::{
    KeyFile, manifest,
    project::{Project, is_aside},
    roles,
};

const MOST: usize = 40;
/// How many files of one role are listed.
const MOST_OF_A_ROLE: usize = 6;

/// Names with their roles, in the order in which they are looked for.
const NAMES: &[(&str, &str)] = &[
    ("Program.cs", "entry point"),
    ("MauiProgram.cs", "entry point"),
    ("App.xaml", "entry point"),
    ("Startup.cs", "entry point"),
    ("main.rs", "entry point"),
    ("lib.rs", "entry point"),
    ("main.go", "entry point"),
    ("main.py", "entry point"),
    ("app.py", "entry point"),
    ("manage.py", "entry point"),
    ("wsgi.py", "entry point"),
    ("asgi.py", "entry point"),
    ("__main__.py", "entry point"),
    ("cli.py", "entry point"),
    ("main.ts", "entry point"),
    ("main.tsx", "entry point"),
    ("main.js", "entry point"),
    ("main.jsx", "entry point"),
    ("index.ts", "entry point"),
    ("index.js", "entry point"),
    ("server.ts", "entry point"),
    ("server.js", "entry point"),
    ("app.ts", "entry point"),
    ("app.js", "entry point"),
    ("App.tsx", "entry point"),
    ("App.vue", "entry point"),
    ("App.svelte", "entry point"),
    ("app.vue", "entry point"),
    ("layout.tsx", "entry point"),
    ("Application.kt", "entry point"),
    ("MainActivity.kt", "entry point"),
    ("config.ru", "entry point"),
    ("app.rb", "entry point"),
    ("artisan", "entry point"),
    ("index.php", "entry point"),
    ("Kernel.php", "entry point"),
    ("routes.rb", "routes"),
    ("web.php", "routes"),
    ("api.php", "routes"),
    ("urls.py", "routes"),
    ("application.rb", "configuration"),
    ("app.module.ts", "configuration"),
    ("appsettings.json", "configuration"),
    ("application.yml", "configuration"),
    ("application.yaml", "configuration"),
    ("application.properties", "configuration"),
    ("application.conf", "configuration"),
    ("settings.py", "configuration"),
    ("tsconfig.json", "configuration"),
    ("next.config.js", "configuration"),
    ("next.config.mjs", "configuration"),
    ("next.config.ts", "configuration"),
    ("nuxt.config.ts", "configuration"),
    ("svelte.config.js", "configuration"),
    ("vite.config.ts", "configuration"),
    ("vite.config.js", "configuration"),
    ("angular.json", "configuration"),
    ("AndroidManifest.xml", "configuration"),
    ("services.yaml", "configuration"),
    ("database.yml", "configuration"),
    ("Directory.Packages.props", "configuration"),
    ("Directory.Build.props", "configuration"),
    ("libs.versions.toml", "configuration"),
    ("Dockerfile", "deployment"),
    ("docker-compose.yml", "deployment"),
    ("docker-compose.yaml", "deployment"),
    ("compose.yaml", "deployment"),
    ("Makefile", "build"),
    ("justfile", "build"),
];

pub(super) fn of(project: &Project) -> Vec<KeyFile> {
    let mut found: Vec<KeyFile> = Vec::new();
    let mut near: Vec<&str> = project
        .listed
        .files
        .iter()
        .filter(|file| !matches!(file.class, Class::Test | Class::Example | Class::Generated))
        .map(|file| file.path.as_str())
        .collect();
    near.sort_by_key(|path| path.matches('/').count());
    let name = |path: &str| path[path.rfind('/').map_or(0, |at| at + 1)..].to_owned();
    let mut add = |role: &str, path: &str| {
        let same = found.iter().filter(|known| known.role == role).count();
        if same < MOST_OF_A_ROLE && found.iter().all(|known| known.path != path) {
            found.push(KeyFile { path: path.to_owned(), role: role.to_owned() });
        }
    };
    for path in &near {
        let solution = path.ends_with(".sln") || path.ends_with(".slnx");
        if manifest::ecosystem(path).is_some() && !is_aside(path) || solution {
            add("manifest", path);
        }
    }
    // Where the application is made, whatever the file is called.
    let made = ["@SpringBootApplication", "fun main(", "Flask(__name__", "FastAPI("];
    if let Some(one) = project.code().find(|one| one.has(&made)) {
        add("entry point", &one.path);
    }
    for path in &near {
        // An index is the way into the program only where the program begins.
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        if name(path).starts_with("index.")
            && !folder.is_empty()
            && !folder.ends_with("src")
            && folder != "public"
        {
            continue;
        }
        let name = name(path);
        if let Some((_, role)) = NAMES.iter().find(|(known, _)| *known == name) {
            add(role, path);
        }
    }
    // A program is where its main function is, whatever the file is called.
    for path in &near {
        let command = path.starts_with("src/bin/") || path.starts_with("bin/");
        if command && consign_code::Language::of(path).is_some() {
            add("entry point", path);
        }
    }
    // Files that only name the others in their folder say nothing themselves.
    let names_others =
        |path: &str| ["mod.rs", "__init__.py", "package-info.java"].contains(&name(path).as_str());
    for path in near.iter().filter(|path| !names_others(path)) {
        match roles::layer(path, false) {
            Some(("routes", _)) => add("routes", path),
            Some(("models", _)) => add("model", path),
            _ => {}
        }
    }
    for path in &near {
        if !path.contains('/') && name(path).to_lowercase().starts_with("readme") {
            add("documentation", path);
        }
    }
    found.truncate(MOST);
    found
}
