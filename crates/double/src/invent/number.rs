//! The number nearest to nothing that a schema allows.

use serde_json::{Map, Value};

pub(super) fn integer(members: &Map<String, Value>, vary: usize) -> Result<Value, String> {
    let value = least(members, 1.0, vary)?;
    // Beyond this, not every whole number is one.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() != 0.0 || value.abs() > EXACT {
        return Err("no whole number was found for it".to_owned());
    }
    Ok(Value::from(value as i64))
}

pub(super) fn number(members: &Map<String, Value>, vary: usize) -> Result<Value, String> {
    let value = least(members, 0.5, vary)?;
    serde_json::Number::from_f64(value)
        .map(Value::Number)
        .ok_or_else(|| "no number was found for it".to_owned())
}

fn least(members: &Map<String, Value>, step: f64, vary: usize) -> Result<f64, String> {
    let bound = |word: &str| members.get(word).and_then(Value::as_f64);
    let step = match bound("multipleOf") {
        Some(multiple) if multiple > 0.0 && step.fract() == 0.0 && multiple.fract() != 0.0 => 1.0,
        Some(multiple) if multiple > 0.0 => multiple,
        _ => step,
    };
    let mut low = bound("minimum").map(|least| (least / step).ceil() * step);
    if let Some(above) = bound("exclusiveMinimum") {
        let next = ((above / step).floor() + 1.0) * step;
        low = Some(low.map_or(next, |low| low.max(next)));
    }
    let mut high = bound("maximum").map(|most| (most / step).floor() * step);
    if let Some(below) = bound("exclusiveMaximum") {
        let next = ((below / step).ceil() - 1.0) * step;
        high = Some(high.map_or(next, |high| high.min(next)));
    }
    let far = vary as f64 * step;
    match (low, high) {
        (Some(low), Some(high)) if low > high => middle(&bound),
        (Some(low), _) if low > 0.0 => Ok(low + far),
        (_, Some(high)) if high < 0.0 => Ok(high - far),
        (_, Some(high)) if far > high => Ok(high - far),
        _ => Ok(far),
    }
}

/// Between bounds that are closer than a step.
fn middle(bound: &dyn Fn(&str) -> Option<f64>) -> Result<f64, String> {
    let low = bound("minimum").or(bound("exclusiveMinimum"));
    let high = bound("maximum").or(bound("exclusiveMaximum"));
    match (low, high, bound("multipleOf")) {
        (Some(low), Some(high), None) if low <= high => Ok(low + (high - low) / 2.0),
        _ => Err("its bounds leave no number".to_owned()),
    }
}
