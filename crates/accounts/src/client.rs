//! Who asks, for the limits.

use std::net::{IpAddr, Ipv6Addr};

/// Whoever sent a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Client {
    pub address: IpAddr,
}

impl Client {
    #[must_use]
    pub fn new(address: IpAddr) -> Self {
        Self { address }
    }

    /// What is counted together: an IPv4 address, or the /64 of an IPv6 address, which one customer
    /// has for himself.
    #[must_use]
    pub fn network(&self) -> String {
        match self.address.to_canonical() {
            IpAddr::V4(address) => address.to_string(),
            IpAddr::V6(address) => {
                let network = u128::from(address) >> 64 << 64;
                format!("{}/64", Ipv6Addr::from(network))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_one_customer_count_together() {
        let check = |address: &str, network: &str| {
            assert_eq!(Client::new(address.parse().unwrap()).network(), network);
        };
        check("192.0.2.7", "192.0.2.7");
        check("::ffff:192.0.2.7", "192.0.2.7");
        check("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64");
        check("2001:db8:1:2:ffff::", "2001:db8:1:2::/64");
        check("2001:db8:1:3::1", "2001:db8:1:3::/64");
        check("::1", "::/64");
    }
}
