// Package ashlar writes and reads SST tables in RocksDB's format, by the C
// interface of Ashlar. Set CGO_CFLAGS and CGO_LDFLAGS to where it is installed:
//
//	CGO_CFLAGS=-I<prefix>/include CGO_LDFLAGS="-L<prefix>/lib -Wl,-rpath,<prefix>/lib"
//
// A Reader may be used by several goroutines. A Writer and an Iterator may not.
// Each must be closed.
package ashlar

// #cgo LDFLAGS: -lashlar_c
// #include <ashlar/c.h>
// #include <stdlib.h>
import "C"

import (
	"errors"
	"unsafe"
)

// Error is an error of the library.
type Error struct {
	Code    int // ashlar_code of ashlar/c.h
	Message string
}

func (e *Error) Error() string { return e.Message }

// ErrNotFound means that the table has no value of the key.
var ErrNotFound = errors.New("ashlar: no such key")

func toError(status *C.ashlar_status) error {
	if status == nil {
		return nil
	}
	defer C.ashlar_status_free(status)
	return &Error{int(C.ashlar_status_code(status)),
		C.GoString(C.ashlar_status_message(status))}
}

// slice borrows the bytes for one call. C keeps none of them.
func slice(bytes []byte) C.ashlar_slice {
	return C.ashlar_slice{(*C.char)(unsafe.Pointer(unsafe.SliceData(bytes))),
		C.size_t(len(bytes))}
}

func copied(slice C.ashlar_slice) []byte {
	return C.GoBytes(unsafe.Pointer(slice.data), C.int(slice.size))
}

// newOptions makes options of a text such as "block_size=16K;compression=kZSTD".
func newOptions(text string) (*C.ashlar_options, error) {
	options := C.ashlar_options_new()
	if options == nil {
		return nil, errors.New("ashlar: out of memory")
	}
	if text == "" {
		return options, nil
	}
	bytes := C.CString(text)
	defer C.free(unsafe.Pointer(bytes))
	err := toError(C.ashlar_options_set(options,
		C.ashlar_slice{bytes, C.size_t(len(text))}))
	if err != nil {
		C.ashlar_options_free(options)
		return nil, err
	}
	return options, nil
}

// Writer writes a table. Keys come in ascending order.
type Writer struct{ handle *C.ashlar_writer }

// Create begins a table with options from text.
func Create(path, text string) (*Writer, error) {
	options, err := newOptions(text)
	if err != nil {
		return nil, err
	}
	defer C.ashlar_options_free(options)
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	writer := &Writer{}
	return writer, toError(C.ashlar_writer_open(options, name, &writer.handle))
}

// Put adds an entry.
func (w *Writer) Put(key, value []byte) error {
	return toError(C.ashlar_writer_put(w.handle, slice(key), slice(value)))
}

// Finish completes the file, which then has its name.
func (w *Writer) Finish() error { return toError(C.ashlar_writer_finish(w.handle)) }

// Close frees the writer. Before Finish it abandons the file.
func (w *Writer) Close() {
	C.ashlar_writer_free(w.handle)
	w.handle = nil
}

// Reader reads a table.
type Reader struct{ handle *C.ashlar_reader }

// Open opens a table with options from text.
func Open(path, text string) (*Reader, error) {
	options, err := newOptions(text)
	if err != nil {
		return nil, err
	}
	defer C.ashlar_options_free(options)
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	reader := &Reader{}
	return reader, toError(C.ashlar_reader_open(options, name, &reader.handle))
}

// Close frees the reader. Iterators that are open may still be used.
func (r *Reader) Close() {
	C.ashlar_reader_free(r.handle)
	r.handle = nil
}

// Get returns a copy of the value of the key, or ErrNotFound.
func (r *Reader) Get(key []byte) ([]byte, error) {
	pins := C.ashlar_values_new()
	defer C.ashlar_values_free(pins)
	var value C.ashlar_slice
	var state C.ashlar_state
	err := toError(C.ashlar_reader_get(r.handle, nil, slice(key), pins, &value,
		&state))
	if err != nil {
		return nil, err
	}
	if state != C.ASHLAR_FOUND {
		return nil, ErrNotFound
	}
	return copied(value), nil
}

// Iterator shows the live keys of a table in order.
type Iterator struct{ handle *C.ashlar_iterator }

// NewIterator makes an iterator, which Seek must position first.
func (r *Reader) NewIterator() (*Iterator, error) {
	tables := (**C.ashlar_reader)(C.malloc(C.size_t(unsafe.Sizeof(r.handle))))
	defer C.free(unsafe.Pointer(tables))
	*tables = r.handle
	it := &Iterator{}
	return it, toError(C.ashlar_iterator_new(tables, 1, nil, nil, &it.handle))
}

// Seek goes to the first key that is not below this one.
func (it *Iterator) Seek(key []byte) { C.ashlar_iterator_seek(it.handle, slice(key)) }

// Valid returns whether the iterator is at an entry.
func (it *Iterator) Valid() bool { return C.ashlar_iterator_valid(it.handle) != 0 }

// Next goes to the next entry. The iterator must be valid.
func (it *Iterator) Next() { C.ashlar_iterator_next(it.handle) }

// Key returns a copy of the key.
func (it *Iterator) Key() []byte { return copied(C.ashlar_iterator_key(it.handle)) }

// Value returns a copy of the value.
func (it *Iterator) Value() []byte { return copied(C.ashlar_iterator_value(it.handle)) }

// Err returns the error that ended the walk, if one did.
func (it *Iterator) Err() error { return toError(C.ashlar_iterator_status(it.handle)) }

// Close frees the iterator.
func (it *Iterator) Close() {
	C.ashlar_iterator_free(it.handle)
	it.handle = nil
}
