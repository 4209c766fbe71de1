// The interface of libashlar_arrow.so, which reads files of Arrow IPC and
// Parquet with Arrow's C++ library.
//
// The program `ashlar` loads the module when it has such a file to read, and
// compiles without Arrow. All of it is C: no exception and no type of C++
// passes. An AshlarArrowFile is for one thread at a time. If the structs or the
// meaning of a function change, the name of the function changes too.
#ifndef ASHLAR_TOOLS_ARROW_MODULE_ABI_H_
#define ASHLAR_TOOLS_ARROW_MODULE_ABI_H_

#include <cstdint>

#include "tools/arrow/c_data.h"

extern "C" {

struct AshlarArrowRequest {
  // Null: standard input, which must have the stream form of Arrow IPC.
  const char* path;
  // 1: Parquet; 0: Arrow IPC, of which the first bytes say which form it has.
  int is_parquet;
  // About how many bytes a batch of Parquet should have. One has more where
  // rows are suddenly larger than those of the batch before. Batches of Arrow
  // IPC are as the file has them.
  uint64_t batch_bytes;
  // Waits until standard input has bytes, or has ended. Returns 0 if the
  // program is interrupted.
  int (*wait_for_input)(int descriptor);
};

// A file. The functions that return an int return 0, or:
//   EIO        a read failed
//   ENOMEM     no memory
//   ENOSYS     Arrow's library cannot read this file
//   ECANCELED  interrupted
//   EINVAL     anything else: the file is damaged, or is not of its form
struct AshlarArrowFile {
  int (*get_schema)(AshlarArrowFile*, ArrowSchema* out);
  // To be called once. Gives the rows of these columns, counted from 0 and in
  // rising order. The stream must be released before the file. Errors of its
  // get_next are those above. Buffers of its arrays have the sizes that the
  // arrays need.
  int (*get_stream)(AshlarArrowFile*, const int* columns, int64_t count,
                    ArrowArrayStream* out);
  // How many bytes were read, and how many the file has: 0 if that is unknown.
  uint64_t (*get_position)(const AshlarArrowFile*);
  uint64_t (*get_size)(const AshlarArrowFile*);
  // What was wrong with the last call of the two first. Never null.
  const char* (*get_last_error)(AshlarArrowFile*);
  void (*release)(AshlarArrowFile*);
  void* private_data;
};

// Opens the file that the request names. Also after an error, *out has an error
// text and must be released, unless its `release` is null: that is ENOMEM.
using AshlarArrowOpen = int(const AshlarArrowRequest* request,
                            AshlarArrowFile* out);
inline constexpr const char* kAshlarArrowOpenName = "ashlar_arrow_open_1";

}  // extern "C"

#endif  // ASHLAR_TOOLS_ARROW_MODULE_ABI_H_
