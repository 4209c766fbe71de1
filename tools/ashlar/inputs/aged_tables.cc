#include "tools/ashlar/inputs/aged_tables.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "ashlar/util/printable.h"
#include "tools/ashlar/inputs/external_table.h"
#include "tools/ashlar/inputs/open_table.h"

namespace ashlar::tool {
namespace {

class Opening {
 public:
  explicit Opening(const std::shared_ptr<RateLimiter>& limiter)
      : options_(ReaderOptionsFromFlags()) {
    options_.rate_limiter = limiter;
  }

  // Opens table->path, the next table by age, unless its status is an error.
  void Open(AgedTable* table) {
    if (!table->status.ok()) {
      has_failed_ = true;
      return;
    }
    auto reader = TableReader::Open(table->path, options_);
    table->status = reader.status();
    if (reader.ok()) table->reader = std::move(reader).value();
    if (table->status.ok()) table->status = CheckOrder(*table->reader);
    if (table->status.ok() && !has_failed_) table->status = Number(table);
    if (!table->status.ok()) has_failed_ = true;
  }

 private:
  Status CheckOrder(const TableReader& reader) {
    const Comparator* const comparator = reader.comparator();
    if (comparator_ == nullptr) comparator_ = comparator;
    if (comparator == comparator_) return Status();
    return Status::InvalidArgument(
        reader.file().name() + ": its comparator is " +
        std::string(comparator->Name()) + ", and that of the first table is " +
        std::string(comparator_->Name()));
  }

  Status Number(AgedTable* table) {
    bool is_external = false;
    Status status = FindIsExternal(*table->reader, table->path, &is_external);
    if (!status.ok()) return status;
    if (is_external) return GiveNumber(table);
    std::optional<SequenceRange> found;
    status = FindSequences(*table->reader, table->path, &found);
    if (!status.ok() || !found) return status;
    if (given_ != 0 && found->smallest <= given_) {
      return Status::InvalidArgument(
          PrintableText(table->path) + ": has sequence number " +
          std::to_string(found->smallest) +
          ", but a table for ingestion before it got " +
          std::to_string(given_) +
          ": name tables with sequence numbers before those without");
    }
    largest_ = std::max(largest_, found->largest);
    return status;
  }

  Status GiveNumber(AgedTable* table) {
    if (largest_ == kMaxSequenceNumber) {
      return Status::InvalidArgument(
          PrintableText(table->path) +
          ": there is no sequence number left for its entries");
    }
    ReaderOptions options = options_;
    given_ = ++largest_;
    options.largest_seqno = given_;
    auto reader = TableReader::Open(table->path, options);
    if (!reader.ok()) return reader.status();
    table->reader = std::move(reader).value();
    return Status();
  }

  ReaderOptions options_;
  const Comparator* comparator_ = nullptr;
  SequenceNumber largest_ = 0;  // of all tables so far
  SequenceNumber given_ = 0;    // 0: no table got a number
  bool has_failed_ = false;
};

}  // namespace

std::vector<AgedTable> OpenAgedTables(
    const std::vector<Input>& inputs,
    const std::shared_ptr<RateLimiter>& limiter) {
  Opening opening(limiter);
  std::vector<AgedTable> tables;
  tables.reserve(inputs.size());
  for (const Input& input : inputs) {
    tables.push_back({input.path, nullptr, input.status});
    opening.Open(&tables.back());
  }
  return tables;
}

}  // namespace ashlar::tool
