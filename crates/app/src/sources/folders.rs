//! Repositories right below a folder that the operator shares with all users.
//!
//! A user names a folder, never a path. What would lead elsewhere is refused: a link, a `.git` that is a file or a
//! link, and whatever in it names files or objects of others ([`check_git_directory`]). It is checked each time that a
//! step of a job opens it.

use std::path::{Path, PathBuf};

use consign_code::check_git_directory;
use consign_engine::Fault;
use consign_files::{Error, Kind, Root};
use consign_repositories::Local;

use crate::error::Refused;

/// A folder with repositories in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Shared {
    folder: PathBuf,
}

impl Shared {
    /// Refuses a folder that does not exist, and one that contains the home or lies in it: keys and jobs of users are there.
    pub(super) fn open(folder: &Path, home: &Path) -> Result<Self, Refused> {
        let root = Root::open(folder)
            .map_err(|cause| Refused::usage("REPOS_UNREADABLE", cause.to_string()))?;
        let home = std::fs::canonicalize(home).unwrap_or_else(|_| home.to_owned());
        if root.path().starts_with(&home) || home.starts_with(root.path()) {
            let told =
                format!("{} has the home of this server in it, or lies in it", folder.display());
            let hint = "users could read keys and jobs of others: name another directory";
            return Err(Refused::usage("REPO_IS_HOME", told).hint(hint));
        }
        Ok(Self { folder: root.path().to_owned() })
    }

    /// The repository of this name.
    pub(super) fn repository(&self, name: &str) -> Result<Local, Fault> {
        let lost = |cause: Error| Fault::transient("REPOSITORY_UNREACHABLE", cause.to_string());
        // Only what lies right below the folder, and not the folder itself.
        if matches!(name, "" | "." | "..") || name.contains('/') {
            return Err(missing(name));
        }
        let root = Root::open(&self.folder).map_err(lost)?;
        let folder = match root.metadata(name).map(|about| about.kind) {
            Ok(Kind::Folder) => root.open_dir(name).map_err(lost)?,
            Ok(Kind::Link | Kind::File | Kind::Other) => return Err(missing(name)),
            Err(Error::Missing { .. } | Error::BadPath { .. }) => return Err(missing(name)),
            Err(cause) => return Err(lost(cause)),
        };
        let inside = match folder.metadata(".git").map(|about| about.kind) {
            Ok(Kind::Folder) => folder.open_dir(".git").map_err(lost)?,
            Ok(Kind::Link | Kind::File | Kind::Other) => return Err(leads_out(name, ".git")),
            // A bare repository.
            Err(Error::Missing { .. }) => folder.open_dir("").map_err(lost)?,
            Err(cause) => return Err(lost(cause)),
        };
        check_git_directory(inside.path()).map_err(|why| {
            let told = format!("the repository {name:?} cannot be opened: {}", reason(&why));
            Fault::permanent("REPOSITORY_REFUSED", told)
        })?;
        Ok(Local::new(folder.path()))
    }
}

fn missing(name: &str) -> Fault {
    let told = format!("there is no repository {name:?} in the folder of repositories");
    Fault::permanent("REPOSITORY_NOT_FOUND", told)
}

fn leads_out(name: &str, path: &str) -> Fault {
    let told = format!("the repository {name:?} cannot be opened: its {path} leads elsewhere");
    Fault::permanent("REPOSITORY_REFUSED", told)
}

