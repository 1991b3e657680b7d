//! A project and its code may have two names: each is set by itself, and one never takes the other's place.

use std::fs;

use crate::{
    home::Home,
    support::{Folder, Outcome, text},
};

/// A project of Django as `startproject choir` and `startapp singers` leave it.
const CHOIR: [(&str, &str); 9] = [
    ("requirements.txt", "Django>=5.1\n"),
    (
        "manage.py",
        "import os\nimport sys\n\n\ndef main():\n    \
         os.environ.setdefault(\"DJANGO_SETTINGS_MODULE\", \"choir.settings\")\n    \
         from django.core.management import execute_from_command_line\n\n    \
         execute_from_command_line(sys.argv)\n\n\nif __name__ == \"__main__\":\n    main()\n",
    ),
    ("choir/__init__.py", ""),
    (
        "choir/settings.py",
        "INSTALLED_APPS = [\n    \"django.contrib.auth\",\n    \"singers\",\n]\n\n\
         ROOT_URLCONF = \"choir.urls\"\nWSGI_APPLICATION = \"choir.wsgi.application\"\n",
    ),
    (
        "choir/urls.py",
        "from django.urls import path\n\nfrom singers import views\n\n\
         urlpatterns = [path(\"\", views.index)]\n",
    ),
    ("singers/__init__.py", ""),
    (
        "singers/models.py",
        "from django.db import models\n\n\nclass Singer(models.Model):\n    \
         name = models.CharField(max_length=100)\n",
    ),
    (
        "singers/views.py",
        "from django.http import HttpResponse\n\nfrom singers.models import Singer\n\n\n\
         def index(request):\n    return HttpResponse(str(Singer.objects.count()))\n",
    ),
    (
        "singers/apps.py",
        "from django.apps import AppConfig\n\n\nclass SingersConfig(AppConfig):\n    \
         name = \"singers\"\n",
    ),
];

/// A folder with the template of it.
fn made() -> (Folder, Home) {
    let (folder, home) = (Folder::new(), Home::new());
    for (name, content) in CHOIR {
        let path = folder.path().join("choir-site").join(name);
        fs::create_dir_all(path.parent().expect("it is in the project")).expect("it is made");
        fs::write(path, content).expect("it is written");
    }
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (project, output) = (at("choir-site"), at("template"));
    let args = ["template", "create", "--path", &project, "--name", "choir-site", "--output"];
    let args = [&args[..], &[&output, "--no-ask", "--no-agents"]].concat();
    home.consign(&args).env("HOME", folder.path()).run().exits(0);
    (folder, home)
}

fn new(folder: &Folder, to: &str, set: &[&str]) -> Outcome {
    let at = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let (from, to) = (at("template"), at(to));
    let mut args = vec!["template", "new", "--json", "--from", &from, "--to", &to];
    set.iter().for_each(|set| args.extend(["--set", set]));
    crate::support::consign(args)
}

#[test]
fn a_new_name_for_the_project_leaves_its_application_alone() {
    let (folder, _home) = made();
    let told = new(&folder, "tea", &["name=tea-house"]).exits(0).json();
    let values = told["values"].as_array().expect("it is a list");
    let origins: Vec<_> =
        values.iter().map(|it| (text(it, "setting"), text(it, "origin"))).collect();
    assert_eq!(origins, [("name", "set"), ("namespace", "default")], "{told}");
    let read = |path: &str| {
        fs::read_to_string(folder.path().join("tea").join(path))
            .unwrap_or_else(|cause| panic!("{path}: {cause}"))
    };
    assert!(read("manage.py").contains("\"tea_house.settings\""));
    let settings = read("tea_house/settings.py");
    assert!(settings.contains("\"singers\"") && settings.contains("\"tea_house.urls\""));
    assert!(read("tea_house/urls.py").contains("from singers import views"));
    assert!(read("singers/models.py").contains("class Singer"));
}

#[test]
fn both_names_are_set_each_by_itself() {
    let (folder, _home) = made();
    new(&folder, "both", &["name=tea-house", "namespace=guests"]).exits(0);
    let both = folder.path().join("both");
    assert!(both.join("tea_house/settings.py").is_file());
    let views = fs::read_to_string(both.join("guests/views.py")).expect("it is there");
    assert!(views.contains("from guests.models import"), "{views}");
    new(&folder, "app", &["namespace=guests"]).exits(0);
    assert!(folder.path().join("app/choir/settings.py").is_file());
    assert!(folder.path().join("app/guests/models.py").is_file());
}

#[test]
fn one_name_for_both_is_refused_and_the_reason_is_told() {
    let (folder, _home) = made();
    for set in [&["name=singers"][..], &["name=tea", "namespace=tea"], &["namespace=choir"]] {
        let error = new(&folder, "none", set).exits(2).error();
        assert_eq!(error["code"], "VALUE_INVALID", "{error}");
        let message = error["message"].as_str().unwrap_or_default();
        assert!(message.contains("namespace") && message.contains("name"), "{message}");
        assert!(message.contains("something else"), "{message}");
        assert!(!folder.path().join("none").exists());
    }
}
