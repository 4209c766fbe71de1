#include "tools/ashlar/print/results/entry_printer.h"

#include <optional>
#include <string_view>

#include "tools/ashlar/flags/flags.h"
#include "tools/ashlar/print/decoded_value.h"
#include "tools/ashlar/print/print_json.h"
#include "tools/escaped_text.h"

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

EntryPrinter::EntryPrinter(bool print, Timestamps timestamps, Report* report)
    : report_(report),
      form_(ChosenForm(print, *report)),
      timestamps_(timestamps) {
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
  constexpr struct {
    std::string_view format;
    Form form;
  } kForms[] = {{"canonical", Form::kCanonical},
                {"tsv", Form::kTsv},
                {"csv", Form::kCsv},
                {"keys", Form::kKeys},
                {"count", Form::kCount}};
  for (const auto& row : kForms) {
    if (row.format == FLAGS_output_format) return row.form;
  }
  return Form::kText;
}

void EntryPrinter::Finish(uint64_t entries) {
  if (form_ == Form::kJson) {
    report_->EndList();
  } else if (form_ == Form::kJsonLines) {
    report_->json()->BeginObject();
    report_->json()->Member("path", report_->path());
  }
  if (form_ == Form::kCount) {
    report_->out()->Append(std::to_string(entries) + "\n");
  }
  if (!report_->text()) report_->json()->NumberMember("num_read", entries);
}

void EntryPrinter::Print(const ShownEntry& entry) {
  switch (form_) {
    case Form::kNone:
    case Form::kCount:
      return;
    case Form::kTsv:
      if (!IsPlainValue(entry)) return;
      report_->out()->Append(Escape(entry.user_key) + "\t");
      report_->out()->Append(Escape(entry.value) + "\n");
      return;
    case Form::kCsv:
      if (!IsPlainValue(entry) || !IsText(entry)) return;
      PrintCsvColumn(entry.user_key);
      report_->out()->Append(",");
      PrintCsvColumn(entry.value);
      report_->out()->Append("\n");
      return;
    case Form::kKeys:
      PrintKeyOnce(entry);
      return;
    case Form::kText:
      PrintLine(entry);
      return;
    case Form::kCanonical:
      PrintCanonical(entry);
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

bool EntryPrinter::IsPlainValue(const ShownEntry& entry) {
  if (entry.type == ValueType::kTypeValue) return true;
  report_->AddFault(Status::NotSupported(
      FLAGS_output_format + " has no form for entry " +
      DescribeInternalKey(
          MakeInternalKey(entry.user_key, entry.sequence, entry.type)) +
      " (" + TypeWord(entry.type) +
      "); --output_format=canonical and jsonl show all entries"));
  return false;
}

bool EntryPrinter::IsText(const ShownEntry& entry) {
  if (FLAGS_output_hex || (IsUtf8(entry.user_key.ToStringView()) &&
                           IsUtf8(entry.value.ToStringView()))) {
    return true;
  }
  report_->AddFault(Status::NotSupported(
      "csv has no form for bytes that are not UTF-8, in entry " +
      DescribeInternalKey(
          MakeInternalKey(entry.user_key, entry.sequence, entry.type)) +
      "; --output_format=tsv and --output_hex show any bytes"));
  return false;
}

void EntryPrinter::PrintCsvColumn(const Slice& bytes) {
  Output* const out = report_->out();
  if (FLAGS_output_hex) {
    PrintHex(bytes, HexCase::kUpper, out);
    return;
  }
  const std::string_view text = bytes.ToStringView();
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) {
    out->Append(text);
    return;
  }
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  out->Append(quoted + "\"");
}

// Prints keys as they are stored: without the timestamp that was added because
// the table has none. The value of a range deletion is its end, a key too.
void EntryPrinter::PrintCanonical(const ShownEntry& entry) {
  const size_t added = timestamps_.stripped ? timestamps_.size : 0;
  const bool is_range = entry.type == ValueType::kTypeRangeDeletion;
  PrintCanonicalEntry(
      WithoutTimestamp(entry.user_key, added), entry.sequence, entry.type,
      WithoutTimestamp(entry.value, is_range ? added : 0), report_->out());
}

// `get` looks up keys without timestamps.
void EntryPrinter::PrintKeyOnce(const ShownEntry& entry) {
  if (entry.type == ValueType::kTypeRangeDeletion) return;
  const Slice key = WithoutTimestamp(entry.user_key, timestamps_.size);
  if (last_key_ && Slice(*last_key_) == key) return;
  last_key_ = key.ToString();
  report_->out()->Append(KeyText(key) + "\n");
}

void PrintText(const CsvHeader& /*header*/, Output* out) {
  out->Append("key,value\n");
}

void PrintText(const CheckedEntries& checked, Output* out) {
  out->Append("ok: " + Grouped(checked.entries) +
              (checked.entries == 1 ? " entry" : " entries") +
              (checked.is_whole ? "\n" : " read\n"));
}

void PrintText(const ScannedRange& range, Output* out) {
  out->Append("from [" + ToHex(range.start, HexCase::kUpper) + "] to [" +
              ToHex(range.limit, HexCase::kUpper) + "]\n");
}

}  // namespace ashlar::tool
