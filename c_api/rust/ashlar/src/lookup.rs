//! What lookups find, pinned where it is.
use std::fmt;
use std::ops::Deref;

use crate::bytes::{from_c, NO_SLICE};
use crate::error::{Error, ErrorCode, Result};
use crate::sys;

/// What a table says of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lookup<V> {
    /// The table has no entry of the key. Older tables may have one.
    Absent,
    /// The value.
    Found(V),
    /// The key is deleted. Older tables must not be asked. A range deletion
    /// counts only if the file was opened with a sequence number:
    /// "largest_seqno=2".
    Deleted,
    /// There are merge operands, which a [`TableIterator`] joins.
    ///
    /// [`TableIterator`]: crate::TableIterator
    Merged,
}

impl<V> Lookup<V> {
    /// Returns the value, or `None` in the other cases.
    pub fn found(self) -> Option<V> {
        match self {
            Lookup::Found(value) => Some(value),
            _ => None,
        }
    }
    /// `value` is used only if the state is `ASHLAR_FOUND`.
    pub(crate) fn from_c(state: sys::ashlar_state, value: V) -> Lookup<V> {
        match state {
            sys::ASHLAR_FOUND => Lookup::Found(value),
            sys::ASHLAR_DELETED => Lookup::Deleted,
            sys::ASHLAR_MERGED => Lookup::Merged,
            _ => Lookup::Absent,
        }
    }
}

/// The object that keeps the bytes of values where they are.
struct Pins(*mut sys::ashlar_values);

// SAFETY: the object is not bound to the thread that made it.
unsafe impl Send for Pins {}
// SAFETY: no call takes the object by `&self`. Other threads only look at the
// bytes that it keeps, which do not change.
unsafe impl Sync for Pins {}

impl Pins {
    fn new() -> Result<Pins> {
        // SAFETY: the handle is checked, and freed by Drop.
        let pins = Pins(unsafe { sys::ashlar_values_new() });
        if pins.0.is_null() {
            return Err(Error::no_memory());
        }
        Ok(pins)
    }
}
impl Drop for Pins {
    fn drop(&mut self) {
        // SAFETY: the handle is ours, or NULL, which is accepted.
        unsafe { sys::ashlar_values_free(self.0) }
    }
}

/// A value, pinned where it is: in a block of the cache, or in memory of its
/// own. It may outlive the reader and the cache. It is read as a `[u8]`.
pub struct Value {
    pins: Pins,
    bytes: sys::ashlar_slice,
}

// SAFETY: the bytes belong to `pins`, which may be sent.
unsafe impl Send for Value {}
// SAFETY: the bytes do not change.
unsafe impl Sync for Value {}

impl Value {
    /// Calls `read` with the object that keeps the bytes, and with the place
    /// that receives the slice.
    pub(crate) fn read_by(
        read: impl FnOnce(
            *mut sys::ashlar_values,
            *mut sys::ashlar_slice,
        ) -> Result<()>,
    ) -> Result<Value> {
        let mut value = Value {
            pins: Pins::new()?,
            bytes: NO_SLICE,
        };
        read(value.pins.0, &mut value.bytes)?;
        Ok(value)
    }
}
impl Deref for Value {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        // SAFETY: the pins keep the bytes for as long as the value lives.
        unsafe { from_c(self.bytes) }
    }
}
impl AsRef<[u8]> for Value {
    fn as_ref(&self) -> &[u8] {
        self
    }
}
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, f)
    }
}

/// The results of a [`Reader::multi_get`](crate::Reader::multi_get), in the
/// order of the keys. Values are pinned where they are, without a copy, until
/// the next call that takes this object, or until it is dropped. It may outlive
/// the reader and the cache. Use it for many calls: its memory is then
/// allocated once.
pub struct Results {
    pins: Pins,
    keys: Vec<sys::ashlar_slice>,
    values: Vec<sys::ashlar_slice>,
    states: Vec<sys::ashlar_state>,
    codes: Vec<sys::ashlar_code>,
}

// SAFETY: the slices of values belong to `pins`, which may be sent. Those of
// keys are used only during the call that sets them.
unsafe impl Send for Results {}
// SAFETY: what takes `&self` only reads, and the bytes of values do not change.
unsafe impl Sync for Results {}

/// Where C finds the keys, and writes the results.
pub(crate) struct Places {
    pub(crate) keys: *const sys::ashlar_slice,
    pub(crate) count: usize,
    pub(crate) pins: *mut sys::ashlar_values,
    pub(crate) values: *mut sys::ashlar_slice,
    pub(crate) states: *mut sys::ashlar_state,
    pub(crate) codes: *mut sys::ashlar_code,
}

impl Results {
    /// Returns an object without results. The error is a want of memory.
    pub fn new() -> Result<Results> {
        Ok(Results {
            pins: Pins::new()?,
            keys: Vec::new(),
            values: Vec::new(),
            states: Vec::new(),
            codes: Vec::new(),
        })
    }
    /// Returns for how many keys there are results.
    pub fn len(&self) -> usize {
        self.values.len()
    }
    /// Returns whether there are no results.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
    /// Returns what the table says of the key with this index, or why that
    /// could not be read. `None`: the index is not below `len()`.
    pub fn get(
        &self,
        index: usize,
    ) -> Option<std::result::Result<Lookup<&[u8]>, ErrorCode>> {
        let code = *self.codes.get(index)?;
        if code != sys::ASHLAR_OK {
            return Some(Err(ErrorCode::from_c(code)));
        }
        // SAFETY: the pins keep the bytes until a call takes `&mut self`.
        let value = unsafe { from_c(self.values[index]) };
        Some(Ok(Lookup::from_c(self.states[index], value)))
    }
    /// Returns the results one after the other.
    pub fn iter(
        &self,
    ) -> impl Iterator<Item = std::result::Result<Lookup<&[u8]>, ErrorCode>>
    {
        (0..self.len()).map(move |index| self.get(index).expect("in range"))
    }
    /// Releases the values, and forgets the results.
    pub fn clear(&mut self) {
        self.values.clear();
        self.states.clear();
        self.codes.clear();
        // SAFETY: the handle is valid until Drop, and no value is borrowed.
        unsafe { sys::ashlar_values_reset(self.pins.0) }
    }
    /// Makes a place for the result of each key. C must use the places only
    /// while the keys are borrowed and before `self` is used again.
    pub(crate) fn places<K: AsRef<[u8]>>(&mut self, keys: &[K]) -> Places {
        self.keys.clear();
        let keys = keys.iter().map(|key| crate::bytes::to_c(key.as_ref()));
        self.keys.extend(keys);
        let count = self.keys.len();
        self.values.clear();
        self.values.resize(count, NO_SLICE);
        self.states.clear();
        self.states.resize(count, sys::ASHLAR_ABSENT);
        self.codes.clear();
        self.codes.resize(count, sys::ASHLAR_OK);
        Places {
            keys: self.keys.as_ptr(),
            count,
            pins: self.pins.0,
            values: self.values.as_mut_ptr(),
            states: self.states.as_mut_ptr(),
            codes: self.codes.as_mut_ptr(),
        }
    }
}
impl fmt::Debug for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
