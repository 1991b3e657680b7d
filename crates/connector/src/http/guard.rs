//! Decides for every request which addresses it may go to.
//!
//! A URL is checked by its text, which is enough where its host is an address. A name is checked when it is
//! looked up for a connection: the connection goes to one of the addresses that were checked, so a name that
//! changes between two look-ups changes nothing. What was reached is checked once more.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use consign_invokers::address::Unreachable;
use reqwest::{
    Url,
    dns::{Addrs, Name, Resolve, Resolving},
};

use crate::{Allowed, Error, Lookup};

/// The longest URL that is asked for.
const LONGEST: usize = 2_048;

/// Reads a URL and checks everything but the addresses of its name.
pub(crate) fn url(text: &str, allowed: &Allowed) -> Result<Url, Error> {
    if text.len() > LONGEST {
        return Err(Error::not_allowed(format!("the address has more than {LONGEST} bytes")));
    }
    let url = Url::parse(text).map_err(|cause| {
        Error::not_found(format!("{text:?} is not an address ({cause}): write https://host/path"))
    })?;
    checked(url, allowed)
}

pub(crate) fn checked(url: Url, allowed: &Allowed) -> Result<Url, Error> {
    if !matches!(url.scheme(), "http" | "https") {
        return Err(Error::not_allowed(format!("{} is not http or https", url.scheme())));
    }
    if url.as_str().len() > LONGEST {
        return Err(Error::not_allowed(format!("the address has more than {LONGEST} bytes")));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(Error::not_allowed(
            "the address has a user or a password in it: use `consign credentials add` for these",
        ));
    }
    let host = url.host_str().unwrap_or_default();
    if let Ok(address) = host.trim_matches(['[', ']']).parse::<IpAddr>() {
        reached(&url, address, allowed)?;
    }
    Ok(url)
}

/// Checks the address that a URL leads to.
pub(crate) fn reached(url: &Url, address: IpAddr, allowed: &Allowed) -> Result<(), Error> {
    match allowed.refuses(address) {
        Some(kind) if !allowed.has_place(url) => {
            Err(Error::not_allowed(refusal(url.host_str().unwrap_or_default(), kind)))
        }
        Some(_) | None => Ok(()),
    }
}

fn refusal(host: &str, kind: &str) -> String {
    format!("{host} is {kind}: put it into `allow_private` of [connector] to reach it")
}

/// Looks up names for connections.
pub(crate) struct GuardedLookup {
    pub(crate) lookup: Arc<dyn Lookup>,
    pub(crate) allowed: Arc<Allowed>,
    /// This one may be private: it is a place that the operator allows, and this resolver serves no other.
    pub(crate) private: Option<String>,
}

impl Resolve for GuardedLookup {
    fn resolve(&self, name: Name) -> Resolving {
        let (lookup, allowed) = (self.lookup.clone(), self.allowed.clone());
        let may_be_private = self.private.as_deref() == Some(name.as_str());
        Box::pin(async move {
            let found = lookup.lookup(name.as_str()).await?;
            let mut refused = None;
            let mut kept = found;
            kept.retain(|address| match allowed.refuses(*address) {
                Some(kind) if !may_be_private => {
                    refused = Some(kind);
                    false
                }
                Some(_) | None => true,
            });
            match (kept.is_empty(), refused) {
                (true, Some(kind)) => Err(Unreachable::new(refusal(name.as_str(), kind)).into()),
                (true, None) => Err(format!("{} has no address", name.as_str()).into()),
                (false, _) => {
                    let kept = kept.into_iter().map(|address| SocketAddr::new(address, 0));
                    Ok(Box::new(kept) as Addrs)
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;

    #[test]
    fn an_address_is_judged_by_its_text_first() {
        let allowed = Allowed::read(&["127.0.0.1:8080"]).unwrap();
        let check = |text: &str, code: Option<Code>| {
            let found = url(text, &allowed).err().map(|error| error.code);
            assert_eq!(found, code, "{text}");
        };
        check("https://example.com/a?b", None);
        check("http://127.0.0.1:8080/", None);
        check("http://2130706433:8080/", None);
        check("http://127.0.0.1:8081/", Some(Code::AddressNotAllowed));
        check("http://127.1/", Some(Code::AddressNotAllowed));
        check("http://[::ffff:127.0.0.1]/", Some(Code::AddressNotAllowed));
        check("http://169.254.169.254/latest", Some(Code::AddressNotAllowed));
        check("http://u:p@example.com/", Some(Code::AddressNotAllowed));
        check("file:///etc/passwd", Some(Code::AddressNotAllowed));
        check("gopher://example.com/", Some(Code::AddressNotAllowed));
        check("https://", Some(Code::NotFound));
        check(&format!("https://example.com/{}", "a".repeat(3_000)), Some(Code::AddressNotAllowed));
    }
}
