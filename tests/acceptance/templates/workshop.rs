//! A project of which a template is made, a home, and somebody outside who answers.

use std::{collections::BTreeSet, fs, path::PathBuf};

use serde_json::{Value, json};

use crate::{
    home::Home,
    support::{Consign, Folder, Outcome, text},
};

/// The files of the bridge.
pub(crate) const STATE: &str = ".template-create-state.json";
pub(crate) const REQUEST: &str = ".agent-request.json";
pub(crate) const RESPONSE: &str = ".agent-response.json";

/// A small web service, as people write them.
const PROJECT: [(&str, &str); 8] = [
    (
        "pyproject.toml",
        "[project]\nname = \"order-desk\"\nversion = \"0.3.0\"\nauthors = [{name = \"Ada Example\"}]\n\
         dependencies = [\"fastapi>=0.115\"]\n[project.optional-dependencies]\ndev = [\"pytest>=8\"]\n",
    ),
    ("order_desk/__init__.py", ""),
    (
        "order_desk/main.py",
        "from fastapi import FastAPI\n\nfrom order_desk.routes import orders\n\napp = FastAPI()\n\
         app.include_router(orders.router)\n",
    ),
    ("order_desk/routes/__init__.py", ""),
    (
        "order_desk/routes/orders.py",
        "from fastapi import APIRouter, HTTPException\n\nfrom order_desk.services import order_service\n\n\
         router = APIRouter()\n\n\n@router.post(\"/orders\")\ndef create_order(name: str) -> dict:\n    \
         return order_service.create_order(name)\n\n\n@router.get(\"/orders/{key}\")\n\
         def read_order(key: int) -> dict:\n    order = order_service.read_order(key)\n    \
         if order is None:\n        raise HTTPException(404)\n    return order\n",
    ),
    ("order_desk/services/__init__.py", ""),
    (
        "order_desk/services/order_service.py",
        "ORDERS: dict = {}\n\n\ndef create_order(name: str) -> dict:\n    order = {\"key\": len(ORDERS), \
         \"name\": name}\n    ORDERS[order[\"key\"]] = order\n    return order\n\n\n\
         def read_order(key: int) -> dict | None:\n    return ORDERS.get(key)\n",
    ),
    (
        "tests/test_orders.py",
        "from order_desk.services import order_service\n\n\ndef test_orders_are_kept():\n    \
         made = order_service.create_order(\"tea\")\n    assert order_service.read_order(made[\"key\"]) == made\n",
    ),
];

/// A project and all that is around it.
pub(crate) struct Workshop {
    pub(crate) home: Home,
    folder: Folder,
}

impl Workshop {
    pub(crate) fn new() -> Self {
        let this = Self { home: Home::new(), folder: Folder::new() };
        for (name, content) in PROJECT {
            let path = this.project().join(name);
            fs::create_dir_all(path.parent().expect("it is in the project")).expect("it is made");
            fs::write(path, content).expect("it is written");
        }
        this
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    pub(crate) fn output(&self) -> PathBuf {
        self.folder.path().join("template")
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        self.folder.file(name, content)
    }

    pub(crate) fn consign(&self, args: &[&str]) -> Consign {
        // Whoever runs the tests may have agents of their own.
        self.home.consign(args).env("HOME", self.folder.path())
    }

    pub(crate) fn run(&self, args: &[&str]) -> Outcome {
        self.consign(args).run()
    }

    /// `template create` on the project.
    pub(crate) fn creating(&self, more: &[&str]) -> Consign {
        let (project, output) = (self.project(), self.output());
        let (project, output) = (project.to_string_lossy(), output.to_string_lossy());
        let mut args = vec!["template", "create", "--json", "--path", &project];
        args.extend(["--name", "order-api", "--output", &output]);
        args.extend(more);
        self.consign(&args)
    }

    pub(crate) fn create(&self, more: &[&str]) -> Outcome {
        self.creating(more).run()
    }

    pub(crate) fn resume(&self) -> Outcome {
        self.create(&["--resume"])
    }

    pub(crate) fn put(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.project().join(name), content).expect("the project can be written");
    }

    pub(crate) fn take(&self, name: &str) {
        fs::remove_file(self.project().join(name)).expect("it is there");
    }

    /// A file of the bridge.
    pub(crate) fn read(&self, name: &str) -> Value {
        let bytes = fs::read(self.project().join(name));
        let bytes = bytes.unwrap_or_else(|cause| panic!("{name}: {cause}"));
        serde_json::from_slice(&bytes).expect("it is JSON")
    }

    /// What of the bridge lies in the project.
    pub(crate) fn there(&self) -> BTreeSet<String> {
        let names = fs::read_dir(self.project()).expect("the project is there");
        let names = names.map(|entry| entry.expect("it can be listed").file_name());
        let names = names.map(|name| name.to_string_lossy().into_owned());
        names.filter(|name| name.starts_with(".agent-") || name.starts_with(".template-")).collect()
    }

    /// The pending request.
    pub(crate) fn request(&self) -> Value {
        self.read(REQUEST)
    }

    /// A response to the pending request, with these members.
    pub(crate) fn response(&self, members: Value) -> Value {
        let mut response = json!({
            "request_id": text(&self.request(), "request_id"),
            "version": "1.0",
            "created_at": "2030-01-01T00:00:00Z",
        });
        for (name, value) in members.as_object().expect("members are an object") {
            response[name] = value.clone();
        }
        response
    }

    pub(crate) fn respond(&self, members: Value) {
        self.put(RESPONSE, self.response(members).to_string());
    }

    /// Answers the pending request well.
    pub(crate) fn answer(&self) {
        let answer = answer(&self.request(), 0.95);
        self.respond(json!({"status": "success", "response": answer.to_string()}));
    }

    /// Goes on, answering well, until a request of this phase is pending.
    pub(crate) fn until(&self, phase_name: &str) {
        self.create(&[]).exits(42);
        for _ in 0..20 {
            if text(&self.request(), "phase_name") == phase_name {
                return;
            }
            self.answer();
            self.resume().exits(42);
        }
        panic!("{phase_name} is never asked");
    }
}

/// What a good agent says.
pub(crate) fn answer(request: &Value, confidence: f64) -> Value {
    match text(request, "phase_name") {
        "codebase_analysis" => json!({
            "technology_stack": {"primary_language": "Python", "framework": "FastAPI", "confidence": 0.95},
            "overall_confidence": confidence,
        }),
        "agent_creation" => json!({
            "agents": [
                {"name": "route-specialist", "description": "Knows the routes", "reason": "there are routes",
                 "technologies": ["fastapi"], "priority": 8},
                {"name": "service-specialist", "description": "Knows the services", "reason": "there are services",
                 "technologies": ["python"], "priority": 6},
            ],
            "overall_confidence": confidence,
        }),
        _ => json!({
            "agent_name": enhanced(request),
            "content": "## What to do\n\nKeep handlers thin.\n",
            "overall_confidence": confidence,
        }),
    }
}

/// The agent that a request of phase 7 is about.
fn enhanced(request: &Value) -> &'static str {
    let prompt = text(request, "prompt");
    if prompt.contains("route-specialist") { "route-specialist" } else { "service-specialist" }
}
