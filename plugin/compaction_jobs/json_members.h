// MemberWriter and MemberReader: the members of a struct as those of a JSON
// object.
//
// A struct has one function that names its members:
//
//   template <class Visitor>
//   void VisitMembers(Visitor& v, InputFile& file) {
//     v.Text("path", file.path);
//     v.Number("level", file.level);
//   }
//
// The writer and the reader both call it, so that what is written can be read.
// The reader checks types and ranges, and keeps the first error, which names
// the member. A member that is missing is an error, and one that no struct has
// is ignored: later releases may add some. One thread at a time.
#ifndef ASHLAR_PLUGIN_COMPACTION_JOBS_JSON_MEMBERS_H_
#define ASHLAR_PLUGIN_COMPACTION_JOBS_JSON_MEMBERS_H_

#include <concepts>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ashlar/util/status.h"
#include "byte_text.h"
#include "json_lib.h"

namespace ashlar_rocksdb {

// What each text begins with: its format, and the version of that.
struct JsonEnvelope {
  std::string format;
  int version = 1;
};

template <class Visitor>
void VisitMembers(Visitor& v, JsonEnvelope& envelope) {
  v.Text("format", envelope.format);
  v.Number("version", envelope.version);
}

class MemberWriter {
 public:
  void Text(const char* name, std::string& text) { object_[name] = text; }
  void Hex(const char* name, std::string& bytes) {
    object_[name] = ToHex(bytes);
  }
  void Base64(const char* name, std::string& bytes) {
    object_[name] = ToBase64(bytes);
  }
  template <std::integral T>
  void Number(const char* name, T& number) {
    object_[name] = number;
  }
  void Flag(const char* name, bool& flag) { object_[name] = flag; }
  void OptionalHex(const char* name, std::optional<std::string>& bytes) {
    object_[name] = nullptr;
    if (bytes) object_[name] = ToHex(*bytes);
  }
  void Numbers(const char* name, std::vector<uint64_t>& numbers) {
    object_[name] = numbers;
  }
  template <class T>
  void Map(const char* name, std::map<std::string, T>& map) {
    object_[name] = map;
  }
  template <class T>
  void Object(const char* name, T& value) {
    MemberWriter writer;
    VisitMembers(writer, value);
    object_[name] = std::move(writer.object_);
  }
  template <class T>
  void Objects(const char* name, std::vector<T>& values) {
    nlohmann::json list = nlohmann::json::array();
    for (T& value : values) {
      MemberWriter writer;
      VisitMembers(writer, value);
      list.push_back(std::move(writer.object_));
    }
    object_[name] = std::move(list);
  }

  const nlohmann::json& object() const { return object_; }

 private:
  nlohmann::json object_ = nlohmann::json::object();
};

class MemberReader {
 public:
  // `object` must outlive this. `path` names it in messages; empty: it is the
  // outermost one.
  MemberReader(const nlohmann::json& object, std::string path)
      : object_(object), path_(std::move(path)) {
    if (!object_.is_object()) Fail(path_, "is no object");
  }

