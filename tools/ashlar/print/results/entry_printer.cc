#include "tools/ashlar/print/results/entry_printer.h"

#include <optional>
#include <string_view>

#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/print/decoded_value.h"
#include "tools/ashlar/print/print_json.h"

namespace ashlar::tool {
namespace {

// Writes text for people, if --text is given. Programs use the hexadecimal
// members.
void WriteText(std::string_view name, const Slice& bytes, JsonWriter* json) {
  if (FLAGS_text && IsUtf8(bytes.ToStringView())) {
    json->Member(name, bytes.ToStringView());
  }
}

void WriteEntry(const ShownEntry& entry, JsonWriter* json) {
  json->BeginObject();
  json->HexMember("key", entry.user_key);
  WriteText("key_text", entry.user_key, json);
  json->NumberMember("seq", entry.sequence);
  json->Member("type", TypeWord(entry.type));
  json->HexMember("value", entry.value);
  WriteText("value_text", entry.value, json);
  json->EndObject();
}

}  // namespace

EntryPrinter::EntryPrinter(bool print, size_t stripped_timestamp,
                           Report* report)
    : report_(report),
      form_(ChosenForm(print, *report)),
      stripped_timestamp_(stripped_timestamp) {
  // In JSON lines, there is a line about the file before its entries and
  // another after them.
  if (form_ == Form::kJson) {
    report->BeginList("entries");
  } else if (form_ == Form::kJsonLines) {
    report->json()->EndObject();
    report->json()->EndLine();
  }
}

EntryPrinter::Form EntryPrinter::ChosenForm(bool print, const Report& report) {
  if (!print) return Form::kNone;
  switch (report.form()) {
    case ReportForm::kJson:
      return Form::kJson;
    case ReportForm::kJsonLines:
      return Form::kJsonLines;
    case ReportForm::kText:
      break;
  }
  return FLAGS_output_format == "canonical" ? Form::kCanonical : Form::kText;
}

void EntryPrinter::Finish(uint64_t entries) {
  if (form_ == Form::kJson) {
    report_->EndList();
  } else if (form_ == Form::kJsonLines) {
    report_->json()->BeginObject();
    report_->json()->Member("path", report_->path());
  }
  if (!report_->text()) report_->json()->NumberMember("num_read", entries);
}

void EntryPrinter::Print(const ShownEntry& entry) {
  switch (form_) {
    case Form::kNone:
      return;
    case Form::kText:
      PrintLine(entry);
      return;
    case Form::kCanonical:
      // Prints the key as it is stored: without the timestamp that was added
      // because the table has none.
      PrintCanonicalEntry(WithoutTimestamp(entry.user_key, stripped_timestamp_),
                          entry.sequence, entry.type, entry.value,
                          report_->out());
      return;
    case Form::kJson:
      WriteEntry(entry, report_->json());
      return;
    case Form::kJsonLines:
      WriteEntry(entry, report_->json());
      report_->json()->EndLine();
      return;
  }
}

void EntryPrinter::PrintLine(const ShownEntry& entry) {
  if (entry.type == ValueType::kTypeBlobIndex && FLAGS_decode_blob_index) {
    PrintBlobIndex(entry);
  } else if (entry.type != ValueType::kTypeWideColumnEntity ||
             !PrintWideColumns(entry)) {
    PrintEntry(entry.user_key, entry.sequence, entry.type, entry.value, style_,
               report_->out());
  }
}

void EntryPrinter::PrintBlobIndex(const ShownEntry& entry) {
  const std::optional<std::string> blob =
      DescribeBlobIndex(entry.value, style_);
  if (blob) {
    PrintDecodedEntry(entry.user_key, entry.sequence, entry.type, *blob, style_,
                      report_->out());
    return;
  }
  report_->AddFault(
      Status::Corruption("blob index of " +
                         DescribeInternalKey(MakeInternalKey(
                             entry.user_key, entry.sequence, entry.type)) +
                         " cannot be decoded"));
}

// Returns false if they cannot be decoded. The stored bytes are then printed.
bool EntryPrinter::PrintWideColumns(const ShownEntry& entry) {
  const std::optional<std::string> columns =
      DescribeWideColumns(entry.value, style_);
  if (!columns) return false;
  PrintDecodedEntry(entry.user_key, entry.sequence, entry.type, *columns,
                    style_, report_->out());
  return true;
}

void PrintText(const ScannedRange& range, Output* out) {
  out->Append("from [" + ToHex(range.start, HexCase::kUpper) + "] to [" +
              ToHex(range.limit, HexCase::kUpper) + "]\n");
}

}  // namespace ashlar::tool
