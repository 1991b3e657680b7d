//! Where code lives: reading a repository, and publishing to it once.
