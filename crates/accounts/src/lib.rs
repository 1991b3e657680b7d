//! Who is who: users, sessions, tokens, roles and limits of attempts.
