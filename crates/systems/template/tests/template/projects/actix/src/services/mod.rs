pub mod visits;