  void Text(const char* name, std::string& text) {
    const nlohmann::json* found = Find(name);
    if (found == nullptr) return;
    if (!found->is_string()) return Fail(Path(name), "is no string");
    text = found->get_ref<const std::string&>();
  }
  void Hex(const char* name, std::string& bytes) {
    std::string text;
    Text(name, text);
    if (ok() && !FromHex(text, &bytes)) Fail(Path(name), "is not hexadecimal");
  }
  void Base64(const char* name, std::string& bytes) {
    std::string text;
    Text(name, text);
    if (ok() && !FromBase64(text, &bytes)) Fail(Path(name), "is not base64");
  }
  template <std::integral T>
  void Number(const char* name, T& number) {
    const nlohmann::json* found = Find(name);
    if (found != nullptr) ReadNumber(*found, Path(name), &number);
  }
  void Flag(const char* name, bool& flag) {
    const nlohmann::json* found = Find(name);
    if (found == nullptr) return;
    if (!found->is_boolean()) return Fail(Path(name), "is no boolean");
    flag = found->get<bool>();
  }
  void OptionalHex(const char* name, std::optional<std::string>& bytes) {
    const nlohmann::json* found = Find(name);
    bytes.reset();
    if (found == nullptr || found->is_null()) return;
    Hex(name, bytes.emplace());
  }
  void Numbers(const char* name, std::vector<uint64_t>& numbers) {
    const nlohmann::json* found = FindArray(name);
    if (found == nullptr) return;
    numbers.assign(found->size(), 0);
    for (size_t i = 0; i < numbers.size() && ok(); ++i) {
      ReadNumber((*found)[i], PathOf(name, i), &numbers[i]);
    }
  }
  template <class T>
  void Map(const char* name, std::map<std::string, T>& map) {
    const nlohmann::json* found = Find(name);
    if (found == nullptr) return;
    MemberReader members(*found, Path(name));
    map.clear();
    for (auto member = found->begin(); members.ok() && member != found->end();
         ++member) {
      members.Value(member.key().c_str(), map[member.key()]);
    }
    Take(members);
  }
  template <class T>
  void Object(const char* name, T& value) {
    const nlohmann::json* found = Find(name);
    if (found == nullptr) return;
    MemberReader members(*found, Path(name));
    if (members.ok()) VisitMembers(members, value);
    Take(members);
  }
  template <class T>
  void Objects(const char* name, std::vector<T>& values) {
    const nlohmann::json* found = FindArray(name);
    if (found == nullptr) return;
    values.clear();
    for (size_t i = 0; i < found->size() && ok(); ++i) {
      MemberReader members((*found)[i], PathOf(name, i));
      values.emplace_back();
      if (members.ok()) VisitMembers(members, values.back());
      Take(members);
    }
  }

  // Checks that the object is of this format, in the version that this release
  // writes.
  void CheckEnvelope(std::string_view format) {
    JsonEnvelope envelope;
    VisitMembers(*this, envelope);
    if (!ok()) return;
    if (envelope.format != format) {
      Fail("format", "is not \"" + std::string(format) + "\"");
    } else if (envelope.version != JsonEnvelope().version) {
      Fail("version", "is not 1, the one that this release reads");
    }
  }

  bool ok() const { return error_.empty(); }
  // Says which member is wrong, and how. Empty: all could be read.
  const std::string& error() const { return error_; }
  void Fail(const std::string& member, std::string_view what) {
    if (error_.empty()) error_ = "\"" + member + "\" " + std::string(what);
  }

 private:
  void Value(const char* name, std::string& text) { Text(name, text); }
  void Value(const char* name, uint64_t& number) { Number(name, number); }

  std::string Path(const char* name) const {
    return path_.empty() ? name : path_ + "." + name;
  }
  std::string PathOf(const char* name, size_t index) const {
    return Path(name) + "[" + std::to_string(index) + "]";
  }

  const nlohmann::json* Find(const char* name) {
    if (!ok()) return nullptr;
    const auto found = object_.find(name);
    if (found != object_.end()) return &*found;
    Fail(Path(name), "is missing");
    return nullptr;
  }
  const nlohmann::json* FindArray(const char* name) {
    const nlohmann::json* found = Find(name);
    if (found == nullptr || found->is_array()) return found;
    Fail(Path(name), "is no array");
    return nullptr;
  }

  template <std::integral T>
  void ReadNumber(const nlohmann::json& value, const std::string& path,
                  T* number) {
    if (!value.is_number_integer()) return Fail(path, "is no integer");
    const bool fits = value.is_number_unsigned()
                          ? std::in_range<T>(value.get<uint64_t>())
                          : std::in_range<T>(value.get<int64_t>());
    if (!fits) return Fail(path, "is out of range");
    *number = value.get<T>();
  }

  void Take(const MemberReader& members) {
    if (error_.empty()) error_ = members.error_;
  }

  const nlohmann::json& object_;
  const std::string path_;
  std::string error_;
};

// Returns the object as text of one line. Returns InvalidArgument if a string
// is not UTF-8, which JSON requires.
ashlar::Status TextOf(const nlohmann::json& object, std::string* text);

// Parses text that was written by anyone. Returns InvalidArgument if it is no
// JSON, larger than 16 MiB, or nested deeper than 16 levels. `what` names the
// text in messages.
ashlar::Status ParseJson(const std::string& text, std::string_view what,
                         nlohmann::json* value);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_COMPACTION_JOBS_JSON_MEMBERS_H_
