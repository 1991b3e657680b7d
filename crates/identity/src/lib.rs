//! How accounts reach other services: mail over SMTP, sign-in with GitHub and Google.
