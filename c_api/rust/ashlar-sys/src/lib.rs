//! The declarations of `ashlar/c.h`, all of them, as they are there. The header
//! says what each does, who owns what, and what threads may do.
//!
//! They are written by hand. A generator such as bindgen would need libclang,
//! and the header on each machine that builds the crate. `tests/header.rs`
//! compares them with the header instead.
#![allow(non_camel_case_types)]

// std has these names in Rust 1.63; core has them from 1.64 on.
use std::os::raw::{c_char, c_int, c_void};

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ashlar_slice {
    pub data: *const c_char,
    pub size: usize,
}

// C may return a value that these constants do not name yet. A Rust enum must
// never hold such a value, so the types are integers.
pub type ashlar_code = c_int;
pub const ASHLAR_OK: ashlar_code = 0;
pub const ASHLAR_NOT_FOUND: ashlar_code = 1;
pub const ASHLAR_CORRUPTION: ashlar_code = 2;
pub const ASHLAR_NOT_SUPPORTED: ashlar_code = 3;
pub const ASHLAR_INVALID_ARGUMENT: ashlar_code = 4;
pub const ASHLAR_IO_ERROR: ashlar_code = 5;
pub const ASHLAR_MERGE_IN_PROGRESS: ashlar_code = 6;
pub const ASHLAR_ABORTED: ashlar_code = 7;
pub const ASHLAR_MEMORY_LIMIT: ashlar_code = 8;
pub const ASHLAR_INCOMPLETE: ashlar_code = 9;
pub const ASHLAR_TIMED_OUT: ashlar_code = 10;

pub type ashlar_state = c_int;
pub const ASHLAR_ABSENT: ashlar_state = 0;
pub const ASHLAR_FOUND: ashlar_state = 1;
pub const ASHLAR_DELETED: ashlar_state = 2;
pub const ASHLAR_MERGED: ashlar_state = 3;

pub type ashlar_decision = c_int;
pub const ASHLAR_KEEP: ashlar_decision = 0;
pub const ASHLAR_REMOVE: ashlar_decision = 1;
pub const ASHLAR_CHANGE: ashlar_decision = 2;

macro_rules! opaque {
    ($($name:ident),* $(,)?) => {
        $(#[repr(C)]
        pub struct $name {
            _private: [u8; 0],
            // Only C may say which threads may use the object.
            _not_send_or_sync: std::marker::PhantomData<*mut u8>,
        })*
    };
}
opaque!(
    ashlar_status,
    ashlar_bytes,
    ashlar_cache,
    ashlar_options,
    ashlar_writer,
    ashlar_reader,
    ashlar_read_options,
    ashlar_values,
    ashlar_iterator,
);

#[repr(C)]
pub struct ashlar_compaction {
    pub struct_size: usize,
    pub context: *mut c_void,
    pub filter: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            key: ashlar_slice,
            value: ashlar_slice,
            new_value: *mut ashlar_bytes,
        ) -> ashlar_decision,
    >,
    pub progress: Option<
        unsafe extern "C" fn(context: *mut c_void, input_entries: u64) -> c_int,
    >,
    pub output: Option<
        unsafe extern "C" fn(
            context: *mut c_void,
            path: *const c_char,
            file_size: u64,
        ),
    >,
    pub merge_operator: *const c_char,
    pub target_file_size: u64,
    pub bottommost: c_int,
    pub snapshots: *const u64,
    pub snapshot_count: usize,
}

