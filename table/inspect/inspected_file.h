// InspectedFile: the file of an inspection, which its passes read block by
// block.
//
// The meta pass sets how blocks are compressed (Declare, ExpectDictionary,
// TakeDictionary). Nothing else changes an InspectedFile. In the data pass
// several threads read at once, each with a ThreadReads of its own. PassReads
// is for the calling thread, which runs one pass after the other.
#ifndef ASHLAR_TABLE_INSPECT_INSPECTED_FILE_H_
#define ASHLAR_TABLE_INSPECT_INSPECTED_FILE_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "ashlar/table/inspect.h"
#include "table/format/footer.h"
#include "table/inspect/findings.h"
#include "table/load/block_source.h"

namespace ashlar::internal {

// What one thread reads blocks with, and how much it has read.
struct ThreadReads {
  // The largest read, in bytes: its bytes stay in a near cache until they are
  // checked.
  static constexpr uint64_t kMostAtOnce = uint64_t{256} << 10;

  ThreadReads(const RandomAccessFile* file, uint64_t readahead_size)
      : window(file, std::min(readahead_size, uint64_t{kMostAtOnce})) {}

  FileWindow window;
  BlockWorkspace workspace;
  LoadedBlock loaded;
  uint64_t bytes_checked = 0;
  // How many bytes of blocks were read or tried, and how many may be.
  uint64_t bytes_sought = 0;
  uint64_t most_bytes_sought = ~uint64_t{0};
};

class InspectedFile {
 public:
  // Requires: file and options outlive this.
  InspectedFile(const RandomAccessFile* file, const Footer& footer,
                const InspectOptions& options)
      : source_(file, footer, options.max_uncompressed_block_bytes),
        options_(options) {}

  const RandomAccessFile& file() const { return source_.file(); }
  const Footer& footer() const { return source_.footer(); }
  const BlockSource& source() const { return source_; }

  void Declare(const DeclaredCompression& declared) {
    source_.Declare(declared, options_.codecs);
  }
  // The metaindex names a dictionary.
  void ExpectDictionary() { names_dictionary_ = true; }
  Status TakeDictionary(const Slice& contents, const BlockPlace& place) {
    return source_.TakeDictionary(contents, place);
  }

  // Returns whether InspectOptions ask for this data block to be decoded.
  bool Decodes(const BlockPlace& data_block) const;
  // Reads a block. Returns whether its contents can be parsed. In any case sets
  // *info to what was found, which the caller passes to Findings.
  bool Read(const BlockPlace& place, ThreadReads* reads, BlockInfo* info,
            Slice* contents) const;
  // Reads a block that is not reported. Returns whether that could be done.
  bool Peek(const BlockPlace& place, ThreadReads* reads, Slice* contents) const;

 private:
  bool MaySeek(const BlockPlace& place, ThreadReads* reads) const;
  void ExpectFilter(const BlockHandle& handle, Buffer* stored) const;
  bool LacksDictionary(const StoredBlock& stored) const;

  BlockSource source_;
  const InspectOptions& options_;
  bool names_dictionary_ = false;
};

// The reads of the calling thread.
class PassReads {
 public:
  // Requires: all three outlive this.
  PassReads(const InspectedFile& file, ThreadReads* reads,
            const Findings& findings)
      : file_(file), reads_(reads), findings_(findings) {}

  const InspectedFile& file() const { return file_; }
  ThreadReads* thread() { return reads_; }

  // Begins a step, which may read twice as many bytes as the file has, and no
  // more. Blocks that do not overlap are not larger together than their file;
  // but names may lead to one block any number of times.
  void BeginStep() {
    reads_->most_bytes_sought =
        reads_->bytes_sought + 2 * findings_.BytesInFile();
  }
  // To be called before another block i is read. Reports progress if many
  // blocks or bytes were read since the last report. Returns false to give up.
  bool GoesOnToBlock(size_t i, uint64_t done);
  // To be called before partition i of an index or filter, of which there may
  // be many. Reports progress now and then. Returns false to give up.
  bool GoesOnToPart(size_t i) const {
    constexpr size_t kPartsPerReport = 256;
    // The partitions are after the data blocks, of which none is done so far.
    return i % kPartsPerReport != 0 || findings_.ReportProgress(0);
  }

  // The same as the functions of InspectedFile.
  bool Read(const BlockPlace& place, BlockInfo* info, Slice* contents) {
    return file_.Read(place, reads_, info, contents);
  }
  bool Peek(const BlockPlace& place, Slice* contents) {
    return file_.Peek(place, reads_, contents);
  }
  // Returns the buffer that holds the contents of the filter block that was
  // read last. They stay where they are.
  Buffer TakeFilter(const Slice& contents) {
    Buffer& stored = reads_->workspace.stored;
    return std::move(contents.data() == stored.data() ? stored
                                                      : reads_->loaded.owned);
  }

 private:
  const InspectedFile& file_;
  ThreadReads* const reads_;
  const Findings& findings_;
  uint64_t reported_at_ = 0;  // bytes_sought at the last report
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_INSPECT_INSPECTED_FILE_H_
