package ashlar

// #include <ashlar/c.h>
// #include <stdint.h>
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

// The functions that C calls. A panic must not leave them: there are frames of
// C++ above, which would not be cleaned up.

func callbacksOf(context unsafe.Pointer) *callbacks {
	return cgo.Handle(*(*C.uint64_t)(context)).Value().(*callbacks)
}

// keepPanic notes the panic of a callback. None is called after it.
func (c *callbacks) keepPanic() {
	if panicked := recover(); panicked != nil {
		c.failed = &failure{panicked: panicked}
	}
}

// borrowed are the bytes of C, for as long as the callback runs.
func borrowed(from C.ashlar_slice) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(from.data)), int(from.size))
}

//export ashlarGoFilter
func ashlarGoFilter(context unsafe.Pointer, key, value C.ashlar_slice,
	newValue *C.ashlar_bytes) (decision C.ashlar_decision) {
	calls := callbacksOf(context)
	if calls.failed != nil {
		return C.ASHLAR_KEEP // until Progress ends the compaction
	}
	defer calls.keepPanic()
	chosen, changed := calls.compaction.Filter(borrowed(key), borrowed(value))
	if chosen == Change {
		err := toError(C.ashlar_bytes_set(newValue, slice(changed)))
		if err != nil {
			calls.failed = &failure{err: err}
			return C.ASHLAR_KEEP
		}
	}
	return C.ashlar_decision(chosen)
}

//export ashlarGoProgress
func ashlarGoProgress(context unsafe.Pointer, entries C.uint64_t) (stop C.int) {
	calls := callbacksOf(context)
	stop = 1 // also after a panic
	if calls.failed != nil {
		return
	}
	defer calls.keepPanic()
	progress := calls.compaction.Progress
	if progress == nil || progress(uint64(entries)) {
		stop = 0
	}
	return
}

//export ashlarGoOutput
func ashlarGoOutput(context unsafe.Pointer, path *C.char, size C.uint64_t) {
	calls := callbacksOf(context)
	calls.outputs = append(calls.outputs, C.GoString(path))
	if calls.failed != nil || calls.compaction.Output == nil {
		return
	}
	defer calls.keepPanic()
	calls.compaction.Output(C.GoString(path), uint64(size))
}
