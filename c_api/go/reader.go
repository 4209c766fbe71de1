package ashlar

// #include <ashlar/c.h>
// #include <stdlib.h>
import "C"

import "unsafe"

// Reader reads a table.
type Reader struct{ handle *C.ashlar_reader }

// Open opens a table.
func Open(path string, options *Options) (*Reader, error) {
	handle, free, err := options.orDefault()
	if err != nil {
		return nil, err
	}
	defer free()
	name, err := cText(path)
	if err != nil {
		return nil, err
	}
	defer C.free(unsafe.Pointer(name))
	reader := &Reader{}
	err = toError(C.ashlar_reader_open(handle, name, &reader.handle))
	if err != nil {
		return nil, err
	}
	return reader, nil
}

// Entries returns how many entries the table has.
func (r *Reader) Entries() uint64 {
	if r.handle == nil {
		return 0
	}
	return uint64(C.ashlar_reader_entries(r.handle))
}

// Verify reads the whole file, and compares each block with its checksum.
func (r *Reader) Verify() error {
	if r.handle == nil {
		return ErrClosed
	}
	return toError(C.ashlar_reader_verify(r.handle))
}

// Close frees the reader. Iterators that are open may still be used.
func (r *Reader) Close() {
	C.ashlar_reader_free(r.handle)
	r.handle = nil
}

// State is what a table says of a key.
type State int

// A range deletion counts if the file was opened with a sequence number: with 0
// it is older than nothing.
const (
	Absent  State = C.ASHLAR_ABSENT  // the table has no entry of the key
	Found   State = C.ASHLAR_FOUND   // it has a value
	Deleted State = C.ASHLAR_DELETED // older tables must not be asked
	Merged  State = C.ASHLAR_MERGED  // it has merge operands: use an iterator
)

// Result is what was found of one key. Value is not nil if State is Found. Err
// is the error of this key alone.
type Result struct {
	State State
	Value []byte
	Err   error
}

// newValues makes what keeps values where they are until they are copied.
func newValues() (*C.ashlar_values, error) {
	values := C.ashlar_values_new()
	if values == nil {
		return nil, errNoMemory
	}
	return values, nil
}

// Get returns the value of the key, or ErrNotFound. A key with merge operands is
// an error with MergeInProgress: an iterator makes its value.
func (r *Reader) Get(key []byte) ([]byte, error) {
	found := r.Lookup(nil, key)
	switch {
	case found.Err != nil:
		return nil, found.Err
	case found.State == Found:
		return found.Value, nil
	case found.State == Merged:
		return nil, &Error{MergeInProgress,
			"ashlar: the key has merge operands, which an iterator joins"}
	}
	return nil, ErrNotFound
}

// Lookup returns what the table says of a key.
func (r *Reader) Lookup(options *ReadOptions, key []byte) Result {
	if r.handle == nil {
		return Result{Err: ErrClosed}
	}
	read, err := options.orDefault()
	if err != nil {
		return Result{Err: err}
	}
	values, err := newValues()
	if err != nil {
		return Result{Err: err}
	}
	defer C.ashlar_values_free(values)
	var value C.ashlar_slice
	var state C.ashlar_state
	err = toError(C.ashlar_reader_get(r.handle, read, slice(key), values,
		&value, &state))
	if err != nil {
		return Result{Err: err}
	}
	return toResult(state, value)
}

func toResult(state C.ashlar_state, value C.ashlar_slice) Result {
	result := Result{State: State(state)}
	if state == C.ASHLAR_FOUND {
		result.Value = copied(value)
	}
	return result
}

// MultiGet looks several keys up, which is faster than one by one. The results
// have the order of the keys. An error of one key does not change the answers
// of the others. The second result is the first of these errors; the other ones
// have their own code, and its message if the code is the same.
func (r *Reader) MultiGet(options *ReadOptions, keys [][]byte) ([]Result,
	error) {
	if r.handle == nil {
		return nil, ErrClosed
	}
	read, err := options.orDefault()
	if err != nil || len(keys) == 0 {
		return nil, err
	}
	slices, free, err := cSlices(keys)
	if err != nil {
		return nil, err
	}
	defer free()
	kept, err := newValues()
	if err != nil {
		return nil, err
	}
	defer C.ashlar_values_free(kept)
	values := make([]C.ashlar_slice, len(keys))
	states := make([]C.ashlar_state, len(keys))
	codes := make([]C.ashlar_code, len(keys))
	first := toError(C.ashlar_reader_multi_get(r.handle, read, slices,
		C.size_t(len(keys)), kept, &values[0], &states[0], &codes[0]))
	results := make([]Result, len(keys))
	for i := range keys {
		if codes[i] == C.ASHLAR_OK {
			results[i] = toResult(states[i], values[i])
		} else {
			results[i].Err = ofKey(Code(codes[i]), first)
		}
	}
	return results, first
}

func ofKey(code Code, first error) error {
	if known, ok := first.(*Error); ok && known.Code == code {
		return known
	}
	return &Error{code, "ashlar: the key could not be looked up"}
}

// cSlices copies the keys to C memory, since C may not have pointers to what
// has pointers of Go.
func cSlices(keys [][]byte) (*C.ashlar_slice, func(), error) {
	total := len(keys) * C.sizeof_ashlar_slice
	for _, key := range keys {
		total += len(key)
	}
	// Without garbage, which the write barriers of pointers would look at.
	memory := C.calloc(1, C.size_t(total))
	if memory == nil {
		return nil, nil, errNoMemory
	}
	slices := unsafe.Slice((*C.ashlar_slice)(memory), len(keys))
	bytes := unsafe.Slice((*byte)(memory), total)
	at := len(keys) * C.sizeof_ashlar_slice
	for i, key := range keys {
		slices[i] = C.ashlar_slice{size: C.size_t(len(key))}
		if len(key) != 0 {
			slices[i].data = (*C.char)(unsafe.Pointer(&bytes[at]))
		}
		at += copy(bytes[at:], key)
	}
	return &slices[0], func() { C.free(memory) }, nil
}
