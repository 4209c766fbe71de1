// MemoryOutputs: keeps the outputs of a compaction in memory. One thread.
#ifndef ASHLAR_TEST_SUPPORT_MEMORY_OUTPUTS_H_
#define ASHLAR_TEST_SUPPORT_MEMORY_OUTPUTS_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/table/compaction.h"
#include "test/support/faulty_file.h"

namespace ashlar::testing {

class MemoryOutputs final : public CompactionOutputs {
 public:
  struct File {
    std::string bytes;
    std::string smallest;  // internal keys, clipped to the output
    std::string largest;
    TableSummary summary;
  };

  // Appends of all outputs are operations of the plan, and so is each End.
  explicit MemoryOutputs(FaultPlan* plan = nullptr) : plan_(plan) {}

  Result<WritableFile*> Begin(size_t number, TableOptions* /*table_options*/,
                              BuildOptions* /*build_options*/) override {
    ++open;
    bytes_.clear();
    const std::string name = "output " + std::to_string(number);
    file_ = plan_ == nullptr ? NewMemoryWritableFile(name, &bytes_)
                             : NewFaultyWritableFile(name, &bytes_, plan_);
    return file_.get();
  }
  Status End(const CompactionOutput& output) override {
    --open;
    file_.reset();
    if (plan_ != nullptr && plan_->Next()) {
      return Status::IOError(std::string("end: ") + kInjected);
    }
    files.push_back({std::move(bytes_), output.smallest, output.largest,
                     output.builder->summary()});
    return {};
  }
  void Drop(size_t /*number*/) override {
    --open;
    ++dropped;
    file_.reset();
  }

  std::vector<File> files;
  int open = 0;  // Begin without End or Drop
  int dropped = 0;

 private:
  FaultPlan* const plan_;
  std::string bytes_;
  std::unique_ptr<WritableFile> file_;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_MEMORY_OUTPUTS_H_
