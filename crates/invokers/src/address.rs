//! Decides which network addresses may be reached: public ones, and private ones only where the
//! user allows it.
//!
//! A name is looked up when a connection is made, and the connection goes to an address that was
//! checked then, so a later change of the name has no effect. Proxies are not used with this,
//! because they would look up names themselves.

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
};

use reqwest::{
    Url,
    dns::{Addrs, Name, Resolve, Resolving},
};

/// Which addresses may be reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// Whether addresses of this machine and of private networks may be reached too.
    pub private: bool,
}

/// Why an address is not reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreachable(String);

impl fmt::Display for Unreachable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unreachable {}

impl Unreachable {
    /// For other guards of addresses, which say what would have to be allowed.
    #[must_use]
    pub fn new(why: String) -> Self {
        Self(why)
    }
}

impl Reach {
    /// Reads and checks a URL. Host names in it are checked when they are looked up.
    pub fn url(self, text: &str) -> Result<Url, Unreachable> {
        let bad = |why: &str| {
            Unreachable(format!("{why}: write http:// or https://, then a host and a path"))
        };
        // What browsers take for an address is one for us: 2130706433, 0x7f.1 and the like.
        let url = Url::parse(text).map_err(|cause| bad(&format!("not a URL ({cause})")))?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(bad("not an http or https URL"));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Unreachable(
                "the URL has a user or password in it: name a variable that holds the secret instead"
                    .to_owned(),
            ));
        }
        let host = url.host_str().unwrap_or_default();
        let literal = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
        if let Ok(address) = literal {
            self.permits(address).map_err(|why| refused(host, why))?;
        }
        Ok(url)
    }

    /// The addresses of a name that may be reached. An error if there are none.
    fn among(self, name: &str, found: Vec<SocketAddr>) -> Result<Vec<SocketAddr>, Unreachable> {
        let mut refusal = None;
        let mut kept = found;
        kept.retain(|found| match self.permits(found.ip()) {
            Ok(()) => true,
            Err(why) => {
                refusal = Some(refused(name, why));
                false
            }
        });
        match (kept.is_empty(), refusal) {
            (true, Some(refusal)) => Err(refusal),
            (true, None) => Err(Unreachable(format!("{name} has no address"))),
            (false, _) => Ok(kept),
        }
    }

    fn permits(self, address: IpAddr) -> Result<(), &'static str> {
        match of(address) {
            _ if self.private => Ok(()),
            Some(kind) => Err(kind),
            None => Ok(()),
        }
    }
}

fn refused(host: &str, kind: &str) -> Unreachable {
    Unreachable(format!(
        "{host} is {kind}; only public addresses are reached unless the agent has \
         `allow_private = true`"
    ))
}

impl Resolve for Reach {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = *self;
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            let kept = reach.among(name.as_str(), found)?;
            Ok(Box::new(kept.into_iter()) as Addrs)
        })
    }
}

/// The kind of an address that is not public; `None` for a public one.
#[must_use]
pub fn not_public(address: IpAddr) -> Option<&'static str> {
    of(address)
}

fn of(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => of_v4(address),
        IpAddr::V6(address) => of_v6(address),
    }
}

fn of_v4(address: Ipv4Addr) -> Option<&'static str> {
    let kind = match address.octets() {
        [0, ..] => "an address of no host",
        [127, ..] => "an address of this machine",
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => "a private address",
        [100, 64..=127, ..] => "a private address of a network provider",
        [169, 254, ..] => "a link-local address",
        [192, 0, 0, _] | [192, 88, 99, _] => "an address that is reserved for protocols",
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => "an address for documentation",
        [198, 18..=19, ..] => "an address for benchmarks",
        [224..=239, ..] => "a multicast address",
        [240..=255, ..] => "a reserved address",
        _ => return None,
    };
    Some(kind)
}

