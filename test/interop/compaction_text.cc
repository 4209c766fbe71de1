#include "test/interop/compaction_text.h"

#include <rocksdb/filter_policy.h>
#include <rocksdb/metadata.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "ashlar/table/internal_key_less.h"
#include "ashlar/table/table_builder.h"
#include "ashlar/table/table_reader.h"

namespace ashlar::interop {
namespace {

// A bound as text. Where an output begins with a range deletion that was cut at
// the smallest key of an input, RocksDB gives that key a type that no entry
// has, and we its own. So only the types of range deletions are told apart.
std::string BoundText(const std::string& internal_key) {
  return UserKeyOf(internal_key).ToString() + " " +
         std::to_string(SequenceOf(internal_key)) +
         (TypeOf(internal_key) == ValueType::kTypeRangeDeletion ? " range"
                                                                : "");
}

std::string Header(const CompactedFile& file) {
  return "file from " + BoundText(file.smallest) + " to " +
         BoundText(file.largest) + ", sequence numbers " +
         std::to_string(file.smallest_seqno) + " to " +
         std::to_string(file.largest_seqno) + "\n";
}

void Sort(std::vector<CompactedFile>* files) {
  std::sort(files->begin(), files->end(),
            [](const CompactedFile& a, const CompactedFile& b) {
              return CompareInternalKeys(BytewiseComparator(), a.smallest,
                                         b.smallest) < 0;
            });
}

// Adds the entries that are no range deletions.
Status AddEntries(const TableReader& reader, std::string* text) {
  ReadOptions options;
  options.ignore_range_deletions = true;
  Iterator it = reader.NewIterator(options);
  for (it.SeekToFirst(); it.Valid(); it.Next()) {
    *text += "  " + DescribeInternalKey(it.key()) + " = " +
             it.value().ToString().substr(0, 60) + "\n";
  }
  return it.status();
}

std::string RangeText(const std::string& begin, const std::string& end,
                      SequenceNumber sequence) {
  return "  " + begin + " to " + end + " deleted at " +
         std::to_string(sequence) + "\n";
}

// A range deletion of a file, as text. Where the file ends between two versions
// of a user key, how far range deletions that begin at this key go is not
// compared: RocksDB may leave out what cuts them off behind the file. No read
// differs by that. Behind its last entry only the next file is asked, which has
// the same range deletions, and a compaction takes both files together.
std::string RangeTextIn(const CompactedFile& file, const RangeDeletion& range) {
  const bool goes_on = !IsRangeDeletionEnd(file.largest) &&
                       range.begin == UserKeyOf(file.largest);
  return RangeText(range.begin.ToString(),
                   goes_on ? "behind the file" : range.end.ToString(),
                   range.sequence);
}

// Range deletions as numbers of the points that they begin at.
using Pieces = std::set<std::pair<SequenceNumber, size_t>>;

void AddPieces(const RangeDeletion& range, const OptionalRanges& optional,
               Pieces* pieces) {
  const std::vector<std::string>& points = optional.points;
  for (size_t i = 0; i + 1 < points.size(); ++i) {
    if (Slice(points[i]) < range.begin || !(Slice(points[i]) < range.end)) {
      continue;
    }
    if (optional.is_optional(points[i], points[i + 1], range.sequence)) {
      continue;
    }
    pieces->emplace(range.sequence, i);
  }
}

// Leaves, of the pieces at one point that the same snapshots see, the newest.
void DropHidden(const OptionalRanges& optional, Pieces* pieces) {
  const auto stripe = [&](SequenceNumber sequence) {
    return std::lower_bound(optional.snapshots.begin(),
                            optional.snapshots.end(), sequence) -
           optional.snapshots.begin();
  };
  std::map<std::pair<size_t, std::ptrdiff_t>, SequenceNumber> newest;
  for (const auto& [sequence, point] : *pieces) {  // by sequence number
    newest[{point, stripe(sequence)}] = sequence;
  }
  std::erase_if(*pieces, [&](const auto& piece) {
    return newest.at({piece.second, stripe(piece.first)}) != piece.first;
  });
}

std::string TextOf(const Pieces& pieces, const OptionalRanges& optional) {
  std::string text;
  for (auto at = pieces.begin(); at != pieces.end();) {
    const auto [sequence, first] = *at;
    size_t last = first;
    for (++at;
         at != pieces.end() && at->first == sequence && at->second == last + 1;
         ++at) {
      ++last;
    }
    text +=
        RangeText(optional.points[first], optional.points[last + 1], sequence);
  }
  return text;
}

}  // namespace

std::vector<CompactedFile> FilesOf(rocksdb::DB* db) {
  rocksdb::ColumnFamilyMetaData metadata;
  db->GetColumnFamilyMetaData(&metadata);
  std::vector<CompactedFile> files;
  for (const rocksdb::LevelMetaData& level : metadata.levels) {
    for (const rocksdb::SstFileMetaData& file : level.files) {
      files.push_back({file.directory + "/" + file.relative_filename,
                       level.level, file.smallest, file.largest,
                       file.smallest_seqno, file.largest_seqno, file.size});
    }
  }
  return files;
}

Result<std::string> TextByFile(std::vector<CompactedFile> files) {
  Sort(&files);
  std::string text;
  for (const CompactedFile& file : files) {
    text += Header(file);
    const auto reader = TableReader::Open(file.path);
    if (!reader.ok()) return reader.status();
    const Status status = AddEntries(**reader, &text);
    if (!status.ok()) return status;
    for (const RangeDeletion& each : (*reader)->RangeDeletions()) {
      text += RangeTextIn(file, each);
    }
  }
  return text;
}

Result<std::string> TextOfAll(std::vector<CompactedFile> files,
                              const OptionalRanges& optional) {
  Sort(&files);
  std::string text;
  Pieces pieces;
  for (const CompactedFile& file : files) {
    const auto reader = TableReader::Open(file.path);
    if (!reader.ok()) return reader.status();
    const Status status = AddEntries(**reader, &text);
    if (!status.ok()) return status;
    for (const RangeDeletion& each : (*reader)->RangeDeletions()) {
      AddPieces(each, optional, &pieces);
    }
  }
  DropHidden(optional, &pieces);
  return text + TextOf(pieces, optional);
}

Result<WritableFile*> WrittenOutputs::Begin(size_t number,
                                            TableOptions* /*table_options*/,
                                            BuildOptions* build_options) {
  // Else all would share their keys in RocksDB's block cache.
  build_options->identity.file_number = number + 1;
  auto file = OpenWritableFile(PathOf(number));
  if (!file.ok()) return file.status();
  return (open_[number] = std::move(file).value()).get();
}

Status WrittenOutputs::End(const CompactionOutput& output) {
  const TableSummary& summary = output.builder->summary();
  files.push_back({PathOf(output.number), 0, output.smallest, output.largest,
                   summary.smallest_seqno.value(),
                   summary.largest_seqno.value(), output.builder->FileSize()});
  Status status = open_.at(output.number)->Close();
  open_.erase(output.number);
  return status;
}

}  // namespace ashlar::interop
