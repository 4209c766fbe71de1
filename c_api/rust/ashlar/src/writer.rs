//! Writing a table.
use std::path::Path;
use std::ptr;

use crate::bytes::{c_path, to_c};
use crate::error::{check, Result};
use crate::options::Options;
use crate::sys;

/// Writes a file that RocksDB ingests: keys in ascending order, each once. The
/// file has its name only when [`Writer::finish`] has completed it. A writer
/// that is dropped before abandons the file.
#[derive(Debug)]
pub struct Writer(*mut sys::ashlar_writer);

// SAFETY: a writer is not bound to the thread that made it. It is not Sync:
// ashlar/c.h lets one thread at a time use it, also for what takes `&self`.
unsafe impl Send for Writer {}

/// What a writer has written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct TableSummary {
    /// How many entries the table has.
    pub entries: u64,
    /// How many bytes the file has.
    pub file_size: u64,
}

impl Writer {
    /// Begins the table `path`.
    pub fn create(path: impl AsRef<Path>, options: &Options) -> Result<Writer> {
        let path = c_path(path.as_ref())?;
        let mut writer = Writer(ptr::null_mut());
        // SAFETY: options and path live during the call; Drop frees the handle.
        unsafe {
            check(sys::ashlar_writer_open(
                options.handle(),
                path.as_ptr(),
                &mut writer.0,
            ))?;
        }
        Ok(writer)
    }
    /// Adds a value. This call and the next three return
    /// [`InvalidArgument`](crate::ErrorCode::InvalidArgument), and add nothing,
    /// if the key is not above the last one.
    pub fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        // SAFETY: the handle is valid until Drop; the bytes are copied.
        unsafe { check(sys::ashlar_writer_put(self.0, to_c(key), to_c(value))) }
    }
    /// Adds a merge operand.
    pub fn merge(&mut self, key: &[u8], operand: &[u8]) -> Result<()> {
        let (key, operand) = (to_c(key), to_c(operand));
        // SAFETY: the handle is valid until Drop; the bytes are copied.
        unsafe { check(sys::ashlar_writer_merge(self.0, key, operand)) }
    }
    /// Adds a deletion.
    pub fn delete(&mut self, key: &[u8]) -> Result<()> {
        // SAFETY: the handle is valid until Drop; the bytes are copied.
        unsafe { check(sys::ashlar_writer_delete(self.0, to_c(key))) }
    }
    /// Adds the deletion of a key that was put once at most.
    pub fn single_delete(&mut self, key: &[u8]) -> Result<()> {
        // SAFETY: the handle is valid until Drop; the bytes are copied.
        unsafe { check(sys::ashlar_writer_single_delete(self.0, to_c(key))) }
    }
    /// Deletes the keys of older tables from `begin` on that are below `end`.
    /// Range deletions may be added in any order, and at any time.
    pub fn delete_range(&mut self, begin: &[u8], end: &[u8]) -> Result<()> {
        let (begin, end) = (to_c(begin), to_c(end));
        // SAFETY: the handle is valid until Drop; the bytes are copied.
        unsafe { check(sys::ashlar_writer_delete_range(self.0, begin, end)) }
    }
    /// Returns how many entries there are so far.
    pub fn entries(&self) -> u64 {
        // SAFETY: the handle is valid until Drop, and only this thread uses it.
        unsafe { sys::ashlar_writer_entries(self.0) }
    }
    /// Returns how many bytes have been written so far. Blocks that are not
    /// complete do not count.
    pub fn file_size(&self) -> u64 {
        // SAFETY: the handle is valid until Drop, and only this thread uses it.
        unsafe { sys::ashlar_writer_file_size(self.0) }
    }
    /// Completes the file, which then has its name. A table without entries is
    /// an error.
    pub fn finish(self) -> Result<TableSummary> {
        // SAFETY: the handle is valid until Drop. Nothing is added after this,
        // since `self` goes.
        unsafe { check(sys::ashlar_writer_finish(self.0))? };
        Ok(TableSummary {
            entries: self.entries(),
            file_size: self.file_size(),
        })
    }
}
impl Drop for Writer {
    fn drop(&mut self) {
        // SAFETY: the handle is ours, or NULL, which is accepted.
        unsafe { sys::ashlar_writer_free(self.0) }
    }
}
