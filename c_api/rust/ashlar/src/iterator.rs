//! Walks over the live keys of tables.
use std::fmt;
use std::ptr;

use crate::bytes::{from_c, terminated, to_c};
use crate::error::{check, Result};
use crate::read_options::ReadOptions;
use crate::reader::Reader;
use crate::sys;

/// Shows the live keys of tables as a user of a database sees them: the newest
/// version of each, without what is deleted, with merge operands joined.
///
/// The newest version is that with the largest sequence number. Files of a
/// [`Writer`](crate::Writer) have 0 for all. A caller who reads several of them
/// together must open each with its number in the options: "largest_seqno=2".
///
/// ```no_run
/// # fn walk(older: ashlar::Reader, newer: ashlar::Reader)
/// # -> ashlar::Result<()> {
/// use ashlar::TableIterator;
///
/// let tables = [&older, &newer];
/// let mut it = TableIterator::new(&tables, None, Some("uint64add"))?;
/// it.seek(b"b");
/// while let (Some(key), Some(value)) = (it.key(), it.value()) {
///     println!("{key:?}: {value:?}");
///     it.next();
/// }
/// it.status()
/// # }
/// ```
pub struct TableIterator {
    handle: *mut sys::ashlar_iterator,
    /// What C says after each move.
    valid: bool,
}

// SAFETY: an iterator is not bound to the thread that made it. It is not Sync:
// ashlar/c.h lets one thread at a time use it, also for what takes `&self`.
unsafe impl Send for TableIterator {}

impl TableIterator {
    /// Makes an iterator over the tables, which it keeps open. A seek must come
    /// first: until then the iterator is at no entry. `merge_operator` is the
    /// name of a built-in one, such as "uint64add". `None`: a key with merge
    /// operands is an error.
    pub fn new(
        tables: &[&Reader],
        options: Option<&ReadOptions>,
        merge_operator: Option<&str>,
    ) -> Result<TableIterator> {
        let tables: Vec<_> =
            tables.iter().map(|table| table.handle()).collect();
        let merge_operator = merge_operator_for_c(merge_operator)?;
        let mut iterator = TableIterator {
            handle: ptr::null_mut(),
            valid: false,
        };
        // SAFETY: tables, options and name live during the call; Drop frees the
        // handle.
        unsafe {
            check(sys::ashlar_iterator_new(
                tables.as_ptr(),
                tables.len(),
                ReadOptions::handle(options),
                merge_operator.as_ref().map_or(ptr::null(), |m| m.as_ptr()),
                &mut iterator.handle,
            ))?;
        }
        Ok(iterator)
    }
    /// Moves to the first key.
    pub fn seek_to_first(&mut self) {
        // SAFETY: the handle is valid until Drop.
        unsafe { sys::ashlar_iterator_seek_to_first(self.handle) }
        self.moved();
    }
    /// Moves to the last key.
    pub fn seek_to_last(&mut self) {
        // SAFETY: the handle is valid until Drop.
        unsafe { sys::ashlar_iterator_seek_to_last(self.handle) }
        self.moved();
    }
    /// Moves to the first key that is not below this one.
    pub fn seek(&mut self, key: &[u8]) {
        // SAFETY: the handle is valid until Drop; the key lives during the
        // call.
        unsafe { sys::ashlar_iterator_seek(self.handle, to_c(key)) }
        self.moved();
    }
    /// Moves to the last key that is not above this one.
    pub fn seek_for_prev(&mut self, key: &[u8]) {
        // SAFETY: the handle is valid until Drop; the key lives during the
        // call.
        unsafe { sys::ashlar_iterator_seek_for_prev(self.handle, to_c(key)) }
        self.moved();
    }
    /// Moves to the next key. Does nothing if the iterator is at no entry.
    pub fn next(&mut self) {
        if self.valid {
            // SAFETY: the iterator is valid, as the call requires.
            unsafe { sys::ashlar_iterator_next(self.handle) }
            self.moved();
        }
    }
    /// Moves to the key before. Does nothing if the iterator is at no entry.
    pub fn prev(&mut self) {
        if self.valid {
            // SAFETY: the iterator is valid, as the call requires.
            unsafe { sys::ashlar_iterator_prev(self.handle) }
            self.moved();
        }
    }
    fn moved(&mut self) {
        // SAFETY: the handle is valid until Drop.
        self.valid = unsafe { sys::ashlar_iterator_valid(self.handle) } != 0;
    }
    /// Returns whether the iterator is at an entry. After the last one, and
    /// after an error, it is at none: [`TableIterator::status`] tells which.
    pub fn valid(&self) -> bool {
        self.valid
    }
    /// Returns the error that ended the walk, if one did. The next seek starts
    /// again.
    pub fn status(&self) -> Result<()> {
        // SAFETY: the handle is valid until Drop.
        unsafe { check(sys::ashlar_iterator_status(self.handle)) }
    }
    /// Returns the key, if the iterator is at an entry.
    pub fn key(&self) -> Option<&[u8]> {
        // SAFETY: the bytes live until the iterator moves, which takes
        // `&mut self`, or is dropped.
        self.valid
            .then(|| unsafe { from_c(sys::ashlar_iterator_key(self.handle)) })
    }
    /// Returns the value, if the iterator is at an entry.
    pub fn value(&self) -> Option<&[u8]> {
        // SAFETY: the bytes live until the iterator moves, which takes
        // `&mut self`, or is dropped.
        self.valid
            .then(|| unsafe { from_c(sys::ashlar_iterator_value(self.handle)) })
    }
    /// Returns the entries from the one on where the iterator is, copied.
    pub fn entries(self) -> Entries {
        Entries {
            iterator: Some(self),
            started: false,
        }
    }
}
impl Drop for TableIterator {
    fn drop(&mut self) {
        // SAFETY: the handle is ours, or NULL, which is accepted.
        unsafe { sys::ashlar_iterator_free(self.handle) }
    }
}
impl fmt::Debug for TableIterator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("TableIterator");
        text.field("key", &self.key())
            .field("value", &self.value())
            .finish()
    }
}

/// Keys and values in order, copied. An error is the last item.
#[derive(Debug)]
pub struct Entries {
    /// `None` after the last item.
    iterator: Option<TableIterator>,
    started: bool,
}

impl Iterator for Entries {
    type Item = Result<(Vec<u8>, Vec<u8>)>;

    fn next(&mut self) -> Option<Self::Item> {
        let iterator = self.iterator.as_mut()?;
        if self.started {
            iterator.next();
        }
        self.started = true;
        if let (Some(key), Some(value)) = (iterator.key(), iterator.value()) {
            return Some(Ok((key.to_vec(), value.to_vec())));
        }
        let end = iterator.status();
        self.iterator = None;
        end.err().map(Err)
    }
}
impl std::iter::FusedIterator for Entries {}

pub(crate) fn merge_operator_for_c(
    name: Option<&str>,
) -> Result<Option<std::ffi::CString>> {
    let what = "the name of the merge operator";
    name.map(|name| terminated(name.as_bytes(), what))
        .transpose()
}
