// InspectTable: the passes of an inspection, in order.
//
//   InspectFooter      footer                       table_facts.h
//   meta pass          metaindex and properties     table_facts.h
//                      -> TableFacts
//   index pass         index, index partitions      index_pass.h
//                      -> IndexedBlocks
//   FindTable          blocks that none of these    found_table.h
//                      leads to, if they are asked
//                      for -> FoundTable
//   meta pass, again   the other meta blocks        meta_pass.h
//                      -> MetaBlocks
//   data pass          data blocks                  data_pass.h
//                      -> DataFindings
//   InspectBlobs       embedded blobs               embedded_blobs.h
//
// Last come checks of the whole: whether any two blocks overlap, and whether
// the properties count entries right. Every pass adds what it finds to Findings
// (findings.h), and goes on after each fault. What one pass could not read, the
// next ones do without. A pass is given the results of those before it as
// values that no longer change.

#include "ashlar/table/inspect.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "ashlar/table/filter_policy.h"
#include "table/inspect/data_pass.h"
#include "table/inspect/found_table.h"
#include "table/inspect/index_pass.h"
#include "table/inspect/inspected_file.h"
#include "table/inspect/meta_pass.h"
#include "table/inspect/shown_order.h"
#include "table/inspect/table_facts.h"
#include "util/compress/custom_blocks.h"
#include "util/mem/memory_limit.h"

