//! Finds the number nearest to zero that a schema allows.

use serde_json::{Number, Value};

use super::Rules;
use crate::json::Json;

/// Beyond this, not every whole number is a float.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// A number, and what is wrong with it. `vary` asks for another one.
pub(super) fn nearest(
    rules: &Rules<'_>,
    whole: bool,
    vary: usize,
) -> (Json<'static>, Option<&'static str>) {
    let bounds = Bounds::of(rules, whole);
    let value = bounds.value(vary);
    let problem = match value {
        None => Some("its bounds allow no number"),
        Some(value) if whole && (value.fract() != 0.0 || value.abs() > EXACT) => {
            Some("no whole number was found for it")
        }
        Some(value) if !value.is_finite() => Some("no number was found for it"),
        Some(_) => None,
    };
    let value = value.or(bounds.low).or(bounds.high).unwrap_or(0.0);
    (tidy(value), problem)
}

/// A whole float as an integer, so that it reads as one.
pub(crate) fn tidy(value: f64) -> Json<'static> {
    if value.fract() == 0.0 && value.abs() < EXACT {
        return Json::Number((value as i64).into());
    }
    Number::from_f64(value).map_or(Json::Null, |number| Json::Number((&number).into()))
}

struct Bounds {
    low: Option<f64>,
    above: Option<f64>,
    high: Option<f64>,
    below: Option<f64>,
    multiple: Option<f64>,
    whole: bool,
}

impl Bounds {
    fn of(rules: &Rules<'_>, whole: bool) -> Self {
        let all = |keyword| rules.keyword(keyword).filter_map(Value::as_f64);
        Self {
            low: all("minimum").reduce(f64::max),
            above: all("exclusiveMinimum").reduce(f64::max),
            high: all("maximum").reduce(f64::min),
            below: all("exclusiveMaximum").reduce(f64::min),
            multiple: all("multipleOf").filter(|multiple| *multiple > 0.0).reduce(f64::max),
            whole,
        }
    }

    /// The distance between numbers that are tried.
    fn step(&self) -> f64 {
        match self.multiple {
            // A few times a fraction may be whole.
            Some(multiple) if self.whole && multiple.fract() != 0.0 => {
                let times = (1..=100_u8).map(|times| multiple * f64::from(times));
                times.into_iter().find(|step| step.fract() == 0.0).unwrap_or(1.0)
            }
            Some(multiple) => multiple,
            None => 1.0,
        }
    }

    fn value(&self, vary: usize) -> Option<f64> {
        let step = self.step();
        let low = self.low.map(|low| (low / step).ceil() * step);
        let above = self.above.map(|above| ((above / step).floor() + 1.0) * step);
        let low = low.into_iter().chain(above).reduce(f64::max).unwrap_or(f64::MIN);
        let high = self.high.map(|high| (high / step).floor() * step);
        let below = self.below.map(|below| ((below / step).ceil() - 1.0) * step);
        let high = high.into_iter().chain(below).reduce(f64::min).unwrap_or(f64::MAX);
        if low > high {
            return self.between(vary);
        }
        let first = 0.0_f64.max(low).min(high);
        let far = vary as f64 * step;
        if first + far <= high {
            Some(first + far)
        } else if first - far >= low {
            Some(first - far)
        } else {
            self.between(vary).or(Some(first))
        }
    }

    /// Between bounds that are too close for steps.
    fn between(&self, vary: usize) -> Option<f64> {
        let low = self.low.into_iter().chain(self.above).reduce(f64::max)?;
        let high = self.high.into_iter().chain(self.below).reduce(f64::min)?;
        let free = !self.whole && self.multiple.is_none() && low <= high;
        free.then(|| low + (high - low) / (vary as f64 + 2.0))
    }
}
