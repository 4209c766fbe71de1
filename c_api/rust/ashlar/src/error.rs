//! Errors: a code and a message.
use std::ffi::CStr;
use std::fmt;

use crate::sys;

/// The result of a call that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// The kinds of errors, as in `ashlar/c.h`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorCode {
    /// Something that was asked for does not exist.
    NotFound,
    /// The bytes of a file are damaged.
    Corruption,
    /// This library cannot do what was asked for.
    NotSupported,
    /// An argument or an option is wrong.
    InvalidArgument,
    /// The operating system reported an error.
    IoError,
    /// A key has merge operands that have not been joined.
    MergeInProgress,
    /// The call was given up.
    Aborted,
    /// Memory ran out, or a limit of memory was reached.
    MemoryLimit,
    /// The call ended before it was complete.
    Incomplete,
    /// The deadline has passed.
    TimedOut,
    /// A code that these bindings do not know.
    Other(i32),
}

impl ErrorCode {
    /// Requires: the code is not `ASHLAR_OK`.
    pub(crate) fn from_c(code: sys::ashlar_code) -> ErrorCode {
        match code {
            sys::ASHLAR_NOT_FOUND => ErrorCode::NotFound,
            sys::ASHLAR_CORRUPTION => ErrorCode::Corruption,
            sys::ASHLAR_NOT_SUPPORTED => ErrorCode::NotSupported,
            sys::ASHLAR_INVALID_ARGUMENT => ErrorCode::InvalidArgument,
            sys::ASHLAR_IO_ERROR => ErrorCode::IoError,
            sys::ASHLAR_MERGE_IN_PROGRESS => ErrorCode::MergeInProgress,
            sys::ASHLAR_ABORTED => ErrorCode::Aborted,
            sys::ASHLAR_MEMORY_LIMIT => ErrorCode::MemoryLimit,
            sys::ASHLAR_INCOMPLETE => ErrorCode::Incomplete,
            sys::ASHLAR_TIMED_OUT => ErrorCode::TimedOut,
            other => ErrorCode::Other(other),
        }
    }
}

/// An error of the library.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Error {
    /// The kind of the error.
    pub code: ErrorCode,
    /// What is wrong, and where.
    pub message: String,
}

impl Error {
    pub(crate) fn new(code: ErrorCode, message: impl Into<String>) -> Error {
        Error {
            code,
            message: message.into(),
        }
    }
    pub(crate) fn no_memory() -> Error {
        Error::new(ErrorCode::MemoryLimit, "out of memory")
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}
impl std::error::Error for Error {}

/// Makes a result of a status of C, and frees the status.
///
/// # Safety
/// The status must be NULL, or one that a call returned and nobody has freed.
pub(crate) unsafe fn check(status: *mut sys::ashlar_status) -> Result<()> {
    if status.is_null() {
        return Ok(());
    }
    // SAFETY: the caller says that the status is ours. Its message is copied
    // before the status goes.
    unsafe {
        let code = ErrorCode::from_c(sys::ashlar_status_code(status));
        let message = CStr::from_ptr(sys::ashlar_status_message(status));
        let error = Error::new(code, message.to_string_lossy());
        sys::ashlar_status_free(status);
        Err(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_has_its_name() {
        let names = [
            "NotFound",
            "Corruption",
            "NotSupported",
            "InvalidArgument",
            "IoError",
            "MergeInProgress",
            "Aborted",
            "MemoryLimit",
            "Incomplete",
            "TimedOut",
            "Other(11)",
        ];
        for (code, name) in (1..).zip(names) {
            assert_eq!(format!("{:?}", ErrorCode::from_c(code)), name);
        }
    }
}
