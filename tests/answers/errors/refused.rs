//! A refusal, ours and the recorded one, in one form.

use loglanes::Error;

/// Who, code, name (the exception's, where there is no code), text.
pub type Refused = (String, Option<i64>, String, String);

pub fn refused(error: &Error) -> Refused {
    assert!(!error.hint().is_empty(), "no way out of: {error}");
    let by = error.refusal().by().to_owned();
    (by, error.code().map(i64::from), error.name().to_owned(), error.message().to_owned())
}