fn of_v6(address: Ipv6Addr) -> Option<&'static str> {
    let [a, b, c, d, e, f, g, h] = address.segments();
    let v4 = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        of_v4(Ipv4Addr::new(a, b, c, d))
    };
    match (a, b, c, d, e, f) {
        (0, 0, 0, 0, 0, 0) if g == 0 && h <= 1 => Some("an address of this machine"),
        // Other forms of an address of version 4: mapped, translated, by 6to4.
        (0, 0, 0, 0, 0, 0xffff) | (0x64, 0xff9b, 0, 0, 0, 0) => v4(g, h),
        (0x2002, ..) => v4(b, c),
        (0x2001, 0..=0x1ff, ..) => Some("an address that is reserved for protocols"),
        (0x2001, 0xdb8, ..) | (0x3fff, 0..=0xfff, ..) => Some("an address for documentation"),
        (0x2000..=0x3fff, ..) => None,
        (0xfc00..=0xfdff, ..) => Some("a private address"),
        (0xfe80..=0xfebf, ..) => Some("a link-local address"),
        (0xff00..=0xffff, ..) => Some("a multicast address"),
        _ => Some("a reserved address"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUBLIC: Reach = Reach { private: false };

    #[test]
    fn only_addresses_of_the_public_internet_are_reached() {
        let check = |address: &str, public: bool| {
            assert_eq!(of(address.parse().unwrap()).is_none(), public, "{address}");
            assert!(Reach { private: true }.permits(address.parse().unwrap()).is_ok());
        };
        for address in ["1.1.1.1", "100.63.255.255", "100.128.0.0", "172.15.0.1", "172.32.0.1"] {
            check(address, true);
        }
        for address in ["192.0.1.1", "198.17.0.1", "198.20.0.1", "223.255.255.255"] {
            check(address, true);
        }
        for address in ["0.0.0.0", "0.1.2.3", "10.0.0.1", "100.64.0.1", "127.0.0.1", "127.9.9.9"] {
            check(address, false);
        }
        for address in ["169.254.169.254", "172.16.0.1", "172.31.255.255", "192.168.1.1"] {
            check(address, false);
        }
        for address in ["192.0.0.8", "192.0.2.1", "192.88.99.1", "198.18.0.1", "198.19.255.255"] {
            check(address, false);
        }
        for address in ["198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"]
        {
            check(address, false);
        }
        for address in
            ["2606:4700:4700::1111", "2a00:1450::1", "::ffff:1.1.1.1", "64:ff9b::101:101"]
        {
            check(address, true);
        }
        check("2002:101:101::1", true);
        for address in ["::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:10.0.0.1"] {
            check(address, false);
        }
        for address in ["64:ff9b::7f00:1", "64:ff9b::a9fe:a9fe", "64:ff9b:1::1", "2002:7f00:1::"] {
            check(address, false);
        }
        for address in ["2002:a00:1::1", "2001::1", "2001:db8::1", "3fff::1", "fc00::1", "fd12::1"]
        {
            check(address, false);
        }
        for address in ["fe80::1", "febf::1", "fec0::1", "ff02::1", "100::1", "4000::1", "5f00::1"]
        {
            check(address, false);
        }
    }

    #[test]
    fn no_way_of_writing_an_address_gets_past() {
        let refused = [
            "http://127.0.0.1/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://0177.0.0.1/",
            "http://127.1/",
            "http://127.0.0.1./",
            "http://%31%32%37.0.0.1/",
            "http://１２７.0.0.1/",
            "http://0/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[0:0:0:0:0:ffff:7f00:1]:80/",
            "http://example.com@127.0.0.1/",
            "http://127.0.0.1\\@example.com/",
            "https://169.254.169.254/latest/meta-data",
            "ftp://example.com/",
            "file:///etc/passwd",
            "http://user:pass@example.com/",
            "http://user@example.com/",
            "example.com",
            "http://",
            "",
        ];
        for url in refused {
            assert!(PUBLIC.url(url).is_err(), "{url}");
        }
        for url in ["https://example.com/x?y", "http://1.1.1.1:8080/", "http://[2606:4700::1]/"] {
            assert!(PUBLIC.url(url).is_ok(), "{url}");
        }
        assert!(Reach { private: true }.url("http://127.0.0.1:1/").is_ok());
        assert!(Reach { private: true }.url("http://user@127.0.0.1:1/").is_err());
    }

    #[test]
    fn of_what_a_name_comes_to_only_what_may_be_reached_is_left() {
        let at = |address: &str| SocketAddr::new(address.parse().unwrap(), 0);
        let mixed = vec![at("10.0.0.1"), at("1.1.1.1"), at("::1")];
        assert_eq!(PUBLIC.among("x", mixed), Ok(vec![at("1.1.1.1")]));
        let why = PUBLIC.among("x", vec![at("10.0.0.1")]).unwrap_err().to_string();
        assert!(why.starts_with("x is a private address"), "{why}");
        assert!(PUBLIC.among("x", Vec::new()).is_err());
    }

    #[tokio::test]
    async fn a_name_of_this_machine_is_not_looked_up_to_any_avail() {
        let name = "localhost".parse().unwrap();
        let Err(why) = PUBLIC.resolve(name).await else { panic!("it was found") };
        assert!(why.is::<Unreachable>(), "{why}");
    }
}
