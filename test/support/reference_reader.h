// A second, deliberately naive decoder of the table format.
//
// It is written from table/FORMAT.md alone and shares no code with the library,
// so a fault in one does not hide a fault in the other. Tests compare its
// results with what the library wrote or read. It prefers clarity to speed and
// checks everything that it can.
//
// It is no model for production code: it throws, copies, and holds the whole
// table in memory. Its implementation is in the files reference_*. All
// functions are pure and may be called from any thread.
#ifndef ASHLAR_TEST_SUPPORT_REFERENCE_READER_H_
#define ASHLAR_TEST_SUPPORT_REFERENCE_READER_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ashlar::testing {

struct ReferenceEntry {
  std::string user_key;  // as stored: without a stripped timestamp
  uint64_t sequence = 0;
  uint8_t type = 0;
  std::string value;
};

// The order of keys (FORMAT.md, section 6).
struct ReferenceOrder {
  bool reverse = false;
  size_t timestamp_size = 0;
};

// What the filter may be asked (FORMAT.md, section 9.1).
struct ReferenceFilterUse {
  bool whole_keys = true;
  bool prefixes = false;
  std::string extractor;
};

// A prefix of a hash-search index (FORMAT.md, section 8.7).
struct ReferencePrefix {
  std::string prefix;
  uint32_t first_block = 0;
  uint32_t num_blocks = 0;

  friend bool operator==(const ReferencePrefix&,
                         const ReferencePrefix&) = default;
};

struct ReferenceTable {
  uint32_t format_version = 0;
  uint8_t checksum_type = 0;

  // The order of the stored keys, and the number of bytes stripped from each.
  ReferenceOrder order;
  size_t stripped_timestamp = 0;

  // Data blocks in file order. A non-zero global sequence number replaces the
  // stored sequence number.
  std::vector<ReferenceEntry> entries;
  std::vector<ReferenceEntry> range_deletions;    // in stored order
  std::map<std::string, std::string> properties;  // raw values
  // Name to (offset, size), without absent blocks.
  std::map<std::string, std::pair<uint64_t, uint64_t>> meta_blocks;

  // Separator as stored, and (offset, size) of its data block.
  std::vector<std::pair<std::string, std::pair<uint64_t, uint64_t>>> index;
  bool separators_are_user_keys = false;
  // (offset, size) of the blobs between the data blocks, by offset.
  std::set<std::pair<uint64_t, uint64_t>> embedded_blobs;
  std::vector<size_t> index_partition_sizes;  // in entries; index type 2
  std::vector<ReferencePrefix> prefixes;      // if the index has any

  ReferenceFilterUse filter_use;
  std::string filter;  // payload of the full filter, or empty
  // Separator as stored, and payload. Empty if there are no partitions.
  std::vector<std::pair<std::string, std::string>> filter_partitions;
  std::string leveldb_filter;  // the block, or empty
};

// Decodes `file` completely. Throws std::runtime_error with a message on any
// fault and on anything that it does not support.
//
// Entries have the values of embedded blobs, unless follow_blobs is false: then
// they are as they are stored.
ReferenceTable ReadReferenceTable(std::string_view file,
                                  bool follow_blobs = true);

// Returns one line per entry, then one per range deletion:
// hex(user_key) SPACE sequence SPACE type SPACE hex(value) LF
std::string CanonicalDump(const ReferenceTable& table);

// A search for a key. `key` has no timestamp; it is given apart. Versions above
// the snapshot or newer than the timestamp are invisible. With an empty
// timestamp, all timestamps are visible.
struct ReferenceQuestion {
  std::string key;
  uint64_t snapshot = (uint64_t{1} << 56) - 1;
  std::string timestamp;
};

// kNone: there is no filter, or the filter cannot answer this question.
enum class ReferenceFilterAnswer { kNone, kAbsent, kMaybe };
ReferenceFilterAnswer AskReferenceFilter(const ReferenceTable& table,
                                         const ReferenceQuestion& question);

// The result of all visible entries of a key.
struct ReferenceAnswer {
  enum class State { kNotFound, kFound, kDeleted, kMerged };
  State state = State::kNotFound;
  uint64_t sequence = 0;              // of the deciding entry, if any
  std::string value;                  // of an entity: its default column
  std::vector<std::string> operands;  // newest first
};
ReferenceAnswer AskReference(const ReferenceTable& table,
                             const ReferenceQuestion& question);

// Returns false only if `filter` rules `user_key` out (FORMAT.md, section 9).
bool ReferenceFilterMayMatch(std::string_view filter,
                             std::string_view user_key);
// Same for a LevelDB filter block, for the data block at this offset.
bool ReferenceLevelDbFilterMayMatch(std::string_view block, uint64_t offset,
                                    std::string_view user_key);

// A column of a wide-column entity (FORMAT.md, section 6.3).
struct ReferenceColumn {
  std::string name;
  std::string value;
  bool is_blob_index = false;
};
std::vector<ReferenceColumn> ReferenceColumns(std::string_view entity);

// Throws if a value does not have the form of its type.
void CheckReferenceValue(uint8_t type, std::string_view value);

// The frozen filter hash H64 (FORMAT.md, section 9.2).
uint64_t ReferenceFilterHash(std::string_view data);

// CHK(block, type), without context (FORMAT.md, section 4).
uint32_t ReferenceBlockChecksum(uint8_t checksum_type, std::string_view block,
                                uint8_t compression_type);

// Returns what the context adds to a stored checksum (FORMAT.md, section 4.1).
uint32_t ReferenceContextModifier(uint32_t base, uint64_t offset);

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_REFERENCE_READER_H_
