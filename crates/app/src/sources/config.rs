//! Where repositories are: `sources.toml` in the home, and the environment, which goes before it.
//!
//! ```toml
//! [github]
//! api_url = "https://github.example.com/api/v3"
//! mcp_command = ["docker", "run", "-i", "--rm", "-e", "GITHUB_PERSONAL_ACCESS_TOKEN", "ghcr.io/github/github-mcp-server"]
//!
//! [local]
//! repos = "/srv/repos"
//! ```

use std::{
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    time::Duration,
};

use consign_files::trusted;
use consign_repositories::github::{mcp, rest};
use serde::Deserialize;

/// The variables that go before the file.
const API_URL: &str = "GITHUB_API_URL";
const MCP_URL: &str = "GITHUB_MCP_URL";
/// A file that a person writes is never larger.
const MOST_BYTES: u64 = 1 << 20;
/// The longest time for one request, in seconds.
const LONGEST: u64 = 3_600;

/// Where the repositories of a home are.
#[derive(Clone, Debug, Default)]
pub struct Config {
    pub(super) github: GitHubConfig,
    /// The folder whose repositories are shared.
    pub(super) repos: Option<PathBuf>,
}

/// How GitHub is reached.
#[derive(Clone, Debug)]
pub(super) enum GitHubConfig {
    Rest(rest::Options),
    Mcp(mcp::Options),
}

impl Default for GitHubConfig {
    fn default() -> Self {
        Self::Rest(rest::Options::default())
    }
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SourcesFile {
    github: GitHubFile,
    local: LocalFile,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct GitHubFile {
    api_url: Option<String>,
    mcp_url: Option<String>,
    mcp_command: Option<Vec<String>>,
    timeout_seconds: Option<u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct LocalFile {
    repos: Option<PathBuf>,
}

impl Config {
    /// Reads the configuration of a home. The error names the file or the variable, and what is wrong with it.
    pub fn load(home: &Path, look: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let path = home.join("sources.toml");
        let is_there = match fs::symlink_metadata(&path) {
            Err(cause) if cause.kind() == ErrorKind::NotFound => false,
            Ok(_) | Err(_) => true,
        };
        let text = match is_there {
            false => String::new(),
            true => {
                let bytes = trusted::read(&path, MOST_BYTES).map_err(|why| why.to_string())?;
                String::from_utf8(bytes).map_err(|_| "sources.toml: it is not text".to_owned())?
            }
        };
        Self::read(&text, look)
    }

    fn read(text: &str, look: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let SourcesFile { github, local } =
            toml::from_str(text).map_err(|cause| format!("sources.toml: {cause}"))?;
        if let Some(repos) = local.repos.as_ref().filter(|repos| !repos.is_absolute()) {
            return Err(format!("sources.toml: local.repos: {:?} is not an absolute path", repos));
        }
        let look = |name: &str| look(name).filter(|value| !value.is_empty());
        let timeout = github.timeout_seconds.map(|it| Duration::from_secs(it.clamp(1, LONGEST)));
        let github = match (look(MCP_URL), github.mcp_url, github.mcp_command) {
            (None, Some(_), Some(_)) => {
                return Err(
                    "sources.toml: github.mcp_url and github.mcp_command are there; keep one"
                        .to_owned(),
                );
            }
            (Some(url), ..) => over_mcp(MCP_URL, Some(url), timeout)?,
            (None, Some(url), None) => {
                over_mcp("sources.toml: github.mcp_url", Some(url), timeout)?
            }
            (None, None, Some(command)) => {
                let reached = mcp::Reached::Command(command);
                checked_mcp("sources.toml: github.mcp_command", reached, timeout)?
            }
            (None, None, None) => {
                let name = "sources.toml: github.api_url";
                let given = look(API_URL).map(|url| (API_URL, url));
                over_rest(given.or(github.api_url.map(|url| (name, url))), timeout)?
            }
        };
        Ok(Self { github, repos: local.repos })
    }
}

fn over_rest(
    given: Option<(&str, String)>,
    timeout: Option<Duration>,
) -> Result<GitHubConfig, String> {
    let mut options = rest::Options::default();
    options.timeout = timeout.unwrap_or(options.timeout);
    if let Some((name, url)) = given {
        // The operator says so: a server of the company has an address of its network.
        (options.base_url, options.allow_private) = (url, true);
        // A client costs time and file handles: without an address of the operator's there is nothing to check.
        rest::Rest::new(&options, None).map_err(|why| format!("{name}: {why}"))?;
    }
    Ok(GitHubConfig::Rest(options))
}

fn over_mcp(
    name: &str,
    url: Option<String>,
    timeout: Option<Duration>,
) -> Result<GitHubConfig, String> {
    let url = url.unwrap_or_default();
    checked_mcp(name, mcp::Reached::Url { url, allow_private: true }, timeout)
}

fn checked_mcp(
    name: &str,
    reached: mcp::Reached,
    timeout: Option<Duration>,
) -> Result<GitHubConfig, String> {
    let mut options = mcp::Options::new(reached);
    options.timeout = timeout.unwrap_or(options.timeout);
    mcp::Server::new(&options, None).map_err(|why| format!("{name}: {why}"))?;
    Ok(GitHubConfig::Mcp(options))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, variables: &[(&str, &str)]) -> Result<Config, String> {
        let found = |name: &str| variables.iter().find(|(known, _)| *known == name);
        Config::read(text, |name| found(name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn the_environment_goes_before_the_file() {
        let place = |config: Config| match config.github {
            GitHubConfig::Rest(options) => options.base_url,
            GitHubConfig::Mcp(mcp::Options { reached: mcp::Reached::Url { url, .. }, .. }) => url,
            GitHubConfig::Mcp(mcp::Options { reached: mcp::Reached::Command(it), .. }) => {
                it.join(" ")
            }
        };
        let check = |text: &str, variables: &[(&str, &str)], expected: &str| {
            assert_eq!(read(text, variables).map(place).as_deref(), Ok(expected), "{text}");
        };
        let file = "[github]\napi_url = 'https://github.example.com/api/v3'";
        check("", &[], "https://api.github.com");
        check("", &[("GITHUB_API_URL", "")], "https://api.github.com");
        check(file, &[], "https://github.example.com/api/v3");
        check(file, &[("GITHUB_API_URL", "http://127.0.0.1:9")], "http://127.0.0.1:9");
        check(file, &[("GITHUB_MCP_URL", "http://127.0.0.1:9/mcp")], "http://127.0.0.1:9/mcp");
        check("[github]\nmcp_command = ['npx', 'x']", &[], "npx x");
        check("[github]\nmcp_url = 'https://mcp.example.com/'", &[], "https://mcp.example.com/");
    }

    #[test]
    fn what_is_wrong_is_named() {
        let check = |text: &str, variables: &[(&str, &str)], why: &str| {
            let found = read(text, variables).unwrap_err();
            assert!(found.contains(why), "{found}");
        };
        check("[github]\napi_uri = 'x'", &[], "line 2");
        check("[github]\napi_url = 'ftp://x'", &[], "github.api_url");
        check("[github]\nmcp_command = []", &[], "github.mcp_command");
        check("[github]\nmcp_command = ['x']\nmcp_url = 'https://x'", &[], "keep one");
        check("[local]\nrepos = 'here'", &[], "not an absolute path");
        check("", &[("GITHUB_API_URL", "http://github.example.com")], "must begin with https");
        check("", &[("GITHUB_MCP_URL", "nowhere")], "GITHUB_MCP_URL");
    }
}
