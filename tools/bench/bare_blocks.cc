// bare_blocks: measures the least that verifying a table's data blocks can
// cost.
//
//   bare_blocks [--threads=2] <table>
//
// Reads the file in pieces of --readahead_size. For each data block, it
// computes the checksum, compares it and decompresses the payload, with the
// library's own functions and nothing else. For tools/bench/tables. Prints
// the number of blocks.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/table/inspect.h"
#include "ashlar/util/file.h"
#include "table/format/block_trailer.h"
#include "third-party/gflags_lib.h"
#include "tools/bench/threads.h"
#include "util/compress/codec.h"
#include "util/mem/buffer.h"
#include "util/sync/atomic.h"

DEFINE_uint32(threads, 2, "threads that share the blocks");
DEFINE_uint64(readahead_size, uint64_t{2} << 20, "bytes of a read");

namespace ashlar::bench {
namespace {

using internal::Buffer;

constexpr size_t kTrailerBytes = 5;

struct Piece {
  size_t first;
  size_t end;
  uint64_t bytes;
};

class BareBlocks {
 public:
  BareBlocks(const RandomAccessFile& file, const TableInspection& table)
      : file_(file), table_(table) {
    for (const BlockInfo& block : table.blocks) {
      if (block.kind == BlockKind::kData) blocks_.push_back(&block);
    }
    for (size_t i = 0; i < blocks_.size();) {
      const size_t first = i;
      uint64_t bytes = 0;
      do {
        bytes = End(i++) - blocks_[first]->offset;
      } while (i < blocks_.size() &&
               End(i) - blocks_[first]->offset <= FLAGS_readahead_size);
      pieces_.push_back({first, i, bytes});
    }
  }

  size_t size() const { return blocks_.size(); }

  // Works on pieces until there are none left.
  Status Work() {
    internal::Decompressor decompressor;
    Buffer stored;
    Buffer contents;
    for (;;) {
      const size_t number = next_piece_.FetchAdd(1);
      if (number >= pieces_.size()) return {};
      const Piece& piece = pieces_[number];
      stored.clear();
      stored.Reserve(piece.bytes);
      Slice data;
      const uint64_t offset = blocks_[piece.first]->offset;
      Status status = file_.Read(offset, piece.bytes, stored.data(), &data);
      for (size_t i = piece.first; status.ok() && i < piece.end; ++i) {
        status = Check(*blocks_[i], data.data() + (blocks_[i]->offset - offset),
                       &decompressor, &contents);
      }
      if (!status.ok()) return status;
    }
  }

 private:
  uint64_t End(size_t i) const {
    return blocks_[i]->offset + blocks_[i]->size + kTrailerBytes;
  }

  Status Check(const BlockInfo& block, const char* bytes,
               internal::Decompressor* decompressor, Buffer* contents) const {
    const Slice payload(bytes, block.size);
    const auto type = static_cast<uint8_t>(bytes[block.size]);
    const uint32_t checksum = internal::BlockChecksum(
        *table_.checksum_type, table_.base_context_checksum.value_or(0),
        block.offset, payload, type);
    if (checksum != internal::LoadFixed32(payload.end() + 1)) {
      return Status::Corruption("checksum mismatch");
    }
    if (type == 0) return {};
    contents->clear();
    return decompressor->Decompress(static_cast<CompressionType>(type), 2,
                                    payload, {size_t{1} << 30}, contents,
                                    nullptr);
  }

  const RandomAccessFile& file_;
  const TableInspection& table_;
  std::vector<const BlockInfo*> blocks_;
  std::vector<Piece> pieces_;
  internal::RelaxedAtomic<size_t> next_piece_{0};
};

int Complain(const Status& status) {
  std::fprintf(stderr, "bare_blocks: %s\n", status.ToString().c_str());
  return 1;
}

int Run(const std::string& path) {
  const auto file = OpenRandomAccessFile(path);
  if (!file.ok()) return Complain(file.status());
  TableInspection table;
  InspectOptions options;
  options.data_blocks = InspectOptions::DataBlocks::kList;
  if (const Status status = InspectTable(**file, options, &table);
      !status.ok()) {
    return Complain(status);
  }
  BareBlocks blocks(**file, table);
  std::vector<Status> found(FLAGS_threads);
  RunResult ignored;
  TimeThreads(static_cast<int>(FLAGS_threads), &ignored,
              [&](size_t i) { found[i] = blocks.Work(); });
  for (const Status& status : found) {
    if (!status.ok()) return Complain(status);
  }
  std::printf("%zu blocks\n", blocks.size());
  return 0;
}

}  // namespace
}  // namespace ashlar::bench

int main(int argc, char** argv) {
  gflags::ParseCommandLineFlags(&argc, &argv, true);
  if (argc != 2) {
    std::fprintf(stderr, "bare_blocks: name one table\n");
    return 2;
  }
  return ashlar::bench::Run(argv[1]);
}
