use serde::Serialize;

#[derive(Clone, Debug, Serialize)]
pub struct Entry {
    pub id: u64,
    pub cents: i64,
}
