//! Reading what a request carries, never more of it than is allowed.

use axum::{
    body::{Body, HttpBody},
    extract::Request,
    http::{HeaderMap, header},
};
use bytes::{Bytes, BytesMut};
use futures_util::StreamExt;

use crate::error::Problem;

/// The whole body of a request that says it is JSON. One that says that it is too large is not read at
/// all, any other not beyond the limit.
pub(crate) async fn json(request: Request, most: usize) -> Result<Bytes, Problem> {
    is_json(request.headers())?;
    read(request.into_body(), most).await
}

/// Likewise, where there may be none.
pub(crate) async fn json_if_any(request: Request, most: usize) -> Result<Option<Bytes>, Problem> {
    if request.body().is_end_stream() {
        return Ok(None);
    }
    json(request, most).await.map(Some)
}

async fn read(body: Body, most: usize) -> Result<Bytes, Problem> {
    let size = body.size_hint();
    if size.lower() > most as u64 {
        return Err(too_large(most));
    }
    let expected = size.exact().and_then(|size| usize::try_from(size).ok()).unwrap_or(0);
    let mut chunks = body.into_data_stream();
    let mut first = Bytes::new();
    let mut all: Option<BytesMut> = None;
    while let Some(chunk) = chunks.next().await {
        let chunk = chunk.map_err(|_| Problem::invalid("the body ended too early"))?;
        let so_far = all.as_ref().map_or(first.len(), BytesMut::len);
        if chunk.len() > most - so_far {
            return Err(too_large(most));
        }
        match &mut all {
            // Most bodies come in one piece, which need not be copied.
            None if first.is_empty() => first = chunk,
            None => {
                // What is only promised is not set aside for.
                let room = expected.min(64 << 10).max(first.len() + chunk.len());
                let mut both = BytesMut::with_capacity(room);
                both.extend_from_slice(&first);
                both.extend_from_slice(&chunk);
                all = Some(both);
            }
            Some(all) => all.extend_from_slice(&chunk),
        }
    }
    Ok(all.map_or(first, BytesMut::freeze))
}

fn too_large(most: usize) -> Problem {
    Problem::new("BODY_TOO_LARGE", format!("a body has at most {most} bytes"))
}

fn is_json(headers: &HeaderMap) -> Result<(), Problem> {
    let refused = |told: &'static str| Problem::new("UNSUPPORTED_MEDIA_TYPE", told);
    if headers.contains_key(header::CONTENT_ENCODING) {
        return Err(refused("a body is sent as it is, without `content-encoding`"));
    }
    let mut types = headers.get_all(header::CONTENT_TYPE).iter();
    let (Some(given), None) = (types.next(), types.next()) else {
        return Err(refused("send JSON, with `content-type: application/json`"));
    };
    let fits = given.to_str().is_ok_and(|given| {
        let mut parts = given.split(';').map(str::trim);
        let media = parts.next().unwrap_or_default();
        media.eq_ignore_ascii_case("application/json")
            && parts.all(|part| match part.split_once('=') {
                Some((name, value)) if name.trim_end().eq_ignore_ascii_case("charset") => {
                    value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
                }
                Some(_) | None => true,
            })
    });
    if fits { Ok(()) } else { Err(refused("send JSON, with `content-type: application/json`")) }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;
    use futures_util::stream;

    use super::*;

    #[test]
    fn json_is_what_calls_itself_json() {
        let check = |given: &'static str, fits: bool| {
            let mut headers = HeaderMap::new();
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(given));
            assert_eq!(is_json(&headers).is_ok(), fits, "{given}");
        };
        check("application/json", true);
        check("Application/JSON; charset=UTF-8", true);
        check("application/json;charset=\"utf-8\"", true);
        check("application/json; charset=latin1", false);
        check("application/jsonp", false);
        check("text/plain", false);
        check("", false);
    }

    #[tokio::test]
    async fn a_body_is_read_up_to_the_limit_and_not_beyond() {
        let chunks = |sizes: &'static [usize]| {
            let chunk = |size: &usize| Ok::<_, std::io::Error>(Bytes::from(vec![b'x'; *size]));
            Body::from_stream(stream::iter(sizes.iter().map(chunk)))
        };
        for (sizes, length) in [
            (&[][..], Some(0)),
            (&[10][..], Some(10)),
            (&[4, 3, 3][..], Some(10)),
            (&[0, 4, 0, 6][..], Some(10)),
            (&[11][..], None),
            (&[4, 3, 4][..], None),
        ] {
            let read = read(chunks(sizes), 10).await.map(|bytes| bytes.len());
            assert_eq!(read.as_ref().ok().copied(), length, "{sizes:?}");
        }
    }
}
