//! Compactions, with callbacks.
//!
//! C calls the closures through the three functions at the end of this file.
//! A panic must not unwind into C. These functions catch it, the compaction is
//! ended, and `Compaction::run` resumes the panic when C has returned.
use std::any::Any;
use std::ffi::{CStr, OsStr};
use std::fmt;
use std::mem;
use std::ops::ControlFlow;
use std::os::raw::{c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};
use std::path::{Path, PathBuf};
use std::ptr;

use crate::bytes::{c_path, from_c, to_c};
use crate::error::{check, Error, Result};
use crate::iterator::merge_operator_for_c;
use crate::options::Options;
use crate::reader::Reader;
use crate::sys;

/// What becomes of a value in a compaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// The value stays.
    Keep,
    /// The key is deleted.
    Remove,
    /// The value becomes this one.
    Change(Vec<u8>),
}

type Filter<'a> = dyn FnMut(&[u8], &[u8]) -> Decision + 'a;
type Progress<'a> = dyn FnMut(u64) -> ControlFlow<()> + 'a;
type Output<'a> = dyn FnMut(&Path, u64) + 'a;

/// A compaction: makes tables of tables, without what is hidden or deleted.
///
/// ```no_run
/// # fn compact(older: ashlar::Reader, newer: ashlar::Reader)
/// # -> ashlar::Result<()> {
/// use ashlar::{Compaction, Decision, Options};
///
/// Compaction::new()
///     .bottommost(true)
///     .filter(|_key, value| match value {
///         b"" => Decision::Remove,
///         _ => Decision::Keep,
///     })
///     .output(|path, size| println!("{}: {size}", path.display()))
///     .run(&Options::new()?, &[&older, &newer], "merged")
/// # }
/// ```
///
/// Closures run on the thread that calls [`Compaction::run`]. A closure that
/// panics ends the compaction, and no output is left. `run` resumes the panic.
#[derive(Default)]
pub struct Compaction<'a> {
    filter: Option<Box<Filter<'a>>>,
    progress: Option<Box<Progress<'a>>>,
    output: Option<Box<Output<'a>>>,
    merge_operator: Option<String>,
    target_file_size: u64,
    bottommost: bool,
    snapshots: Vec<u64>,
}

impl<'a> Compaction<'a> {
    /// Returns a compaction into one table, without closures and snapshots.
    pub fn new() -> Compaction<'a> {
        Compaction::default()
    }
    /// Asks the closure what becomes of a value. It is called with the key and
    /// the value, for values that no snapshot sees.
    #[must_use]
    pub fn filter(
        mut self,
        filter: impl FnMut(&[u8], &[u8]) -> Decision + 'a,
    ) -> Self {
        self.filter = Some(Box::new(filter));
        self
    }
    /// Calls the closure every 4 KiB of input with the number of entries that
    /// were read. If it returns `Break`, the compaction ends with the error
    /// [`Incomplete`](crate::ErrorCode::Incomplete).
    #[must_use]
    pub fn progress(
        mut self,
        progress: impl FnMut(u64) -> ControlFlow<()> + 'a,
    ) -> Self {
        self.progress = Some(Box::new(progress));
        self
    }
    /// Calls the closure for each table that was made, when all are complete,
    /// with its path and its size in bytes.
    #[must_use]
    pub fn output(mut self, output: impl FnMut(&Path, u64) + 'a) -> Self {
        self.output = Some(Box::new(output));
        self
    }
    /// Joins merge operands by the built-in operator of that name, such as
    /// "uint64add".
    #[must_use]
    pub fn merge_operator(mut self, name: &str) -> Self {
        self.merge_operator = Some(name.to_owned());
        self
    }
    /// Begins another table after about that many bytes. 0, the default: makes
    /// one table.
    #[must_use]
    pub fn target_file_size(mut self, bytes: u64) -> Self {
        self.target_file_size = bytes;
        self
    }
    /// Says whether no older data exist, so that deletions may go. Default:
    /// false.
    #[must_use]
    pub fn bottommost(mut self, bottommost: bool) -> Self {
        self.bottommost = bottommost;
        self
    }
    /// Keeps what readers at these sequence numbers see. They may be in any
    /// order.
    #[must_use]
    pub fn snapshots(mut self, snapshots: &[u64]) -> Self {
        self.snapshots = snapshots.to_vec();
        // C requires ascending numbers.
        self.snapshots.sort_unstable();
        self.snapshots.dedup();
        self
    }
    /// Makes the tables `<path>-000001.sst` and so on of these tables. Which
    /// entry is newer, sequence numbers say, as for a
    /// [`TableIterator`](crate::TableIterator). If there is an error, no output
    /// is left. A file that has the name of an output is an error, and stays.
    pub fn run(
        self,
        options: &Options,
        tables: &[&Reader],
        path: impl AsRef<Path>,
    ) -> Result<()> {
        let tables: Vec<_> =
            tables.iter().map(|table| table.handle()).collect();
        let path = c_path(path.as_ref())?;
        let operator = merge_operator_for_c(self.merge_operator.as_deref())?;
        let mut callbacks = Callbacks {
            filter: self.filter,
            progress: self.progress,
            output: self.output,
            failure: None,
            made: Vec::new(),
        };
        let has_filter = callbacks.filter.is_some();
        let compaction = sys::ashlar_compaction {
            struct_size: mem::size_of::<sys::ashlar_compaction>(),
            context: ptr::addr_of_mut!(callbacks).cast(),
            filter: has_filter.then_some(call_filter as _),
            // Always there: they end the compaction after a panic of the
            // filter, and remove what was made.
            progress: Some(call_progress),
            output: Some(call_output),
            merge_operator: operator
                .as_ref()
                .map_or(ptr::null(), |o| o.as_ptr()),
            target_file_size: self.target_file_size,
            bottommost: self.bottommost.into(),
            snapshots: self.snapshots.as_ptr(),
            snapshot_count: self.snapshots.len(),
        };
        // SAFETY: all that the struct and the arguments point to lives until
        // the call returns. Only the callbacks use `callbacks` meanwhile, one
        // at a time, on this thread.
        let result = unsafe {
            check(sys::ashlar_compact(
                options.handle(),
                &compaction,
                tables.as_ptr(),
                tables.len(),
                path.as_ptr(),
            ))
        };
        if callbacks.failure.is_some() {
            // A closure failed when C made the tables all the same. A file that
            // cannot be removed stays: the caller gets what came first.
            for path in &callbacks.made {
                let _ = std::fs::remove_file(path);
            }
        }
        match callbacks.failure {
            None => result,
            Some(Failure::Error(error)) => Err(error),
            Some(Failure::Panic(payload)) => resume_unwind(payload),
        }
    }
}
impl fmt::Debug for Compaction<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compaction")
            .field("merge_operator", &self.merge_operator)
            .field("target_file_size", &self.target_file_size)
            .field("bottommost", &self.bottommost)
            .field("snapshots", &self.snapshots)
            .finish_non_exhaustive()
    }
}

