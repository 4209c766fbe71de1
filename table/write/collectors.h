// Collectors: the properties collectors of one table, called together.
//
// Used by the table builder, which asks empty() first. One thread at a time.
#ifndef ASHLAR_TABLE_WRITE_COLLECTORS_H_
#define ASHLAR_TABLE_WRITE_COLLECTORS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ashlar/table/options.h"
#include "ashlar/table/properties_collector.h"
#include "ashlar/util/slice.h"
#include "ashlar/util/status.h"
#include "table/write/compression_samples.h"

namespace ashlar::internal {

class Collectors {
 public:
  // Makes a collector of each factory in the options. Requires: no factory is
  // null.
  explicit Collectors(const BuildOptions& options);

  bool empty() const { return each_.empty(); }
  // These call each collector. They return its first error, with its name in
  // front.
  Status Add(const Slice& user_key, uint64_t tail, const Slice& value,
             uint64_t file_size);
  void SampledBlock(const SampledBytes& bytes);
  void BlockAdd(uint64_t raw_bytes);
  // Adds what the collectors collected to *properties. Returns InvalidArgument
  // for a name that is reserved or taken.
  Status Finish(std::map<std::string, std::string>* properties);
  // Returns whether one of them asks for a compaction.
  bool NeedCompact() const;

 private:
  struct Named {
    std::string name;
    std::unique_ptr<TablePropertiesCollector> collector;
  };

  std::vector<Named> each_;
};

// Returns the names of the factories in the options: "[A,B]".
std::string CollectorNames(const BuildOptions& options);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WRITE_COLLECTORS_H_
