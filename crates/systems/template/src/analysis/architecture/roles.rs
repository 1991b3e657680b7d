//! Patterns by the roles of files and types: MVC, MVVM, repository, CQRS, components, results,
//! plugins.

use consign_code::Language;

use super::{
    look::Look,
    signs::{Signs, Sort},
};
use crate::analysis::Pattern;

pub(super) fn mvc(look: &Look<'_>) -> Option<Pattern> {
    let mut signs = Signs::default();
    let folders =
        [&["controllers", "controller"][..], &["views", "templates"], &["models", "model"]];
    let seen = folders.map(|words| look.see_folder(&mut signs, words));
    if seen != [true; 3] {
        return None;
    }
    look.see_types(&mut signs, "Controller", 2);
    look.see_package(&mut signs, &["rails", "laravel/framework"]);
    signs.pattern("MVC")
}

/// Django's pattern: models, views and templates or routes in each app.
pub(super) fn mvt(look: &Look<'_>) -> Option<Pattern> {
    let mut signs = Signs::default();
    let named = |name: &str| {
        look.project.paths().find(|path| path.ends_with(name) && !path.contains("test"))
    };
    let (models, views) = (named("/models.py")?, named("/views.py")?);
    if !look.see_package(&mut signs, &["django"]) {
        return None;
    }
    signs.see(Sort::Shape, models, None, "models of an app".to_owned());
    signs.see(Sort::Shape, views, None, "views of an app".to_owned());
    if let Some(urls) = named("/urls.py") {
        signs.see(Sort::Shape, urls, None, "routes to the views".to_owned());
    }
    look.see_folder(&mut signs, &["templates"]);
    signs.pattern("MVT")
}

pub(super) fn mvvm(look: &Look<'_>) -> Option<Pattern> {
    let mut signs = Signs::default();
    look.see_folder(&mut signs, &["viewmodels", "viewmodel", "view_models"]);
    if look.see_types(&mut signs, "ViewModel", 3) == 0 {
        return None;
    }
    look.see_folder(&mut signs, &["views", "pages", "screens"]);
    look.see_package(&mut signs, &["CommunityToolkit.Mvvm", "Prism", "ReactiveUI", "MvvmLight"]);
    look.see_text(
        &mut signs,
        &[
            "INotifyPropertyChanged",
            "ObservableObject",
            "[ObservableProperty]",
            "androidx.lifecycle",
        ],
    );
    signs.pattern("MVVM")
}

pub(super) fn repository(look: &Look<'_>) -> Option<Pattern> {
    let mut signs = Signs::default();
    look.see_folder(&mut signs, &["repositories", "repository", "repos", "repo"]);
    let types = look.see_types(&mut signs, "Repository", 4) + look.see_types(&mut signs, "Repo", 2);
    if types == 0 {
        return None;
    }
    // An interface with an implementation, or a type that others are given.
    let pair = look.project.seen.types.iter().find(|one| {
        one.is_abstract && (one.name.ends_with("Repository") || one.name.ends_with("Repo"))
    });
    if let Some(port) = pair {
        let what = format!("`{}` says what others may rely on", port.name);
        signs.see(Sort::Shape, &port.path, Some(port.line), what);
    }
    let used = look.project.code().find(|one| {
        !one.path.to_ascii_lowercase().contains("repositor")
            && one.has(&["Repository", "repository", "_repo", "Repo"])
    });
    if let Some(one) = used
        && let Some((line, needle)) = one.find(&["Repository", "repository", "_repo", "Repo"])
    {
        signs.see(Sort::Import, &one.path, Some(line), format!("is given a `{needle}`"));
    }
    signs.pattern("Repository")
}

pub(super) fn cqrs(look: &Look<'_>) -> Option<Pattern> {
    let mut signs = Signs::default();
    let folders = [&["commands", "command"][..], &["queries", "query"]];
    let both = folders.map(|words| look.see_folder(&mut signs, words)) == [true; 2];
    let commands =
        look.see_types(&mut signs, "Command", 2) + look.see_types(&mut signs, "CommandHandler", 1);
    let queries =
        look.see_types(&mut signs, "Query", 2) + look.see_types(&mut signs, "QueryHandler", 1);
    // Many programs have commands and queries. What carries them to their handlers makes the pattern.
    let carried = look
        .see_package(&mut signs, &["MediatR", "@nestjs/cqrs", "Wolverine", "Mediator"])
        | look.see_text(
            &mut signs,
            &["IRequestHandler<", "ICommandHandler", "CommandBus", "QueryBus", "CommandHandler"],
        );
    if !carried || (commands == 0 || queries == 0) && !both {
        return None;
    }
    signs.pattern("CQRS")
}

pub(super) fn components(look: &Look<'_>) -> Option<Pattern> {
    let mut signs = Signs::default();
    if !look.see_folder(&mut signs, &["components"]) {
        return None;
    }
    let views = [Language::Tsx, Language::Vue, Language::Svelte];
    let own = look.project.code().filter(|one| {
        views.contains(&one.language)
            || one.path.ends_with(".jsx")
            || one.path.ends_with(".component.ts")
    });
    let own: Vec<_> = own.take(3).collect();
    for one in &own {
        let name = one.stem().to_owned();
        signs.see(Sort::Shape, &one.path, None, format!("component `{name}`"));
    }
    if own.len() < 2 {
        return None;
    }
    look.see_package(&mut signs, &["react", "vue", "svelte", "@angular/core"]);
    signs.pattern("Component-based")
}

/// Failures as values, in languages with exceptions.
pub(super) fn result(look: &Look<'_>) -> Option<Pattern> {
    let mut signs = Signs::default();
    let packages = [
        "ErrorOr",
        "FluentResults",
        "OneOf",
        "neverthrow",
        "io.arrow-kt:",
        "CSharpFunctionalExtensions",
        "Ardalis.Result",
    ];
    look.see_package(&mut signs, &packages);
    let throwing = [
        Language::CSharp,
        Language::TypeScript,
        Language::Kotlin,
        Language::Java,
        Language::Python,
    ];
    let marks = ["ErrorOr<", "Result<", "Result.Failure", "Either<", "Result.fail"];
    let using: Vec<_> = look.project.code_in(&throwing).filter(|one| one.has(&marks)).collect();
    for one in using.iter().take(3) {
        if let Some((line, mark)) = one.find(&marks) {
            signs.see(Sort::Import, &one.path, Some(line), format!("returns `{mark}…`"));
        }
    }
    let own = look.project.seen.types.iter().find(|one| {
        ["Result", "Either", "ErrorOr"].contains(&one.name.as_str())
            && throwing.iter().any(|language| Language::of(&one.path) == Some(*language))
    });
    if let Some(one) = own {
        signs.see(Sort::Type, &one.path, Some(one.line), format!("type `{}`", one.name));
    }
    if signs.count() < 3 && using.len() < 2 {
        return None;
    }
    signs.pattern("Result")
}

pub(super) fn plugin(look: &Look<'_>) -> Option<Pattern> {
    let mut signs = Signs::default();
    if !look.see_folder(&mut signs, &["plugins", "extensions", "plugin"]) {
        return None;
    }
    if look.see_types(&mut signs, "Plugin", 3) < 2 {
        return None;
    }
    look.see_text(
        &mut signs,
        &["register_plugin", "registerPlugin", "RegisterPlugin", "load_plugins", "loadPlugins"],
    );
    signs.pattern("Plugin")
}
