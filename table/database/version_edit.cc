#include "table/database/version_edit.h"

#include <utility>

#include "table/database/edit_fields.h"
#include "util/coding/coding.h"

namespace ashlar::internal {
namespace {

// Numbers of RocksDB's format. A tag with kIgnorable that is not named here has
// a payload behind its size, which may be passed over.
enum Tag : uint32_t {
  kComparator = 1,
  kLogNumber = 2,
  kNextFileNumber = 3,
  kLastSequence = 4,
  kCompactionCursor = 5,
  kRemovedTable = 6,
  kTableWithoutSequences = 7,
  kPreviousLogNumber = 9,
  kMinLogNumberToKeep = 10,
  kTableWithSequences = 100,
  kTableWithPath = 102,
  kTableWithFields = 103,
  kColumnFamily = 200,
  kAddedFamily = 201,
  kDroppedFamily = 202,
  kMaxColumnFamily = 203,
  kRestOfGroup = 300,
  kAddedBlobFile = 400,
  kBlobGarbage = 401,
  kIgnorable = 8192,
  kDatabaseId = 8193,
  kOldAddedBlobFile = 8194,
  kOldBlobGarbage = 8195,
  kOldAddedLog = 8196,
  kOldRemovedLogs = 8197,
  kAddedLog = 8199,
  kRemovedLogs = 8200,
};

// The fields at the end of kTableWithFields. One that is not named here may be
// passed over if it lacks the bit kMustBeKnown.
enum TableField : uint32_t {
  kEnd = 1,
  kMarkedForCompaction = 2,
  kMinLogNumber = 3,
  kOldestBlobFile = 4,
  kOldestAncesterTime = 5,
  kFileCreationTime = 6,
  kFileChecksum = 7,
  kFileChecksumFuncName = 8,
  kTemperature = 9,
  kSmallestTimestamp = 10,
  kLargestTimestamp = 11,
  kUniqueId = 12,
  kEpochNumber = 13,
  kCompensatedRangeDeletionSize = 14,
  kTailSize = 15,
  kTimestampsPersisted = 16,
  kPathId = 65,
};
constexpr uint32_t kMustBeKnown = 64;

constexpr uint8_t kLargestTemperature = 16;  // ice
constexpr uint8_t kMostPaths = 4;

uint64_t NumberIn(const Slice& payload, std::string_view what,
                  EditFields* fields) {
  uint64_t v = 0;
  if (DecodeVarint64(payload.begin(), payload.end(), &v) == nullptr) {
    fields->Fail(what);
  }
  return v;
}

uint8_t ByteIn(const Slice& payload, std::string_view what,
               EditFields* fields) {
  if (payload.size() != 1) {
    fields->Fail(what);
    return 0;
  }
  return static_cast<uint8_t>(payload.data()[0]);
}

// Returns the field with this number if it is any bytes, or null.
std::string* BytesField(uint32_t id, LiveTable* table) {
  switch (id) {
    case kFileChecksum:
      return &table->file_checksum;
    case kFileChecksumFuncName:
      return &table->file_checksum_func_name;
    case kSmallestTimestamp:
      return &table->smallest_timestamp;
    case kLargestTimestamp:
      return &table->largest_timestamp;
    default:
      return nullptr;
  }
}

// Returns the field with this number if it is a varint64, or null.
uint64_t* NumberField(uint32_t id, LiveTable* table) {
  switch (id) {
    case kOldestBlobFile:
      return &table->oldest_blob_file_number;
    case kOldestAncesterTime:
      return &table->oldest_ancester_time;
    case kFileCreationTime:
      return &table->file_creation_time;
    case kEpochNumber:
      return &table->epoch_number;
    case kCompensatedRangeDeletionSize:
      return &table->compensated_range_deletion_size;
    case kTailSize:
      return &table->tail_size;
    default:
      return nullptr;
  }
}

// Sets a field of a table, by its number.
void SetField(uint32_t id, const Slice& payload, LiveTable* table,
              VersionEdit* edit, EditFields* fields) {
  if (std::string* const bytes = BytesField(id, table)) {
    *bytes = payload.ToString();
    return;
  }
  if (uint64_t* const number = NumberField(id, table)) {
    *number = NumberIn(payload, "a number of a table", fields);
    return;
  }
  switch (id) {
    case kMarkedForCompaction:
      table->marked_for_compaction =
          ByteIn(payload, "the mark for compaction", fields) == 1;
      return;
    case kMinLogNumber:
      if (payload.size() < sizeof(uint64_t)) {
        return fields->Fail("the smallest log number to keep");
      }
      edit->min_log_number_to_keep = LoadFixed64(payload.data());
      return;
    case kTemperature:
      table->temperature = ByteIn(payload, "the temperature", fields);
      if (table->temperature > kLargestTemperature) table->temperature = 0;
      return;
    case kUniqueId:
      if (payload.size() != 2 * sizeof(uint64_t)) {
        return fields->Fail("the unique id");
      }
      table->unique_id = {LoadFixed64(payload.data()),
                          LoadFixed64(payload.data() + sizeof(uint64_t))};
      return;
    case kTimestampsPersisted:
      table->user_defined_timestamps_persisted =
          ByteIn(payload, "whether timestamps are stored", fields) == 1;
      return;
    case kPathId:
      table->path_id = ByteIn(payload, "the path's number", fields);
      if (table->path_id >= kMostPaths) fields->Fail("the path's number");
      return;
    default:
      if ((id & kMustBeKnown) != 0) fields->Refuse("a table's field", id);
  }
}

void AddTable(uint32_t tag, EditFields* fields, VersionEdit* edit) {
  LiveTable table;
  table.level = fields->Number32("a table's level");
  table.number = fields->Number64("a table's number");
  if (tag == kTableWithPath) {
    table.path_id = fields->Number32("a table's path");
  }
  table.file_size = fields->Number64("a table's size");
  table.smallest = fields->InternalKey("a table's smallest key");
  table.largest = fields->InternalKey("a table's largest key");
  if (tag != kTableWithoutSequences) {
    table.smallest_seqno = fields->Number64("a table's smallest sequence");
    table.largest_seqno = fields->Number64("a table's largest sequence");
  }
  if (tag == kTableWithFields) {
    while (fields->status().ok()) {
      const uint32_t id = fields->Number32("a field of a table");
      if (id == kEnd) break;
      const Slice payload = fields->Bytes("a field of a table");
      if (!fields->status().ok()) return;
      SetField(id, payload, &table, edit, fields);
    }
  }
  edit->added.push_back(std::move(table));
}

// Fields of blob files that no release has defined yet, behind the known ones.
void SkipBlobFields(EditFields* fields) {
  while (fields->status().ok()) {
    const uint32_t id = fields->Number32("a field of a blob file");
    if (id == 0) return;
    if ((id & kMustBeKnown) != 0) fields->Refuse("a blob file's field", id);
    fields->Bytes("a field of a blob file");
  }
}

void AddBlobFile(EditFields* fields, VersionEdit* edit) {
  LiveBlobFile file;
  file.number = fields->Number64("a blob file's number");
  file.total_blob_count = fields->Number64("the number of blobs");
  file.total_blob_bytes = fields->Number64("the bytes of blobs");
  fields->Bytes("the kind of a blob file's checksum");
  fields->Bytes("a blob file's checksum");
  SkipBlobFields(fields);
  edit->added_blob_files.push_back(file);
}

void AddGarbage(EditFields* fields, VersionEdit* edit) {
  LiveBlobFile file;
  file.number = fields->Number64("a blob file's number");
  file.garbage_blob_count = fields->Number64("the number of garbage blobs");
  file.garbage_blob_bytes = fields->Number64("the bytes of garbage blobs");
  SkipBlobFields(fields);
  edit->garbage.push_back(file);
}

// The size of a log that was synced, if it is said.
void SkipLogFields(EditFields* fields) {
  constexpr uint32_t kEndOfLog = 1;
  constexpr uint32_t kSyncedSize = 2;
  while (fields->status().ok()) {
    const uint32_t id = fields->Number32("a field of a log");
    if (id == kEndOfLog) return;
    if (id != kSyncedSize) return fields->Fail("a field of a log");
    fields->Number64("the synced size of a log");
  }
}

void TakeLogs(uint32_t tag, EditFields* fields, VersionEdit* edit) {
  edit->is_of_logs = true;
  if (tag == kOldAddedLog || tag == kOldRemovedLogs) {
    fields->Number64("a log's number");
    if (tag == kOldAddedLog) SkipLogFields(fields);
    return;
  }
  const Slice bytes = fields->Bytes("a change of logs");
  if (!fields->status().ok()) return;
  EditFields inner(bytes);
  inner.Number64("a log's number");
  if (tag == kAddedLog) SkipLogFields(&inner);
  if (!inner.status().ok()) fields->Fail("a change of logs");
}

// Takes a field that is not of files. Returns false if the tag is none of
// these.
bool TakeSetting(uint32_t tag, EditFields* fields, VersionEdit* edit) {
  switch (tag) {
    case kComparator:
      edit->comparator = fields->Bytes("the comparator").ToString();
      return true;
    case kDatabaseId:
      edit->db_id = fields->Bytes("the database id").ToString();
      return true;
    case kLogNumber:
      edit->log_number = fields->Number64("the log number");
      return true;
    case kNextFileNumber:
      edit->next_file_number = fields->Number64("the next file number");
      return true;
    case kLastSequence:
      edit->last_sequence = fields->Number64("the last sequence number");
      return true;
    case kPreviousLogNumber:
      fields->Number64("the previous log number");
      return true;
    case kMinLogNumberToKeep:
      edit->min_log_number_to_keep =
          fields->Number64("the smallest log number to keep");
      return true;
    case kColumnFamily:
      edit->column_family = fields->Number32("the column family");
      return true;
    case kAddedFamily:
      edit->added_family = fields->Bytes("a column family's name").ToString();
      return true;
    case kDroppedFamily:
      edit->drops_family = true;
      return true;
    case kMaxColumnFamily:
      fields->Number32("the largest column family");
      return true;
    case kRestOfGroup:
      edit->rest_of_group = fields->Number32("the rest of a group");
      return true;
    default:
      return false;
  }
}

void TakeFiles(uint32_t tag, EditFields* fields, VersionEdit* edit) {
  switch (tag) {
    case kCompactionCursor:
      fields->Number32("a level");
      fields->InternalKey("a key where a compaction goes on");
      return;
    case kRemovedTable: {
      const uint32_t level = fields->Number32("a removed table's level");
      edit->removed.push_back(
          {level, fields->Number64("a removed table's number")});
      return;
    }
    case kTableWithoutSequences:
    case kTableWithSequences:
    case kTableWithPath:
    case kTableWithFields:
      return AddTable(tag, fields, edit);
    case kAddedBlobFile:
    case kOldAddedBlobFile:
      return AddBlobFile(fields, edit);
    case kBlobGarbage:
    case kOldBlobGarbage:
      return AddGarbage(fields, edit);
    case kAddedLog:
    case kRemovedLogs:
    case kOldAddedLog:
    case kOldRemovedLogs:
      return TakeLogs(tag, fields, edit);
    default:
      if ((tag & kIgnorable) == 0) return fields->Refuse("tag", tag);
      fields->Bytes("a field that this release does not know");
  }
}

}  // namespace

Status DecodeVersionEdit(const Slice& record, VersionEdit* edit) {
  *edit = VersionEdit();
  EditFields fields(record);
  while (!fields.AtEnd()) {
    const uint32_t tag = fields.Number32("a tag");
    if (!fields.status().ok()) break;
    if (!TakeSetting(tag, &fields, edit)) TakeFiles(tag, &fields, edit);
  }
  return fields.status();
}

}  // namespace ashlar::internal
