// The collectors of one table, called together.
//
// Used by the table builder, which asks empty() before anything else. One
// thread at a time.
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

namespace ashlar::internal {

class Collectors {
 public:
  explicit Collectors(const BuildOptions& options);

  bool empty() const { return each_.empty(); }
  Status Add(const Slice& user_key, uint64_t tail, const Slice& value,
             uint64_t file_size);
  void BlockAdd(uint64_t raw_bytes);
  // Adds what they collected to *properties.
  Status Finish(std::map<std::string, std::string>* properties);

 private:
  struct Named {
    std::string name;
    std::unique_ptr<TablePropertiesCollector> collector;
  };

  std::vector<Named> each_;
};

// "[A,B]"
std::string CollectorNames(const BuildOptions& options);

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_WRITE_COLLECTORS_H_
