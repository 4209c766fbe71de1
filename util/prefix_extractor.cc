#include "ashlar/util/prefix_extractor.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

namespace ashlar {

namespace {

constexpr std::string_view kFixed = "rocksdb.FixedPrefix.";
constexpr std::string_view kCapped = "rocksdb.CappedPrefix.";
constexpr std::string_view kNoop = "rocksdb.Noop";

class FixedPrefix final : public PrefixExtractor {
 public:
  explicit FixedPrefix(size_t n)
      : n_(n), name_(std::string(kFixed) + std::to_string(n)) {}
  std::string_view Name() const override { return name_; }
  bool InDomain(const Slice& user_key) const override {
    return user_key.size() >= n_;
  }
  Slice Transform(const Slice& user_key) const override {
    return {user_key.data(), std::min(n_, user_key.size())};
  }

 private:
  const size_t n_;
  const std::string name_;
};

class CappedPrefix final : public PrefixExtractor {
 public:
  explicit CappedPrefix(size_t n)
      : n_(n), name_(std::string(kCapped) + std::to_string(n)) {}
  std::string_view Name() const override { return name_; }
  bool InDomain(const Slice&) const override { return true; }
  Slice Transform(const Slice& user_key) const override {
    return {user_key.data(), std::min(n_, user_key.size())};
  }

 private:
  const size_t n_;
  const std::string name_;
};

class NoopPrefix final : public PrefixExtractor {
 public:
  std::string_view Name() const override { return kNoop; }
  bool InDomain(const Slice&) const override { return true; }
  Slice Transform(const Slice& user_key) const override { return user_key; }
};

// Returns the number after `start`, if the name is nothing more than the two.
std::optional<size_t> LengthIn(std::string_view name, std::string_view start) {
  if (!name.starts_with(start)) return std::nullopt;
  name.remove_prefix(start.size());
  size_t n = 0;
  const char* const end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data(), end, n);
  if (error != std::errc() || stop != end) return std::nullopt;
  return n;
}

}  // namespace

PrefixExtractor::~PrefixExtractor() = default;

std::shared_ptr<const PrefixExtractor> NewFixedPrefixExtractor(size_t n) {
  return std::make_shared<FixedPrefix>(n);
}

std::shared_ptr<const PrefixExtractor> NewCappedPrefixExtractor(size_t n) {
  return std::make_shared<CappedPrefix>(n);
}

std::shared_ptr<const PrefixExtractor> NewNoopPrefixExtractor() {
  return std::make_shared<NoopPrefix>();
}

std::shared_ptr<const PrefixExtractor> FindBuiltinPrefixExtractor(
    std::string_view name) {
  if (name == kNoop) return NewNoopPrefixExtractor();
  if (const auto n = LengthIn(name, kFixed)) return NewFixedPrefixExtractor(*n);
  if (const auto n = LengthIn(name, kCapped)) {
    return NewCappedPrefixExtractor(*n);
  }
  return nullptr;
}

}  // namespace ashlar
