//! Attempts at OAuth, and those who come from another site.

use consign_accounts::{
    Digest, KeptAttempt, NewSession, NewUser, OutsideSignIn, Provider, Role, Secret,
    SignedInOutside, User,
};
use consign_engine::At;
use rusqlite::{Connection, OptionalExtension, params};

use super::{sessions::keep_session, users::keep_user};
use crate::sqlite::{
    fail::Halt,
    read,
    sql::word,
    writer::{Write, WriteContext},
};

pub(crate) struct PutOauth {
    pub(crate) attempt: KeptAttempt,
    pub(crate) forget: At,
}

impl Write for PutOauth {
    type Answer = ();

    fn write(&self, context: &mut WriteContext<'_>) -> Result<(), Halt> {
        let KeptAttempt { state, provider, browser, verifier, made_at } = &self.attempt;
        let sql = "DELETE FROM oauth_attempts WHERE made_at <= ?1";
        context.db.prepare_cached(sql)?.execute([self.forget.0])?;
        let sql = "INSERT INTO oauth_attempts (state, provider, browser, verifier, made_at) \
                   VALUES (?1, ?2, ?3, ?4, ?5)";
        context.db.prepare_cached(sql)?.execute(params![
            state.as_bytes(),
            provider.as_str(),
            browser.as_bytes(),
            verifier.reveal(),
            made_at.0,
        ])?;
        Ok(())
    }
}

pub(crate) struct TakeOauth {
    pub(crate) state: Digest,
}

impl Write for TakeOauth {
    type Answer = Option<KeptAttempt>;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<Self::Answer, Halt> {
        let sql = "DELETE FROM oauth_attempts WHERE state = ?1 \
                   RETURNING provider, browser, verifier, made_at";
        let mut take = context.db.prepare_cached(sql)?;
        let taken = take.query_row([self.state.as_bytes()], |row| {
            Ok(KeptAttempt {
                state: self.state,
                provider: word(row, 0, Provider::from_word)?,
                browser: Digest::from_bytes(row.get(1)?),
                verifier: Secret::new(row.get::<_, String>(2)?),
                made_at: At(row.get(3)?),
            })
        });
        Ok(taken.optional()?)
    }
}

pub(crate) struct SignInOutside {
    pub(crate) sign_in: OutsideSignIn,
}

impl Write for SignInOutside {
    type Answer = SignedInOutside;

    fn write(&self, context: &mut WriteContext<'_>) -> Result<SignedInOutside, Halt> {
        let (db, sign_in) = (context.db, &self.sign_in);
        let (provider, outside_id) = (sign_in.provider.as_str(), sign_in.outside_id.as_str());
        if let Some(linked) = read::user_by_link(db, provider, outside_id)? {
            return Ok(self.open(db, linked.key, linked.kept.user)?);
        }
        let Some(email) = &sign_in.email else { return Ok(SignedInOutside::NotVerified) };
        let (key, user) = match read::user_by_email(db, email)? {
            Some(found) if !found.kept.user.is_verified => return Ok(SignedInOutside::InUse),
            Some(found) if found.kept.user.is_disabled => return Ok(SignedInOutside::Disabled),
            Some(found) => (found.key, found.kept.user),
            None => keep_user(
                db,
                &NewUser {
                    id: sign_in.new_id,
                    email: email.clone(),
                    role: Role::Member,
                    is_verified: true,
                    password: None,
                    created_at: sign_in.now,
                },
            )?,
        };
        let sql = "INSERT INTO oauth_links (provider, outside_id, user, made_at) \
                   VALUES (?1, ?2, ?3, ?4)";
        let values = params![provider, outside_id, key, sign_in.now.0];
        db.prepare_cached(sql)?.execute(values)?;
        Ok(self.open(db, key, user)?)
    }
}

impl SignInOutside {
    fn open(&self, db: &Connection, key: i64, user: User) -> rusqlite::Result<SignedInOutside> {
        if user.is_disabled {
            return Ok(SignedInOutside::Disabled);
        }
        let OutsideSignIn { session: digest, now: made_at, ends_at, .. } = self.sign_in;
        keep_session(db, key, &NewSession { digest, user: user.id, made_at, ends_at })?;
        Ok(SignedInOutside::Done(user))
    }
}
