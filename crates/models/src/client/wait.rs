//! Reads how long a provider asks to wait before the next request.

use std::time::{Duration, SystemTime};

use crate::transport::Incoming;

/// The wait that the headers of a response ask for: milliseconds, seconds, or a date. A date is
/// compared with the date of the same response, so that our clock does not matter.
pub(super) fn retry_after(incoming: &Incoming) -> Option<Duration> {
    let number = |text: &str| text.trim().parse::<f64>().ok();
    if let Some(millis) = incoming.header("retry-after-ms").and_then(number) {
        return Duration::try_from_secs_f64(millis / 1000.0).ok();
    }
    let asked = incoming.header("retry-after")?;
    if let Some(seconds) = number(asked) {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = |text: &str| httpdate::parse_http_date(text.trim()).ok();
    let now = incoming.header("date").and_then(date).unwrap_or_else(SystemTime::now);
    // A date that has passed asks for nothing.
    date(asked).map(|then| then.duration_since(now).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use futures_util::StreamExt;

    use super::*;

    #[test]
    fn every_way_to_ask_for_patience_is_understood() {
        let check = |headers: &[(&str, &str)], expected: Option<f64>| {
            let headers = headers.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
            let body = futures_util::stream::empty().boxed();
            let wait = retry_after(&Incoming { status: 429, headers, body });
            assert_eq!(wait, expected.map(Duration::from_secs_f64));
        };
        let date = ("date", "Sun, 06 Nov 1994 08:49:37 GMT");
        check(&[], None);
        check(&[("retry-after", "7")], Some(7.0));
        check(&[("retry-after", " 0.5 ")], Some(0.5));
        check(&[("retry-after", "7"), ("retry-after-ms", "250")], Some(0.25));
        check(&[date, ("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT")], Some(30.0));
        check(&[date, ("retry-after", "Sun, 06 Nov 1994 08:49:07 GMT")], Some(0.0));
        for nonsense in ["", "-1", "nan", "inf", "soon", "1e300"] {
            check(&[("retry-after", nonsense)], None);
        }
    }
}
