// OptionSetter: sets options from names and values of a text.
//
// It knows which name sets what: a row of the table of options, one of
// RocksDB's options that has another form here, or nothing. Strings and OPTIONS
// files use it. One object reads one text; for one thread.
#ifndef ASHLAR_TABLE_OPTIONS_OPTION_SETTER_H_
#define ASHLAR_TABLE_OPTIONS_OPTION_SETTER_H_

#include <optional>
#include <string>
#include <string_view>

#include "ashlar/table/option_strings.h"
#include "table/options/named_objects.h"
#include "table/options/option_text.h"

namespace ashlar::internal {

class OptionSetter {
 public:
  // Where names and values are, as messages say it. `text` is what offsets
  // count from. With a line, messages name that and no offset.
  struct Place {
    std::string_view text;
    size_t line = 0;
  };

  // Sets members of *set, which must outlive this object, as `rules`.
  OptionSetter(const OptionTextRules& rules, OptionSet* set)
      : rules_(rules), set_(set) {}

  void SetPlace(Place place) { place_ = place; }

  // Sets the options of "name=value;...".
  Status SetAll(std::string_view text) { return SetMembers({}, text); }
  // Sets one option. `prefix` is put before the name.
  Status Set(std::string_view prefix, const OptionPair& pair);

  // To be called at the end. Sets the codec to that of the last level.
  void SettleCodec();

 private:
  struct SpecialOption {
    std::string_view name;
    Status (OptionSetter::*set)(std::string_view value);
    // Whether `set` sets members, and says itself where an error is.
    bool has_members = false;
  };
  static const SpecialOption kSpecialOptions[];

  // Sets the pairs of a text, with `prefix` before each name.
  Status SetMembers(std::string_view prefix, std::string_view text);
  // Sets what the name stands for. Sets *found to whether it is known.
  Status SetKnown(std::string_view name, std::string_view value, bool* found);
  // Sets all rows of this name in *set. Sets *found if there is one.
  Status SetRows(std::string_view name, std::string_view value, OptionSet* set,
                 bool* found);
  // Sets the members of a codec's options, in either form, in *set. Sets
  // *enabled if they say so.
  Status SetCodecMembers(std::string_view value, OptionSet* set, bool* enabled);
  Status SetCodecMember(const OptionPair& pair, OptionSet* set, bool* enabled);
  // Returns the status with the place of `at` before its message. If the rules
  // say to ignore what is unknown, and the status is about that, lists it and
  // returns ok.
  Status Refuse(std::string_view at, const Status& status, bool is_unknown);
  std::string PlaceOf(std::string_view at) const;

  Status SetCompression(std::string_view value);
  Status SetCompressionOpts(std::string_view value);
  Status SetBottommost(std::string_view value);
  Status SetBottommostOpts(std::string_view value);
  Status SetPerLevel(std::string_view value);
  Status SetComparator(std::string_view value);
  Status SetExtractor(std::string_view value);
  Status SetFilter(std::string_view value);
  Status SetFlushPolicy(std::string_view value);
  Status SetMergeOperator(std::string_view value);
  Status SetTarget(std::string_view value);
  Status SetThreads(std::string_view value);
  Status SetTableFactory(std::string_view value);
  Status SetTableMembers(std::string_view value);
  Status RequireBuiltInCodecs(std::string_view value);
  Status RequireNone(std::string_view value);

  const OptionTextRules& rules_;
  OptionSet* const set_;
  Place place_;
  // What the text says of the codec of the last level.
  std::optional<CompressionType> bottommost_;
  std::optional<CompressionType> last_of_levels_;
  OptionSet bottommost_opts_;
  bool bottommost_opts_enabled_ = false;
  size_t depth_ = 0;  // how many lists of pairs are being read
};

}  // namespace ashlar::internal

#endif  // ASHLAR_TABLE_OPTIONS_OPTION_SETTER_H_
