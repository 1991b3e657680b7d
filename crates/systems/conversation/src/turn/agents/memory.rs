//! The memory as an agent: contract `crew/memory.query` to `crew/memory.output`.
//!
//! Beside the contract's members it gives `terms`: the stems of the question's words, each with how much it says
//! (`known`), and how much a word says that no passage has (`unseen`).

use std::sync::Arc;

use async_trait::async_trait;
use consign_contracts::{
    crew::MemoryQuery,
    json::{Json, Number, Object},
    wire::Message,
};
use consign_engine::{Attempt, Data, Failure, Invoker, Nanos, Reply};

use super::{Turns, broken, store_failed};

pub(super) struct MemoryAgent(pub(super) Arc<Turns>);

#[async_trait]
impl Invoker for MemoryAgent {
    fn worst_case(&self, _: &Data) -> Option<Nanos> {
        Some(Nanos::ZERO)
    }

    async fn invoke(&self, attempt: Attempt) -> Result<Reply, Failure> {
        let query = MemoryQuery::from_json(attempt.input.as_str().as_bytes()).map_err(broken)?;
        let collection = query.extra.get("collection").and_then(Json::as_str);
        let answer = (self.0.search)().search(&attempt.owner, &query, collection).await;
        let answer = answer.map_err(|error| store_failed(&error))?;
        let mut output = answer.to_output();
        let digits = |rarity: f64| {
            Number::try_from((rarity * 1e6).round() / 1e6).unwrap_or_else(|_| 0_u64.into())
        };
        let terms = answer.terms.iter().flat_map(|(term, rarity)| {
            let said = digits(*rarity);
            let pair = move |stem: &str| {
                Json::Array(vec![Json::String(stem.to_owned().into()), Json::Number(said.clone())])
            };
            term.alternatives().map(pair).collect::<Vec<_>>()
        });
        let mut rarities = Object::new();
        rarities.set("known", Json::Array(terms.collect()));
        rarities.set("unseen", Json::Number(digits(answer.unseen)));
        output.extra.set("terms", Json::Object(rarities));
        Ok(Reply::new(Data::restore(output.to_json()).unwrap_or_else(Data::null), Nanos::ZERO))
    }
}
