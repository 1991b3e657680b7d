//! The models that work on this machine: which there are, and whether they are here.

use std::path::PathBuf;

use consign_app::local_models::{BUNDLES, Bundle, ModelFolder, State, model_folder};
use consign_contracts::json::{Json, Object};

use crate::{
    commands::runs::form,
    output::{BAD, GOOD, WARN, object, printable, styled},
};

/// A model, and whether it is here.
pub(in crate::commands) struct LocalModel {
    pub(in crate::commands) bundle: &'static Bundle,
    /// Where it is or would be.
    pub(in crate::commands) folder: Option<PathBuf>,
    pub(in crate::commands) state: Result<State, String>,
}

/// All that can be had.
pub(in crate::commands) fn look() -> Vec<LocalModel> {
    let folder = model_folder();
    BUNDLES.iter().map(|bundle| of(bundle, folder.as_ref())).collect()
}

/// One of them.
pub(super) fn of(bundle: &'static Bundle, folder: Option<&ModelFolder>) -> LocalModel {
    let no_folder = || "this user has no cache directory; CONSIGN_MODELS names another".to_owned();
    let state = match folder {
        Some(folder) => folder.look(bundle).map_err(|cause| cause.to_string()),
        None => Err(no_folder()),
    };
    let folder = folder.map(|folder| folder.path().join(bundle.folder));
    LocalModel { bundle, folder, state }
}

impl LocalModel {
    pub(in crate::commands) fn is_here(&self) -> bool {
        matches!(self.state, Ok(State::Present))
    }

    fn word(&self) -> &'static str {
        match &self.state {
            Ok(State::Present) => "present",
            Ok(State::Missing) => "missing",
            Ok(State::Damaged(_)) => "damaged",
            Err(_) => "unknown",
        }
    }

    /// `{"name", "state", "folder", "bytes", "used_for", "without"}`
    pub(in crate::commands) fn object(&self) -> Object<'static> {
        let Bundle { name, used_for, without, .. } = *self.bundle;
        let folder = self.folder.as_ref().map(|folder| form::text(folder.display()));
        object([
            ("name", Json::from(name)),
            ("state", Json::from(self.word())),
            ("folder", folder.unwrap_or(Json::Null)),
            ("bytes", form::number(self.bundle.bytes())),
            ("used_for", Json::from(used_for)),
            ("without", Json::from(without)),
        ])
    }

    /// A line about it, and how to get it.
    pub(in crate::commands) fn line(&self) -> String {
        let Bundle { name, used_for, without, .. } = *self.bundle;
        let fetch = format!("`consign models pull {name}` fetches it");
        match &self.state {
            Ok(State::Present) => {
                let folder = self.folder.as_ref().map(|folder| folder.display().to_string());
                let folder = folder.unwrap_or_default();
                format!("{} {name}, for {used_for}: {}", styled(GOOD, "ok"), printable(&folder))
            }
            Ok(State::Missing) => {
                format!("{} {name}: {without}; {fetch}", styled(WARN, "missing"))
            }
            Ok(State::Damaged(path)) => {
                let path = path.display().to_string();
                format!("{} {name}, {}: {fetch} anew", styled(BAD, "damaged"), printable(&path))
            }
            Err(why) => format!("{} {name}: {}", styled(BAD, "unknown"), printable(why)),
        }
    }
}
