use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub struct Visit {
    pub guest: String,
    pub gate: u8,
}
