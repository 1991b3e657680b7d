//! Sites: one page, or with `recursive` the part of a site below it.
//!
//! A [`Crawl`](crawl::Crawl) asks for one page after another in the order in which their links were found,
//! so that the same site gives the same order. [`page`] fetches one of them: robots.txt first, then each
//! redirect by itself, then the body into a copy. [`links`] finds the links of a page, [`scope`] says which
//! of them belong to it.

pub(crate) mod crawl;
mod links;
mod page;
mod robots;
mod scope;

pub(crate) use self::page::total;
