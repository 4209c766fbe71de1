// FilterPolicy: a kind of filter of an application's own.
//
// An application derives from FilterPolicy and the classes that it makes, and
// gives it to TableOptions::filter_policy to write, and to
// ReaderOptions::filter_policies and InspectOptions::filter_policies to read.
// The file records the policy's CompatibilityName with the filter, and a reader
// finds the policy by it. RocksDB's class has this name too, and reads and
// writes such filters by a policy of the same name whose payloads are the same.
//
// A filter says of a key that it may be in the table, or that it is certainly
// not. Get and MultiGet ask it before they read, and so do iterators that seek
// a prefix. It holds whole keys, or prefixes, or both, as the table's options
// say; a policy need not know which: both are bytes to it. A partitioned filter
// is a filter for each part of the table.
//
// Thread safety: any number of threads call a policy, and ask a reader, at
// once. One thread at a time uses a builder. None of these functions may throw
// anything but std::bad_alloc.
//
// A filter that denies a key that was added makes reads lose entries;
// InspectTable finds that. A builder that returns an error fails the build.
#ifndef ASHLAR_TABLE_FILTER_POLICY_H_
#define ASHLAR_TABLE_FILTER_POLICY_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "ashlar/util/export.h"
#include "ashlar/util/result.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar {

// Makes one filter, or one partition.
class ASHLAR_EXPORT FilterBuilder {
 public:
  FilterBuilder() = default;
  FilterBuilder(const FilterBuilder&) = delete;
  FilterBuilder& operator=(const FilterBuilder&) = delete;
  virtual ~FilterBuilder();

  // Adds a user key (without timestamp) or a prefix. The bytes live until the
  // call returns. Keys come in order, and each of them once, apart from keys
  // that are also prefixes.
  virtual void Add(const Slice& bytes) = 0;
  // Returns about how many bytes the payload would have now.
  virtual uint64_t SizeEstimate() const = 0;
  // Appends the payload to *payload. Called once, after at least one Add; no
  // other function is called afterwards. Any thread may call it.
  virtual Status Finish(std::string* payload) = 0;
};

// Asks one filter, or one partition.
class ASHLAR_EXPORT FilterReader {
 public:
  FilterReader() = default;
  FilterReader(const FilterReader&) = delete;
  FilterReader& operator=(const FilterReader&) = delete;
  virtual ~FilterReader();

  // Returns false if the bytes were certainly not added.
  virtual bool MayMatch(const Slice& bytes) const = 0;
  // Sets bit i of the result to MayMatch(bytes[i]). MultiGet calls it with the
  // keys of a table, at most 64 of them, if the filter is not partitioned. The
  // default calls MayMatch for each. Override it so that waits for memory
  // overlap.
  virtual uint64_t MayMatchBatch(std::span<const Slice> bytes) const;
};

class ASHLAR_EXPORT FilterPolicy {
 public:
  FilterPolicy() = default;
  FilterPolicy(const FilterPolicy&) = delete;
  FilterPolicy& operator=(const FilterPolicy&) = delete;
  virtual ~FilterPolicy();

  // Returns the name that the property rocksdb.filter.policy gets. It is for
  // people only. Both names must live as long as the policy, and never change.
  virtual std::string_view Name() const = 0;
  // Returns the name by which files record filters of this policy. Policies of
  // one name must read each other's filters. Must not be empty, nor longer than
  // 255 bytes, nor "rocksdb.BuiltinBloomFilter", which stands for the built-in
  // kinds. The default is Name().
  virtual std::string_view CompatibilityName() const { return Name(); }

  // Returns a builder of a filter, which need not outlive the policy. Must not
  // return null.
  virtual std::unique_ptr<FilterBuilder> NewBuilder() const = 0;
  // Returns about how many keys fill a payload of this many bytes: by it a
  // partitioned filter is cut. At least 1.
  virtual uint64_t KeysIn(uint64_t bytes) const = 0;

  // Returns what asks the filter with this payload, whose bytes outlive it. The
  // payload may be any bytes, even hostile ones. An error means that it is
  // damaged: a full filter then lets every key pass, and reads that need a
  // damaged partition return Corruption. Must not return null.
  virtual Result<std::unique_ptr<FilterReader>> NewReader(
      const Slice& payload) const = 0;
};

namespace internal {

// Returns InvalidArgument unless policies can have this compatibility name.
Status CheckPolicyName(const FilterPolicy& policy);

// Returns InvalidArgument if a pointer is null, a name is wrong, or two
// policies have one name.
Status CheckFilterPolicies(
    std::span<const std::shared_ptr<const FilterPolicy>> policies);

}  // namespace internal

}  // namespace ashlar

#endif  // ASHLAR_TABLE_FILTER_POLICY_H_
