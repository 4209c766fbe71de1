package ashlar

// #include <ashlar/c.h>
import "C"

import (
	"math"
	"time"
)

// ReadOptions are options of one call or iterator. Where a call takes them, nil
// stands for the default ones. They must not change while a call uses them.
type ReadOptions struct{ handle *C.ashlar_read_options }

// NewReadOptions makes default options.
func NewReadOptions() (*ReadOptions, error) {
	handle := C.ashlar_read_options_new()
	if handle == nil {
		return nil, errNoMemory
	}
	return &ReadOptions{handle}, nil
}

// SetSnapshot hides entries with larger sequence numbers. Default: all are seen.
func (r *ReadOptions) SetSnapshot(sequence uint64) {
	if r.handle != nil {
		C.ashlar_read_options_set_snapshot(r.handle, C.uint64_t(sequence))
	}
}

// SetVerifyChecksums sets whether blocks are compared with their checksums.
// Default: true.
func (r *ReadOptions) SetVerifyChecksums(verify bool) {
	if r.handle != nil {
		C.ashlar_read_options_set_verify_checksums(r.handle, cBool(verify))
	}
}

// SetFillCache sets whether blocks that are read go into the cache. Default:
// true.
func (r *ReadOptions) SetFillCache(fill bool) {
	if r.handle != nil {
		C.ashlar_read_options_set_fill_cache(r.handle, cBool(fill))
	}
}

// SetReadahead sets how many bytes an iterator reads at once. Default: 0, which
// grows by itself.
func (r *ReadOptions) SetReadahead(bytes uint64) {
	if r.handle != nil {
		C.ashlar_read_options_set_readahead(r.handle, C.uint64_t(bytes))
	}
}

// SetDeadline sets when a call has to be done: once it has passed, what still
// has to be read from the file is an error with TimedOut. The zero time, the
// default: whenever it is.
func (r *ReadOptions) SetDeadline(deadline time.Time) {
	if r.handle == nil {
		return
	}
	C.ashlar_read_options_set_deadline(r.handle,
		C.uint64_t(microsecondsOf(deadline)))
}

// microsecondsOf returns what C takes for a deadline.
func microsecondsOf(deadline time.Time) int64 {
	switch seconds := deadline.Unix(); {
	case deadline.IsZero():
		return 0 // none
	case seconds <= 0:
		return 1 // at or before the epoch is past, too
	case seconds >= math.MaxInt64/1000000:
		return math.MaxInt64
	}
	return deadline.UnixMicro()
}

// SetBounds sets that iterators show keys from lower on, below upper. Nil: no
// bound.
func (r *ReadOptions) SetBounds(lower, upper []byte) error {
	if r.handle == nil {
		return ErrClosed
	}
	// In C memory: C gets pointers to what has pointers.
	from, freeFrom, err := bound(lower)
	if err != nil {
		return err
	}
	defer freeFrom()
	to, freeTo, err := bound(upper)
	if err != nil {
		return err
	}
	defer freeTo()
	return toError(C.ashlar_read_options_set_bounds(r.handle, from, to))
}

// Close frees the options.
func (r *ReadOptions) Close() {
	C.ashlar_read_options_free(r.handle)
	r.handle = nil
}

func cBool(value bool) C.int {
	if value {
		return 1
	}
	return 0
}

func bound(key []byte) (*C.ashlar_slice, func(), error) {
	if key == nil {
		return nil, func() {}, nil
	}
	slices, free, err := cSlices([][]byte{key})
	return slices, free, err
}

// orDefault returns what C takes for these options.
func (r *ReadOptions) orDefault() (*C.ashlar_read_options, error) {
	if r == nil {
		return nil, nil
	}
	if r.handle == nil {
		return nil, ErrClosed
	}
	return r.handle, nil
}
