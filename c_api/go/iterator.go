package ashlar

// #include <ashlar/c.h>
// #include <stdlib.h>
import "C"

import "unsafe"

// Iterator shows the live keys of tables, in order and in both directions, as a
// user of a database sees them.
type Iterator struct{ handle *C.ashlar_iterator }

// NewIterator makes an iterator, which a seek must position first.
func (r *Reader) NewIterator(options *ReadOptions) (*Iterator, error) {
	return NewMergingIterator([]*Reader{r}, options, "")
}

// NewMergingIterator makes an iterator over several tables: it shows the newest
// version of each key, that with the largest sequence number. Files of a Writer
// have 0 for all: open each with the number that says which is newer, such as
// with the options "largest_seqno=2". The merge operator is a built-in one,
// such as "uint64add", or empty: then merge operands are an error.
func NewMergingIterator(tables []*Reader, options *ReadOptions,
	mergeOperator string) (*Iterator, error) {
	handles, free, err := cReaders(tables)
	if err != nil {
		return nil, err
	}
	defer free()
	read, err := options.orDefault()
	if err != nil {
		return nil, err
	}
	var operator *C.char
	if mergeOperator != "" {
		if operator, err = cText(mergeOperator); err != nil {
			return nil, err
		}
		defer C.free(unsafe.Pointer(operator))
	}
	it := &Iterator{}
	err = toError(C.ashlar_iterator_new(handles, C.size_t(len(tables)), read,
		operator, &it.handle))
	if err != nil {
		return nil, err
	}
	return it, nil
}

// SeekToFirst goes to the first key.
func (it *Iterator) SeekToFirst() {
	if it.handle != nil {
		C.ashlar_iterator_seek_to_first(it.handle)
	}
}

// SeekToLast goes to the last key.
func (it *Iterator) SeekToLast() {
	if it.handle != nil {
		C.ashlar_iterator_seek_to_last(it.handle)
	}
}

// Seek goes to the first key that is not below this one.
func (it *Iterator) Seek(key []byte) {
	if it.handle != nil {
		C.ashlar_iterator_seek(it.handle, slice(key))
	}
}

// SeekForPrev goes to the last key that is not above this one.
func (it *Iterator) SeekForPrev(key []byte) {
	if it.handle != nil {
		C.ashlar_iterator_seek_for_prev(it.handle, slice(key))
	}
}

// Valid returns whether the iterator is at an entry.
func (it *Iterator) Valid() bool {
	return it.handle != nil && C.ashlar_iterator_valid(it.handle) != 0
}

// Next goes to the next entry, if the iterator is at one.
func (it *Iterator) Next() {
	if it.Valid() {
		C.ashlar_iterator_next(it.handle)
	}
}

// Prev goes to the entry before, if the iterator is at one.
func (it *Iterator) Prev() {
	if it.Valid() {
		C.ashlar_iterator_prev(it.handle)
	}
}

// Key returns a copy of the key. Nil if the iterator is at no entry.
func (it *Iterator) Key() []byte {
	if !it.Valid() {
		return nil
	}
	return copied(C.ashlar_iterator_key(it.handle))
}

// Value returns a copy of the value. Nil if the iterator is at no entry.
func (it *Iterator) Value() []byte {
	if !it.Valid() {
		return nil
	}
	return copied(C.ashlar_iterator_value(it.handle))
}

// Err returns the error that ended the walk, if one did.
func (it *Iterator) Err() error {
	if it.handle == nil {
		return ErrClosed
	}
	return toError(C.ashlar_iterator_status(it.handle))
}

// Close frees the iterator.
func (it *Iterator) Close() {
	C.ashlar_iterator_free(it.handle)
	it.handle = nil
}

// cReaders copies the handles to C memory, and returns what frees that.
func cReaders(tables []*Reader) (**C.ashlar_reader, func(), error) {
	memory := C.calloc(C.size_t(len(tables)+1),
		C.size_t(unsafe.Sizeof(uintptr(0))))
	if memory == nil {
		return nil, nil, errNoMemory
	}
	handles := unsafe.Slice((**C.ashlar_reader)(memory), len(tables)+1)
	for i, table := range tables {
		if table == nil || table.handle == nil {
			C.free(memory)
			return nil, nil, ErrClosed
		}
		handles[i] = table.handle
	}
	return &handles[0], func() { C.free(memory) }, nil
}
