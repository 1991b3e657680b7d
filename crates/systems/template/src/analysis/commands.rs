//! Finds the commands that install, build, test and start a project.

use super::{
    Commands, Framework, Testing,
    manifest::{Ecosystem, Manifest},
    project::Project,
};

/// The commands of the tool that has most of the source.
pub(super) fn of(
    project: &Project,
    ranked: &[(&Manifest, usize)],
    frameworks: &[Framework],
    testing: &[Testing],
) -> Commands {
    let Some((leading, _)) = ranked.first() else { return Commands::default() };
    // The one nearest to the root speaks for all of its kind.
    let same = ranked.iter().map(|(manifest, _)| *manifest);
    let same = same.filter(|manifest| manifest.ecosystem == leading.ecosystem);
    let top = same.min_by_key(|manifest| manifest.depth()).unwrap_or(leading);
    let first = frameworks.first().map(|framework| framework.name.as_str()).unwrap_or_default();
    let tests = testing.first().map(|testing| testing.framework.as_str());
    match leading.ecosystem {
        Ecosystem::Npm => npm(project, top, leading),
        Ecosystem::Cargo => {
            let program = project
                .paths()
                .any(|path| path.ends_with("src/main.rs") || path.contains("src/bin/"));
            said(None, "cargo build", "cargo test", program.then_some("cargo run"))
        }
        Ecosystem::Go => {
            let run = go_program(project);
            let mut all = said(Some("go mod download"), "go build ./...", "go test ./...", None);
            all.run = run.map(|folder| format!("go run {folder}"));
            all
        }
        Ecosystem::Maven => {
            let tool = if project.has("mvnw") { "./mvnw" } else { "mvn" };
            let run = if first == "Spring Boot" { Some("spring-boot:run") } else { None };
            with(tool, None, "package", "test", run)
        }
        Ecosystem::Gradle => {
            let tool = if project.has("gradlew") { "./gradlew" } else { "gradle" };
            let run = match first {
                "Spring Boot" => Some("bootRun"),
                "Android" => Some("installDebug"),
                _ => Some("run"),
            };
            with(tool, None, "build", "test", run)
        }
        Ecosystem::DotNet => dotnet(ranked),
        Ecosystem::Composer => {
            let test = match tests {
                Some("Pest") => "vendor/bin/pest",
                _ if first == "Laravel" => "php artisan test",
                _ => "vendor/bin/phpunit",
            };
            let run = match first {
                "Laravel" => Some("php artisan serve"),
                "Symfony" => Some("symfony server:start"),
                _ => None,
            };
            let mut all = said(Some("composer install"), "", test, run);
            all.build = None;
            all
        }
        Ecosystem::Gem => {
            let rails = first == "Ruby on Rails";
            let test = match tests {
                Some("RSpec") => "bundle exec rspec",
                _ if rails => "bin/rails test",
                _ => "bundle exec rake test",
            };
            let run = if rails { "bin/rails server" } else { "bundle exec rackup" };
            let run = (rails || project.has("config.ru")).then_some(run);
            let mut all = said(Some("bundle install"), "", test, run);
            all.build = None;
            all
        }
        Ecosystem::Python => python(project, ranked, first, tests),
    }
}

fn said(install: Option<&str>, build: &str, test: &str, run: Option<&str>) -> Commands {
    Commands {
        install: install.map(str::to_owned),
        build: Some(build.to_owned()),
        test: Some(test.to_owned()),
        run: run.map(str::to_owned),
    }
}

fn with(tool: &str, install: Option<&str>, build: &str, test: &str, run: Option<&str>) -> Commands {
    let full = |word: &str| format!("{tool} {word}");
    Commands {
        install: install.map(full),
        build: Some(full(build)),
        test: Some(full(test)),
        run: run.map(full),
    }
}

