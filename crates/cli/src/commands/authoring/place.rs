//! The repository that a command names: a git folder, or `owner/repo` on GitHub.

use std::path::{Path, PathBuf};

use consign_app::{agent_jobs::base_branch, sources::LOCAL};
use consign_engine::Owner;

use super::given::is_remote;
use crate::{engine::Session, error::Error};

/// The longest name of a repository.
const LONGEST: usize = 100;

pub(in crate::commands) struct Place {
    pub(in crate::commands) owner: String,
    pub(in crate::commands) repo: String,
    /// The git folder, as an absolute path; nothing for GitHub.
    pub(in crate::commands) folder: Option<PathBuf>,
}

impl Place {
    /// A folder that is there counts before a repository of the same form.
    pub(in crate::commands) fn read(given: &str) -> Result<Self, Error> {
        let path = Path::new(given);
        if is_remote(path) && !path.exists() {
            let (owner, repo) = given.split_once('/').unwrap_or((given, ""));
            let (owner, repo) = (owner.to_owned(), repo.to_owned());
            return Ok(Self { owner, repo, folder: None });
        }
        let folder = path.canonicalize().map_err(|cause| Error::unreadable(path, &cause))?;
        if !is_repository(&folder) {
            let error = Error::usage(
                "REPOSITORY_UNREADABLE",
                format!("{} is not the folder of a git repository", folder.display()),
            );
            return Err(match folder.ancestors().find(|above| is_repository(above)) {
                Some(above) => error.hint(format!("it is below one: name {}", above.display())),
                None => error.hint("`git init` and a first commit make one"),
            });
        }
        Ok(Self { owner: LOCAL.to_owned(), repo: name(&folder), folder: Some(folder) })
    }

    /// The branch that work starts from: the one that is named, else the repository's own.
    pub(in crate::commands) async fn base(
        &self,
        session: &Session,
        owner: &Owner,
        named: Option<&str>,
    ) -> Result<String, Error> {
        let name = (self.owner.as_str(), self.repo.as_str());
        let found = base_branch(session, owner, name, self.folder.as_deref(), named).await;
        found.map_err(|error| {
            let error = Error::from(error);
            match error.code.as_ref() {
                "GITHUB_TOKEN_MISSING" => {
                    error.hint("`consign keys set github` keeps a token for you")
                }
                _ => error,
            }
        })
    }
}

fn is_repository(folder: &Path) -> bool {
    folder.join(".git").exists()
        || (folder.join("HEAD").is_file() && folder.join("objects").is_dir())
}

/// The name of a folder in letters that a repository's name may have.
fn name(folder: &Path) -> String {
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    let fit = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
    let name: String =
        name.unwrap_or_default().chars().filter(|it| fit(*it)).take(LONGEST).collect();
    match name.chars().all(|letter| letter == '.') {
        true => "repository".to_owned(),
        false => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_a_name_that_fits() {
        let check = |path: &str, expected: &str| assert_eq!(name(Path::new(path)), expected);
        check("/home/ada/shop.js", "shop.js");
        check("/home/ada/my shop", "myshop");
        check("/home/ada/¿?", "repository");
        check("/home/ada/..é", "repository");
        check("/", "repository");
    }
}
