mod error;
mod routes;

use std::sync::Arc;

use ledgerline_store::InMemoryEntryRepository;

#[tokio::main]
async fn main() {
    let entries = Arc::new(InMemoryEntryRepository::default());
    let app = routes::router(entries);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:3000").await.expect("the port is free");
    axum::serve(listener, app).await.expect("it serves");
}
