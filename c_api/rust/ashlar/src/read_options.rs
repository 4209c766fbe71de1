//! Options of one read.
use std::ptr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::bytes::to_c;
use crate::error::{check, Error, Result};
use crate::sys;

/// Options of lookups and iterators. Each call copies them.
#[derive(Debug)]
pub struct ReadOptions(*mut sys::ashlar_read_options);

// SAFETY: options are not bound to the thread that made them.
unsafe impl Send for ReadOptions {}
// SAFETY: ashlar/c.h lets several threads read the same options, and what
// changes them takes `&mut self`.
unsafe impl Sync for ReadOptions {}

impl ReadOptions {
    /// Returns the default options. The error is a want of memory.
    pub fn new() -> Result<ReadOptions> {
        // SAFETY: the handle is checked, and freed by Drop.
        let options = ReadOptions(unsafe { sys::ashlar_read_options_new() });
        if options.0.is_null() {
            return Err(Error::no_memory());
        }
        Ok(options)
    }
    /// Hides entries with larger sequence numbers. Default: all are seen.
    pub fn set_snapshot(&mut self, sequence: u64) {
        // SAFETY: the handle is valid until Drop.
        unsafe { sys::ashlar_read_options_set_snapshot(self.0, sequence) }
    }
    /// Sets whether a block from the file is compared with its checksum.
    /// Default: true.
    pub fn set_verify_checksums(&mut self, verify: bool) {
        // SAFETY: the handle is valid until Drop.
        unsafe {
            sys::ashlar_read_options_set_verify_checksums(self.0, verify.into())
        }
    }
    /// Sets whether blocks that are read go to the cache. Default: true.
    pub fn set_fill_cache(&mut self, fill: bool) {
        // SAFETY: the handle is valid until Drop.
        unsafe { sys::ashlar_read_options_set_fill_cache(self.0, fill.into()) }
    }
    /// Sets how many bytes an iterator reads at once. Default: 0, which grows
    /// by itself.
    pub fn set_readahead(&mut self, bytes: u64) {
        // SAFETY: the handle is valid until Drop.
        unsafe { sys::ashlar_read_options_set_readahead(self.0, bytes) }
    }
    /// Sets between which keys iterators are: from `lower` on, below `upper`.
    /// `None`: no bound on that side. Lookups have no bounds.
    pub fn set_bounds(
        &mut self,
        lower: Option<&[u8]>,
        upper: Option<&[u8]>,
    ) -> Result<()> {
        let lower = lower.map(to_c);
        let upper = upper.map(to_c);
        // SAFETY: the slices, and the bytes that they borrow, live during the
        // call, which copies them. NULL is accepted.
        unsafe {
            check(sys::ashlar_read_options_set_bounds(
                self.0,
                lower.as_ref().map_or(ptr::null(), |slice| slice),
                upper.as_ref().map_or(ptr::null(), |slice| slice),
            ))
        }
    }
    /// Sets when a call has to be done. Once that time has passed, a read of
    /// the file is [`TimedOut`](crate::ErrorCode::TimedOut). What is in memory
    /// is found at any time. An iterator compares each of its calls with the
    /// same deadline. `None`, the default: no deadline.
    pub fn set_deadline(&mut self, deadline: Option<SystemTime>) {
        let micros = deadline.map_or(0, |time| {
            let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
            micros_for_c(since)
        });
        // SAFETY: the handle is valid until Drop.
        unsafe { sys::ashlar_read_options_set_deadline(self.0, micros) }
    }
    pub(crate) fn handle(
        options: Option<&ReadOptions>,
    ) -> *const sys::ashlar_read_options {
        options.map_or(ptr::null(), |options| options.0)
    }
}
impl Drop for ReadOptions {
    fn drop(&mut self) {
        // SAFETY: the handle is ours, or NULL, which is accepted.
        unsafe { sys::ashlar_read_options_free(self.0) }
    }
}

/// Returns the microseconds, at least 1, since 0 means "none" to the library,
/// and at most what the library counts in, which is signed.
fn micros_for_c(time: Duration) -> u64 {
    time.as_micros().clamp(1, i64::MAX as u128) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_time_becomes_none_and_none_overflows() {
        assert_eq!(micros_for_c(Duration::from_secs(0)), 1);
        assert_eq!(micros_for_c(Duration::from_nanos(1)), 1);
        assert_eq!(micros_for_c(Duration::from_micros(7)), 7);
        assert_eq!(
            micros_for_c(Duration::from_secs(u64::MAX)),
            i64::MAX as u64
        );
    }
}
