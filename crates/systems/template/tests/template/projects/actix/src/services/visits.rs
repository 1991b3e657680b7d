use anyhow::{Result, ensure};

use crate::models::visit::Visit;

pub fn register(visit: &Visit) -> Result<usize> {
    ensure!(!visit.guest.is_empty(), "a visit has a guest");
    Ok(visit.guest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_visit_without_a_guest_is_refused() {
        let visit = Visit { guest: String::new(), gate: 1 };
        assert!(register(&visit).is_err());
    }
}
