//! Options of tables, builds and readers.
use std::path::Path;
use std::ptr;

use crate::bytes::{c_path, terminated, to_c, OwnedBytes};
use crate::cache::Cache;
use crate::error::{check, Error, ErrorCode, Result};
use crate::sys;

/// All options of tables, builds and readers.
///
/// They are set from text, as RocksDB's option strings have them:
/// "block_size=16K;filter_policy=bloomfilter:10;compression=kZSTD".
/// Readers and writers copy the options, which may be changed or dropped after
/// that.
#[derive(Debug)]
pub struct Options(*mut sys::ashlar_options);

// SAFETY: options are not bound to the thread that made them.
unsafe impl Send for Options {}
// SAFETY: ashlar/c.h lets several threads read the same options, and what
// changes them takes `&mut self`.
unsafe impl Sync for Options {}

impl Options {
    /// Returns the default options. The error is a want of memory.
    pub fn new() -> Result<Options> {
        // SAFETY: the handle is checked, and freed by Drop.
        let options = Options(unsafe { sys::ashlar_options_new() });
        if options.0.is_null() {
            return Err(Error::no_memory());
        }
        Ok(options)
    }
    /// Returns the default options with what the text says.
    pub fn from_text(text: &str) -> Result<Options> {
        let mut options = Options::new()?;
        options.set(text)?;
        Ok(options)
    }
    /// Sets what the text says. An error names the option and its place, and
    /// changes nothing.
    pub fn set(&mut self, text: &str) -> Result<()> {
        // SAFETY: the handle is valid until Drop; the text is copied.
        unsafe { check(sys::ashlar_options_set(self.0, to_c(text.as_bytes()))) }
    }
    /// Sets the options of a column family of a RocksDB database. `path` is an
    /// OPTIONS file or the folder of the database. What is unknown is an error.
    pub fn load(&mut self, path: impl AsRef<Path>, family: &str) -> Result<()> {
        self.load_into(path.as_ref(), family, ptr::null_mut())
    }
    /// As [`Options::load`], but leaves out what is unknown. Returns a line for
    /// each option that was left out.
    pub fn load_ignoring_unknown(
        &mut self,
        path: impl AsRef<Path>,
        family: &str,
    ) -> Result<Vec<String>> {
        let mut ignored = OwnedBytes(ptr::null_mut());
        self.load_into(path.as_ref(), family, &mut ignored.0)?;
        let text = String::from_utf8_lossy(ignored.as_slice());
        Ok(text.lines().map(str::to_owned).collect())
    }
    /// `ignored` may be NULL.
    fn load_into(
        &mut self,
        path: &Path,
        family: &str,
        ignored: *mut *mut sys::ashlar_bytes,
    ) -> Result<()> {
        let path = c_path(path)?;
        let family = terminated(family.as_bytes(), "the name of the family")?;
        // SAFETY: path and family end with a zero byte and live during the
        // call; `ignored` is NULL or a place for a handle.
        unsafe {
            check(sys::ashlar_options_load(
                self.0,
                path.as_ptr(),
                family.as_ptr(),
                ignored,
            ))
        }
    }
    /// Returns all options as text, of which [`Options::set`] makes the same.
    /// The cache is left out.
    pub fn text(&self) -> Result<String> {
        let mut text = OwnedBytes(ptr::null_mut());
        // SAFETY: the handle is valid until Drop; the call sets `text`.
        unsafe { check(sys::ashlar_options_text(self.0, &mut text.0))? };
        String::from_utf8(text.as_slice().to_vec()).map_err(|_| {
            let message = "the text of the options is not UTF-8";
            Error::new(ErrorCode::NotSupported, message)
        })
    }
    /// Sets the cache of readers that are opened from now on. `None`: none.
    pub fn set_cache(&mut self, cache: Option<&Cache>) {
        let cache = cache.map_or(ptr::null_mut(), Cache::handle);
        // SAFETY: the handle is valid until Drop. The options share the cache,
        // which may be dropped before them.
        unsafe { sys::ashlar_options_set_cache(self.0, cache) }
    }
    pub(crate) fn handle(&self) -> *const sys::ashlar_options {
        self.0
    }
}
impl Drop for Options {
    fn drop(&mut self) {
        // SAFETY: the handle is ours, or NULL, which is accepted.
        unsafe { sys::ashlar_options_free(self.0) }
    }
}
