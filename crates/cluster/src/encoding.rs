//! Values as bytes, for messages between ranks.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// A value that can be sent to another rank: a task, an answer, a set-up.
pub trait Portable: Serialize + DeserializeOwned + Send {}

impl<T: Serialize + DeserializeOwned + Send> Portable for T {}

/// Encodes a value.
pub fn encode(value: &(impl Serialize + ?Sized)) -> Vec<u8> {
    postcard::to_allocvec(value).expect("values between ranks are plain data")
}

/// Decodes a value; `None` if the bytes do not encode one.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Option<T> {
    postcard::from_bytes(bytes).ok()
}
