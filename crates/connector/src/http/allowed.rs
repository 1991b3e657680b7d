//! Private addresses that the operator allows.

use std::{
    net::{IpAddr, Ipv6Addr},
    str::FromStr,
};

use consign_invokers::address::not_public;
use ipnet::IpNet;
use reqwest::Url;

/// What may be reached besides public addresses: single places, `host:port`, and networks, `10.1.0.0/16`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Allowed {
    places: Vec<(String, u16)>,
    networks: Vec<IpNet>,
}

/// An entry that is neither.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`allow_private` has {0:?}: write host:port, or a network such as 10.1.0.0/16")]
pub struct BadAllowed(String);

impl Allowed {
    /// Reads the entries of `allow_private`.
    ///
    /// # Errors
    /// Names the entry that is neither a place nor a network.
    pub fn read<T: AsRef<str>>(entries: &[T]) -> Result<Self, BadAllowed> {
        let mut allowed = Self::default();
        for entry in entries {
            let entry = entry.as_ref().trim();
            if let Ok(network) = IpNet::from_str(entry) {
                allowed.networks.push(network.trunc());
            } else if let Some(place) = place_of(entry) {
                allowed.places.push(place);
            } else {
                return Err(BadAllowed(entry.to_owned()));
            }
        }
        Ok(allowed)
    }

    /// Whether the host and port of a URL are one of the places.
    pub(crate) fn has_place(&self, url: &Url) -> bool {
        let (Some(host), Some(port)) = (url.host_str(), url.port_or_known_default()) else {
            return false;
        };
        self.places.iter().any(|(known, at)| known == host && *at == port)
    }

    /// `None` if the address may be reached, else what kind it is.
    pub(crate) fn refuses(&self, address: IpAddr) -> Option<&'static str> {
        let address = plain(address);
        let kind = not_public(address)?;
        (!self.networks.iter().any(|network| network.contains(&address))).then_some(kind)
    }
}

/// An address of version 4 that is written as one of version 6, as itself.
fn plain(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(address) => {
            Ipv6Addr::to_ipv4_mapped(&address).map_or(address.into(), IpAddr::V4)
        }
        IpAddr::V4(_) => address,
    }
}

/// A host and a port, written as a URL has them.
fn place_of(entry: &str) -> Option<(String, u16)> {
    let (_, port) = entry.rsplit_once(':')?;
    let port: u16 = port.parse().ok()?;
    let url = Url::parse(&format!("http://{entry}/")).ok()?;
    let bare = url.path() == "/" && url.query().is_none() && url.username().is_empty();
    let host = url.host_str().filter(|_| bare)?;
    Some((host.to_owned(), port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_and_networks_are_told_apart() {
        let allowed = Allowed::read(&["LocalHost:8080", "10.1.2.3/16", "[::1]:99", "fd00::/8"]);
        let allowed = allowed.unwrap();
        let check = |url: &str, has: bool| {
            assert_eq!(allowed.has_place(&Url::parse(url).unwrap()), has, "{url}");
        };
        check("http://localhost:8080/x", true);
        check("https://localhost:8080/x", true);
        check("http://localhost/", false);
        check("http://[::1]:99/", true);
        let check = |address: &str, may: bool| {
            assert_eq!(allowed.refuses(address.parse().unwrap()).is_none(), may, "{address}");
        };
        check("10.1.9.9", true);
        check("::ffff:10.1.9.9", true);
        check("10.2.0.1", false);
        check("fd12::1", true);
        check("127.0.0.1", false);
        check("1.1.1.1", true);
    }

    #[test]
    fn an_entry_that_is_neither_is_named() {
        for entry in ["", "localhost", "10.0.0.1", "a b:80", "h:80/x", "u@h:80", "h:99999", "/8"] {
            assert_eq!(Allowed::read(&[entry]), Err(BadAllowed(entry.to_owned())));
        }
    }
}
