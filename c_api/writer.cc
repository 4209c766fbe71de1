// Writing a table through the C interface.

#include "ashlar/table/external_file_writer.h"
#include "c_api/handles.h"

struct ashlar_writer {
  std::unique_ptr<ashlar::ExternalFileWriter> file;
};

using ashlar::Status;
using ashlar::capi::FromC;
using ashlar::capi::Guarded;

ashlar_status* ashlar_writer_open(const ashlar_options* options,
                                  const char* path, ashlar_writer** writer) {
  *writer = nullptr;
  return Guarded([&]() -> Status {
    auto file = ashlar::ExternalFileWriter::Open(path, options->set.table,
                                                 options->set.build);
    if (!file.ok()) return file.status();
    *writer = new ashlar_writer{std::move(*file)};
    return {};
  });
}

ashlar_status* ashlar_writer_put(ashlar_writer* writer, ashlar_slice key,
                                 ashlar_slice value) {
  return Guarded([&] { return writer->file->Put(FromC(key), FromC(value)); });
}
ashlar_status* ashlar_writer_merge(ashlar_writer* writer, ashlar_slice key,
                                   ashlar_slice operand) {
  return Guarded(
      [&] { return writer->file->Merge(FromC(key), FromC(operand)); });
}
ashlar_status* ashlar_writer_delete(ashlar_writer* writer, ashlar_slice key) {
  return Guarded([&] { return writer->file->Delete(FromC(key)); });
}
ashlar_status* ashlar_writer_single_delete(ashlar_writer* writer,
                                           ashlar_slice key) {
  return Guarded([&] { return writer->file->SingleDelete(FromC(key)); });
}
ashlar_status* ashlar_writer_delete_range(ashlar_writer* writer,
                                          ashlar_slice begin,
                                          ashlar_slice end) {
  return Guarded(
      [&] { return writer->file->DeleteRange(FromC(begin), FromC(end)); });
}
ashlar_status* ashlar_writer_finish(ashlar_writer* writer) {
  return Guarded([&] { return writer->file->Finish(); });
}
uint64_t ashlar_writer_entries(const ashlar_writer* writer) {
  return writer->file->NumEntries();
}
uint64_t ashlar_writer_file_size(const ashlar_writer* writer) {
  return writer->file->FileSize();
}
void ashlar_writer_free(ashlar_writer* writer) { delete writer; }
