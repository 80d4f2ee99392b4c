//! Facts whose types are defined by engines.

use rustc_hash::FxHashMap;
use std::any::{Any, TypeId};
use std::sync::{Arc, Mutex};

/// One value of every requested type.
#[derive(Debug, Default)]
pub(super) struct ByType(Mutex<FxHashMap<TypeId, Arc<dyn Any + Send + Sync>>>);

impl ByType {
    /// The value of a type; at first its default.
    pub fn get<T: Any + Default + Send + Sync>(&self) -> Arc<T> {
        let mut values = self.0.lock().expect("no thread panics while it holds this lock");
        let value = values.entry(TypeId::of::<T>()).or_insert_with(|| Arc::<T>::default());
        Arc::clone(value).downcast().expect("the key of a value is its type")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_has_one_value() {
        let facts = ByType::default();
        *facts.get::<Mutex<u32>>().lock().expect("not poisoned") = 7;
        assert_eq!(*facts.get::<Mutex<u32>>().lock().expect("not poisoned"), 7);
        assert_eq!(*facts.get::<Mutex<u64>>().lock().expect("not poisoned"), 0);
    }
}
