//! Reading a table.
use std::path::Path;
use std::ptr;

use crate::bytes::{c_path, to_c};
use crate::error::{check, Error, ErrorCode, Result};
use crate::iterator::{Entries, TableIterator};
use crate::lookup::{Lookup, Results, Value};
use crate::options::Options;
use crate::read_options::ReadOptions;
use crate::sys;

/// An open table.
#[derive(Debug)]
pub struct Reader(*mut sys::ashlar_reader);

// SAFETY: ashlar/c.h lets any number of threads use one reader.
unsafe impl Send for Reader {}
// SAFETY: as above.
unsafe impl Sync for Reader {}

impl Reader {
    /// Opens the table `path`.
    pub fn open(path: impl AsRef<Path>, options: &Options) -> Result<Reader> {
        let path = c_path(path.as_ref())?;
        let mut reader = Reader(ptr::null_mut());
        // SAFETY: options and path live during the call; Drop frees the handle.
        unsafe {
            check(sys::ashlar_reader_open(
                options.handle(),
                path.as_ptr(),
                &mut reader.0,
            ))?;
        }
        Ok(reader)
    }
    /// Returns how many entries the table has, deletions and merge operands
    /// included.
    pub fn entries(&self) -> u64 {
        // SAFETY: the handle is valid until Drop; any thread may ask.
        unsafe { sys::ashlar_reader_entries(self.0) }
    }
    /// Reads the whole file, and compares each block with its checksum.
    pub fn verify(&self) -> Result<()> {
        // SAFETY: the handle is valid until Drop; any thread may ask.
        unsafe { check(sys::ashlar_reader_verify(self.0)) }
    }
    /// Returns the value of the key, or `None` if the table has none. A key
    /// with merge operands is an error, as its value is not known:
    /// [`MergeInProgress`](ErrorCode::MergeInProgress).
    pub fn get(&self, key: &[u8]) -> Result<Option<Value>> {
        plain(self.lookup(key, None)?)
    }
    /// As [`Reader::get`], with options.
    pub fn get_with(
        &self,
        key: &[u8],
        options: &ReadOptions,
    ) -> Result<Option<Value>> {
        plain(self.lookup(key, Some(options))?)
    }
    /// Returns what the table says of the key, for callers that look at several
    /// tables, the newest first.
    pub fn lookup(
        &self,
        key: &[u8],
        options: Option<&ReadOptions>,
    ) -> Result<Lookup<Value>> {
        let mut state = sys::ASHLAR_ABSENT;
        let value = Value::read_by(|pins, bytes| {
            // SAFETY: the handles are valid, the key lives during the call, and
            // the value owns the pins that keep its bytes.
            unsafe {
                check(sys::ashlar_reader_get(
                    self.0,
                    ReadOptions::handle(options),
                    to_c(key),
                    pins,
                    bytes,
                    &mut state,
                ))
            }
        })?;
        Ok(Lookup::from_c(state, value))
    }
    /// Looks several keys up, which is faster than one by one. `results` gets a
    /// result for each key, and releases what it had. Returns the first error.
    /// Keys without an error of their own are answered even so.
    pub fn multi_get<K: AsRef<[u8]>>(
        &self,
        keys: &[K],
        options: Option<&ReadOptions>,
        results: &mut Results,
    ) -> Result<()> {
        let places = results.places(keys);
        // SAFETY: each array has `count` places, and lives during the call, as
        // the keys do.
        unsafe {
            check(sys::ashlar_reader_multi_get(
                self.0,
                ReadOptions::handle(options),
                places.keys,
                places.count,
                places.pins,
                places.values,
                places.states,
                places.codes,
            ))
        }
    }
    /// Returns the live keys from this one on, with their values. A
    /// [`TableIterator`] can do more.
    pub fn iter_from(&self, key: &[u8]) -> Result<Entries> {
        let mut iterator = TableIterator::new(&[self], None, None)?;
        iterator.seek(key);
        Ok(iterator.entries())
    }
    pub(crate) fn handle(&self) -> *const sys::ashlar_reader {
        self.0
    }
}
impl Drop for Reader {
    fn drop(&mut self) {
        // SAFETY: the handle is ours, or NULL, which is accepted. Iterators and
        // values keep what they need.
        unsafe { sys::ashlar_reader_free(self.0) }
    }
}

fn plain(lookup: Lookup<Value>) -> Result<Option<Value>> {
    match lookup {
        Lookup::Merged => Err(Error::new(
            ErrorCode::MergeInProgress,
            "the key has merge operands; read it by a TableIterator",
        )),
        other => Ok(other.found()),
    }
}
