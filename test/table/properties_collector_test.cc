// Tests the properties collectors of an application, and the map of sequence
// numbers to times.

#include "ashlar/table/properties_collector.h"

#include <gtest/gtest.h>

#include <string>

#include "ashlar/table/table_builder.h"
#include "test/support/reference_reader.h"
#include "test/support/tables.h"

namespace ashlar::testing {
namespace {

// Records everything, and fails as `fault` says.
class Witness : public TablePropertiesCollector {
 public:
  Witness(std::string name, std::string fault)
      : name_(std::move(name)), fault_(std::move(fault)) {}

  Status AddUserKey(const Slice& user_key, const Slice& value, ValueType type,
                    SequenceNumber sequence, uint64_t file_size) override {
    if (fault_ == "add" && user_key == "key00003") {
      return Status::Aborted("no more");
    }
    seen_ += user_key.ToString() + "=" + value.ToString() + "/" +
             std::to_string(static_cast<int>(type)) + "@" +
             std::to_string(sequence) + " ";
    ascending_ = ascending_ && file_size >= last_size_;
    last_size_ = file_size;
    return {};
  }
  void BlockAdd(uint64_t raw_bytes) override {
    ++blocks_;
    bytes_ += raw_bytes;
  }
  Status Finish(std::map<std::string, std::string>* properties) override {
    if (fault_ == "finish") return Status::Aborted("cannot finish");
    (*properties)[fault_ == "name" ? "rocksdb.data.size" : name_ + ".seen"] =
        seen_;
    if (fault_ == "taken") (*properties)["mine"] = "";
    (*properties)[name_ + ".blocks"] = std::to_string(blocks_);
    (*properties)[name_ + ".bytes"] = std::to_string(bytes_);
    EXPECT_TRUE(ascending_);
    return {};
  }

 private:
  const std::string name_;
  const std::string fault_;
  std::string seen_;
  int blocks_ = 0;
  uint64_t bytes_ = 0;
  uint64_t last_size_ = 0;
  bool ascending_ = true;
};

class Factory : public TablePropertiesCollectorFactory {
 public:
  explicit Factory(std::string name, std::string fault = "")
      : name_(std::move(name)), fault_(std::move(fault)) {}
  std::unique_ptr<TablePropertiesCollector> CreateTablePropertiesCollector(
      const TablePropertiesCollectorContext& /*context*/) override {
    if (fault_ == "none") return nullptr;
    return std::make_unique<Witness>(name_, fault_);
  }
  std::string_view Name() const override { return name_; }

 private:
  const std::string name_;
  const std::string fault_;
};

TEST(PropertiesCollector, SeesEverythingAndIsNamed) {
  for (const uint32_t workers : {0u, 2u}) {
    TableOptions options;
    options.block_size = 50;
    BuildOptions build = FixedBuild();
    build.workers = workers;
    build.table_properties_collector_factories = {
        std::make_shared<Factory>("A"), std::make_shared<Factory>("B", "none"),
        std::make_shared<Factory>("C")};
    build.user_properties = {{"mine", "1"}};
    const std::string file = BuildTable(options, SomeEntries(5), build);
    auto properties = ReadReferenceTable(file).properties;
    EXPECT_EQ(properties["rocksdb.property.collectors"], "[A,B,C]");
    EXPECT_EQ(properties["mine"], "1");
    EXPECT_FALSE(properties.contains("B.seen"));
    std::string seen;
    for (const Entry& entry : SomeEntries(5)) {
      seen += UserKeyOf(entry.key).ToString() + "=" + entry.value + "/1@7 ";
    }
    const TableProperties known = OpenTable(file)->properties();
    for (const std::string name : {"A", "C"}) {
      EXPECT_EQ(properties[name + ".seen"], seen);
      EXPECT_EQ(properties[name + ".blocks"],
                std::to_string(known.num_data_blocks));
      EXPECT_NE(properties[name + ".bytes"], "0");
    }
  }
}

Status BuildWith(const std::string& fault) {
  BuildOptions build = FixedBuild();
  build.table_properties_collector_factories = {
      std::make_shared<Factory>("A", fault)};
  build.user_properties = {{"mine", "1"}};
  std::string bytes;
  const auto file = NewMemoryWritableFile("t.sst", &bytes);
  auto builder = TableBuilder::Create({}, build, file.get());
  Require(builder.status());
  for (const Entry& entry : SomeEntries(5)) {
    Status status = (*builder)->Add(entry.key, entry.value);
    if (status.ok()) continue;
    // The builder cannot go on after the error.
    EXPECT_EQ((*builder)->Finish().message(), status.message());
    return status;
  }
  return (*builder)->Finish();
}

TEST(PropertiesCollector, FaultsEndTheBuild) {
  EXPECT_TRUE(BuildWith("").ok());
  EXPECT_EQ(BuildWith("add").message(), "properties collector A: no more");
  EXPECT_EQ(BuildWith("finish").message(),
            "properties collector A: cannot finish");
  EXPECT_EQ(
      BuildWith("name").message(),
      "properties collector A: name 'rocksdb.data.size' is one of the table's "
      "own");
  EXPECT_EQ(BuildWith("taken").message(),
            "properties collector A: name 'mine' is already taken");
}

TEST(SeqnoToTime, IsStoredAsDifferences) {
  BuildOptions build = FixedBuild();
  build.seqno_to_time = {{5, 100}, {300, 100}, {301, 4000}};
  auto properties =
      ReadReferenceTable(BuildTable({}, SomeEntries(1), build)).properties;
  EXPECT_EQ(Hex(properties["rocksdb.seqno.time.map"]),
            "03"
            "0564"
            "a70200"
            "01bc1e");
  build.seqno_to_time = {{5, 100}, {6, 99}};
  std::string bytes;
  const auto file = NewMemoryWritableFile("t.sst", &bytes);
  EXPECT_EQ(TableBuilder::Create({}, build, file.get()).status().message(),
            "seqno_to_time: time 99 of sequence number 6 is smaller than the "
            "time before it");
}

}  // namespace
}  // namespace ashlar::testing
