//! stub
pub fn nothing() {}
