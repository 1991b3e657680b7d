//! What a job's calls of models took, as `aiMetrics` tells it.

use consign_engine::{Nanos, Work};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The model that was asked for, the one that answered, and totals over all calls.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AiUsage {
    /// As the settings name it.
    pub requested: String,
    /// The model that answered, as `provider/model`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved: Option<String>,
    /// Whose key paid: `user` or `environment`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key_source: Option<String>,
    pub duration_ms: u64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cost: Nanos,
}

impl AiUsage {
    #[must_use]
    pub fn of(requested: &str) -> Self {
        Self { requested: requested.to_owned(), ..Self::default() }
    }

    /// Adds what a call took.
    pub(super) fn add(&mut self, work: Work) {
        let took = u64::try_from(work.ended.since(work.began).as_millis()).unwrap_or(u64::MAX);
        self.duration_ms = self.duration_ms.saturating_add(took);
        self.cost = self.cost + work.cost;
    }

    /// As `aiMetrics` of a job.
    #[must_use]
    pub fn metrics(&self) -> Value {
        let mut resolved = model(self.resolved.as_deref().unwrap_or(&self.requested));
        if let Some(source) = &self.key_source {
            resolved.insert("keySource".to_owned(), source.as_str().into());
        }
        let usd: Option<serde_json::Number> = self.cost.to_string().parse().ok();
        json!({
            "requested": model(&self.requested),
            "resolved": resolved,
            "summary": {
                "totalDurationMs": self.duration_ms,
                "inputTokens": self.input_tokens,
                "outputTokens": self.output_tokens,
                "totalTokens": self.input_tokens.saturating_add(self.output_tokens),
                "estimatedCostUsd": usd,
            },
        })
    }
}

/// A model's name in its two parts. Paths of scripts and recordings are nobody's business.
fn model(name: &str) -> Map<String, Value> {
    let (provider, model) = match name.parse::<consign_models::ModelName>() {
        Ok(name) => (name.provider.as_str().to_owned(), name.model),
        Err(_) => {
            let word = name.split(':').next().unwrap_or(name);
            (word.to_owned(), word.to_owned())
        }
    };
    Map::from_iter([("provider".to_owned(), provider.into()), ("model".to_owned(), model.into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metrics_name_the_model_and_never_a_path() {
        let mut usage = AiUsage::of("gpt-5-mini");
        usage.key_source = Some("user".to_owned());
        (usage.input_tokens, usage.output_tokens, usage.cost) =
            (3200, 1800, Nanos::new(15_000_000));
        let told = usage.metrics();
        assert_eq!(told["requested"], json!({"provider": "openai", "model": "gpt-5-mini"}));
        assert_eq!(told["resolved"]["keySource"], "user");
        assert_eq!(told["summary"]["totalTokens"], 5000);
        assert_eq!(told["summary"]["estimatedCostUsd"].to_string(), "0.015");
        let told = AiUsage::of("scripted:/home/ada/answers.json").metrics();
        assert_eq!(told["requested"], json!({"provider": "scripted", "model": "scripted"}));
    }
}
