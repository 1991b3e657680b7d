//! `POST /auth/setup`: the first user, who is an admin, by the link that the server prints at its first start.

use std::sync::Arc;

use axum::response::Response;
use consign_contracts::wire::wire;

use super::{client, is_secure, login::SIGNED_IN, signed_in};
use crate::{
    endpoint::{Access, Call, Capacity, Checked, Endpoint, Method, NoPath, NoQuery, Operation},
    error::Problem,
    server::App,
};

wire! {
    /// The first user.
    pub closed struct SetUpBody {
        /// What the printed link has after `#`.
        token: String [minLength: 1, maxLength: 256],
        /// The address.
        email: String [minLength: 1, maxLength: 254],
        /// 8 to 256 characters.
        password: String [minLength: 8, maxLength: 256],
    }
}

pub(in crate::routes) struct SetUp;

impl Endpoint for SetUp {
    const METHOD: Method = Method::Post;
    const PATH: &'static str = "/auth/setup";
    const ACCESS: Access = Access::Public;
    const CAPACITY: Capacity = Capacity::SignIns;
    const OPERATION: Operation =
        Operation::new("setUp", "Make the first user, who is an admin", SIGNED_IN)
            .description("The token works once, and only while there is no user.");
    type Path = NoPath;
    type Query = NoQuery;
    type Body = Checked<SetUpBody>;

    async fn answer(app: Arc<App>, call: Call<Self>) -> Result<Response, Problem> {
        let (client, is_secure) = (client(&call), is_secure(&app, &call));
        let Checked(SetUpBody { token, email, password }) = call.body;
        let session = app.accounts()?.set_up(&token, &email, &password, &client).await?;
        Ok(signed_in(&session, is_secure))
    }
}