fn npm(project: &Project, top: &Manifest, leading: &Manifest) -> Commands {
    let named = top.fact("manager").unwrap_or_default();
    let tool = if named.starts_with("pnpm") || project.has("pnpm-lock.yaml") {
        "pnpm"
    } else if named.starts_with("yarn") || project.has("yarn.lock") {
        "yarn"
    } else if named.starts_with("bun") || project.has("bun.lockb") {
        "bun"
    } else {
        "npm"
    };
    let script = |names: &[&str]| {
        let own = |manifest: &Manifest| {
            names
                .iter()
                .find(|name| manifest.scripts.contains_key(**name))
                .map(|name| (*name).to_owned())
        };
        own(top).or_else(|| own(leading)).map(|name| match name.as_str() {
            "test" | "start" => format!("{tool} {name}"),
            _ => format!("{tool} run {name}"),
        })
    };
    Commands {
        install: Some(format!("{tool} install")),
        build: script(&["build", "compile"]),
        test: script(&["test", "test:unit", "test:run"]),
        run: script(&["dev", "start:dev", "start", "serve"]),
    }
}

fn go_program(project: &Project) -> Option<String> {
    let mut mains = project.paths().filter(|path| path.ends_with("main.go"));
    let first = mains.next()?;
    let folder = first.rsplit_once('/').map_or("", |(folder, _)| folder);
    Some(if folder.is_empty() { ".".to_owned() } else { format!("./{folder}") })
}

fn dotnet(ranked: &[(&Manifest, usize)]) -> Commands {
    let mut all = said(Some("dotnet restore"), "dotnet build", "dotnet test", None);
    let program = ranked.iter().map(|(manifest, _)| *manifest).find(|manifest| {
        let sdk = manifest.fact("sdk").unwrap_or_default();
        let exe = manifest.fact("output").is_some_and(|output| output.ends_with("xe"));
        manifest.fact("test").is_none()
            && (exe
                || sdk.ends_with("Web")
                || sdk.ends_with("WebAssembly")
                || sdk.ends_with("Worker"))
    });
    all.run = program.map(|manifest| match manifest.folder() {
        "" => "dotnet run".to_owned(),
        folder => format!("dotnet run --project {folder}"),
    });
    all
}

fn python(
    project: &Project,
    ranked: &[(&Manifest, usize)],
    first: &str,
    tests: Option<&str>,
) -> Commands {
    let fact = |name: &str| ranked.iter().find_map(|(manifest, _)| manifest.fact(name));
    let tool = fact("tool");
    let requirements = ranked.iter().map(|(manifest, _)| manifest.path.as_str());
    let mut requirements: Vec<&str> = requirements.filter(|path| path.ends_with(".txt")).collect();
    requirements.sort_unstable_by_key(|path| (path.matches('/').count(), path.len()));
    let (install, before) = match tool {
        Some("poetry") => ("poetry install".to_owned(), "poetry run "),
        Some("uv") => ("uv sync".to_owned(), "uv run "),
        Some("pipenv") => ("pipenv install --dev".to_owned(), "pipenv run "),
        _ => match requirements.first() {
            Some(path) => (format!("pip install -r {path}"), ""),
            None => ("pip install -e .".to_owned(), ""),
        },
    };
    let django = first == "Django";
    let test = match tests {
        Some("pytest") => "pytest",
        Some(_) if django => "python manage.py test",
        Some(_) => "python -m unittest",
        None => "",
    };
    // Where the app is made, it can be started.
    let app = |mark: &str| {
        let found = project.code().find(|one| one.text.contains(mark))?;
        let module = found.path.trim_end_matches(".py").replace('/', ".");
        let module = module.trim_start_matches("src.");
        Some(module.trim_end_matches(".__init__").to_owned())
    };
    let run = match first {
        "Django" => Some("python manage.py runserver".to_owned()),
        "FastAPI" => app("FastAPI(").map(|module| format!("uvicorn {module}:app --reload")),
        "Flask" => app("Flask(__name__").map(|module| format!("flask --app {module} run")),
        _ => None,
    };
    Commands {
        install: Some(install),
        build: None,
        test: (!test.is_empty()).then(|| format!("{before}{test}")),
        run: run.map(|run| format!("{before}{run}")),
    }
}
