// Fuzz target: the input chooses options and entries. The table built from them
// must answer everything like the model in test/support.
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "ashlar/table/inspect.h"
#include "test/fuzz/fuzz_input.h"
#include "test/support/random_table.h"
#include "test/support/reference_reader.h"
#include "test/support/tables.h"

namespace ashlar {

namespace {

using fuzz::FuzzInput;
using testing::Entry;
using testing::Model;

constexpr size_t kMaxEntries = 300;

TableOptions TakeOptions(FuzzInput* input) {
  const std::vector<CompressionType> codecs = SupportedCompressionTypes();
  TableOptions options;
  const uint8_t flags = input->Byte();
  if ((flags & 3) == 1) options.comparator = ReverseBytewiseComparator();
  if ((flags & 3) == 2) options.comparator = testing::ShorterFirstComparator();
  options.use_delta_encoding = (flags & 4) == 0;
  if ((flags & 8) != 0) {
    options.index_shortening = IndexShortening::kNoShortening;
    options.metadata_block_size = 100;
  }
  options.enable_index_compression = (flags & 16) == 0;
  if ((flags & 32) != 0) options.filter = FilterType::kNone;
  const uint8_t form = input->Byte();
  options.format_version =
      kMinFormatVersion + form % (kMaxFormatVersion - kMinFormatVersion + 1);
  options.checksum = static_cast<ChecksumType>(form / 16 % 5);
  constexpr IndexType kIndexTypes[] = {IndexType::kBinarySearch,
                                       IndexType::kTwoLevelIndexSearch,
                                       IndexType::kBinarySearchWithFirstKey};
  options.index_type = kIndexTypes[form / 80 % 3];
  const uint8_t codec = input->Byte();
  options.compression = codecs[codec % codecs.size()];
  options.compression_opts.max_dict_bytes = codec / 16U * 40;
  options.compression_opts.max_dict_buffer_bytes = codec / 32 % 2 * 1000U;
  options.compression_opts.zstd_max_train_bytes = codec / 64 % 2 * 5000U;
  options.block_size = 1 + input->Byte() * uint64_t{8};
  options.block_size_deviation = input->Byte() % 101;
  options.block_restart_interval = 1 + input->Byte() % 32;
  options.index_block_restart_interval = 1 + input->Byte() % 32;
  options.bloom_bits_per_key = 0.5 + input->Byte() % 100;
  if ((flags & 64) != 0) {
    options.data_block_index_type = DataBlockIndexType::kDataBlockBinaryAndHash;
  }
  options.separate_key_value_in_data_block = (flags & 128) != 0;
  // A correct build must pass its own checks.
  options.verify_compression = codec % 2 == 0;
  options.detect_filter_construct_corruption = form % 2 == 0;
  if (form >= 224 && form < 240) {
    options.format_version = 7;
    options.embedded_blob_options = {.enable = true, .min_blob_size = codec};
  }
  if (form >= 240) {
    options.super_block_alignment_size = 4096;
    options.super_block_alignment_space_overhead_ratio = 2;
  }
  return options;
}

Entry TakeEntry(const std::vector<Entry>& before, FuzzInput* input) {
  constexpr ValueType kTypes[] = {ValueType::kTypeValue, ValueType::kTypeMerge,
                                  ValueType::kTypeDeletion,
                                  ValueType::kTypeSingleDeletion};
  const uint8_t shape = input->Byte();
  const ValueType type = kTypes[shape % 4];
  std::string user_key;
  // The same key again, or a key with the same beginning.
  if ((shape & 4) != 0 && !before.empty()) {
    const Entry& other = before[shape % before.size()];
    user_key = UserKeyOf(other.key).ToString();
  }
  if ((shape & 8) == 0) user_key += input->Bytes(input->Byte() % 16).ToString();
  const SequenceNumber sequence =
      (shape & 16) != 0 ? input->Number(7) : input->Byte();
  std::string value;
  if (type == ValueType::kTypeValue || type == ValueType::kTypeMerge) {
    const size_t length = input->Byte();
    value = (shape & 32) != 0 ? std::string(length * 4, 'v')
                              : input->Bytes(length).ToString();
  }
  return {MakeInternalKey(user_key, sequence, type), value};
}

// Adds the entries in order. In between, it adds entries that the builder must
// refuse without a trace.
std::string Build(const TableOptions& options, const Model& model) {
  std::string bytes;
  const auto file = NewMemoryWritableFile("built.sst", &bytes);
  auto builder =
      TableBuilder::Create(options, testing::FixedBuild(), file.get());
  FUZZ_CHECK(builder.status().ok());
  for (const Entry& entry : model.entries()) {
    FUZZ_CHECK((*builder)->Add(entry.key, entry.value).ok());
    FUZZ_CHECK((*builder)->Add(entry.key, "again").IsInvalidArgument());
  }
  FUZZ_CHECK((*builder)->Add("short", "").IsInvalidArgument());
  FUZZ_CHECK((*builder)->status().ok());
  FUZZ_CHECK((*builder)->Finish().ok());
  FUZZ_CHECK((*builder)->NumEntries() == model.entries().size());
  FUZZ_CHECK((*builder)->FileSize() == bytes.size());
  return bytes;
}

void CheckGet(const TableReader& reader, const Model& model,
              const Slice& user_key, SequenceNumber snapshot) {
  const testing::ModelAnswer expected = model.Get(user_key, snapshot);
  std::vector<std::string> operands;
  GetResult result;
  const Status status = reader.Get(ReadOptions(), user_key, snapshot, &result,
                                   [&](const Slice& operand, SequenceNumber) {
                                     operands.push_back(operand.ToString());
                                     return true;
                                   });
  FUZZ_CHECK(status.ok());
  FUZZ_CHECK(result.state == expected.state);
  FUZZ_CHECK(operands == expected.operands);
  if (result.state == GetResult::State::kNotFound) return;
  FUZZ_CHECK(result.sequence == expected.sequence);
  if (result.state == GetResult::State::kFound) {
    FUZZ_CHECK(result.value.slice() == Slice(expected.value));
  }
}

void CheckStands(const Iterator& it, const Model& model, size_t i) {
  FUZZ_CHECK(it.status().ok());
  FUZZ_CHECK(it.Valid() == (i < model.entries().size()));
  if (it.Valid()) FUZZ_CHECK(it.key() == Slice(model.entries()[i].key));
}

void CheckKey(const TableReader& reader, const Model& model,
              const Slice& user_key, SequenceNumber snapshot) {
  CheckGet(reader, model, user_key, snapshot);
  Iterator it = reader.NewIterator();
  const size_t at = model.Seek(user_key, snapshot);
  it.Seek(user_key, snapshot);
  CheckStands(it, model, at);
  if (it.Valid()) {
    it.Prev();
    CheckStands(it, model, at == 0 ? model.entries().size() : at - 1);
  }
  const int64_t before = model.SeekForPrev(user_key, snapshot);
  it.SeekForPrev(user_key, snapshot);
  CheckStands(
      it, model,
      before < 0 ? model.entries().size() : static_cast<size_t>(before));
}

void CheckTable(const std::string& bytes, const TableOptions& options,
                const Model& model) {
  TableInspection found;
  FUZZ_CHECK(InspectTable(*NewMemoryFile("built.sst", bytes), {}, &found).ok());
  FUZZ_CHECK(found.faults.empty());
  const auto reader =
      testing::OpenTable(bytes, {.comparator = options.comparator});
  FUZZ_CHECK(reader->VerifyChecksum().ok());
  std::vector<Entry> forward;
  std::vector<Entry> backward;
  FUZZ_CHECK(testing::ReadForward(*reader, {}, &forward).ok());
  FUZZ_CHECK(testing::ReadBackward(*reader, {}, &backward).ok());
  FUZZ_CHECK(forward == model.entries());
  FUZZ_CHECK(std::vector<Entry>(backward.rbegin(), backward.rend()) == forward);
  CheckKey(*reader, model, Slice(), kMaxSequenceNumber);
  const size_t step = model.entries().size() / 16 + 1;
  for (size_t i = 0; i < model.entries().size(); i += step) {
    const Slice key(model.entries()[i].key);
    CheckKey(*reader, model, UserKeyOf(key), SequenceOf(key));
    CheckKey(*reader, model, UserKeyOf(key), kMaxSequenceNumber);
    CheckKey(*reader, model, UserKeyOf(key).ToString() + '\0', 0);
  }
  // ReadReferenceTable throws if it finds a fault.
  if (options.comparator == testing::ShorterFirstComparator()) return;
  try {
    FUZZ_CHECK(testing::CanonicalDump(testing::ReadReferenceTable(bytes)) ==
               testing::CanonicalDump(forward));
  } catch (const std::runtime_error& error) {
    if (!std::string_view(error.what()).starts_with("not supported")) throw;
  }
}

}  // namespace

}  // namespace ashlar

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace ashlar;
  FuzzInput input(data, size);
  const TableOptions options = TakeOptions(&input);
  std::vector<Entry> entries;
  while (!input.empty() && entries.size() < kMaxEntries) {
    entries.push_back(TakeEntry(entries, &input));
  }
  const Model model(options.comparator, std::move(entries));
  CheckTable(Build(options, model), options, model);
  return 0;
}