namespace ashlar {

namespace internal {

namespace {

// What the checks of the whole file need.
struct WholeFile {
  bool has_blobs = false;
  // Data blocks come first in TableInspection::blocks: this many.
  size_t num_data_blocks = 0;
  bool index_complete = false;
  uint64_t num_points = 0;
  uint64_t num_range_deletions = 0;
};

void AddFooter(uint64_t offset, Findings* findings) {
  BlockInfo info;
  info.kind = BlockKind::kFooter;
  info.offset = offset;
  info.size = findings->inspection().file_size - offset;
  findings->inspection().bytes_checked += info.size;
  findings->Keep(std::move(info));
}

// Sorts blocks by offset; of those with the same offset, data blocks last. Data
// blocks are in order already, and mostly the others follow them, so the many
// mostly need not be moved.
void SortBlocks(size_t num_data_blocks, std::vector<BlockInfo>* blocks) {
  const auto before = [](const BlockInfo& a, const BlockInfo& b) {
    if (a.offset != b.offset) return a.offset < b.offset;
    return a.kind != BlockKind::kData && b.kind == BlockKind::kData;
  };
  const auto others = blocks->begin() + static_cast<ptrdiff_t>(num_data_blocks);
  std::stable_sort(others, blocks->end(), before);
  if (!std::is_sorted(blocks->begin(), blocks->end(), before)) {
    std::stable_sort(blocks->begin(), blocks->end(), before);
  }
}

// Blocks are in file order; the footer has no trailer. Two names for one block
// do not count as an overlap, unless one of them is a reference to a blob. If
// blocks were found that the index does not name, a damaged one may have been
// elsewhere.
void CheckOverlaps(Findings* findings) {
  uint64_t end = 0;
  const BlockInfo* last = nullptr;
  for (const BlockInfo& block : findings->inspection().blocks) {
    if (findings->inspection().found_blocks != 0 && !block.status.ok())
      continue;
    const bool same = last != nullptr && last->offset == block.offset &&
                      last->size == block.size;
    const bool blob_and_other = same && (last->kind == BlockKind::kBlob) !=
                                            (block.kind == BlockKind::kBlob);
    last = &block;
    if (blob_and_other) {
      const BlockPlace place = PlaceOf(block);
      findings->AddFault(
          place, place.Corruption("overlap",
                                  "a blob and another block are both there"));
    } else if (block.offset < end && !same) {
      const BlockPlace place = PlaceOf(block);
      findings->AddFault(
          place, place.Corruption("overlap", "the block before it ends at " +
                                                 std::to_string(end)));
    }
    end = std::max(end, block.offset + block.size + kBlockTrailerSize);
  }
}

// Returns whether every entry was read, and there are no faults.
bool WasAllRead(const Findings& findings) {
  const InspectOptions& options = findings.options();
  return options.decode && !options.decodes_block &&
         options.data_blocks == InspectOptions::DataBlocks::kRead &&
         findings.inspection().faults.empty();
}

void CheckCounts(const WholeFile& whole, Findings* findings) {
  const TableInspection& found = findings->inspection();
  if (!whole.index_complete || !found.properties || !WasAllRead(*findings)) {
    return;
  }
  const TableProperties& properties = *found.properties;
  if (!properties.stored.contains("rocksdb.num.entries")) return;
  const auto check = [findings](const std::string& property, uint64_t expected,
                                uint64_t counted) {
    if (expected == counted) return;
    findings->AddFault(
        {BlockKind::kProperties, {}, 0},
        Status::Corruption("entry count mismatch: property rocksdb." +
                           property + ", found " + std::to_string(counted)));
  };
  // RocksDB before 5.15 counts range deletions only among all entries. Up to
  // 5.18 it then counts them only apart.
  const uint64_t ranges =
      properties.stored.contains("rocksdb.num.range-deletions")
          ? properties.num_range_deletions
          : whole.num_range_deletions;
  const uint64_t points = properties.num_entries - ranges;
  if (ranges == 0 || properties.num_entries != whole.num_points) {
    check("num.entries says " + std::to_string(points) +
              " entries other than range deletions",
          points, whole.num_points);
  }
  check("num.range-deletions says " + std::to_string(ranges), ranges,
        whole.num_range_deletions);
}

// Looks for the whole table in a file without a sound footer, unless it is of
// another kind.
Status FindFooter(const RandomAccessFile& file, Findings* findings,
                  std::optional<FoundTable>* found) {
  const TableMagic magic = findings->inspection().magic;
  if (!LooksForBlocks(findings->options()) || magic == TableMagic::kPlain ||
      magic == TableMagic::kCuckoo || magic == TableMagic::kPebble) {
    return {};
  }
  Status status = FindTable(file, nullptr, {{0, file.Size()}},
                            Places::kRestoredToo, findings, found);
  if (!status.ok() || !found->has_value() || (*found)->proven) return status;
  findings->AddFault(
      {BlockKind::kFooter, {}, 0},
      Status::Corruption("the checksums of the blocks that were found prove "
                         "nothing: neither the footer nor a second block "
                         "tells how they are made"));
  return {};
}

// Finds out whether a footer in good form is also right: a flipped bit may make
// another version of it, by which no block has a sound checksum. It is right if
// its metaindex is sound, or if any block is found by it; *found then has them.
Status CheckFooter(const RandomAccessFile& file, const Footer& footer,
                   ThreadReads* thread, Findings* findings,
                   std::optional<FoundTable>* found, bool* is_right) {
  *is_right = true;
  if (!LooksForBlocks(findings->options())) return {};
  const InspectedFile inspected(&file, footer, findings->options());
  PassReads reads(inspected, thread, *findings);
  BlockInfo metaindex;
  Slice contents;
  if (reads.Read({BlockKind::kMetaIndex, footer.metaindex, 0}, &metaindex,
                 &contents)) {
    return {};
  }
  Status status = FindTable(file, &footer, {{0, footer.offset}},
                            Places::kRestoredToo, findings, found);
  if (!status.ok()) return status;
  *is_right = found->has_value();
  // Without checksums, a few zeros are a block.
  if (*is_right && footer.checksum == ChecksumType::kNoChecksum) {
    bool has_checksums = false;
    status = HaveChecksums(file, findings, &has_checksums);
    if (!status.ok()) return status;
    *is_right = !has_checksums;
  }
  if (!*is_right) {
    findings->AddFault(
        {BlockKind::kFooter, {footer.offset, file.Size() - footer.offset}, 0},
        Status::Corruption("no block has a checksum that the footer allows"));
  }
  return {};
}

// Returns whether one of these blocks, which are in order, is this one.
bool IsNamed(const std::vector<BlockHandle>& named, const BlockHandle& handle) {
  auto at = std::lower_bound(named.begin(), named.end(), handle,
                             [](const BlockHandle& a, const BlockHandle& b) {
                               return a.offset < b.offset;
                             });
  while (at != named.end() && at->offset == handle.offset && *at != handle) {
    ++at;
  }
  return at != named.end() && *at == handle;
}

// Leaves out padding: what a block that is known by name leaves of lost bytes
// may be a few zeros.
void AddLostBytes(const RandomAccessFile& file,
                  const std::vector<ByteRange>& lost,
                  TableInspection* inspection) {
  constexpr uint64_t kMostPadding = 4096;
  WalkBytes bytes(&file, kMostPadding);
  for (const ByteRange& range : lost) {
    if (range.size() < kMostPadding) {
      const Slice rest = bytes.Get(range.begin, range.size());
      if (std::all_of(rest.data(), rest.data() + rest.size(),
                      [](char c) { return c == 0; })) {
        continue;
      }
    }
    inspection->lost_bytes.push_back({range.begin, range.size()});
  }
}

// Sets *data to the data blocks that the index does not name, if the options
// ask for them. An index that names all blocks is enough, unless it was found
// among others: it may then be one partition.
Status FindOtherBlocks(const IndexedBlocks& index, const InspectedFile& file,
                       Findings* findings, std::optional<FoundTable>* found,
                       std::vector<BlockHandle>* data) {
  const Footer& footer = file.footer();
  TableInspection& inspection = findings->inspection();
  if (!LooksForBlocks(findings->options())) return {};
  const std::vector<BlockHandle>* const sound_blocks = findings->sound_blocks();
  const bool complete = index.complete && sound_blocks == nullptr;
  const std::vector<BlockHandle> known =
      sound_blocks != nullptr
          ? *sound_blocks
          : KnownBlocks(index.data_blocks, inspection.blocks, Damaged::kYes);
  if (!complete && !found->has_value()) {
    Status status =
        FindTable(file.file(), &footer, PartsBetween(known, footer.offset),
                  Places::kAsTheyAre, findings, found);
    if (!status.ok()) return status;
  }
  if (!found->has_value()) return {};
  inspection.looked_for_blocks = true;
  AddLostBytes(file.file(),
               InBoth((*found)->lost, PartsBetween(known, footer.offset)),
               &inspection);
  if (complete && !(*found)->guesses_index) return {};
  // A sound block may be where a damaged footer or metaindex has another one.
  const std::vector<BlockHandle> sound =
      sound_blocks != nullptr
          ? *sound_blocks
          : KnownBlocks(index.data_blocks, inspection.blocks, Damaged::kNo);
  // A block that could not be read before may be sound now: the index shows it.
  const std::vector<BlockHandle> named =
      KnownBlocks(index.data_blocks, {}, Damaged::kNo);
  for (const BlockHandle& handle : (*found)->data_blocks) {
    if (!IsKnown(sound, {handle.offset, handle.End()}) &&
        !IsNamed(named, handle)) {
      data->push_back(handle);
    }
  }
  inspection.found_blocks = data->size();
  return {};
}

// The meta pass over the blocks that the metaindex names, the index pass, the
// data pass, and blobs.
Status InspectBlocks(const TableFacts& facts, InspectedFile* file,
                     PassReads* reads, Findings* findings,
                     std::optional<FoundTable>* found, WholeFile* whole) {
  // Guesses about the index need the dictionary; checks of filters need the
  // index.
  const bool index_first = facts.index_levels_known;
  IndexedBlocks index(facts);
  Status status;
  if (index_first) status = InspectIndex(facts, reads, findings, &index);
  if (!status.ok()) return status;
  MetaBlocks meta{AskedFilter(facts, index.form.user_keys,
                              findings->inspection().properties)};
  status = InspectMetaBlocks(facts, index, file, reads, findings, &meta);
  if (!status.ok()) return status;
  if (!index_first) status = InspectIndex(facts, reads, findings, &index);
  if (!status.ok()) return status;
  std::vector<BlockHandle> found_data;
  status = FindOtherBlocks(index, *file, findings, found, &found_data);
  if (!status.ok()) return status;
  const DataBlockInputs inputs{findings->options(), *file, facts, index, meta,
                               found_data};
  DataFindings data;
  status = InspectDataBlocks(inputs, reads, findings, &data);
  const bool complete = index.complete && found_data.empty();
  *whole = {facts.has_blobs, data.num_blocks, complete, data.num_points,
            meta.num_range_deletions};
  return status.ok() ? InspectBlobs(data.blobs, reads, findings) : status;
}

// Runs all passes over a file. If its blocks turn out to be elsewhere than they
// were written, stops before it shows any, and sets *restored to the file as it
// was written. `found`: what was found of the whole file before, if that is
// known.
Status RunPasses(const RandomAccessFile& file, Findings* findings_of_file,
                 std::optional<FoundTable> found,
                 std::unique_ptr<RestoredFile>* restored) {
  Findings& findings = *findings_of_file;
  const InspectOptions& options = findings.options();
  TableInspection* const inspection = &findings.inspection();
  const bool reads_data =
      options.data_blocks != InspectOptions::DataBlocks::kSkip;
  // Footer, metaindex and properties are stored together.
  ThreadReads thread(&file, reads_data ? options.readahead_size : 0);
  Footer footer;
  Status status = InspectFooter(file, &thread.window, &findings, &footer);
  if (status.IsIOError() || status.IsMemoryLimit()) return status;
  bool has_footer = status.ok();
  if (has_footer) {
    status = CheckFooter(file, footer, &thread, &findings, &found, &has_footer);
    if (!status.ok()) return status;
  }
  if (!has_footer) {
    status = FindFooter(file, &findings, &found);
    if (!status.ok() || !found.has_value()) return status;
    footer = found->footer;
  }
  if (found.has_value() && found->restored != nullptr) {
    *restored = std::move(found->restored);
    return {};
  }
  InspectedFile inspected(&file, footer, options);
  PassReads reads(inspected, &thread, findings);
  TableFacts facts;
  status = FindTableFacts(&inspected, &reads, &findings, &found, &facts);
  if (!status.ok()) return status;
  WholeFile whole;
  if (reads_data) {
    status =
        InspectBlocks(facts, &inspected, &reads, &findings, &found, &whole);
    if (!status.ok()) return status;
  }
  if (has_footer) AddFooter(footer.offset, &findings);
  inspection->bytes_checked += thread.bytes_checked;
  SortBlocks(whole.num_data_blocks, &inspection->blocks);
  CheckOverlaps(&findings);
  CheckCounts(whole, &findings);
  if (whole.has_blobs && whole.index_complete && WasAllRead(findings)) {
    inspection->unreferenced_blob_bytes =
        CountUnreferenced(*inspection, &thread);
  }
  return {};
}

// Returns whether all blocks are checked before any is shown.
bool ChecksFirst(const InspectOptions& options) {
  return LooksForBlocks(options) && options.on_entry && options.decode &&
         options.data_blocks == InspectOptions::DataBlocks::kRead;
}

// Returns options that report one half of the whole to on_progress.
InspectOptions WithHalfProgress(const InspectOptions& options,
                                bool second_half) {
  InspectOptions half = options;
  if (!options.on_progress) return half;
  half.on_progress = [&options, second_half](uint64_t done, uint64_t total) {
    const uint64_t left = total - std::min(done, total);
    return options.on_progress(second_half ? total - left / 2 : done / 2,
                               total);
  };
  return half;
}

// What is wrong in a file by its index.
struct IndexedDamage {
  bool of_index = false;
  bool of_data = false;
  std::vector<BlockHandle> sound;  // blocks of all kinds, in file order
};

// Finds out what is wrong, without a look for blocks. Shows nothing.
Status FindIndexedDamage(const RandomAccessFile& file,
                         const InspectOptions& options, IndexedDamage* damage) {
  InspectOptions checks = WithHalfProgress(options, /*second_half=*/false);
  checks.decode = false;
  checks.find_blocks = false;
  checks.on_block = nullptr;
  checks.on_entry = nullptr;
  TableInspection checked;
  Findings findings(file, checks, &checked);
  std::unique_ptr<RestoredFile> none;
  Status status = RunPasses(file, &findings, std::nullopt, &none);
  if (!status.ok()) return status;
  for (const BlockInfo& block : checked.blocks) {
    if (block.status.ok()) continue;
    damage->of_data = damage->of_data || block.kind == BlockKind::kData;
    damage->of_index = damage->of_index || block.kind == BlockKind::kIndex ||
                       block.kind == BlockKind::kIndexPartition;
  }
  damage->sound = KnownBlocks({}, checked.blocks, Damaged::kNo);
  return {};
}

// Looks for blocks that were moved though the footer was not: where as many
// bytes were inserted as were cut out elsewhere. Programs that copy entries
// need all blocks before the first entry is shown. Sets *restored if there are
// some, and else *found to what was found, if it is of the whole file.
// `options` are the caller's, and those of *findings report the second half.
Status FindMovedBlocks(const RandomAccessFile& file,
                       const InspectOptions& options, Findings* findings,
                       std::unique_ptr<RestoredFile>* restored,
                       std::optional<FoundTable>* found) {
  IndexedDamage damage;
  Status status = FindIndexedDamage(file, options, &damage);
  if (!status.ok() || (!damage.of_data && !damage.of_index)) return status;
  TableInspection ignored;
  Findings of_footer(file, options, &ignored);
  FileWindow window(&file, 0);
  Footer footer;
  status = InspectFooter(file, &window, &of_footer, &footer);
  if (!status.ok()) return status;
  // A damaged index does not name all blocks, and so says too little.
  const std::vector<ByteRange> whole = {{0, footer.offset}};
  status = FindTable(
      file, &footer,
      damage.of_data ? PartsBetween(damage.sound, footer.offset) : whole,
      Places::kRestoredToo, findings, found);
  if (!status.ok() || !found->has_value()) return status;
  *restored = std::move((*found)->restored);
  if (*restored == nullptr && damage.of_data) {
    findings->SetSoundBlocks(std::move(damage.sound));
  }
  if (*restored != nullptr || damage.of_data) found->reset();
  return {};
}

// Returns the errors of InspectTable.
Status InspectWhole(const RandomAccessFile& file, const InspectOptions& options,
                    TableInspection* inspection) {
  Status status = CheckCodecs(options.codecs);
  if (status.ok()) status = CheckFilterPolicies(options.filter_policies);
  if (!status.ok()) return status;
  // The first call of on_progress gets this size. No pass has set it yet.
  inspection->file_size = file.Size();
  const bool checks_first = ChecksFirst(options);
  const InspectOptions second =
      checks_first ? WithHalfProgress(options, /*second_half=*/true) : options;
  Findings as_it_is(file, second, inspection);
  std::unique_ptr<RestoredFile> restored;
  std::optional<FoundTable> found;
  if (checks_first) {
    status = FindMovedBlocks(file, options, &as_it_is, &restored, &found);
  }
  if (status.ok() && restored == nullptr) {
    status = RunPasses(file, &as_it_is, std::move(found), &restored);
  }
  if (!status.ok() || restored == nullptr) return status;
  *inspection = TableInspection();
  Findings findings(*restored, second, inspection);
  findings.AddFault({BlockKind::kOther, {}, 0},
                    Status::Corruption(restored->Description()));
  std::unique_ptr<RestoredFile> none;
  return RunPasses(*restored, &findings, std::nullopt, &none);
}

}  // namespace

}  // namespace internal

Status InspectTable(const RandomAccessFile& file, const InspectOptions& options,
                    TableInspection* inspection) {
  *inspection = TableInspection();
  const Status status = internal::OrMemoryLimit(
      [&] { return internal::InspectWhole(file, options, inspection); });
  return status.IsMemoryLimit() ? status.WithPrefix(file.name()) : status;
}

}  // namespace ashlar
