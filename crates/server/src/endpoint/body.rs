//! What a request carries: read within the limit on its size, then held to its contract.
//!
//! A route names the kind of its body as a type that implements [`FromBody`]: [`NoBody`], [`Checked`] for a JSON
//! object that is declared with `wire!`, `Option<Checked<…>>` where it may be left out, and [`EnvelopeBody`], whose
//! contract the processor checks. Nothing here reads more than `Options::max_body_bytes`, and a body that says it is
//! larger is not read at all.

use axum::{
    body::{Body, HttpBody},
    http::{HeaderMap, header},
};
use bytes::{Bytes, BytesMut};
use consign_contracts::{
    Breach,
    json::{self, Json, Object},
    schema::Schema,
    wire::Wire,
};
use consign_engine::Data;
use futures_util::StreamExt;

use super::{Route, contract};
use crate::{
    error::{Part, Problem},
    server::App,
};

/// A body, as a type.
pub(crate) trait FromBody: Sized + Send {
    const FORM: BodyForm;

    fn read(
        route: &'static Route,
        app: &App,
        headers: &HeaderMap,
        body: Body,
    ) -> impl Future<Output = Result<Self, Problem>> + Send;
}

/// What OpenAPI says of a body.
#[derive(Clone, Copy)]
pub(crate) enum BodyForm {
    None,
    /// Its schema is declared with the route.
    Own {
        schema: fn() -> Object<'static>,
        required: bool,
    },
    /// It is a published contract, by its name under `components`.
    Published(&'static str),
    /// Files as `multipart/form-data`, which has its schema under `components`, or else a JSON object whose schema is
    /// declared with the route.
    Files {
        form: &'static str,
        schema: fn() -> Object<'static>,
    },
}

/// The compiled schema of a body that is declared with its route.
pub(super) fn schema_of<B: FromBody>() -> Option<Schema> {
    match B::FORM {
        BodyForm::Own { schema, .. } | BodyForm::Files { schema, .. } => {
            Some(contract::compile(schema()))
        }
        BodyForm::None | BodyForm::Published(_) => None,
    }
}

/// No body is read.
pub(crate) struct NoBody;

impl FromBody for NoBody {
    const FORM: BodyForm = BodyForm::None;

    async fn read(
        _route: &'static Route,
        _app: &App,
        _headers: &HeaderMap,
        _body: Body,
    ) -> Result<Self, Problem> {
        Ok(Self)
    }
}

/// A JSON object that keeps to its contract.
pub(crate) struct Checked<T>(pub(crate) T);

impl<T: Wire + Send> FromBody for Checked<T> {
    const FORM: BodyForm = BodyForm::Own { schema: T::schema, required: true };

    async fn read(
        route: &'static Route,
        app: &App,
        headers: &HeaderMap,
        body: Body,
    ) -> Result<Self, Problem> {
        let most = app.options.max_body_bytes;
        let bytes = json_bytes(headers, body, most).await?;
        let checking = async { checked(route, &bytes, most) };
        app.compute_permits.run(checking).await.map(Self)
    }
}

impl<T: Wire + Send> FromBody for Option<Checked<T>> {
    const FORM: BodyForm = BodyForm::Own { schema: T::schema, required: false };

    async fn read(
        route: &'static Route,
        app: &App,
        headers: &HeaderMap,
        body: Body,
    ) -> Result<Self, Problem> {
        if body.is_end_stream() {
            return Ok(None);
        }
        Checked::read(route, app, headers, body).await.map(Some)
    }
}

fn checked<T: Wire>(route: &Route, bytes: &[u8], most: usize) -> Result<T, Problem> {
    let limits = json::Limits { bytes: most, ..json::Limits::default() };
    let schema = route.body_schema().expect("a route with a checked body has its schema");
    let tree = json::parse_within(bytes, limits).map_err(Problem::from);
    let checked = tree.and_then(|tree| contract::check(schema, &tree, "the body"));
    checked.map_err(|problem| problem.in_part(Part::Body))
}

/// An envelope as it came. The processor holds it to its contract, since it parses it anyway.
pub(crate) struct EnvelopeBody(pub(crate) Bytes);

impl FromBody for EnvelopeBody {
    const FORM: BodyForm = BodyForm::Published("Envelope");

    async fn read(
        _route: &'static Route,
        app: &App,
        headers: &HeaderMap,
        body: Body,
    ) -> Result<Self, Problem> {
        json_bytes(headers, body, app.options.max_body_bytes).await.map(Self)
    }
}

/// The submission of a job as it came: its own use case holds it to its contract.
pub(crate) struct JobSubmissionBody(pub(crate) Bytes);

impl FromBody for JobSubmissionBody {
    const FORM: BodyForm = BodyForm::Published("JobSubmission");

    async fn read(
        _route: &'static Route,
        app: &App,
        headers: &HeaderMap,
        body: Body,
    ) -> Result<Self, Problem> {
        json_bytes(headers, body, app.options.max_body_bytes).await.map(Self)
    }
}

/// A member that may be any JSON, kept as text: it is not copied as a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Document(pub(crate) Data);

impl Wire for Document {
    fn schema() -> Object<'static> {
        Object::new()
    }

    fn read(json: &Json<'_>) -> Result<Self, Breach> {
        Ok(Self(Data::from(json)))
    }

    fn write(&self) -> Json<'static> {
        self.0.shown().into_owned()
    }
}

/// The whole body of a request that says it is JSON.
async fn json_bytes(headers: &HeaderMap, body: Body, most: usize) -> Result<Bytes, Problem> {
    is_json(headers)?;
    read(body, most).await
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
        let chunk = chunk.map_err(|_| {
            Problem::invalid(Part::Body, "", "unfinished", "the body ended too early")
        })?;
        let so_far = all.as_ref().map_or(first.len(), BytesMut::len);
        if chunk.len() > most - so_far {
            return Err(too_large(most));
        }
        match &mut all {
            // Most bodies come in one piece, which need not be copied.
            None if first.is_empty() => first = chunk,
            None => {
                // What is only announced gets no memory yet.
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
