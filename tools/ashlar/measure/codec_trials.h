// Compresses blocks of a table with every available codec, and measures how
// small they become and how long it takes.
#ifndef ASHLAR_TOOLS_ASHLAR_MEASURE_CODEC_TRIALS_H_
#define ASHLAR_TOOLS_ASHLAR_MEASURE_CODEC_TRIALS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ashlar/util/comparator.h"
#include "ashlar/util/compression.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"

namespace ashlar::tool {

struct CodecTrial {
  CompressionType codec = CompressionType::kNoCompression;
  int level = CompressionOptions::kDefaultLevel;
  uint32_t dictionary_bytes = 0;  // 0: without
  uint64_t raw_bytes = 0;
  uint64_t stored_bytes = 0;  // with trailers, without dictionary
  // The CPU time of all threads together.
  uint64_t write_micros = 0;
  uint64_t read_micros = 0;
};

struct CodecTrials {
  // The blocks as the file stores them; sizes include trailers.
  uint64_t blocks = 0;
  uint64_t raw_bytes = 0;
  uint64_t stored_bytes = 0;
  std::vector<CodecTrial> runs;
  // If runs are missing, the reason.
  Status status;
};

// TrialBlocks: the entries of some data blocks, in order.
class TrialBlocks {
 public:
  void BeginBlock(uint64_t raw_size, uint64_t stored_size);
  void Add(const Slice& internal_key, const Slice& value);

  struct Entry {
    size_t offset;  // of the key in bytes(); the value follows it
    size_t key_size;
    size_t value_size;
    bool begins_block;
  };
  const std::vector<Entry>& entries() const { return entries_; }
  std::string_view bytes() const { return bytes_; }
  uint64_t blocks() const { return blocks_; }
  uint64_t raw_bytes() const { return raw_bytes_; }
  uint64_t stored_bytes() const { return stored_bytes_; }

 private:
  std::string bytes_;
  std::vector<Entry> entries_;
  uint64_t blocks_ = 0;
  uint64_t raw_bytes_ = 0;
  uint64_t stored_bytes_ = 0;
  bool begins_block_ = false;
};

struct TrialOptions {
  const Comparator* comparator = BytewiseComparator();
  int block_restart_interval = 16;
  uint32_t threads = 0;  // 0: automatic
};

// Compresses and decompresses the blocks with every codec. Stops if the program
// is interrupted.
CodecTrials TryCodecs(const TrialBlocks& blocks, const TrialOptions& options);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_MEASURE_CODEC_TRIALS_H_