/// Why a callback ended the compaction.
enum Failure {
    Error(Error),
    Panic(Box<dyn Any + Send>),
}

/// The context of the callbacks.
struct Callbacks<'a> {
    filter: Option<Box<Filter<'a>>>,
    progress: Option<Box<Progress<'a>>>,
    output: Option<Box<Output<'a>>>,
    /// The first failure. No closure is called after it.
    failure: Option<Failure>,
    /// The tables that are complete.
    made: Vec<PathBuf>,
}

impl Callbacks<'_> {
    /// Returns what `call` returns, or `None` if it fails, or another call has
    /// failed before.
    fn guarded<T>(
        &mut self,
        call: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Option<T> {
        if self.failure.is_some() {
            return None;
        }
        // The closures are not used again after a panic, so nobody sees what
        // it left.
        let failure = match catch_unwind(AssertUnwindSafe(|| call(self))) {
            Ok(Ok(value)) => return Some(value),
            Ok(Err(error)) => Failure::Error(error),
            Err(payload) => Failure::Panic(payload),
        };
        self.failure = Some(failure);
        None
    }
}

/// # Safety
/// Only for C, with the context of `Compaction::run`.
unsafe extern "C" fn call_filter(
    context: *mut c_void,
    key: sys::ashlar_slice,
    value: sys::ashlar_slice,
    new_value: *mut sys::ashlar_bytes,
) -> sys::ashlar_decision {
    // SAFETY: `run` keeps the context while C has it, and does not use it.
    let callbacks = unsafe { &mut *context.cast::<Callbacks>() };
    // SAFETY: both live during the call, for which the closure borrows them.
    let (key, value) = unsafe { (from_c(key), from_c(value)) };
    let decision = callbacks.guarded(|callbacks| {
        let filter = match &mut callbacks.filter {
            Some(filter) => filter,
            None => return Ok(sys::ASHLAR_KEEP),
        };
        match filter(key, value) {
            Decision::Keep => Ok(sys::ASHLAR_KEEP),
            Decision::Remove => Ok(sys::ASHLAR_REMOVE),
            Decision::Change(bytes) => {
                // SAFETY: C passes the object for this, and copies the bytes.
                unsafe {
                    check(sys::ashlar_bytes_set(new_value, to_c(&bytes)))?;
                }
                Ok(sys::ASHLAR_CHANGE)
            }
        }
    });
    decision.unwrap_or(sys::ASHLAR_KEEP)
}

/// # Safety
/// Only for C, with the context of `Compaction::run`.
unsafe extern "C" fn call_progress(
    context: *mut c_void,
    input_entries: u64,
) -> c_int {
    // SAFETY: `run` keeps the context while C has it, and does not use it.
    let callbacks = unsafe { &mut *context.cast::<Callbacks>() };
    let flow = callbacks.guarded(|callbacks| {
        Ok(match &mut callbacks.progress {
            Some(progress) => progress(input_entries),
            None => ControlFlow::Continue(()),
        })
    });
    match flow {
        Some(ControlFlow::Continue(())) => 0,
        Some(ControlFlow::Break(())) | None => 1,
    }
}

/// # Safety
/// Only for C, with the context of `Compaction::run`.
unsafe extern "C" fn call_output(
    context: *mut c_void,
    path: *const c_char,
    file_size: u64,
) {
    // SAFETY: `run` keeps the context while C has it, and does not use it.
    let callbacks = unsafe { &mut *context.cast::<Callbacks>() };
    // SAFETY: the path ends with a zero byte, and lives during the call.
    let path = unsafe { CStr::from_ptr(path) };
    let path = Path::new(OsStr::from_bytes(path.to_bytes()));
    callbacks.made.push(path.to_owned());
    callbacks.guarded(|callbacks| {
        if let Some(output) = &mut callbacks.output {
            output(path, file_size);
        }
        Ok(())
    });
}
