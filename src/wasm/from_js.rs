//! From JavaScript's values to typed ones, by way of [`serde_json::Value`].
//!
//! What is saved as JSON is read by the same way. So the code that serde makes for each type is in
//! the module once, and not once for each kind of source: it is a third of what there was.

use js_sys::{Array, Object, Uint8Array};
use serde::de::DeserializeOwned;
use serde_json::{Map, Number, Value};
use wasm_bindgen::prelude::*;

use super::convert::Thrown;
use crate::Bytes;
use crate::error::Error;

/// The deepest nesting of an argument. None of the types goes deeper than a few levels; a value
/// that holds itself has no end.
const MAX_DEPTH: usize = 32;

/// The largest integer up to which a `number` is exact.
const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_991.0;

/// A structured argument. What does not fit its type is refused, not bent, and so is a field that
/// its type does not have.
pub(super) fn from_js<T: DeserializeOwned>(what: &str, value: &JsValue) -> Result<T, Thrown> {
    let refused = |why: String| {
        Error::loglanes(format!("This is no {what}: {why}"))
            .with_hint("The types are in loglanes.d.ts.")
            .into()
    };
    let value = read(value, MAX_DEPTH).map_err(refused)?;
    T::deserialize(value).map_err(|error| refused(error.to_string()))
}

/// Bytes become what they are in JSON; see [`Bytes`]. A property that is `undefined` is none.
fn read(value: &JsValue, depth: usize) -> Result<Value, String> {
    let depth = depth.checked_sub(1).ok_or_else(|| "it is nested too deep".to_owned())?;
    if value.is_null() || value.is_undefined() {
        Ok(Value::Null)
    } else if let Some(is) = value.as_bool() {
        Ok(Value::Bool(is))
    } else if let Some(text) = value.as_string() {
        Ok(Value::String(text))
    } else if let Some(number) = value.as_f64() {
        number_of(number)
    } else if value.is_bigint() {
        whole_of(value)
    } else if let Some(bytes) = value.dyn_ref::<Uint8Array>() {
        serde_json::to_value(Bytes(bytes.to_vec())).map_err(|error| error.to_string())
    } else if let Some(list) = value.dyn_ref::<Array>() {
        list.iter().map(|item| read(&item, depth)).collect()
    } else if let Some(object) = value.dyn_ref::<Object>().filter(|_| !value.is_function()) {
        let mut map = Map::new();
        for entry in Object::entries(object) {
            let entry: Array = entry.unchecked_into();
            let (name, value) = (entry.get(0).as_string().unwrap_or_default(), entry.get(1));
            if !value.is_undefined() {
                map.insert(name, read(&value, depth)?);
            }
        }
        Ok(Value::Object(map))
    } else {
        Err(format!("{value:?} is no data"))
    }
}

fn number_of(number: f64) -> Result<Value, String> {
    if number.fract() == 0.0 && number.abs() <= MAX_SAFE_INTEGER {
        return Ok(Value::from(number as i64));
    }
    Number::from_f64(number).map(Value::Number).ok_or_else(|| format!("{number} is no number"))
}

fn whole_of(value: &JsValue) -> Result<Value, String> {
    i64::try_from(value.clone())
        .map(Value::from)
        .or_else(|_| u64::try_from(value.clone()).map(Value::from))
        .map_err(|_| "a bigint has more than 64 bits".to_owned())
}
