pub mod visit;
