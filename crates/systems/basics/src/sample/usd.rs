//! Money as samples and their agents write it: a JSON number of dollars, digit for digit.

use consign_engine::Nanos;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use serde_json::value::RawValue;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Usd(pub(super) Nanos);

impl Serialize for Usd {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        RawValue::from_string(self.0.to_string()).map_err(ser::Error::custom)?.serialize(to)
    }
}

impl<'de> Deserialize<'de> for Usd {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = <&RawValue>::deserialize(from)?.get();
        let amount = Nanos::from_usd(text);
        amount
            .map(Self)
            .ok_or_else(|| de::Error::custom(format!("{text} is not a valid amount in dollars")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_nano_survives() {
        let amount = Usd(Nanos::new(9_007_199_254_740_993));
        let text = serde_json::to_string(&amount).unwrap();
        assert_eq!(text, "9007199.254740993");
        assert_eq!(serde_json::from_str::<Usd>(&text).unwrap(), amount);
        serde_json::from_str::<Usd>("-1").unwrap_err();
        serde_json::from_str::<Usd>("\"1\"").unwrap_err();
    }
}
