//! Recognises .NET frameworks, by the SDK and the switches in the project file.

use crate::analysis::{Evidence, Framework, manifest::Manifest, project::Project};

/// What a project file makes, with how much it shapes the whole.
struct Made {
    name: &'static str,
    rank: u8,
    version: Option<String>,
    what: String,
}

/// Frameworks of the project files, each with the source that it speaks for and its rank.
pub(super) fn of(project: &Project, owned: &[usize]) -> Vec<(Framework, usize, u8)> {
    let mut found: Vec<(Framework, usize, u8)> = Vec::new();
    for (manifest, lines) in project.manifests.iter().zip(owned) {
        let tests = manifest.fact("test").is_some();
        let Some(made) = made(manifest).filter(|_| !tests) else { continue };
        let evidence = Evidence { path: manifest.path.clone(), line: Some(1), what: made.what };
        if let Some((known, sum, _)) =
            found.iter_mut().find(|(known, _, _)| known.name == made.name)
        {
            known.evidence.push(evidence);
            *sum += lines;
            continue;
        }
        let framework = Framework {
            name: made.name.to_owned(),
            version: made.version,
            confidence: 0.7,
            evidence: vec![evidence],
        };
        found.push((framework, *lines, made.rank));
    }
    for (framework, _, _) in &mut found {
        let marks = marks(&framework.name);
        let hit = project.code().find_map(|one| Some((one, one.find(marks)?)));
        if let Some((one, (line, needle))) = hit {
            framework.confidence = 0.95;
            let what = format!("uses `{}`", needle.trim());
            framework.evidence.push(Evidence { path: one.path.clone(), line: Some(line), what });
        }
    }
    found
}

fn made(manifest: &Manifest) -> Option<Made> {
    let sdk = manifest.fact("sdk")?;
    let yes =
        |fact: &str| manifest.fact(fact).is_some_and(|said| said.eq_ignore_ascii_case("true"));
    let target = manifest.fact("target").map(version);
    let has = |name: &str| manifest.dependencies.iter().any(|one| one.name.starts_with(name));
    let made = |name, rank, version: Option<String>, what: &str| {
        Some(Made { name, rank, version, what: what.to_owned() })
    };
    if yes("maui") {
        let controls = manifest.dependency("Microsoft.Maui.Controls");
        let version = controls.and_then(|controls| controls.version.clone());
        let version = version.or_else(|| manifest.fact("maui-version").map(str::to_owned));
        return made(".NET MAUI", 95, version.or(target), "`UseMaui` is set");
    }
    if sdk.ends_with("BlazorWebAssembly") || has("Microsoft.AspNetCore.Components") {
        let web = manifest.dependencies.iter();
        let web = web.filter(|one| one.name.starts_with("Microsoft.AspNetCore.Components"));
        let version = web.filter_map(|one| one.version.clone()).next();
        return made("Blazor", 92, version.or(target), "the SDK or its packages are Blazor's");
    }
    if yes("wpf") {
        return made("WPF", 90, target, "`UseWPF` is set");
    }
    if yes("forms") {
        return made("Windows Forms", 88, target, "`UseWindowsForms` is set");
    }
    if sdk.ends_with("Sdk.Web") || manifest.dependency("Microsoft.AspNetCore.App").is_some() {
        return made("ASP.NET Core", 85, target, "the SDK is that of the web");
    }
    if sdk.ends_with("Sdk.Worker") {
        return made(".NET Worker Service", 70, target, "the SDK is that of workers");
    }
    let output = manifest.fact("output").unwrap_or_default();
    if output.eq_ignore_ascii_case("exe") {
        return made(".NET console", 30, target, "`OutputType` is Exe");
    }
    None
}

/// `8.0` of `net8.0-android`.
fn version(target: &str) -> String {
    let target = target.split('-').next().unwrap_or(target);
    let number = target.trim_start_matches(|c: char| !c.is_ascii_digit());
    if number.is_empty() { target.to_owned() } else { number.to_owned() }
}

/// What source that uses it has in it.
fn marks(name: &str) -> &'static [&'static str] {
    match name {
        ".NET MAUI" => &["MauiApp", "Microsoft.Maui"],
        "Blazor" => {
            &["Microsoft.AspNetCore.Components", "WebAssemblyHostBuilder", "AddRazorComponents"]
        }
        "WPF" => &["System.Windows", "Application.Current"],
        "Windows Forms" => &["System.Windows.Forms"],
        "ASP.NET Core" => &["WebApplication.Create", "Microsoft.AspNetCore", "WebHost"],
        ".NET Worker Service" => &["BackgroundService"],
        _ => &["static void Main", "Console.", "static async Task Main", "static int Main"],
    }
}