extern "C" {
    // Values and errors.
    pub fn ashlar_status_code(status: *const ashlar_status) -> ashlar_code;
    pub fn ashlar_status_message(status: *const ashlar_status)
        -> *const c_char;
    pub fn ashlar_status_free(status: *mut ashlar_status);
    pub fn ashlar_version() -> *const c_char;
    pub fn ashlar_bytes_slice(bytes: *const ashlar_bytes) -> ashlar_slice;
    pub fn ashlar_bytes_free(bytes: *mut ashlar_bytes);
    pub fn ashlar_bytes_set(
        bytes: *mut ashlar_bytes,
        value: ashlar_slice,
    ) -> *mut ashlar_status;

    // Caches of blocks.
    pub fn ashlar_cache_new_clock(
        capacity: usize,
        cache: *mut *mut ashlar_cache,
    ) -> *mut ashlar_status;
    pub fn ashlar_cache_new_lru(
        capacity: usize,
        cache: *mut *mut ashlar_cache,
    ) -> *mut ashlar_status;
    pub fn ashlar_cache_capacity(cache: *const ashlar_cache) -> usize;
    pub fn ashlar_cache_set_capacity(cache: *mut ashlar_cache, capacity: usize);
    pub fn ashlar_cache_usage(cache: *const ashlar_cache) -> usize;
    pub fn ashlar_cache_pinned_usage(cache: *const ashlar_cache) -> usize;
    pub fn ashlar_cache_free(cache: *mut ashlar_cache);

    // Options.
    pub fn ashlar_options_new() -> *mut ashlar_options;
    pub fn ashlar_options_free(options: *mut ashlar_options);
    pub fn ashlar_options_set(
        options: *mut ashlar_options,
        text: ashlar_slice,
    ) -> *mut ashlar_status;
    pub fn ashlar_options_load(
        options: *mut ashlar_options,
        path: *const c_char,
        family: *const c_char,
        ignored: *mut *mut ashlar_bytes,
    ) -> *mut ashlar_status;
    pub fn ashlar_options_text(
        options: *const ashlar_options,
        text: *mut *mut ashlar_bytes,
    ) -> *mut ashlar_status;
    pub fn ashlar_options_set_cache(
        options: *mut ashlar_options,
        cache: *mut ashlar_cache,
    );

    // Writing a table.
    pub fn ashlar_writer_open(
        options: *const ashlar_options,
        path: *const c_char,
        writer: *mut *mut ashlar_writer,
    ) -> *mut ashlar_status;
    pub fn ashlar_writer_put(
        writer: *mut ashlar_writer,
        key: ashlar_slice,
        value: ashlar_slice,
    ) -> *mut ashlar_status;
    pub fn ashlar_writer_merge(
        writer: *mut ashlar_writer,
        key: ashlar_slice,
        operand: ashlar_slice,
    ) -> *mut ashlar_status;
    pub fn ashlar_writer_delete(
        writer: *mut ashlar_writer,
        key: ashlar_slice,
    ) -> *mut ashlar_status;
    pub fn ashlar_writer_single_delete(
        writer: *mut ashlar_writer,
        key: ashlar_slice,
    ) -> *mut ashlar_status;
    pub fn ashlar_writer_delete_range(
        writer: *mut ashlar_writer,
        begin: ashlar_slice,
        end: ashlar_slice,
    ) -> *mut ashlar_status;
    pub fn ashlar_writer_finish(
        writer: *mut ashlar_writer,
    ) -> *mut ashlar_status;
    pub fn ashlar_writer_entries(writer: *const ashlar_writer) -> u64;
    pub fn ashlar_writer_file_size(writer: *const ashlar_writer) -> u64;
    pub fn ashlar_writer_free(writer: *mut ashlar_writer);

    // Reading a table.
    pub fn ashlar_reader_open(
        options: *const ashlar_options,
        path: *const c_char,
        reader: *mut *mut ashlar_reader,
    ) -> *mut ashlar_status;
    pub fn ashlar_reader_entries(reader: *const ashlar_reader) -> u64;
    pub fn ashlar_reader_free(reader: *mut ashlar_reader);
    pub fn ashlar_reader_verify(
        reader: *const ashlar_reader,
    ) -> *mut ashlar_status;
    pub fn ashlar_read_options_new() -> *mut ashlar_read_options;
    pub fn ashlar_read_options_free(options: *mut ashlar_read_options);
    pub fn ashlar_read_options_set_snapshot(
        options: *mut ashlar_read_options,
        sequence: u64,
    );
    pub fn ashlar_read_options_set_verify_checksums(
        options: *mut ashlar_read_options,
        verify: c_int,
    );
    pub fn ashlar_read_options_set_fill_cache(
        options: *mut ashlar_read_options,
        fill: c_int,
    );
    pub fn ashlar_read_options_set_readahead(
        options: *mut ashlar_read_options,
        bytes: u64,
    );
    pub fn ashlar_read_options_set_bounds(
        options: *mut ashlar_read_options,
        lower: *const ashlar_slice,
        upper: *const ashlar_slice,
    ) -> *mut ashlar_status;
    pub fn ashlar_read_options_set_deadline(
        options: *mut ashlar_read_options,
        microseconds_since_epoch: u64,
    );
    pub fn ashlar_values_new() -> *mut ashlar_values;
    pub fn ashlar_values_reset(values: *mut ashlar_values);
    pub fn ashlar_values_free(values: *mut ashlar_values);
    pub fn ashlar_reader_get(
        reader: *const ashlar_reader,
        options: *const ashlar_read_options,
        key: ashlar_slice,
        pins: *mut ashlar_values,
        value: *mut ashlar_slice,
        state: *mut ashlar_state,
    ) -> *mut ashlar_status;
    pub fn ashlar_reader_multi_get(
        reader: *const ashlar_reader,
        options: *const ashlar_read_options,
        keys: *const ashlar_slice,
        count: usize,
        pins: *mut ashlar_values,
        values: *mut ashlar_slice,
        states: *mut ashlar_state,
        codes: *mut ashlar_code,
    ) -> *mut ashlar_status;

    // Iterators.
    pub fn ashlar_iterator_new(
        tables: *const *const ashlar_reader,
        count: usize,
        options: *const ashlar_read_options,
        merge_operator: *const c_char,
        iterator: *mut *mut ashlar_iterator,
    ) -> *mut ashlar_status;
    pub fn ashlar_iterator_free(iterator: *mut ashlar_iterator);
    pub fn ashlar_iterator_valid(iterator: *const ashlar_iterator) -> c_int;
    pub fn ashlar_iterator_status(
        iterator: *const ashlar_iterator,
    ) -> *mut ashlar_status;
    pub fn ashlar_iterator_seek_to_first(iterator: *mut ashlar_iterator);
    pub fn ashlar_iterator_seek_to_last(iterator: *mut ashlar_iterator);
    pub fn ashlar_iterator_seek(
        iterator: *mut ashlar_iterator,
        key: ashlar_slice,
    );
    pub fn ashlar_iterator_seek_for_prev(
        iterator: *mut ashlar_iterator,
        key: ashlar_slice,
    );
    pub fn ashlar_iterator_next(iterator: *mut ashlar_iterator);
    pub fn ashlar_iterator_prev(iterator: *mut ashlar_iterator);
    pub fn ashlar_iterator_key(
        iterator: *const ashlar_iterator,
    ) -> ashlar_slice;
    pub fn ashlar_iterator_value(
        iterator: *const ashlar_iterator,
    ) -> ashlar_slice;

    // Compaction.
    pub fn ashlar_compact(
        options: *const ashlar_options,
        compaction: *const ashlar_compaction,
        tables: *const *const ashlar_reader,
        count: usize,
        path: *const c_char,
    ) -> *mut ashlar_status;
}
