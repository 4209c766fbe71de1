// EntryPrinter: prints the entries of one table, one after the other, in the
// form that the flags select. For `check` and `scan`.
#ifndef ASHLAR_TOOLS_ASHLAR_PRINT_RESULTS_ENTRY_PRINTER_H_
#define ASHLAR_TOOLS_ASHLAR_PRINT_RESULTS_ENTRY_PRINTER_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "ashlar/table/internal_key.h"
#include "ashlar/util/slice.h"
#include "tools/ashlar/print/print_text.h"
#include "tools/ashlar/print/report.h"

namespace ashlar::tool {

struct ShownEntry {
  Slice user_key;
  SequenceNumber sequence;
  ValueType type;
  Slice value;
};

class EntryPrinter {
 public:
  // What the keys of a table end with.
  struct Timestamps {
    size_t size = 0;  // in bytes
    // Whether they were added when the table was read, which does not store
    // them.
    bool stripped = false;
  };

  // If not `print`, only the number of entries is printed.
  EntryPrinter(bool print, Timestamps timestamps, Report* report);

  void Print(const ShownEntry& entry);
  // To be called after the last entry, with the number of those read.
  void Finish(uint64_t entries);

 private:
  enum class Form : uint8_t {
    kNone,
    kText,
    kCanonical,
    kTsv,
    kCsv,
    kKeys,
    kCount,
    kJson,
    kJsonLines,
  };

  static Form ChosenForm(bool print, const Report& report);
  void PrintLine(const ShownEntry& entry);
  void PrintBlobIndex(const ShownEntry& entry);
  bool PrintWideColumns(const ShownEntry& entry);
  // For tsv and csv. Return false, after reporting a fault, if the form cannot
  // show the entry.
  bool IsPlainValue(const ShownEntry& entry);
  bool IsText(const ShownEntry& entry);
  void PrintCsvColumn(const Slice& bytes);
  void PrintCanonical(const ShownEntry& entry);
  void PrintKeyOnce(const ShownEntry& entry);

  Report* const report_;
  const Form form_;
  const ByteStyle style_ = ChosenByteStyle();
  const Timestamps timestamps_;
  std::optional<std::string> last_key_;  // of kKeys
};

// The names of the columns of csv, before the first table. Text only.
struct CsvHeader {};
void PrintText(const CsvHeader& header, Output* out);

// The verdict of `check` on all inputs. `is_whole`: all entries were read. Text
// only.
struct CheckedEntries {
  uint64_t entries;
  bool is_whole;
};
void PrintText(const CheckedEntries& checked, Output* out);

// The range of keys that was asked for. Text only.
struct ScannedRange {
  const std::string& start;
  const std::string& limit;
};
void PrintText(const ScannedRange& range, Output* out);

}  // namespace ashlar::tool

#endif  // ASHLAR_TOOLS_ASHLAR_PRINT_RESULTS_ENTRY_PRINTER_H_
