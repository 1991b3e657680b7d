//! A site on loopback: pages that a test gives it, a log of every request, and raw bytes for worse.

use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use axum::{
    body::Body,
    extract::{Request, State},
    response::Response,
};
use tokio::{io::AsyncReadExt, net::TcpListener, task::JoinHandle};

#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) path: String,
    pub(crate) headers: HashMap<String, String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn status(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Vec::new() }
    }

    pub(crate) fn html(body: &str) -> Self {
        Self::of("text/html; charset=utf-8", body.as_bytes())
    }

    pub(crate) fn of(kind: &str, body: &[u8]) -> Self {
        Self { body: body.to_vec(), ..Self::status(200) }.with("content-type", kind)
    }

    pub(crate) fn to(to: &str) -> Self {
        Self::status(302).with("location", to)
    }

    pub(crate) fn with(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
}

type Handler = Arc<dyn Fn(&Asked) -> Answer + Send + Sync>;

pub(crate) struct Site {
    pub(crate) address: SocketAddr,
    asked: Arc<Mutex<Vec<Asked>>>,
    task: JoinHandle<()>,
}

#[derive(Clone)]
struct Inside {
    handler: Handler,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl Site {
    pub(crate) async fn start(handler: impl Fn(&Asked) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::<Mutex<Vec<Asked>>>::default();
        let inside = Inside { handler: Arc::new(handler), asked: asked.clone() };
        let router = axum::Router::new().fallback(serve).with_state(inside);
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { address, asked, task }
    }

    /// A site of these pages, without a robots.txt.
    pub(crate) async fn of(pages: &[(&str, Answer)]) -> Self {
        let pages: HashMap<String, Answer> =
            pages.iter().map(|(path, page)| ((*path).to_owned(), page.clone())).collect();
        Self::start(move |asked| {
            pages.get(&asked.path).cloned().unwrap_or_else(|| Answer::status(404))
        })
        .await
    }

    /// Answers every connection, after its request, as the caller likes.
    pub(crate) async fn raw<F>(
        answer: impl Fn(String, tokio::net::TcpStream) -> F + Send + 'static,
    ) -> Self
    where
        F: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::<Mutex<Vec<Asked>>>::default();
        let log = asked.clone();
        let task = tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let mut seen = Vec::new();
                while !seen.windows(4).any(|end| end == b"\r\n\r\n") {
                    let mut some = [0; 4096];
                    match stream.read(&mut some).await {
                        Ok(0) | Err(_) => break,
                        Ok(read) => seen.extend_from_slice(&some[..read]),
                    }
                }
                let text = String::from_utf8_lossy(&seen).into_owned();
                let path = text.split(' ').nth(1).unwrap_or_default().to_owned();
                log.lock().unwrap().push(Asked { path: path.clone(), headers: HashMap::new() });
                tokio::spawn(answer(path, stream));
            }
        });
        Self { address, asked, task }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn place(&self) -> String {
        self.address.to_string()
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.asked.lock().unwrap().clone()
    }

    /// What was asked for, without robots.txt.
    pub(crate) fn paths(&self) -> Vec<String> {
        let mut paths: Vec<_> = self.asked().into_iter().map(|asked| asked.path).collect();
        paths.retain(|path| path != "/robots.txt");
        paths
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn serve(State(inside): State<Inside>, request: Request) -> Response {
    let headers = request.headers().iter();
    let headers = headers
        .map(|(name, value)| (name.as_str().to_owned(), value.to_str().unwrap().to_owned()))
        .collect();
    let path = request.uri().path_and_query().unwrap().as_str().to_owned();
    let asked = Asked { path, headers };
    inside.asked.lock().unwrap().push(asked.clone());
    let answer = (inside.handler)(&asked);
    let mut response = Response::builder().status(answer.status);
    for (name, value) in answer.headers {
        response = response.header(name, value);
    }
    response.body(Body::from(answer.body)).unwrap()
}
