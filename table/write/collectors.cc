#include "table/write/collectors.h"

#include "table/meta/properties_block.h"

namespace ashlar {

bool TablePropertiesHasField(std::string_view name) {
  return internal::HasPropertyField(name);
}

namespace internal {

Collectors::Collectors(const BuildOptions& options) {
  const TablePropertiesCollectorContext context = {
      options.column_family_id, options.level_at_creation, options.num_levels};
  for (const auto& factory : options.table_properties_collector_factories) {
    auto collector = factory->CreateTablePropertiesCollector(context);
    if (collector == nullptr) continue;
    each_.push_back({std::string(factory->Name()), std::move(collector)});
  }
}

Status Collectors::Add(const Slice& user_key, uint64_t tail, const Slice& value,
                       uint64_t file_size) {
  for (const Named& each : each_) {
    Status status = each.collector->AddUserKey(
        user_key, value, static_cast<ValueType>(tail & 0xff), tail >> 8,
        file_size);
    if (!status.ok()) {
      return status.WithPrefix("properties collector " + each.name);
    }
  }
  return {};
}

void Collectors::SampledBlock(const SampledBytes& bytes) {
  for (const Named& each : each_) {
    each.collector->SampledBlock(bytes.fast, bytes.slow);
  }
}

void Collectors::BlockAdd(uint64_t raw_bytes) {
  for (const Named& each : each_) each.collector->BlockAdd(raw_bytes);
}

Status Collectors::Finish(std::map<std::string, std::string>* properties) {
  for (const Named& each : each_) {
    std::map<std::string, std::string> own;
    Status status = each.collector->Finish(&own);
    if (!status.ok()) {
      return status.WithPrefix("properties collector " + each.name);
    }
    for (const auto& [name, value] : own) {
      const bool reserved = HasPropertyField(name);
      if (!reserved && properties->emplace(name, value).second) continue;
      return Status::InvalidArgument(
          "properties collector " + each.name + ": name '" + name +
          (reserved ? "' is one of the table's own" : "' is already taken"));
    }
  }
  return {};
}

bool Collectors::NeedCompact() const {
  for (const Named& each : each_) {
    if (each.collector->NeedCompact()) return true;
  }
  return false;
}

std::string CollectorNames(const BuildOptions& options) {
  std::string names = "[";
  for (const auto& factory : options.table_properties_collector_factories) {
    if (names.size() > 1) names.append(",");
    names.append(factory->Name());
  }
  return names + "]";
}

}  // namespace internal
}  // namespace ashlar
