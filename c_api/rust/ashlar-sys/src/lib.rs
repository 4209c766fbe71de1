//! The functions of `ashlar/c.h` that the crate `ashlar` uses, as they are there.
//! The header says what each does, who owns what, and what threads may do.
#![no_std]
#![allow(non_camel_case_types)]

use core::ffi::{c_char, c_int};

#[repr(C)]
#[derive(Clone, Copy)]
pub struct ashlar_slice {
    pub data: *const c_char,
    pub size: usize,
}

macro_rules! opaque {
    ($($name:ident),*) => {
        $(#[repr(C)]
        pub struct $name {
            _private: [u8; 0],
        })*
    };
}
opaque!(
    ashlar_status,
    ashlar_options,
    ashlar_cache,
    ashlar_writer,
    ashlar_reader,
    ashlar_read_options,
    ashlar_values,
    ashlar_iterator
);

pub type ashlar_code = c_int;
pub type ashlar_state = c_int;
pub const ASHLAR_FOUND: ashlar_state = 1;

extern "C" {
    pub fn ashlar_status_code(status: *const ashlar_status) -> ashlar_code;
    pub fn ashlar_status_message(status: *const ashlar_status) -> *const c_char;
    pub fn ashlar_status_free(status: *mut ashlar_status);

    pub fn ashlar_options_new() -> *mut ashlar_options;
    pub fn ashlar_options_free(options: *mut ashlar_options);
    pub fn ashlar_options_set(
        options: *mut ashlar_options,
        text: ashlar_slice,
    ) -> *mut ashlar_status;

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
    pub fn ashlar_writer_finish(writer: *mut ashlar_writer) -> *mut ashlar_status;
    pub fn ashlar_writer_free(writer: *mut ashlar_writer);

    pub fn ashlar_reader_open(
        options: *const ashlar_options,
        path: *const c_char,
        reader: *mut *mut ashlar_reader,
    ) -> *mut ashlar_status;
    pub fn ashlar_reader_free(reader: *mut ashlar_reader);
    pub fn ashlar_reader_get(
        reader: *const ashlar_reader,
        options: *const ashlar_read_options,
        key: ashlar_slice,
        pins: *mut ashlar_values,
        value: *mut ashlar_slice,
        state: *mut ashlar_state,
    ) -> *mut ashlar_status;
    pub fn ashlar_values_new() -> *mut ashlar_values;
    pub fn ashlar_values_free(values: *mut ashlar_values);

    pub fn ashlar_iterator_new(
        tables: *const *const ashlar_reader,
        count: usize,
        options: *const ashlar_read_options,
        merge_operator: *const c_char,
        iterator: *mut *mut ashlar_iterator,
    ) -> *mut ashlar_status;
    pub fn ashlar_iterator_free(iterator: *mut ashlar_iterator);
    pub fn ashlar_iterator_valid(iterator: *const ashlar_iterator) -> c_int;
    pub fn ashlar_iterator_status(iterator: *const ashlar_iterator) -> *mut ashlar_status;
    pub fn ashlar_iterator_seek(iterator: *mut ashlar_iterator, key: ashlar_slice);
    pub fn ashlar_iterator_next(iterator: *mut ashlar_iterator);
    pub fn ashlar_iterator_key(iterator: *const ashlar_iterator) -> ashlar_slice;
    pub fn ashlar_iterator_value(iterator: *const ashlar_iterator) -> ashlar_slice;
}
