//! Checks the host that a request names. A name of another site whose DNS points at this machine is
//! refused: a page of that name would otherwise be of our origin.

use std::net::{Ipv4Addr, Ipv6Addr};

use axum::http::{HeaderMap, Uri, header};
use consign_contracts::json::Json;

use crate::{
    error::{Part, Problem},
    view::object,
};

/// Gives the host with its port, as the client wrote it.
pub(super) fn check<'a>(
    uri: &'a Uri,
    headers: &'a HeaderMap,
    allowed: &[String],
) -> Result<&'a str, Problem> {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return Err(Problem::invalid(
            Part::Header,
            "/host",
            "host",
            "a request has one `host` header",
        ));
    };
    let host = host.to_str().map_err(|_| refused(allowed))?;
    // A target with a host of its own counts in place of the header.
    let meant = uri.authority().map(|authority| authority.as_str());
    let ours = |host: &str| is_ours(host, allowed);
    let fits = ours(host) && meant.is_none_or(ours);
    if fits { Ok(meant.unwrap_or(host)) } else { Err(refused(allowed)) }
}

fn refused(allowed: &[String]) -> Problem {
    let known = ["localhost", "127.0.0.1", "[::1]"];
    let names: Vec<&str> = known.into_iter().chain(allowed.iter().map(String::as_str)).collect();
    let told = format!(
        "this server is not called what the `host` header says; it answers to {}, with any port. \
         `consign serve --allow-host NAME` adds a name",
        names.join(", ")
    );
    let hosts = names.iter().map(|name| Json::String(name.to_string().into()));
    let details = object([("hosts", Json::Array(hosts.collect()))]);
    Problem::new("MISDIRECTED", told).with_details(Json::Object(details))
}

/// Whether a name can be allowed: a host as clients write it, without scheme and port.
pub(crate) fn is_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
    match name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => (1..=253).contains(&name.len()) && !name.ends_with('.') && name.bytes().all(fits),
    }
}

fn is_ours(host: &str, allowed: &[String]) -> bool {
    let Some(name) = without_port(host) else { return false };
    if let Some(address) = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        let address = address.parse::<Ipv6Addr>();
        return address.is_ok_and(|address| address.is_loopback())
            || allowed.iter().any(|known| known.eq_ignore_ascii_case(name));
    }
    let name = name.strip_suffix('.').unwrap_or(name);
    name.eq_ignore_ascii_case("localhost")
        || name.parse::<Ipv4Addr>().is_ok_and(|address| address.is_loopback())
        || allowed.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// The host alone; `None` if what follows it is no port.
fn without_port(host: &str) -> Option<&str> {
    let end = if host.starts_with('[') {
        host.find(']')? + 1
    } else {
        host.find(':').unwrap_or(host.len())
    };
    let (name, port) = host.split_at(end);
    let fits = match port.strip_prefix(':') {
        Some(port) => port.len() <= 5 && port.bytes().all(|digit| digit.is_ascii_digit()),
        None => port.is_empty(),
    };
    (fits && !name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_is_refused_learns_the_names_and_how_to_add_one() {
        let problem = refused(&["consign.example".to_owned()]);
        for told in ["localhost, 127.0.0.1, [::1], consign.example", "--allow-host NAME"] {
            assert!(problem.message.contains(told), "{}", problem.message);
        }
        let hosts = r#"{"hosts":["localhost","127.0.0.1","[::1]","consign.example"]}"#;
        assert_eq!(problem.details.map(|details| details.to_string()).as_deref(), Some(hosts));
    }

    #[test]
    fn a_name_has_neither_scheme_nor_port() {
        for name in ["consign.example", "box", "10.0.0.7", "[fe80::1]", "a_b-c.d"] {
            assert!(is_name(name), "{name}");
            assert!(is_ours(name, &[name.to_owned()]), "{name}");
        }
        for other in ["", "http://box", "box:80", "box/", "a b", "box.", "[::1", "*", "fe80::1"] {
            assert!(!is_name(other), "{other}");
        }
    }

    #[test]
    fn only_our_own_names_are_ours() {
        let allowed = ["consign.example".to_owned()];
        for ours in [
            "localhost",
            "LOCALHOST:80",
            "localhost.",
            "127.0.0.1:8080",
            "127.9.9.9",
            "[::1]:80",
            "[::1]",
            "consign.example:443",
            "Consign.Example",
        ] {
            assert!(is_ours(ours, &allowed), "{ours}");
        }
        for other in [
            "",
            ":80",
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "evil.example:80",
            "consign.example.evil",
            "user@localhost",
            "localhost:80:90",
            "localhost:http",
            "localhost:123456",
            "[::2]",
            "[::1",
            "[::1]x",
            "10.0.0.1",
            "0.0.0.0",
            "localhost evil",
        ] {
            assert!(!is_ours(other, &allowed), "{other}");
        }
    }
}
