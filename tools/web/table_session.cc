#include "tools/web/table_session.h"

#include <algorithm>
#include <new>
#include <span>
#include <string_view>
#include <vector>

#include "ashlar/table/block_kind.h"
#include "ashlar/table/internal_key.h"
#include "ashlar/util/file.h"
#include "tools/ashlar/print/output.h"
#include "tools/ashlar/print/print_text.h"
#include "tools/escaped_text.h"
#include "tools/text_numbers.h"

namespace ashlar::tool {
namespace {

// Writes the members "<name>", "<name>_hex" and "<name>_size".
void WriteBytes(const std::string& name, const Slice& bytes, JsonWriter* json) {
  const Slice shown(bytes.data(),
                    std::min(bytes.size(), TableSession::kShownBytes));
  json->Member(name, Escape(shown));
  json->HexMember(name + "_hex", shown);
  json->NumberMember(name + "_size", bytes.size());
}

void WriteVersion(SequenceNumber sequence, ValueType type, const Slice& value,
                  JsonWriter* json) {
  json->Member("sequence", std::to_string(sequence));
  json->Member("type", TypeWord(type));
  WriteBytes("value", value, json);
}

uint64_t RowsOf(const JsonValue& question) {
  return std::clamp<uint64_t>(question["count"].number(), 1,
                              TableSession::kMostRows);
}

Result<std::string> KeyOf(const JsonValue& question, std::string_view name) {
  const std::string& text = question[name].text();
  const bool hex = question["hex"].yes();
  std::optional<std::string> key = hex ? FromHex(text) : Unescape(text);
  if (key) return *std::move(key);
  return Status::InvalidArgument(
      hex ? "the key is not hexadecimal text of even length"
          : "the key has an invalid escape: " + std::string(kExpectedEscape));
}

ReadOptions AsStored() {
  ReadOptions options;
  options.ignore_range_deletions = true;
  return options;
}

// The answer may be incomplete JSON if memory ran out, so this is a new one.
std::string OnlyError(const Status& status) {
  std::string answer;
  Output out(&answer);
  JsonWriter json(&out);
  json.BeginObject();
  json.Member("error", status.ToString());
  json.EndObject();
  out.Flush();
  return answer;
}

}  // namespace

std::string TableSession::Answer(const JsonValue& question) try {
  std::string answer;
  Output out(&answer);
  JsonWriter json(&out);
  json.BeginObject();
  const Status status = Ask(question, &json);
  json.EndDownTo(1);
  json.Member("error", status.ok() ? "" : status.ToString());
  json.EndObject();
  out.Flush();
  return answer;
} catch (const std::bad_alloc&) {
  return OnlyError(Status::MemoryLimit("out of memory"));
}

Status TableSession::Ask(const JsonValue& question, JsonWriter* json) {
  const std::string& what = question["ask"].text();
  if (what == "summary") return Summary(json);
  if (what == "layout") return Layout(question, json);
  if (what == "entries") return Entries(question, json);
  if (what == "find") return Find(question, json);
  if (what == "report") return WholeReport(json);
  return Status::InvalidArgument("unknown question '" + what + "'");
}

Status TableSession::Open() {
  if (reader_ != nullptr) return {};
  ReaderOptions options;
  options.allow_unknown_comparator = true;
  auto reader = TableReader::Open(path_, options);
  if (!reader.ok()) return reader.status();
  reader_ = std::move(reader).value();
  return {};
}

Status TableSession::Layout(const JsonValue& question, JsonWriter* json) {
  if (!listed_) {
    auto file = OpenRandomAccessFile(path_);
    if (!file.ok()) return file.status();
    TableInspection listed;
    InspectOptions options;
    options.data_blocks = InspectOptions::DataBlocks::kList;
    Status status = InspectTable(**file, options, &listed);
    if (!status.ok()) return status;
    listed_ = std::move(listed);
  }
  const std::span<const BlockInfo> blocks = listed_->blocks;
  const size_t first =
      std::min<uint64_t>(question["first"].number(), blocks.size());
  const size_t count =
      std::min<uint64_t>(RowsOf(question), blocks.size() - first);
  json->NumberMember("total", blocks.size());
  json->ObjectsMember(
      "blocks", blocks.subspan(first, count), [json](const BlockInfo& block) {
        json->Member("kind", BlockKindName(block.kind));
        json->NumberMember("index", block.index);
        json->NumberMember("offset", block.offset);
        json->NumberMember("size", block.size);
        json->Member("name", block.name);
        json->Member("fault", block.status.ok() ? "" : block.status.ToString());
      });
  const std::vector<TableFault>& faults = listed_->faults;
  return faults.empty() ? Status() : faults.front().status;
}

// Moves entries_ to the first entry of the page.
Status TableSession::StartPage(const JsonValue& question) {
  const std::string after = question["after"].bytes();
  const std::string before = question["before"].bytes();
  const bool goes_on = !after.empty() && !reader_->knows_order();
  // Without an order of keys, no place can be looked for: the walk goes on.
  if (goes_on && entries_) return {};
  entries_.emplace(reader_->NewIterator(AsStored()));
  if (!after.empty()) {
    entries_->SeekInternal(after);
    if (entries_->Valid() && entries_->key() == Slice(after)) entries_->Next();
  } else if (!before.empty()) {
    entries_->SeekForPrevInternal(before);
    if (entries_->Valid() && entries_->key() == Slice(before)) {
      entries_->Prev();
    }
    for (uint64_t i = 1; i < RowsOf(question) && entries_->Valid(); ++i) {
      entries_->Prev();
    }
    if (!entries_->Valid() && entries_->status().ok()) entries_->SeekToFirst();
  } else if (!question["from"].is_null()) {
    const Result<std::string> key = KeyOf(question, "from");
    if (!key.ok()) return key.status();
    entries_->Seek(*key);
  } else if (question["last"].yes()) {
    entries_->SeekToLast();
    for (uint64_t i = 1; i < RowsOf(question) && entries_->Valid(); ++i) {
      entries_->Prev();
    }
    if (!entries_->Valid() && entries_->status().ok()) entries_->SeekToFirst();
  } else {
    entries_->SeekToFirst();
  }
  return {};
}

Status TableSession::Entries(const JsonValue& question, JsonWriter* json) {
  Status status = Open();
  if (status.ok()) status = StartPage(question);
  if (!status.ok()) return status;
  std::string first;
  std::string last;
  json->Key("entries");
  json->BeginArray();
  for (uint64_t i = 0; i < RowsOf(question) && entries_->Valid(); ++i) {
    last = entries_->key().ToString();
    if (i == 0) first = last;
    json->BeginObject();
    WriteBytes("key", entries_->user_key(), json);
    WriteVersion(entries_->sequence(), entries_->type(), entries_->value(),
                 json);
    json->EndObject();
    entries_->Next();
  }
  json->EndArray();
  json->HexMember("first", first);
  json->HexMember("last", last);
  json->BoolMember("more", entries_->Valid());
  json->BoolMember("knows_order", reader_->knows_order());
  WriteRangeDeletions(json);
  return entries_->status();
}

void TableSession::WriteRangeDeletions(JsonWriter* json) const {
  const std::span<const RangeDeletion> all = reader_->RangeDeletions();
  json->NumberMember("range_deletions_total", all.size());
  json->ObjectsMember(
      "range_deletions", all.first(std::min<size_t>(all.size(), kMostRows)),
      [json](const RangeDeletion& deletion) {
        WriteBytes("key", deletion.begin, json);
        WriteVersion(deletion.sequence, ValueType::kTypeRangeDeletion,
                     deletion.end, json);
      });
}

Status TableSession::Find(const JsonValue& question, JsonWriter* json) {
  Status status = Open();
  if (!status.ok()) return status;
  const Result<std::string> key = KeyOf(question, "key");
  if (!key.ok()) return key.status();
  WriteBytes("key", *key, json);
  json->Key("versions");
  json->BeginArray();
  uint64_t versions = 0;
  Status found = reader_->VisitVersions(
      AsStored(), *key, kMaxSequenceNumber, [&](const StoredVersion& version) {
        json->BeginObject();
        WriteVersion(version.sequence, version.type, version.value, json);
        json->EndObject();
        return ++versions < kMostRows;
      });
  json->EndArray();
  return found;
}

}  // namespace ashlar::tool
