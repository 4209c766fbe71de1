// Writes and reads a table with a codec and a filter policy of its own:
//   plug_points <path>
//
// The codec shortens runs of one byte. The filter is one bit per value of a
// hash. Both are too simple to be of use; they show what must be written.

#include <cstdio>
#include <string>

#include "ashlar/table/external_file_writer.h"
#include "ashlar/table/filter_policy.h"
#include "ashlar/table/table_reader.h"
#include "ashlar/util/custom_codec.h"

namespace {

using ashlar::Slice;
using ashlar::Status;

// --- The codec: the size as varint32, then pairs (count, byte) ---------------

constexpr ashlar::CompressionType kRuns = ashlar::CustomCompressionType(0x90);

class RunCompressor final : public ashlar::CustomCompressor {
 public:
  Status Compress(const Slice& raw, char* out, size_t capacity,
                  size_t* size) override {
    size_t used = 0;
    const auto put = [&](size_t byte) {
      if (used < capacity) out[used] = static_cast<char>(byte);
      ++used;
    };
    size_t left = raw.size();
    for (; left >= 0x80; left >>= 7) put(left | 0x80);
    put(left);
    for (size_t i = 0; i < raw.size() && used <= capacity;) {
      size_t run = 1;
      while (run < 255 && i + run < raw.size() && raw[i + run] == raw[i]) ++run;
      put(run);
      put(static_cast<unsigned char>(raw[i]));
      i += run;
    }
    *size = used <= capacity ? used : 0;
    return {};
  }
};

// ReadSize is inherited: it reads the varint32.
class RunDecompressor final : public ashlar::CustomDecompressor {
 public:
  Status Decompress(ashlar::CompressionType /*type*/, const Slice& body,
                    const ashlar::CustomDictionary* /*dictionary*/, char* out,
                    size_t size, size_t* made) override {
    *made = 0;
    for (size_t i = 0; i + 1 < body.size(); i += 2) {
      // The body may be anything.
      const auto run = static_cast<unsigned char>(body[i]);
      if (run > size - *made) return Status::Corruption("runs are too long");
      for (size_t k = 0; k < run; ++k) out[(*made)++] = body[i + 1];
    }
    return {};
  }
};

class RunCodec final : public ashlar::CustomCodec {
 public:
  std::string_view CompatibilityName() const override { return "ExampleRuns"; }
  bool Supports(ashlar::CompressionType type) const override {
    return type == kRuns;
  }
  ashlar::Result<std::unique_ptr<ashlar::CustomCompressor>> NewCompressor(
      ashlar::CompressionType, const ashlar::CompressionOptions&,
      const ashlar::CustomDictionary*) const override {
    return std::unique_ptr<ashlar::CustomCompressor>(new RunCompressor);
  }
  ashlar::Result<std::unique_ptr<ashlar::CustomDecompressor>> NewDecompressor()
      const override {
    return std::unique_ptr<ashlar::CustomDecompressor>(new RunDecompressor);
  }
};

// --- The filter: 64 Kibit, one of them for each key --------------------------

constexpr size_t kFilterBytes = 8192;

size_t BitOf(const Slice& bytes) {
  size_t hash = 5381;
  for (const char c : std::string_view(bytes.data(), bytes.size())) {
    hash = hash * 33 + static_cast<unsigned char>(c);
  }
  return hash % (8 * kFilterBytes);
}

class BitsBuilder final : public ashlar::FilterBuilder {
 public:
  void Add(const Slice& bytes) override {
    const size_t bit = BitOf(bytes);
    bits_[bit / 8] = static_cast<char>(bits_[bit / 8] | 1 << bit % 8);
  }
  uint64_t SizeEstimate() const override { return bits_.size(); }
  Status Finish(std::string* payload) override {
    payload->append(bits_);
    return {};
  }

 private:
  std::string bits_ = std::string(kFilterBytes, '\0');
};

class BitsReader final : public ashlar::FilterReader {
 public:
  explicit BitsReader(const Slice& payload) : payload_(payload) {}
  bool MayMatch(const Slice& bytes) const override {
    const size_t bit = BitOf(bytes);
    return (payload_[bit / 8] >> bit % 8 & 1) != 0;
  }

 private:
  const Slice payload_;
};

class BitsPolicy final : public ashlar::FilterPolicy {
 public:
  std::string_view Name() const override { return "example.Bits"; }
  std::unique_ptr<ashlar::FilterBuilder> NewBuilder() const override {
    return std::make_unique<BitsBuilder>();
  }
  uint64_t KeysIn(uint64_t bytes) const override { return bytes / 2; }
  ashlar::Result<std::unique_ptr<ashlar::FilterReader>> NewReader(
      const Slice& payload) const override {
    if (payload.size() != kFilterBytes) {
      return Status::Corruption("it has a wrong size");
    }
    return std::unique_ptr<ashlar::FilterReader>(new BitsReader(payload));
  }
};

Status WriteAndRead(const std::string& path) {
  const auto codec = std::make_shared<const RunCodec>();
  const auto policy = std::make_shared<const BitsPolicy>();

  ashlar::TableOptions options;
  options.format_version = 7;
  options.codec = codec;
  options.compression = kRuns;
  options.filter_policy = policy;
  auto writer = ashlar::ExternalFileWriter::Open(path, options);
  if (!writer.ok()) return writer.status();
  for (int i = 0; i < 1000; ++i) {
    char key[16];
    std::snprintf(key, sizeof key, "fruit-%05d", i);
    Status status = (*writer)->Put(key, std::string(100, 'a'));
    if (!status.ok()) return status;
  }
  Status status = (*writer)->Finish();
  if (!status.ok()) return status;

  ashlar::ReaderOptions reading;
  reading.codecs = {codec};
  reading.filter_policies = {policy};
  auto reader = ashlar::TableReader::Open(path, reading);
  if (!reader.ok()) return reader.status();
  ashlar::GetResult result;
  status = (*reader)->Get("fruit-00007", &result);
  if (!status.ok()) return status;
  std::printf("%s: %zu bytes of value\n",
              (*reader)->properties().compression_name.c_str(),
              result.value.size());
  status = (*reader)->Get("no such fruit", &result);
  if (!status.ok()) return status;
  std::printf(
      "an absent key was ruled out: %s\n",
      result.filter == ashlar::GetResult::Filter::kAbsent ? "yes" : "no");
  // Without the codec the file opens, and reads say what is missing.
  auto without = ashlar::TableReader::Open(path);
  if (!without.ok()) return without.status();
  std::printf("%s\n",
              (*without)->Get("fruit-00007", &result).ToString().c_str());
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: plug_points <path>\n");
    return 2;
  }
  const Status status = WriteAndRead(argv[1]);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
