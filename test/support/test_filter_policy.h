// A filter policy of an application for tests: the payload is a sorted list of
// 32-bit hashes of all that was added, so it denies nearly all that was not.
#ifndef ASHLAR_TEST_SUPPORT_TEST_FILTER_POLICY_H_
#define ASHLAR_TEST_SUPPORT_TEST_FILTER_POLICY_H_

#include <algorithm>
#include <atomic>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ashlar/table/filter_policy.h"
#include "util/coding/coding.h"
#include "util/hash/filter_hash.h"

namespace ashlar::testing {

// What a policy does instead of what it should.
enum class PolicyFault {
  kNone,
  kNoBuilder,    // NewBuilder returns null
  kNoFirstOne,   // NewBuilder returns null the first time only
  kFinishFails,  // Finish returns an error
  kReaderFails,  // NewReader returns an error
  kNoReader,     // NewReader returns null
  kDeniesOne,    // the filter denies the first thing that was added
};

struct PolicyCounts {
  std::atomic<int> filters{0};  // payloads that were made
  std::atomic<int> single{0};   // questions about one key
  std::atomic<int> batches{0};  // questions about several
  std::atomic<int> alive{0};    // readers
  std::atomic<int> asked{0};    // for a builder
  std::multiset<std::string> added;
};

class TestFilterPolicy final : public FilterPolicy {
 public:
  explicit TestFilterPolicy(std::string name = "test.ListFilter",
                            PolicyFault fault = PolicyFault::kNone)
      : name_(std::move(name)), fault_(fault) {}

  std::string_view Name() const override { return "listfilter"; }
  std::string_view CompatibilityName() const override { return name_; }
  uint64_t KeysIn(uint64_t bytes) const override { return bytes / 4; }
  std::unique_ptr<FilterBuilder> NewBuilder() const override {
    const bool is_first = counts->asked++ == 0;
    if (fault_ == PolicyFault::kNoBuilder) return nullptr;
    if (fault_ == PolicyFault::kNoFirstOne && is_first) return nullptr;
    return std::make_unique<Builder>(*this);
  }
  Result<std::unique_ptr<FilterReader>> NewReader(
      const Slice& payload) const override {
    if (fault_ == PolicyFault::kNoReader) {
      return std::unique_ptr<FilterReader>();
    }
    if (fault_ == PolicyFault::kReaderFails || payload.size() % 4 != 0) {
      return Status::Corruption("not a list");
    }
    return std::unique_ptr<FilterReader>(new Reader(*this, payload));
  }

  const std::shared_ptr<PolicyCounts> counts = std::make_shared<PolicyCounts>();

 private:
  static uint32_t HashOf(const Slice& bytes) {
    return static_cast<uint32_t>(
        internal::FilterHash(bytes.data(), bytes.size()));
  }

  class Builder final : public FilterBuilder {
   public:
    explicit Builder(const TestFilterPolicy& policy) : policy_(policy) {}
    void Add(const Slice& bytes) override {
      policy_.counts->added.insert(bytes.ToString());
      hashes_.push_back(HashOf(bytes));
    }
    uint64_t SizeEstimate() const override { return 4 * hashes_.size(); }
    Status Finish(std::string* payload) override {
      if (policy_.fault_ == PolicyFault::kFinishFails) {
        return Status::IOError("cannot finish");
      }
      if (policy_.fault_ == PolicyFault::kDeniesOne) {
        hashes_.erase(hashes_.begin());
      }
      std::sort(hashes_.begin(), hashes_.end());
      for (const uint32_t hash : hashes_) {
        char bytes[4];
        internal::StoreFixed32(bytes, hash);
        payload->append(bytes, sizeof bytes);
      }
      ++policy_.counts->filters;
      return {};
    }

   private:
    const TestFilterPolicy& policy_;
    std::vector<uint32_t> hashes_;
  };

  class Reader final : public FilterReader {
   public:
    Reader(const TestFilterPolicy& policy, const Slice& payload)
        : counts_(policy.counts), payload_(payload) {
      ++counts_->alive;
    }
    ~Reader() override { --counts_->alive; }
    bool MayMatch(const Slice& bytes) const override {
      ++counts_->single;
      return Has(bytes);
    }
    uint64_t MayMatchBatch(std::span<const Slice> bytes) const override {
      ++counts_->batches;
      uint64_t answers = 0;
      for (size_t i = 0; i < bytes.size(); ++i) {
        answers |= static_cast<uint64_t>(Has(bytes[i])) << i;
      }
      return answers;
    }

   private:
    bool Has(const Slice& bytes) const {
      const uint32_t hash = HashOf(bytes);
      for (size_t i = 0; i < payload_.size(); i += 4) {
        if (internal::LoadFixed32(payload_.data() + i) == hash) return true;
      }
      return false;
    }

    const std::shared_ptr<PolicyCounts> counts_;
    const Slice payload_;
  };

  const std::string name_;
  const PolicyFault fault_;
};

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_TEST_FILTER_POLICY_H_
