use actix_web::{HttpResponse, Responder, web};

use crate::{models::visit::Visit, services::visits};

pub async fn register(visit: web::Json<Visit>) -> impl Responder {
    match visits::register(&visit) {
        Ok(number) => HttpResponse::Ok().body(number.to_string()),
        Err(error) => HttpResponse::BadRequest().body(error.to_string()),
    }
}
