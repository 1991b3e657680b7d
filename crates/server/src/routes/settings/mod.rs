//! `/api/settings…`: what the caller has set, one resource to a file.
//!
//! Whose settings they are, only the caller's credentials say: no path and no body names an owner.

pub(super) mod agents;
pub(super) mod ai_keys;
mod confidential;
pub(super) mod credentials;
pub(super) mod github;

use self::confidential::{Confidential, SecretText};
