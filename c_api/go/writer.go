package ashlar

// #include <ashlar/c.h>
// #include <stdlib.h>
import "C"

import "unsafe"

// Writer writes a table that RocksDB ingests. Keys come in ascending order, each
// once. The file has its name only after Finish.
type Writer struct{ handle *C.ashlar_writer }

// Create begins a table.
func Create(path string, options *Options) (*Writer, error) {
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
	writer := &Writer{}
	err = toError(C.ashlar_writer_open(handle, name, &writer.handle))
	if err != nil {
		return nil, err
	}
	return writer, nil
}

// Put adds a value.
func (w *Writer) Put(key, value []byte) error {
	if w.handle == nil {
		return ErrClosed
	}
	return toError(C.ashlar_writer_put(w.handle, slice(key), slice(value)))
}

// Merge adds an operand for the merge operator of the database.
func (w *Writer) Merge(key, operand []byte) error {
	if w.handle == nil {
		return ErrClosed
	}
	return toError(C.ashlar_writer_merge(w.handle, slice(key), slice(operand)))
}

// Delete adds a deletion of the key in older tables.
func (w *Writer) Delete(key []byte) error {
	if w.handle == nil {
		return ErrClosed
	}
	return toError(C.ashlar_writer_delete(w.handle, slice(key)))
}

// SingleDelete does the same for a key that was written once.
func (w *Writer) SingleDelete(key []byte) error {
	if w.handle == nil {
		return ErrClosed
	}
	return toError(C.ashlar_writer_single_delete(w.handle, slice(key)))
}

// DeleteRange deletes the keys from begin on that are below end. It may come at
// any time before Finish.
func (w *Writer) DeleteRange(begin, end []byte) error {
	if w.handle == nil {
		return ErrClosed
	}
	return toError(C.ashlar_writer_delete_range(w.handle, slice(begin),
		slice(end)))
}

// Finish completes the file, which then has its name.
func (w *Writer) Finish() error {
	if w.handle == nil {
		return ErrClosed
	}
	return toError(C.ashlar_writer_finish(w.handle))
}

// Entries returns how many entries the table has so far.
func (w *Writer) Entries() uint64 {
	if w.handle == nil {
		return 0
	}
	return uint64(C.ashlar_writer_entries(w.handle))
}

// FileSize returns how many bytes the file has so far.
func (w *Writer) FileSize() uint64 {
	if w.handle == nil {
		return 0
	}
	return uint64(C.ashlar_writer_file_size(w.handle))
}

// Close frees the writer. Before Finish it abandons the file.
func (w *Writer) Close() {
	C.ashlar_writer_free(w.handle)
	w.handle = nil
}
