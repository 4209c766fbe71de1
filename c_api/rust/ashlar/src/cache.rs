//! Caches of blocks.
use std::ptr;

use crate::error::{check, Result};
use crate::sys;

/// A cache of blocks, which any number of readers and threads share. Readers
/// get it by [`Options::set_cache`](crate::Options::set_cache). Its memory goes
/// when the cache was dropped and no options, reader, iterator or value uses it
/// any more.
#[derive(Debug)]
pub struct Cache(*mut sys::ashlar_cache);

// SAFETY: ashlar/c.h lets any number of threads use one cache.
unsafe impl Send for Cache {}
// SAFETY: as above.
unsafe impl Sync for Cache {}

impl Cache {
    /// Makes a clock cache of that many bytes: lookups take no lock.
    pub fn clock(capacity: usize) -> Result<Cache> {
        let mut cache = Cache(ptr::null_mut());
        // SAFETY: the call sets the handle, which Drop frees.
        unsafe { check(sys::ashlar_cache_new_clock(capacity, &mut cache.0))? };
        Ok(cache)
    }
    /// Makes an LRU cache of that many bytes.
    pub fn lru(capacity: usize) -> Result<Cache> {
        let mut cache = Cache(ptr::null_mut());
        // SAFETY: the call sets the handle, which Drop frees.
        unsafe { check(sys::ashlar_cache_new_lru(capacity, &mut cache.0))? };
        Ok(cache)
    }
    /// Returns how many bytes the cache may use.
    pub fn capacity(&self) -> usize {
        // SAFETY: the handle is valid until Drop; any thread may ask.
        unsafe { sys::ashlar_cache_capacity(self.0) }
    }
    /// Changes how many bytes the cache may use.
    pub fn set_capacity(&self, capacity: usize) {
        // SAFETY: the handle is valid until Drop; the cache guards itself
        // against other threads.
        unsafe { sys::ashlar_cache_set_capacity(self.0, capacity) }
    }
    /// Returns how many bytes the cache uses.
    pub fn usage(&self) -> usize {
        // SAFETY: the handle is valid until Drop; any thread may ask.
        unsafe { sys::ashlar_cache_usage(self.0) }
    }
    /// Returns how many bytes of the cache are in use by reads, iterators or
    /// values.
    pub fn pinned_usage(&self) -> usize {
        // SAFETY: the handle is valid until Drop; any thread may ask.
        unsafe { sys::ashlar_cache_pinned_usage(self.0) }
    }
    pub(crate) fn handle(&self) -> *mut sys::ashlar_cache {
        self.0
    }
}
impl Drop for Cache {
    fn drop(&mut self) {
        // SAFETY: the handle is ours, or NULL, which is accepted. What still
        // uses the cache keeps it.
        unsafe { sys::ashlar_cache_free(self.0) }
    }
}
