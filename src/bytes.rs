//! Owned bytes that a command carries: a key, a value, a header.

use std::fmt;

use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::ser::SerializeMap as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Bytes as they are. In JSON they are `{"hex":"6b31"}`; from JavaScript a `Uint8Array`. Text is
/// refused in both: `"cafe"` might be four letters or two bytes.
///
/// ```
/// use loglanes::Bytes;
///
/// let key = Bytes::from("k1");
/// assert_eq!(serde_json::to_string(&key).unwrap(), r#"{"hex":"6b31"}"#);
/// assert_eq!(serde_json::from_str::<Bytes>(r#"{"hex":"6b31"}"#).unwrap(), key);
/// assert!(serde_json::from_str::<Bytes>(r#""6b31""#).is_err());
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Bytes(pub Vec<u8>);

impl std::ops::Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl From<&str> for Bytes {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

impl From<&[u8]> for Bytes {
    fn from(bytes: &[u8]) -> Self {
        Self(bytes.to_vec())
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

/// Text in quotes where the bytes are printable text, else hex behind `x`.
impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match std::str::from_utf8(&self.0) {
            Ok(text) if !text.chars().any(is_unreadable) => write!(f, "{text:?}"),
            _ => write!(f, "x\"{}\"", hex(&self.0)),
        }
    }
}

/// A control character for which there is no usual escape.
fn is_unreadable(letter: char) -> bool {
    letter.is_control() && !matches!(letter, '\n' | '\r' | '\t')
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> =
        text.chars().map(|digit| Some(digit.to_digit(16)? as u8)).collect::<Option<_>>()?;
    digits.chunks(2).map(|pair| Some(pair.first()? << 4 | pair.get(1)?)).collect()
}

const HEX: &str = "hex";

impl Serialize for Bytes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(1))?;
        map.serialize_entry(HEX, &hex(&self.0))?;
        map.end()
    }
}

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = Bytes;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("bytes: a Uint8Array")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Bytes, A::Error> {
                let (name, digits): (String, String) =
                    map.next_entry()?.ok_or_else(|| A::Error::custom("no bytes"))?;
                let is_alone = name == HEX && map.next_key::<String>()?.is_none();
                unhex(&digits)
                    .filter(|_| is_alone)
                    .map(Bytes)
                    .ok_or_else(|| A::Error::custom("not hex digits"))
            }

            fn visit_bytes<E: serde::de::Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }

            fn visit_byte_buf<E: serde::de::Error>(self, bytes: Vec<u8>) -> Result<Bytes, E> {
                Ok(Bytes(bytes))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<Bytes, A::Error> {
                // A plain array of numbers would be cut to bytes without a word.
                Err(A::Error::custom("bytes are wanted as a Uint8Array"))
            }
        }

        deserializer.deserialize_any(Either)
    }
}
