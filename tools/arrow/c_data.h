// Arrow's C data interface: how programs pass each other tables by columns.
//
// These structs are an ABI that the Arrow project keeps stable. Every library
// and language that uses Arrow declares them; the macros keep a second
// declaration out, also that of Arrow's own headers. The producer of a struct
// sets `release`. The consumer calls it once, and it sets itself to null; a
// struct with a null `release` holds nothing. Plain structs without locks.
//
// Nothing here says how long a buffer is. Who reads one must know that from the
// array's length and type, and trust the producer to have that many bytes.
#ifndef ASHLAR_TOOLS_ARROW_C_DATA_H_
#define ASHLAR_TOOLS_ARROW_C_DATA_H_

#include <cstdint>

extern "C" {

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

// The type of a column, with its name.
struct ArrowSchema {
  const char* format;  // the type; for a dictionary, that of its indexes
  const char* name;    // or null
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;  // the type of the values, or null
  void (*release)(ArrowSchema*);
  void* private_data;
};

// The values of a column, or the columns of a batch of rows.
struct ArrowArray {
  int64_t length;
  int64_t null_count;  // -1: not counted
  int64_t offset;      // values before it do not belong to the array
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

#endif  // ARROW_C_DATA_INTERFACE

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

// Batches of rows, one after the other. The functions return 0 or an errno.
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  // Sets out->release to null at the end.
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  // What was wrong with the last call, or null. Valid until the next call.
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

#endif  // ARROW_C_STREAM_INTERFACE

}  // extern "C"

#endif  // ASHLAR_TOOLS_ARROW_C_DATA_H_
