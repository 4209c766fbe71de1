//! How bytes, texts and paths pass between Rust and C.
use std::ffi::CString;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;

use crate::error::{Error, ErrorCode, Result};
use crate::sys;

pub(crate) const NO_SLICE: sys::ashlar_slice = sys::ashlar_slice {
    data: ptr::null(),
    size: 0,
};

/// C may use the slice only while the bytes are borrowed: during one call.
pub(crate) fn to_c(bytes: &[u8]) -> sys::ashlar_slice {
    sys::ashlar_slice {
        data: bytes.as_ptr().cast(),
        size: bytes.len(),
    }
}

/// # Safety
/// The bytes must live, unchanged, for `'a`.
pub(crate) unsafe fn from_c<'a>(slice: sys::ashlar_slice) -> &'a [u8] {
    // A slice of Rust is never NULL, and an empty slice of C may be.
    if slice.size == 0 {
        return &[];
    }
    // SAFETY: the caller says that the bytes live for 'a.
    unsafe { std::slice::from_raw_parts(slice.data.cast(), slice.size) }
}

pub(crate) fn c_path(path: &Path) -> Result<CString> {
    terminated(path.as_os_str().as_bytes(), "the path")
}

/// Returns the text with the zero byte that C needs. `what` names it in the
/// error.
pub(crate) fn terminated(text: &[u8], what: &str) -> Result<CString> {
    CString::new(text).map_err(|_| {
        let message = format!("{what} has a zero byte");
        Error::new(ErrorCode::InvalidArgument, message)
    })
}

/// Bytes that the library made.
pub(crate) struct OwnedBytes(pub(crate) *mut sys::ashlar_bytes);

impl OwnedBytes {
    /// Requires: a call has set the pointer.
    pub(crate) fn as_slice(&self) -> &[u8] {
        // SAFETY: the slice lives as long as the object, which `self` borrows.
        unsafe { from_c(sys::ashlar_bytes_slice(self.0)) }
    }
}
impl Drop for OwnedBytes {
    fn drop(&mut self) {
        // SAFETY: the object is ours, or NULL, which is accepted.
        unsafe { sys::ashlar_bytes_free(self.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_slice_of_c_may_be_null() {
        // SAFETY: there are no bytes.
        assert_eq!(unsafe { from_c(NO_SLICE) }, b"");
    }
}
