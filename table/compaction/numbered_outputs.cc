// NumberedOutputs: which files are open, complete or taken.

#include "ashlar/table/numbered_outputs.h"

#include "ashlar/table/table_builder.h"
#include "port/posix_io.h"

namespace ashlar {

NumberedOutputs::~NumberedOutputs() {
  for (const auto& [number, table] : tables_) {
    // An open file removes its own temporary name. That of a complete one goes
    // here; if that fails, the engine finds a file that nothing names.
    if (table.file == nullptr) {
      static_cast<void>(port::Remove(table.about.path));
    }
  }
}

Result<WritableFile*> NumberedOutputs::Begin(size_t number,
                                             TableOptions* /*table_options*/,
                                             BuildOptions* build_options) {
  Table table;
  table.about.number = options_.next_number();
  table.about.path = options_.path(table.about.number);
  table.is_new = !port::Exists(table.about.path);
  build_options->identity.file_number = table.about.number;
  auto file = AtomicFile::Create(table.about.path, options_.file);
  if (!file.ok()) return file.status();
  table.file = std::move(file).value();
  return tables_.insert_or_assign(number, std::move(table))
      .first->second.file->file();
}

Status NumberedOutputs::End(const CompactionOutput& output) {
  Table& table = tables_.at(output.number);
  table.about.range = {output.smallest, output.largest,
                       output.builder->FileSize()};
  table.about.summary = output.builder->summary();
  Status status = table.file->Commit();
  if (status.ok()) {
    table.file.reset();
  } else if (table.is_new && table.file->IsInPlace()) {
    // Only the sync of its folder has failed. The engine does not learn of the
    // file, and so would not remove it.
    static_cast<void>(port::Remove(table.about.path));
  }
  return status;
}

void NumberedOutputs::Drop(size_t number) { tables_.erase(number); }

std::vector<NumberedOutput> NumberedOutputs::Take(
    const CompactionResult& result) {
  std::vector<NumberedOutput> taken;
  taken.reserve(result.output_numbers.size());
  for (const size_t number : result.output_numbers) {
    taken.push_back(std::move(tables_.at(number).about));
    tables_.erase(number);
  }
  return taken;
}

}  // namespace ashlar
