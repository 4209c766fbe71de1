#include "table/options/option_setter.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "table/options/foreign_options.h"

namespace ashlar::internal {
namespace {

constexpr std::string_view kCodecOptions = "compression_opts.";
constexpr std::string_view kBottommostOptions = "bottommost_compression_opts.";
constexpr std::string_view kTableMembers[] = {"block_based_table_factory.",
                                              "table_factory."};
// The structs of RocksDB's of which only the members have a name here.
constexpr std::string_view kFlatStructs[] = {"metadata_cache_options"};

std::string Quoted(std::string_view text) {
  return "'" + std::string(text) + "'";
}

const char* KindInWords(OptionKind kind) {
  switch (kind) {
    case OptionKind::kBool:
      return "true or false";
    case OptionKind::kInt:
    case OptionKind::kUint32:
    case OptionKind::kUint64:
      return "a whole number";
    case OptionKind::kDouble:
      return "a number";
    case OptionKind::kText:
      break;
  }
  return "text";
}

template <typename Options>
Status SetRow(const OptionRow<Options>& row, std::string_view value,
              Options* options) {
  const auto& member = row.member;
  const auto parsed = ParseOptionValue(member.kind, member.bounds, value);
  if (parsed.has_value()) return SetOption(row, *parsed, options);
  return Status::InvalidArgument(std::string(row.name) + " is " +
                                 Quoted(value) + ", expected " +
                                 KindInWords(member.kind));
}

// Returns whether the name is that of a struct with rows for its members.
bool IsStruct(std::string_view name) {
  const auto has = [name](auto rows) {
    return std::any_of(rows.begin(), rows.end(), [name](const auto& row) {
      return row.name.starts_with(name) &&
             row.name.substr(name.size()).starts_with('.');
    });
  };
  return has(TableOptionRows()) || has(BuildOptionRows());
}

Status NoCodec(std::string_view name) {
  return Status::NotSupported(Quoted(name) + " is not the name of a codec");
}

}  // namespace

const OptionSetter::SpecialOption OptionSetter::kSpecialOptions[] = {
    {"block_based_table_factory", &OptionSetter::SetTableMembers, true},
    {"bottommost_compression", &OptionSetter::SetBottommost},
    {"bottommost_compression_opts", &OptionSetter::SetBottommostOpts, true},
    {"comparator", &OptionSetter::SetComparator},
    {"compression", &OptionSetter::SetCompression},
    {"compression_manager", &OptionSetter::RequireBuiltInCodecs},
    {"compression_opts", &OptionSetter::SetCompressionOpts, true},
    {"compression_opts.parallel_threads", &OptionSetter::SetThreads},
    {"compression_per_level", &OptionSetter::SetPerLevel},
    {"filter_policy", &OptionSetter::SetFilter},
    {"flush_block_policy_factory", &OptionSetter::SetFlushPolicy},
    {"merge_operator", &OptionSetter::SetMergeOperator},
    {"prefix_extractor", &OptionSetter::SetExtractor},
    {"table_factory", &OptionSetter::SetTableFactory, true},
    {"target_rocksdb", &OptionSetter::SetTarget},
    {"user_defined_index_factory", &OptionSetter::RequireNone},
};

std::string OptionSetter::PlaceOf(std::string_view at) const {
  if (place_.line != 0) return "line " + std::to_string(place_.line);
  const char* const begin = place_.text.data();
  const bool inside =
      std::less_equal<>()(begin, at.data()) &&
      std::less_equal<>()(at.data(), begin + place_.text.size());
  return "byte " + std::to_string(inside ? at.data() - begin : 0) +
         " of the options";
}

Status OptionSetter::Refuse(std::string_view at, const Status& status,
                            bool is_unknown) {
  const std::string place = PlaceOf(at);
  if (!is_unknown || !rules_.ignore_unknown) return status.WithPrefix(place);
  if (rules_.ignored != nullptr) {
    rules_.ignored->push_back(place + ": " + std::string(status.message()));
  }
  return {};
}

Status OptionSetter::SetMembers(std::string_view prefix,
                                std::string_view text) {
  // Options can be nested without braces, too: "a=a=a=1".
  if (depth_ == kMostNestedBraces) {
    return Refuse(text, Status::InvalidArgument("options are nested too deep"),
                  false);
  }
  ++depth_;
  std::vector<OptionPair> pairs;
  std::string_view at;
  Status status = SplitPairs(text, &pairs, &at);
  if (!status.ok()) return Refuse(at, status, false);
  for (const OptionPair& pair : pairs) {
    if (status.ok()) status = Set(prefix, pair);
  }
  --depth_;
  return status;
}

Status OptionSetter::Set(std::string_view prefix, const OptionPair& pair) {
  std::string name(prefix);
  name += pair.name;
  for (const std::string_view members : kTableMembers) {
    if (name.starts_with(members)) name.erase(0, members.size());
  }
  bool found = false;
  Status status;
  if (name.starts_with(kBottommostOptions)) {
    return SetCodecMember(
        {pair.name.substr(pair.name.rfind('.') + 1), pair.value},
        &bottommost_opts_, &bottommost_opts_enabled_);
  }
  status = SetKnown(name, pair.value, &found);
  if (!status.ok()) return status;
  if (found || IsForeignOption(name)) return {};
  return Refuse(pair.name,
                Status::InvalidArgument(name + ": there is no such option"),
                true);
}

Status OptionSetter::SetKnown(std::string_view name, std::string_view value,
                              bool* found) {
  for (const SpecialOption& special : kSpecialOptions) {
    if (special.name != name) continue;
    *found = true;
    Status status = (this->*special.set)(value);
    if (status.ok() || special.has_members) return status;
    return Refuse(value, status.WithPrefix(name), status.IsNotSupported());
  }
  if (std::count(std::begin(kFlatStructs), std::end(kFlatStructs), name) != 0) {
    *found = true;
    return SetMembers({}, value);
  }
  Status status = SetRows(name, value, set_, found);
  if (*found || !status.ok() || !IsStruct(name)) return status;
  *found = true;
  return SetMembers(std::string(name) + ".", value);
}

Status OptionSetter::SetRows(std::string_view name, std::string_view value,
                             OptionSet* set, bool* found) {
  Status status;
  const auto set_in = [&](auto rows, auto* options) {
    const auto* const row = FindOption(rows, name);
    if (row == nullptr || !status.ok()) return;
    *found = true;
    status = SetRow(*row, value, options);
  };
  set_in(TableOptionRows(), &set->table);
  set_in(BuildOptionRows(), &set->build);
  set_in(ReaderOptionRows(), &set->reader);
  if (status.ok()) return {};
  return Refuse(value, status, false);
}

Status OptionSetter::SetCodecMember(const OptionPair& pair, OptionSet* set,
                                    bool* enabled) {
  if (pair.name == "enabled") {
    const auto value = ParseOptionValue(OptionKind::kBool, {}, pair.value);
    if (!value) {
      return Refuse(pair.value,
                    Status::InvalidArgument("enabled is " + Quoted(pair.value) +
                                            ", expected true or false"),
                    false);
    }
    *enabled = std::get<bool>(*value);
    return {};
  }
  if (pair.name == "parallel_threads") {
    const Status status = SetThreads(pair.value);
    return status.ok() ? status : Refuse(pair.value, status, false);
  }
  bool found = false;
  const std::string name = std::string(kCodecOptions) + std::string(pair.name);
  Status status = SetRows(name, pair.value, set, &found);
  if (found || !status.ok()) return status;
  return Refuse(pair.name,
                Status::InvalidArgument(name + ": there is no such option"),
                true);
}

Status OptionSetter::SetCodecMembers(std::string_view value, OptionSet* set,
                                     bool* enabled) {
  std::vector<OptionPair> pairs;
  std::string_view at;
  Status status;
  if (value.find('=') != value.npos || value.find(':') == value.npos) {
    status = SplitPairs(value, &pairs, &at);
    if (!status.ok()) return Refuse(at, status, false);
  } else {
    // The form of old releases: the members by their positions.
    constexpr std::string_view kPositions[] = {
        "window_bits",
        "level",
        "strategy",
        "max_dict_bytes",
        "zstd_max_train_bytes",
        "parallel_threads",
        "enabled",
        "max_dict_buffer_bytes",
        "use_zstd_dict_trainer",
    };
    constexpr size_t kThreads = 5;
    const std::vector<std::string_view> values = SplitList(value);
    if (values.size() > std::size(kPositions)) {
      return Refuse(
          value, Status::InvalidArgument("the list has more than 9 elements"),
          false);
    }
    for (size_t i = 0; i < values.size(); ++i) {
      // A sixth element that is the last one is older than parallel_threads.
      const bool is_old = i == kThreads && values.size() == kThreads + 1;
      pairs.push_back({kPositions[is_old ? i + 1 : i], values[i]});
    }
  }
  for (const OptionPair& pair : pairs) {
    if (status.ok()) status = SetCodecMember(pair, set, enabled);
  }
  return status;
}

Status OptionSetter::SetCompression(std::string_view value) {
  const auto type = CodecByName(value);
  if (!type || *type == kDisabledCompression) return NoCodec(value);
  set_->table.compression = *type;
  return {};
}

Status OptionSetter::SetCompressionOpts(std::string_view value) {
  bool enabled = false;  // means nothing here
  return SetCodecMembers(value, set_, &enabled);
}

Status OptionSetter::SetBottommost(std::string_view value) {
  const auto type = CodecByName(value);
  if (!type) return NoCodec(value);
  bottommost_ = *type;
  return {};
}

Status OptionSetter::SetBottommostOpts(std::string_view value) {
  return SetCodecMembers(value, &bottommost_opts_, &bottommost_opts_enabled_);
}

Status OptionSetter::SetPerLevel(std::string_view value) {
  std::optional<CompressionType> last;
  for (const std::string_view name : SplitList(value)) {
    last = CodecByName(name);
    if (!last || *last == kDisabledCompression) return NoCodec(name);
  }
  // Not before: a list that is refused, and then ignored, changes nothing.
  last_of_levels_ = last;
  return {};
}

void OptionSetter::SettleCodec() {
  TableOptions& table = set_->table;
  if (bottommost_ && *bottommost_ != kDisabledCompression) {
    table.compression = *bottommost_;
    if (bottommost_opts_enabled_) {
      table.compression_opts = bottommost_opts_.table.compression_opts;
    }
  } else if (last_of_levels_) {
    table.compression = *last_of_levels_;
  }
}

Status OptionSetter::SetComparator(std::string_view value) {
  Status status = SetComparatorByName(value, &set_->table.comparator);
  if (status.ok()) set_->reader.comparator = set_->table.comparator;
  return status;
}

Status OptionSetter::SetExtractor(std::string_view value) {
  Status status = SetPrefixExtractor(value, &set_->table.prefix_extractor);
  set_->reader.prefix_extractor = set_->table.prefix_extractor;
  return status;
}

Status OptionSetter::SetFilter(std::string_view value) {
  return SetFilterPolicy(value, &set_->table);
}

Status OptionSetter::SetFlushPolicy(std::string_view value) {
  return SetFlushBlockPolicy(value, &set_->table);
}

Status OptionSetter::SetMergeOperator(std::string_view value) {
  set_->build.merge_operator_name = Unescaped(MergeOperatorName(value));
  return {};
}

Status OptionSetter::SetTarget(std::string_view value) {
  if (value.empty() || value == kNullObject) {
    set_->table.target_rocksdb.reset();
    return {};
  }
  const auto release = ParseRocksDBRelease(value);
  if (!release) {
    return Status::InvalidArgument(Quoted(value) + " is no release, as in 7.8");
  }
  set_->table.target_rocksdb = *release;
  return {};
}

Status OptionSetter::SetThreads(std::string_view value) {
  const auto threads = ParseDigits(value);
  if (!threads) {
    return Status::InvalidArgument("parallel_threads is " + Quoted(value) +
                                   ", expected a whole number");
  }
  // RocksDB's 0 means 1, while ours means one for each processor.
  constexpr uint64_t kMost = 32;
  set_->build.parallel_threads =
      static_cast<uint32_t>(std::clamp(*threads, uint64_t{1}, kMost));
  return {};
}

Status OptionSetter::SetTableFactory(std::string_view value) {
  const std::string_view id = IdOf(value);
  if (id != "BlockBasedTable") {
    return Refuse(
        value,
        Status::NotSupported("table_factory: " + Quoted(id) +
                             " is not the factory of block-based tables"),
        true);
  }
  // "{id=BlockBasedTable;block_size=4096}" has members, which come after it.
  if (id.data() == value.data()) return {};
  const size_t end = value.find(';');
  return end == value.npos ? Status() : SetMembers({}, value.substr(end + 1));
}

Status OptionSetter::SetTableMembers(std::string_view value) {
  return SetMembers({}, value);
}

Status OptionSetter::RequireBuiltInCodecs(std::string_view value) {
  const std::string_view id = IdOf(value);
  if (id.starts_with("BuiltinCompressionManager")) return {};
  return RequireNone(id);
}

Status OptionSetter::RequireNone(std::string_view value) {
  const std::string_view id = IdOf(value);
  if (id.empty() || id == kNullObject) return {};
  return Status::NotSupported(Quoted(id) + " is not built in",
                              Status::SubCode::kNotBuiltIn);
}

}  // namespace ashlar::internal
