// What the opaque types of the C interface are, and how a call is guarded.
//
// For the files of this folder alone.
#ifndef ASHLAR_C_API_HANDLES_H_
#define ASHLAR_C_API_HANDLES_H_

#include <ashlar/c.h>

#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/cache/cache.h"
#include "ashlar/table/get_result.h"
#include "ashlar/table/option_strings.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

struct ashlar_status {
  ashlar::Status status;
  std::string message;
};

struct ashlar_bytes {
  std::string bytes;
};

struct ashlar_cache {
  std::shared_ptr<ashlar::Cache> cache;
};

struct ashlar_options {
  ashlar::OptionSet set;
};

struct ashlar_reader {
  std::shared_ptr<const ashlar::TableReader> table;
  std::shared_ptr<ashlar::Cache> cache;  // of its blocks; may be null
};

struct ashlar_read_options {
  ashlar::ReadOptions options;
  std::optional<std::string> lower;
  std::optional<std::string> upper;
};

struct ashlar_values {
  // Which the results pin blocks of, so that it goes after them.
  std::shared_ptr<ashlar::Cache> cache;
  std::vector<ashlar::GetResult> results;
  std::vector<ashlar::Slice> keys;
  std::vector<ashlar::Status> statuses;
};

namespace ashlar::capi {

// Returns the status as an object of the caller's, or NULL if it is ok. If
// there is no memory for it, returns one that is never freed.
ashlar_status* ToC(const Status& status) noexcept;

inline Slice FromC(ashlar_slice slice) { return {slice.data, slice.size}; }
inline ashlar_slice ToC(const Slice& slice) {
  return {slice.data(), slice.size()};
}

// Calls `work`, which returns a Status. Want of memory becomes an error, also
// where another exception is to become one: none may reach the caller.
template <typename Work>
ashlar_status* Guarded(const Work& work) noexcept {
  try {
    try {
      return ToC(work());
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception& error) {
      return ToC(Status::Aborted(error.what()));
    }
  } catch (const std::bad_alloc&) {
    return ToC(Status::OutOfMemory());
  }
}

// Makes a handle of the fields. Returns null if there is no memory.
template <typename Handle, typename... Fields>
Handle* NewOrNull(Fields&&... fields) noexcept {
  try {
    return new Handle{std::forward<Fields>(fields)...};
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

// The options of a call, or the default ones, with the slices of the bounds.
// Must outlive the calls that take `read`.
struct BoundedRead {
  explicit BoundedRead(const ashlar_read_options* options);

  BoundedRead(const BoundedRead&) = delete;
  BoundedRead& operator=(const BoundedRead&) = delete;

  ReadOptions read;
  Slice lower;
  Slice upper;
};

}  // namespace ashlar::capi

#endif  // ASHLAR_C_API_HANDLES_H_
