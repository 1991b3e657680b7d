//! Creates the account of an owner whose first run has large values: their names need its secret.

use consign_engine::Owner;

use crate::sqlite::{
    fail::Halt,
    writer::{Write, WriteContext},
};

pub(crate) struct CreateAccount {
    pub(crate) owner: Owner,
}

impl Write for CreateAccount {
    type Answer = ();

    fn write(&self, context: &mut WriteContext<'_>) -> Result<(), Halt> {
        context.ensure_account(&self.owner)
    }
}
