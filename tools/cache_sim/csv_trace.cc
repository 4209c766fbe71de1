#include "tools/cache_sim/csv_trace.h"

#include <string_view>
#include <utility>
#include <vector>

#include "third-party/xxhash_lib.h"

namespace ashlar::sim {

namespace {

// A key is represented by 64 bits of its hash. Among 2^26 keys, the chance that
// two are taken for the same key is 2^-12.
uint64_t KeyOf(std::string_view text) {
  return XXH3_64bits(text.data(), text.size());
}

// Takes the bytes one by one, and produces a key at the end of each line.
class CsvKeys {
 public:
  CsvKeys(std::string path, const ReadTraceOptions& options,
          TraceBuilder* builder)
      : path_(std::move(path)),
        column_(options.csv_column),
        skip_line_(options.csv_header),
        builder_(builder) {}

  Status Take(std::string_view bytes) {
    for (const char c : bytes) {
      if (builder_->full()) return Status::OK();
      if (Status s = TakeOne(c); !s.ok()) return s;
    }
    return Status::OK();
  }
  // To be called at the end of the file.
  Status End() {
    if (builder_->full()) return Status::OK();
    if (place_ == Place::kQuoted) return Bad("a quote is not closed");
    return line_is_empty_ ? Status::OK() : EndLine();
  }

 private:
  enum class Place : uint8_t {
    kFieldBegin,
    kPlain,
    kQuoted,
    kAfterQuote,  // the end of the field, or the first of two
  };

  Status TakeOne(char c) {
    if (place_ == Place::kQuoted) {
      if (c == '"') {
        place_ = Place::kAfterQuote;
      } else {
        if (c == '\n') ++lines_inside_;
        Keep(c);
      }
      return Status::OK();
    }
    if (c == '\n') return EndLine();
    if (c == '\r') return Status::OK();
    line_is_empty_ = false;
    if (c == ',') {
      ++field_;
      place_ = Place::kFieldBegin;
      return Status::OK();
    }
    if (c == '"') return TakeQuote();
    if (place_ == Place::kAfterQuote) {
      return Bad("text after the quote that ends a field");
    }
    place_ = Place::kPlain;
    Keep(c);
    return Status::OK();
  }

  Status TakeQuote() {
    if (place_ == Place::kPlain) return Bad("a quote inside a field");
    if (place_ == Place::kAfterQuote) Keep('"');
    place_ = Place::kQuoted;
    return Status::OK();
  }

  void Keep(char c) {
    if (field_ == column_) key_.push_back(c);
  }

  Status EndLine() {
    if (!line_is_empty_ && !std::exchange(skip_line_, false)) {
      if (field_ < column_) {
        return Bad("no column " + std::to_string(column_));
      }
      if (key_.empty()) return Bad("an empty key");
      builder_->Add(KeyOf(key_));
    }
    key_.clear();
    field_ = 1;
    place_ = Place::kFieldBegin;
    line_is_empty_ = true;
    line_ += 1 + std::exchange(lines_inside_, 0);
    return Status::OK();
  }

  Status Bad(const std::string& what) const {
    return Status::Corruption(path_ + ": line " + std::to_string(line_) + ": " +
                              what);
  }

  const std::string path_;
  const uint32_t column_;
  bool skip_line_;
  TraceBuilder* const builder_;
  Place place_ = Place::kFieldBegin;
  std::string key_;
  uint64_t line_ = 1;
  uint64_t lines_inside_ = 0;  // line breaks within quotes
  uint32_t field_ = 1;
  bool line_is_empty_ = true;
};

}  // namespace

Status ReadCsv(const std::string& path, const ReadTraceOptions& options,
               ByteSource* source, TraceBuilder* builder) {
  constexpr size_t kPieceBytes = size_t{64} << 10;
  CsvKeys keys(path, options, builder);
  std::vector<char> piece(kPieceBytes);
  size_t got = kPieceBytes;
  while (got == kPieceBytes && !builder->full()) {
    Status s = source->Read(piece.data(), kPieceBytes, &got);
    if (s.ok()) s = keys.Take({piece.data(), got});
    if (!s.ok()) return s;
  }
  return keys.End();
}

}  // namespace ashlar::sim
