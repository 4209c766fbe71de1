// rocksdb_ingest: shows what a RocksDB database has after it ingested a table.
//
//   rocksdb_ingest <table> <new folder> <output>
//
// Creates a database in the folder, ingests the table with checks of its
// checksums, and reads all keys with an iterator of the database. The output
// has for each entry, in this order: the sizes of key and value, 4 bytes each,
// the lowest first; the key; the value.
#include <rocksdb/db.h>

#include <cstdint>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

namespace ashlar::interop {
namespace {

void AppendSize(const rocksdb::Slice& bytes, std::string* out) {
  constexpr int kBits = 8;
  for (size_t i = 0; i < sizeof(uint32_t); ++i) {
    *out += static_cast<char>(bytes.size() >> (kBits * i));
  }
}

rocksdb::Status WriteEntries(rocksdb::DB* db, const std::string& path) {
  std::ofstream out(path, std::ios::binary);
  rocksdb::ReadOptions options;
  options.verify_checksums = true;
  const std::unique_ptr<rocksdb::Iterator> it(db->NewIterator(options));
  std::string head;
  for (it->SeekToFirst(); it->Valid(); it->Next()) {
    head.clear();
    AppendSize(it->key(), &head);
    AppendSize(it->value(), &head);
    out << head << it->key().ToStringView() << it->value().ToStringView();
  }
  if (!it->status().ok()) return it->status();
  out.close();
  return out ? rocksdb::Status() : rocksdb::Status::IOError(path);
}

rocksdb::Status Ingest(const std::string& table, const std::string& folder,
                       const std::string& output) {
  rocksdb::Options options;
  options.create_if_missing = true;
  options.error_if_exists = true;
  std::unique_ptr<rocksdb::DB> db;
  rocksdb::Status status = rocksdb::DB::Open(options, folder, &db);
  rocksdb::IngestExternalFileOptions ingestion;
  ingestion.verify_checksums_before_ingest = true;
  if (status.ok()) status = db->IngestExternalFile({table}, ingestion);
  if (status.ok()) status = WriteEntries(db.get(), output);
  return status;
}

}  // namespace
}  // namespace ashlar::interop

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: rocksdb_ingest <table> <new folder> <output>\n";
    return 2;
  }
  const rocksdb::Status status =
      ashlar::interop::Ingest(argv[1], argv[2], argv[3]);
  if (!status.ok())
    std::cerr << "rocksdb_ingest: " << status.ToString() << '\n';
  return status.ok() ? 0 : 1;
}
