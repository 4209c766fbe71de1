//! Writes and reads SST tables in RocksDB's format, by the C interface of Ashlar.
//!
//! A [`Reader`] may be shared by threads. A [`Value`] borrows no reader: it pins
//! its bytes where they are, without a copy.
use std::ffi::{CStr, CString};
use std::fmt;
use std::path::Path;
use std::ptr;

use ashlar_sys as sys;

/// An error of the library: its code, as in `ashlar/c.h`, and its message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    pub code: i32,
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
impl std::error::Error for Error {}

pub type Result<T> = std::result::Result<T, Error>;

const INVALID_ARGUMENT: i32 = 4;
const MEMORY_LIMIT: i32 = 8;

fn no_memory() -> Error {
    Error { code: MEMORY_LIMIT, message: "out of memory".into() }
}

fn check(status: *mut sys::ashlar_status) -> Result<()> {
    if status.is_null() {
        return Ok(());
    }
    // SAFETY: the status is ours until it is freed, and so is its message.
    unsafe {
        let code = sys::ashlar_status_code(status);
        let message = CStr::from_ptr(sys::ashlar_status_message(status));
        let message = message.to_string_lossy().into_owned();
        sys::ashlar_status_free(status);
        Err(Error { code, message })
    }
}

fn slice(bytes: &[u8]) -> sys::ashlar_slice {
    sys::ashlar_slice { data: bytes.as_ptr().cast(), size: bytes.len() }
}

/// # Safety
/// The bytes must live, unchanged, for `'a`.
unsafe fn bytes<'a>(slice: sys::ashlar_slice) -> &'a [u8] {
    if slice.size == 0 {
        return &[];
    }
    std::slice::from_raw_parts(slice.data.cast(), slice.size)
}

fn c_path(path: &Path) -> Result<CString> {
    CString::new(path.as_os_str().as_encoded_bytes()).map_err(|_| Error {
        code: INVALID_ARGUMENT,
        message: "the path has a zero byte".into(),
    })
}

/// Options of tables, builds and readers.
pub struct Options(*mut sys::ashlar_options);

impl Options {
    /// Default options with what the text says, as RocksDB's option strings have
    /// it: "block_size=16K;compression=kZSTD".
    pub fn from_text(text: &str) -> Result<Options> {
        // SAFETY: the handle is checked, and freed by Drop.
        unsafe {
            let options = Options(sys::ashlar_options_new());
            if options.0.is_null() {
                return Err(no_memory());
            }
            check(sys::ashlar_options_set(options.0, slice(text.as_bytes())))?;
            Ok(options)
        }
    }
}
impl Drop for Options {
    fn drop(&mut self) {
        unsafe { sys::ashlar_options_free(self.0) }
    }
}

/// Writes a table. Dropped before [`Writer::finish`], it abandons the file.
pub struct Writer(*mut sys::ashlar_writer);
// SAFETY: a writer is not bound to the thread that made it.
unsafe impl Send for Writer {}

impl Writer {
    pub fn create(path: impl AsRef<Path>, options: &Options) -> Result<Writer> {
        let path = c_path(path.as_ref())?;
        let mut writer = Writer(ptr::null_mut());
        check(unsafe { sys::ashlar_writer_open(options.0, path.as_ptr(), &mut writer.0) })?;
        Ok(writer)
    }
    /// Adds an entry. Keys must ascend.
    pub fn put(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        check(unsafe { sys::ashlar_writer_put(self.0, slice(key), slice(value)) })
    }
    /// Completes the file, which then has its name.
    pub fn finish(self) -> Result<()> {
        check(unsafe { sys::ashlar_writer_finish(self.0) })
    }
}
impl Drop for Writer {
    fn drop(&mut self) {
        unsafe { sys::ashlar_writer_free(self.0) }
    }
}

/// An open table.
pub struct Reader(*mut sys::ashlar_reader);
// SAFETY: ashlar/c.h lets any number of threads use one reader.
unsafe impl Send for Reader {}
unsafe impl Sync for Reader {}

impl Reader {
    pub fn open(path: impl AsRef<Path>, options: &Options) -> Result<Reader> {
        let path = c_path(path.as_ref())?;
        let mut reader = Reader(ptr::null_mut());
        check(unsafe { sys::ashlar_reader_open(options.0, path.as_ptr(), &mut reader.0) })?;
        Ok(reader)
    }
    /// Returns the value of the key, if the table has one.
    pub fn get(&self, key: &[u8]) -> Result<Option<Value>> {
        // SAFETY: the value owns the pins that keep its bytes.
        unsafe {
            let mut value = Value {
                pins: sys::ashlar_values_new(),
                bytes: sys::ashlar_slice { data: ptr::null(), size: 0 },
            };
            if value.pins.is_null() {
                return Err(no_memory());
            }
            let mut state = 0;
            check(sys::ashlar_reader_get(
                self.0,
                ptr::null(),
                slice(key),
                value.pins,
                &mut value.bytes,
                &mut state,
            ))?;
            Ok((state == sys::ASHLAR_FOUND).then_some(value))
        }
    }
    /// Returns an iterator over the live keys from this one on.
    pub fn iter_from(&self, key: &[u8]) -> Result<Entries> {
        let mut entries = Entries { iterator: ptr::null_mut(), started: false };
        let table: *const sys::ashlar_reader = self.0;
        // SAFETY: the iterator keeps the table open.
        unsafe {
            check(sys::ashlar_iterator_new(
                &table,
                1,
                ptr::null(),
                ptr::null(),
                &mut entries.iterator,
            ))?;
            sys::ashlar_iterator_seek(entries.iterator, slice(key));
        }
        Ok(entries)
    }
}
impl Drop for Reader {
    fn drop(&mut self) {
        unsafe { sys::ashlar_reader_free(self.0) }
    }
}

/// A value, pinned where it is.
pub struct Value {
    pins: *mut sys::ashlar_values,
    bytes: sys::ashlar_slice,
}
impl std::ops::Deref for Value {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        // SAFETY: the pins keep the bytes for as long as the value lives.
        unsafe { bytes(self.bytes) }
    }
}
impl Drop for Value {
    fn drop(&mut self) {
        unsafe { sys::ashlar_values_free(self.pins) }
    }
}

/// Keys and values in order, copied. An error is the last item.
pub struct Entries {
    iterator: *mut sys::ashlar_iterator,
    started: bool,
}

impl Iterator for Entries {
    type Item = Result<(Vec<u8>, Vec<u8>)>;

    fn next(&mut self) -> Option<Self::Item> {
        // SAFETY: key and value are copied before the iterator moves.
        unsafe {
            if self.iterator.is_null() {
                return None;
            }
            if self.started {
                sys::ashlar_iterator_next(self.iterator);
            }
            self.started = true;
            if sys::ashlar_iterator_valid(self.iterator) == 0 {
                let end = check(sys::ashlar_iterator_status(self.iterator));
                sys::ashlar_iterator_free(self.iterator);
                self.iterator = ptr::null_mut();
                return end.err().map(Err);
            }
            let key = bytes(sys::ashlar_iterator_key(self.iterator)).to_vec();
            let value = bytes(sys::ashlar_iterator_value(self.iterator)).to_vec();
            Some(Ok((key, value)))
        }
    }
}
impl Drop for Entries {
    fn drop(&mut self) {
        unsafe { sys::ashlar_iterator_free(self.iterator) }
    }
}
