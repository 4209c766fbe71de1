package ashlar

/*
#include <ashlar/c.h>
#include <stdint.h>
#include <stdlib.h>

ashlar_decision ashlarGoFilter(void*, ashlar_slice, ashlar_slice, ashlar_bytes*);
int ashlarGoProgress(void*, uint64_t);
void ashlarGoOutput(void*, char*, uint64_t);

static void OutputOfCompaction(void* context, const char* path,
                               uint64_t file_size) {
  ashlarGoOutput(context, (char*)path, file_size);
}
static void SetCallbacks(ashlar_compaction* compaction, int has_filter) {
  if (has_filter) compaction->filter = ashlarGoFilter;
  compaction->progress = ashlarGoProgress;
  compaction->output = OutputOfCompaction;
}
*/
import "C"

import (
	"os"
	"runtime/cgo"
	"unsafe"
)

// Decision is what becomes of a value in a compaction.
type Decision int

// What a filter may return. With Change, the value becomes the other result.
const (
	Keep   Decision = C.ASHLAR_KEEP
	Remove Decision = C.ASHLAR_REMOVE
	Change Decision = C.ASHLAR_CHANGE
)

// Compaction says how tables are compacted. The functions are called on the
// goroutine that calls Compact; nil: not called. If one panics, no output is
// left, and Compact panics with the same value. None may call runtime.Goexit,
// as t.Fatal does: it would leave frames of C++ behind.
type Compaction struct {
	// Filter says what becomes of a value that no snapshot keeps from being
	// seen. Key and value must not be kept or changed.
	Filter func(key, value []byte) (Decision, []byte)
	// Progress is called every 4 KiB of input. It returns whether to go on:
	// if not, the compaction ends with the code Incomplete.
	Progress func(inputEntries uint64) bool
	// Output is called for each table that was made, when all are complete.
	Output func(path string, fileSize uint64)
	// MergeOperator is a built-in one, such as "uint64add". Empty: none.
	MergeOperator string
	// TargetFileSize is about how large tables become. 0: one table.
	TargetFileSize uint64
	// Bottommost says that no older data exist, so that deletions go.
	Bottommost bool
	// Snapshots ascend. What they see is kept.
	Snapshots []uint64
}

// callbacks are what the functions of callbacks.go are called with.
type callbacks struct {
	compaction *Compaction
	failed     *failure // the first of a callback, or nil
	outputs    []string
}

// failure is why a callback ends the compaction: a panic or an error.
type failure struct {
	panicked interface{}
	err      error
}

// Compact makes the tables <path>-000001.sst and so on of these. Which entry is
// newer, sequence numbers say, as for NewMergingIterator. If there is an error,
// no output is left. A file that has the name of an output is an error, and
// stays.
func Compact(options *Options, compaction *Compaction, tables []*Reader,
	path string) error {
	handle, freeOptions, err := options.orDefault()
	if err != nil {
		return err
	}
	defer freeOptions()
	readers, freeReaders, err := cReaders(tables)
	if err != nil {
		return err
	}
	defer freeReaders()
	name, err := cText(path)
	if err != nil {
		return err
	}
	defer C.free(unsafe.Pointer(name))
	if compaction == nil {
		compaction = &Compaction{}
	}
	calls := &callbacks{compaction: compaction}
	job, freeJob, err := newJob(calls)
	if err != nil {
		return err
	}
	defer freeJob()
	err = toError(C.ashlar_compact(handle, job, readers, C.size_t(len(tables)),
		name))
	if calls.failed == nil {
		return err
	}
	// A short compaction may have ended well all the same.
	for _, output := range calls.outputs {
		os.Remove(output)
	}
	if calls.failed.panicked != nil {
		panic(calls.failed.panicked)
	}
	return calls.failed.err
}

// newJob makes what C takes for a compaction, in C memory, and returns what
// frees it.
func newJob(calls *callbacks) (*C.ashlar_compaction, func(), error) {
	compaction := calls.compaction
	var operator *C.char
	if compaction.MergeOperator != "" {
		var err error
		if operator, err = cText(compaction.MergeOperator); err != nil {
			return nil, nil, err
		}
	}
	snapshots := len(compaction.Snapshots)
	// The struct, the handle that is the context, and the snapshots.
	const sizeOfNumber = C.size_t(unsafe.Sizeof(uint64(0)))
	memory := C.calloc(1, C.sizeof_ashlar_compaction+
		sizeOfNumber*C.size_t(snapshots+1))
	if memory == nil {
		C.free(unsafe.Pointer(operator))
		return nil, nil, errNoMemory
	}
	job := (*C.ashlar_compaction)(memory)
	numbers := unsafe.Slice((*C.uint64_t)(unsafe.Add(memory,
		C.sizeof_ashlar_compaction)), snapshots+1)
	handle := cgo.NewHandle(calls)
	numbers[0] = C.uint64_t(handle)
	for i, snapshot := range compaction.Snapshots {
		numbers[i+1] = C.uint64_t(snapshot)
	}
	job.merge_operator = operator
	job.struct_size = C.sizeof_ashlar_compaction
	job.context = unsafe.Pointer(&numbers[0])
	job.target_file_size = C.uint64_t(compaction.TargetFileSize)
	job.bottommost = cBool(compaction.Bottommost)
	job.snapshot_count = C.size_t(snapshots)
	if snapshots != 0 {
		job.snapshots = &numbers[1]
	}
	C.SetCallbacks(job, cBool(compaction.Filter != nil))
	return job, func() {
		handle.Delete()
		C.free(unsafe.Pointer(job.merge_operator))
		C.free(memory)
	}, nil
}