fn reason(why: &consign_code::Error) -> String {
    if let consign_code::Error::NoHistory { reason } = why {
        return reason.clone();
    }
    why.to_string()
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use tempfile::TempDir;

    use super::*;

    /// What a repository is made of, as far as it is looked at.
    fn made(folder: &Path) {
        for name in ["objects/info", "objects/pack", "refs/heads"] {
            fs::create_dir_all(folder.join(name)).unwrap();
        }
        fs::write(folder.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        fs::write(folder.join("config"), "[core]\n").unwrap();
    }

    fn world() -> (TempDir, TempDir, Shared) {
        let (folder, home) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let shared = Shared::open(folder.path(), home.path()).unwrap();
        (folder, home, shared)
    }

    #[test]
    fn a_repository_right_below_is_opened_by_its_name() {
        let (folder, _home, shared) = world();
        made(&folder.path().join("shop/.git"));
        made(&folder.path().join("bare.git"));
        assert!(shared.repository("shop").is_ok() && shared.repository("bare.git").is_ok());
        fs::write(folder.path().join("file"), "x").unwrap();
        for none in ["none", "file", "..", ".", "shop/.git", "/etc", ""] {
            assert!(shared.repository(none).is_err(), "{none:?}");
        }
    }

    #[test]
    fn what_leads_elsewhere_is_refused() {
        let (folder, home, shared) = world();
        let other = home.path().join("other");
        made(&other.join(".git"));
        let check = |name: &str, spoil: &dyn Fn(&Path)| {
            let at = folder.path().join(name);
            made(&at.join(".git"));
            assert!(shared.repository(name).is_ok(), "{name}");
            spoil(&at);
            assert!(shared.repository(name).is_err(), "{name}");
        };
        symlink(&other, folder.path().join("link")).unwrap();
        assert!(shared.repository("link").is_err());
        check("git-link", &|at| {
            fs::remove_dir_all(at.join(".git")).unwrap();
            symlink(other.join(".git"), at.join(".git")).unwrap();
        });
        check("git-file", &|at| {
            fs::remove_dir_all(at.join(".git")).unwrap();
            fs::write(at.join(".git"), format!("gitdir: {}", other.display())).unwrap();
        });
        check("borrowed", &|at| {
            fs::write(at.join(".git/objects/info/alternates"), "/srv/other/objects\n").unwrap();
        });
        check("worktree", &|at| fs::write(at.join(".git/commondir"), "../../x").unwrap());
        for part in ["objects", "refs", "objects/pack"] {
            check(&part.replace('/', "-"), &|at| {
                let path = at.join(".git").join(part);
                fs::remove_dir_all(&path).unwrap();
                symlink(other.join(".git").join(part), path).unwrap();
            });
        }
        for (name, link) in [
            ("loose", "objects/0f"),
            ("pack", "objects/pack/pack-1.pack"),
            ("shallow", "shallow"),
            // A commit would be written through these.
            ("log", "logs"),
            ("branch", "refs/heads/docs"),
        ] {
            check(name, &|at| {
                symlink(other.join(".git/config"), at.join(".git").join(link)).unwrap()
            });
        }
        check("head", &|at| {
            fs::remove_file(at.join(".git/HEAD")).unwrap();
            symlink(other.join(".git/HEAD"), at.join(".git/HEAD")).unwrap();
        });
    }

    #[test]
    fn a_configuration_that_names_files_of_the_server_is_refused() {
        let (folder, _home, shared) = world();
        let private = folder.path().join("private");
        fs::write(&private, "[user]\nname = Ada of the server\n").unwrap();
        let shown = private.display();
        for (at, (config, is_fit)) in [
            (format!("[include]\npath = {shown}\n"), false),
            (format!("[core]\n\tbare = false\n[INCLUDE] Path={shown}\n"), false),
            (format!("[includeIf \"gitdir:/\"]\npath = {shown}\n"), false),
            (format!("[includeIf \"onbranch:main\"] path = {shown}\n"), false),
            (format!("[core]\nworktree = {shown}\n"), false),
            (format!("[core]\nAttributesFile = {shown}\n"), false),
            (format!("[core]\nexcludesfile={shown}\n"), false),
            ("[core\n".to_owned(), false),
            // Nothing of this is followed, or run.
            ("[core]\nhooksPath = .husky\n[remote \"origin\"]\nurl = /srv/x\n".to_owned(), true),
        ]
        .into_iter()
        .enumerate()
        {
            for (place, file) in [(".git", "config"), ("", "config"), (".git", "config.worktree")] {
                let name = format!("repo-{at}-{}-{file}", place.len());
                let git = folder.path().join(&name).join(place);
                made(&git);
                assert!(shared.repository(&name).is_ok());
                fs::write(git.join(file), &config).unwrap();
                let opened = shared.repository(&name);
                assert_eq!(opened.is_ok(), is_fit, "{config}: {opened:?}");
                if let Err(fault) = opened {
                    assert!(!fault.message.contains("Ada of the server"), "{fault:?}");
                    assert_eq!(fault.code, "REPOSITORY_REFUSED", "{fault:?}");
                }
            }
        }
    }

    #[test]
    fn the_home_is_not_shared() {
        let (folder, home, _) = world();
        let refused = |folder: &Path| Shared::open(folder, home.path()).unwrap_err().code;
        assert_eq!(refused(home.path()), "REPO_IS_HOME");
        assert_eq!(refused(home.path().parent().unwrap()), "REPO_IS_HOME");
        assert_eq!(refused(&folder.path().join("none")), "REPOS_UNREADABLE");
    }
}
