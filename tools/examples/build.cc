// Writes a table that RocksDB's IngestExternalFile accepts:
//   build <path>

#include <cstdio>
#include <string>

#include "ashlar/table/external_file_writer.h"

namespace {

ashlar::Status WriteFruit(const std::string& path) {
  ashlar::TableOptions options;
  options.bloom_bits_per_key = 10;

  auto writer = ashlar::ExternalFileWriter::Open(path, options);
  if (!writer.ok()) return writer.status();
  // Adds each key once, in ascending order.
  for (int i = 0; i < 1000; ++i) {
    char key[16];
    std::snprintf(key, sizeof key, "fruit-%05d", i);
    const std::string value = "basket " + std::to_string(i % 7);
    ashlar::Status status = (*writer)->Put(key, value);
    if (!status.ok()) return status;
  }
  // The file appears under its name only now.
  ashlar::Status status = (*writer)->Finish();
  if (!status.ok()) return status;
  std::printf("wrote %s: %llu entries, %llu bytes\n", path.c_str(),
              static_cast<unsigned long long>((*writer)->NumEntries()),
              static_cast<unsigned long long>((*writer)->FileSize()));
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: build <path>\n");
    return 2;
  }
  const ashlar::Status status = WriteFruit(argv[1]);
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
