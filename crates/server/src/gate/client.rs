//! The address of the client: the other end of the connection, or what a trusted proxy says.
//!
//! `X-Forwarded-For` counts only on a connection from a trusted proxy, and of its entries the last that no trusted
//! proxy wrote: everything before it is the client's own claim.

use std::net::{IpAddr, Ipv4Addr};

use axum::http::{HeaderMap, HeaderName};
use ipnet::IpNet;

/// The other end of a connection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Peer {
    pub(crate) address: IpAddr,
    /// The connection is encrypted.
    pub(crate) is_tls: bool,
}

impl Default for Peer {
    /// A router that is not on a socket of ours is asked by this machine.
    fn default() -> Self {
        Self { address: IpAddr::V4(Ipv4Addr::LOCALHOST), is_tls: false }
    }
}

/// A proxy whose word about its clients is taken: an address, or a network as `ADDRESS/BITS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrustedProxy(IpNet);

const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

impl std::str::FromStr for TrustedProxy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let address = || text.parse::<IpAddr>().map(|address| IpNet::from(address.to_canonical()));
        let network = text.parse::<IpNet>().or_else(|_| address());
        network
            .map(Self)
            .map_err(|_| "an address is wanted, or a network as ADDRESS/BITS".to_owned())
    }
}

/// The client, and whether it came over TLS.
pub(crate) fn client(peer: Peer, headers: &HeaderMap, trusted: &[TrustedProxy]) -> Peer {
    let is_trusted = |address: IpAddr| trusted.iter().any(|proxy| proxy.0.contains(&address));
    let address = peer.address.to_canonical();
    if !is_trusted(address) {
        return Peer { address, ..peer };
    }
    let mut client = address;
    let lines: Vec<&str> =
        headers.get_all(FORWARDED_FOR).iter().filter_map(|line| line.to_str().ok()).collect();
    for entry in lines.iter().rev().flat_map(|line| line.rsplit(',')) {
        // What is no address ends the chain of what can be trusted.
        let Some(entry) = address_of(entry.trim()) else { break };
        client = entry;
        if !is_trusted(client) {
            break;
        }
    }
    let mut proto = headers.get_all(FORWARDED_PROTO).iter();
    let is_https =
        proto.next().is_some_and(|proto| proto.as_bytes().eq_ignore_ascii_case(b"https"));
    Peer { address: client, is_tls: peer.is_tls || is_https }
}

/// An address, which some proxies write with a port.
fn address_of(entry: &str) -> Option<IpAddr> {
    let bare = entry.trim_start_matches('[').split(']').next().unwrap_or(entry);
    let address = bare.parse::<IpAddr>().ok().or_else(|| {
        entry
            .rsplit_once(':')
            .and_then(|(address, _)| address.parse::<Ipv4Addr>().ok())
            .map(IpAddr::V4)
    });
    address.map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn found(peer: &str, lines: &[&'static str], trusted: &[&str]) -> String {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(FORWARDED_FOR, HeaderValue::from_static(line));
        }
        let trusted: Vec<TrustedProxy> = trusted.iter().map(|text| text.parse().unwrap()).collect();
        let peer = Peer { address: peer.parse().unwrap(), is_tls: false };
        client(peer, &headers, &trusted).address.to_string()
    }

    #[test]
    fn only_a_trusted_proxy_is_believed() {
        assert_eq!(found("9.9.9.9", &["1.2.3.4"], &[]), "9.9.9.9");
        assert_eq!(found("9.9.9.9", &["1.2.3.4"], &["10.0.0.0/8"]), "9.9.9.9");
        assert_eq!(found("10.1.2.3", &["1.2.3.4"], &["10.0.0.0/8"]), "1.2.3.4");
        assert_eq!(found("::ffff:10.1.2.3", &["1.2.3.4"], &["10.0.0.0/8"]), "1.2.3.4");
    }

    #[test]
    fn of_what_was_forwarded_only_the_last_foreign_entry_counts() {
        let proxies = ["10.0.0.0/8", "::1"];
        assert_eq!(found("10.0.0.1", &["6.6.6.6, 1.2.3.4"], &proxies), "1.2.3.4");
        assert_eq!(found("10.0.0.1", &["6.6.6.6", "1.2.3.4, 10.0.0.2"], &proxies), "1.2.3.4");
        assert_eq!(found("10.0.0.1", &["6.6.6.6, garbage, 10.0.0.2"], &proxies), "10.0.0.2");
        assert_eq!(found("10.0.0.1", &["1.2.3.4:5678"], &proxies), "1.2.3.4");
        assert_eq!(found("10.0.0.1", &["[2001:db8::1]:80"], &proxies), "2001:db8::1");
        assert_eq!(found("10.0.0.1", &[], &proxies), "10.0.0.1");
    }

    #[test]
    fn a_network_is_an_address_with_as_many_bits_as_it_can_have() {
        for bad in ["", "10.0.0.0/33", "::1/129", "10.0.0.0/", "proxy", "10.0.0.0/8/8"] {
            assert!(bad.parse::<TrustedProxy>().is_err(), "{bad}");
        }
    }
}
