// Package ashlar writes, reads and compacts SST tables in RocksDB's format, by
// the C interface of Ashlar. Set CGO_CFLAGS and CGO_LDFLAGS to where it is
// installed, if that is not where the compiler looks by itself:
//
//	CGO_CFLAGS=-I<prefix>/include CGO_LDFLAGS="-L<prefix>/lib -Wl,-rpath,<prefix>/lib"
//
// Any number of goroutines may use one Reader or Cache, and may pass the same
// Options and ReadOptions to calls, at a time. A Writer and an Iterator are for
// one goroutine at a time. Everything that has a Close must be closed: it holds
// memory that Go's collector does not see. Close may be called twice, but not
// while another call uses the object. Options,
// caches and readers may be closed while objects that were made with them are
// in use. Calls on a closed object return ErrClosed, or zero values.
//
// Keys and values may be any bytes. Those that a call returns are copies.
package ashlar

// #cgo LDFLAGS: -lashlar_c
// #include <ashlar/c.h>
// #include <stdlib.h>
import "C"

import (
	"errors"
	"strconv"
	"strings"
	"unsafe"
)

// Code is the kind of an error.
type Code int

// The codes of ashlar/c.h.
const (
	NotFound        Code = C.ASHLAR_NOT_FOUND
	Corruption      Code = C.ASHLAR_CORRUPTION
	NotSupported    Code = C.ASHLAR_NOT_SUPPORTED
	InvalidArgument Code = C.ASHLAR_INVALID_ARGUMENT
	IOError         Code = C.ASHLAR_IO_ERROR
	MergeInProgress Code = C.ASHLAR_MERGE_IN_PROGRESS
	Aborted         Code = C.ASHLAR_ABORTED
	MemoryLimit     Code = C.ASHLAR_MEMORY_LIMIT
	Incomplete      Code = C.ASHLAR_INCOMPLETE
	TimedOut        Code = C.ASHLAR_TIMED_OUT
)

// Error is an error of the library.
type Error struct {
	Code    Code
	Message string
}

func (e *Error) Error() string { return e.Message }

// ErrNotFound means that the table has no value of the key.
var ErrNotFound = errors.New("ashlar: no such key")

// ErrClosed means that the object was closed before.
var ErrClosed = errors.New("ashlar: already closed")

var errNoMemory = &Error{MemoryLimit, "out of memory"}

// Version returns the version of the library, such as "0.2.0".
func Version() string { return C.GoString(C.ashlar_version()) }

func toError(status *C.ashlar_status) error {
	if status == nil {
		return nil
	}
	defer C.ashlar_status_free(status)
	return &Error{Code(C.ashlar_status_code(status)),
		C.GoString(C.ashlar_status_message(status))}
}

// cText returns a copy for C, which must be freed. C would not see what comes
// after a zero byte.
func cText(text string) (*C.char, error) {
	if strings.IndexByte(text, 0) >= 0 {
		return nil, &Error{InvalidArgument,
			"ashlar: " + strconv.Quote(text) + " has a zero byte"}
	}
	return C.CString(text), nil
}

// slice borrows the bytes for one call. C keeps none of them.
func slice(bytes []byte) C.ashlar_slice {
	var borrowed C.ashlar_slice
	if len(bytes) != 0 {
		borrowed.data = (*C.char)(unsafe.Pointer(&bytes[0]))
		borrowed.size = C.size_t(len(bytes))
	}
	return borrowed
}

// copied never returns nil: an empty value is a value.
func copied(from C.ashlar_slice) []byte {
	bytes := make([]byte, int(from.size))
	if from.size != 0 {
		copy(bytes, unsafe.Slice((*byte)(unsafe.Pointer(from.data)),
			int(from.size)))
	}
	return bytes
}

// takeBytes copies the bytes, and frees them.
func takeBytes(bytes *C.ashlar_bytes) string {
	defer C.ashlar_bytes_free(bytes)
	return string(copied(C.ashlar_bytes_slice(bytes)))
}
