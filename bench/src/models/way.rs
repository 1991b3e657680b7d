//! How the question is put.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// A POST of the bytes, and the bytes of the answer.
    Bare,
    /// The same by the client: a question in, an answer out.
    Client,
    /// The agent's invoker: prompt, estimate, key, throttle, client, contract, cost.
    Agent,
    /// A run of that agent on a disk: reservation, journal, two commits.
    Durable,
}

impl Way {
    pub(super) const ALL: [Self; 4] = [Self::Bare, Self::Client, Self::Agent, Self::Durable];

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Bare => "bare",
            Self::Client => "client",
            Self::Agent => "agent",
            Self::Durable => "durable",
        }
    }

    /// All of them, each time with another one first, so that none always comes after the same.
    pub(super) fn turns(round: u32) -> [Self; 4] {
        let mut turns = Self::ALL;
        turns.rotate_left(round as usize % Self::ALL.len());
        turns
    }
}
