//! Between Rust's values and JavaScript's.

use js_sys::{Error as JsError, Reflect, Uint8Array};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::error::Error;

/// An error on its way to be thrown.
pub struct Thrown(Error);

impl From<Error> for Thrown {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

/// A JavaScript `Error` with `name`, `code`, `hint` and `refusal`: see `LoglanesError`.
impl From<Thrown> for JsValue {
    fn from(Thrown(error): Thrown) -> Self {
        let thrown = JsError::new(error.message());
        thrown.set_name(error.name());
        let refusal = error.refusal().by();
        let code = error.code().map_or(JsValue::NULL, JsValue::from);
        for (name, value) in
            [("code", code), ("hint", error.hint().into()), ("refusal", refusal.into())]
        {
            // An error object of our own takes any property.
            let _ = Reflect::set(&thrown, &name.into(), &value);
        }
        thrown.into()
    }
}

/// A structured answer: 64-bit integers are `bigint`, bytes `Uint8Array`, none `null`, maps
/// plain objects.
pub(super) fn to_js<T: Into<JsValue> + JsCast>(answer: &impl Serialize) -> Result<T, Thrown> {
    let serializer = serde_wasm_bindgen::Serializer::new()
        .serialize_large_number_types_as_bigints(true)
        .serialize_missing_as_null(true)
        .serialize_maps_as_objects(true);
    answer
        .serialize(&serializer)
        .map(JsCast::unchecked_into)
        .map_err(|error| Error::loglanes(format!("The answer could not be made: {error}")).into())
}

/// A whole number of 32 bits. wasm-bindgen would cut 6.5 to 6, wrap 2^32 + 6 to 6 and read `null`
/// as 0.
pub(super) fn whole(what: &str, value: &JsValue) -> Result<i32, Thrown> {
    let number = value.as_f64();
    let whole = number.map(|number| number as i32).filter(|&n| Some(f64::from(n)) == number);
    whole.ok_or_else(|| {
        let given = number.map_or_else(
            || "no number".to_owned(),
            |number| number.to_string().replace("inf", "Infinity"),
        );
        Error::loglanes(format!("{what} is {given}."))
            .with_hint("It has to be a whole number of at most 32 bits.")
            .into()
    })
}

/// A whole number of 31 bits that is not negative.
pub(super) fn count(what: &str, value: &JsValue) -> Result<usize, Thrown> {
    let number = whole(what, value)?;
    usize::try_from(number).map_err(|_| {
        Error::loglanes(format!("{what} is {number}.")).with_hint("It has to be 0 or more.").into()
    })
}

/// The most items of one answer. A larger limit counts as this one.
pub(super) const MAX_LISTED: usize = 10_000;

/// How many items are asked for, at most [`MAX_LISTED`].
pub(super) fn at_most(limit: &JsValue) -> Result<usize, Thrown> {
    Ok(count("The limit", limit)?.min(MAX_LISTED))
}

/// Bytes, copied. Anything but a `Uint8Array` is refused: `"abc"` would become three zeros.
pub(super) fn bytes_of(what: &str, value: &JsValue) -> Result<Vec<u8>, Thrown> {
    value.dyn_ref::<Uint8Array>().map(Uint8Array::to_vec).ok_or_else(|| {
        Error::loglanes(format!("{what} is no Uint8Array."))
            .with_hint("Turn text into bytes with a TextEncoder.")
            .into()
    })
}

/// As [`bytes_of`], where `null` and `undefined` are none.
pub(super) fn optional_bytes_of(what: &str, value: &JsValue) -> Result<Option<Vec<u8>>, Thrown> {
    if value.is_null() || value.is_undefined() {
        return Ok(None);
    }
    bytes_of(what, value).map(Some)
}

/// Whole milliseconds since 1970. `Date.now()` gives such; anything else counts as its whole part.
pub(super) fn ms(now: f64) -> i64 {
    now as i64
}
