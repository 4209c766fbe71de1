#include "table/filter/filter_bits.h"

#include <algorithm>
#include <string>
#include <utility>

#include "table/filter/memory_fit.h"
#include "table/filter/registry.h"
#include "table/filter/verify_filter.h"

namespace ashlar::internal {

namespace {

constexpr uint64_t MaskOf(size_t n) {
  return n >= 64 ? ~uint64_t{0} : (uint64_t{1} << n) - 1;
}

// Filters that give one answer to everything.
void SetConstant(bool answer, ParsedFilter* parsed) {
  parsed->hash = nullptr;
  if (answer) {
    parsed->may_match = [](const ParsedFilter&, uint64_t) { return true; };
    parsed->batch = [](const ParsedFilter&, const uint64_t*, size_t n) {
      return MaskOf(n);
    };
  } else {
    parsed->may_match = [](const ParsedFilter&, uint64_t) { return false; };
    parsed->batch = [](const ParsedFilter&, const uint64_t*, size_t) {
      return uint64_t{0};
    };
  }
}

const FilterKind* KindOf(const Slice& payload) {
  return StoredFilterKind(
      static_cast<int8_t>(*(payload.end() - kFilterMetadataBytes)));
}

}  // namespace

FilterDensity::FilterDensity(double bits)
    : bits_per_key(std::clamp(bits, 1.0, 100.0)),
      millibits(static_cast<int>(bits_per_key * 1000.0 + 0.500001)) {}

FilterBitsBuilder::FilterBitsBuilder(FilterType type, double bits_per_key,
                                     bool fit_memory, HashGuard guard)
    : kind_(&WrittenFilterKind(type)),
      density_(bits_per_key),
      fit_(fit_memory ? std::make_unique<MemoryFit>() : nullptr),
      hashes_(kind_->parting, guard) {}

FilterBitsBuilder::FilterBitsBuilder(const FilterKind* kind,
                                     const FilterDensity& density)
    : kind_(kind), density_(density), hashes_(kind_->parting) {}

FilterBitsBuilder::FilterBitsBuilder(std::shared_ptr<const FilterPolicy> policy)
    : kind_(&WrittenFilterKind(FilterType::kBloom)),
      density_(1),
      hashes_(kind_->parting, HashGuard::kOff),
      custom_(std::make_unique<CustomFilterBuilder>(std::move(policy))) {}

FilterBitsBuilder::~FilterBitsBuilder() = default;
FilterBitsBuilder::FilterBitsBuilder(FilterBitsBuilder&&) noexcept = default;
FilterBitsBuilder& FilterBitsBuilder::operator=(FilterBitsBuilder&&) noexcept =
    default;

void FilterBitsBuilder::ChargeTo(const MemoryCharge& like) {
  hashes_.ChargeTo(like.Sibling());
  filter_charge_ = like.Sibling();
}

uint64_t FilterBitsBuilder::SizeEstimate() const {
  if (custom_ != nullptr) return custom_->SizeEstimate();
  const uint64_t n = num_hashes();
  return n == 0 ? 0 : kind_->size_of(n, hashes_.first(), density_);
}

uint64_t FilterBitsBuilder::HashesIn(uint64_t bytes) const {
  return custom_ != nullptr ? custom_->KeysIn(bytes)
                            : kind_->hashes_in(bytes, density_);
}

// If sizes fit memory, this counts: it is called once per filter, in their
// order.
FilterDensity FilterBitsBuilder::ChooseDensity() {
  return fit_ == nullptr || hashes_.empty()
             ? density_
             : fit_->Choose(*kind_, num_hashes(), hashes_.first(), density_);
}

Status FilterBitsBuilder::Finish(Buffer* out, const WorkerCrew& crew) {
  if (custom_ != nullptr) {
    Status finished = custom_->Finish(out);
    // The policy's own memory is not known before.
    return finished.ok() && filter_charge_.any()
               ? filter_charge_.UpdateTo(out->room())
               : finished;
  }
  if (hashes_.empty()) return {};
  // Work that takes no longer than some wake-ups is not shared.
  constexpr uint64_t kFewHashes = uint64_t{1} << 16;
  Status built = Build(out, num_hashes() < kFewHashes ? WorkerCrew() : crew);
  hashes_.Clear();
  return built;
}

Status FilterBitsBuilder::Build(Buffer* out, const WorkerCrew& crew) {
  const uint64_t bytes = SizeEstimate();
  const size_t begin = out->size();
  const FilterDensity density = ChooseDensity();
  if (filter_charge_.any()) {
    const uint64_t room =
        out->RoomWith(kind_->size_of(num_hashes(), hashes_.first(), density));
    Status charged = filter_charge_.UpdateTo(
        room + kind_->work_bytes(num_hashes(), hashes_.first(), density));
    if (!charged.ok()) return charged;
  }
  const bool built = kind_->build(&hashes_, density, crew, out);
  // Less than before: cannot fail.
  filter_charge_.Shrink(out->room());
  if (!built) {
    return Status::MemoryLimit("no memory for a filter of " +
                               std::to_string(bytes) + " bytes");
  }
  if (!hashes_.guarded()) return {};
  return VerifyFilter(hashes_, Slice(out->data() + begin, out->size() - begin),
                      crew);
}

FilterBitsBuilder FilterBitsBuilder::Take() {
  FilterBitsBuilder taken(kind_, ChooseDensity());
  if (custom_ != nullptr) taken.custom_ = custom_->Take();
  taken.hashes_ = std::move(hashes_);
  taken.filter_charge_ = filter_charge_.Sibling();
  hashes_.Clear();
  return taken;
}

std::string_view FilterBitsBuilder::policy_name() const {
  return custom_ != nullptr ? custom_->policy().Name() : kind_->policy_name;
}

FilterBitsReader::FilterBitsReader(const Slice& payload) {
  if (payload.size() <= kFilterMetadataBytes) {
    kind_ = Kind::kEmpty;
    SetConstant(false, &parsed_);
    return;
  }
  const FilterKind* const kind = KindOf(payload);
  if (kind != nullptr &&
      kind->parse(payload, &parsed_) == FilterKind::Parsed::kOk) {
    kind_ = kind->kind;
  } else {
    SetConstant(true, &parsed_);
  }
}

// The hash has the answer in its highest bit. The rest of it is as good as any
// other hash for callers that choose by it.
FilterBitsReader::FilterBitsReader(std::shared_ptr<const FilterReader> reader)
    : kind_(Kind::kCustom), custom_(std::move(reader)) {
  constexpr int kAnswer = 63;
  parsed_.custom = custom_.get();
  parsed_.hash = [](const ParsedFilter& parsed, const Slice& bytes) {
    return HashForFilter(bytes) >> 1 |
           static_cast<uint64_t>(parsed.custom->MayMatch(bytes)) << kAnswer;
  };
  parsed_.may_match = [](const ParsedFilter&, uint64_t hash) {
    return hash >> kAnswer != 0;
  };
  parsed_.batch = [](const ParsedFilter&, const uint64_t* hashes, size_t n) {
    uint64_t answers = 0;
    for (size_t i = 0; i < n; ++i) answers |= hashes[i] >> kAnswer << i;
    return answers;
  };
}

Status ReadFilterBits(const Slice& payload,
                      const std::shared_ptr<const FilterPolicy>& policy,
                      FilterBitsReader* bits) {
  struct Kept {
    std::shared_ptr<const FilterPolicy> policy;
    std::unique_ptr<const FilterReader> reader;
  };
  if (policy == nullptr) {
    *bits = FilterBitsReader(payload);
    return {};
  }
  *bits = FilterBitsReader();
  Result<std::unique_ptr<FilterReader>> reader = policy->NewReader(payload);
  if (reader.ok() && reader.value() != nullptr) {
    const auto kept =
        std::make_shared<const Kept>(Kept{policy, std::move(reader).value()});
    *bits = FilterBitsReader(
        std::shared_ptr<const FilterReader>(kept, kept->reader.get()));
    return {};
  }
  if (reader.status().IsMemoryLimit()) return reader.status();
  return Status::Corruption(
      "filter policy '" + std::string(policy->CompatibilityName()) + "': " +
      (reader.ok() ? "made no reader"
                   : std::string(reader.status().message())));
}

bool FilterBitsReader::IsDamaged(const Slice& payload) {
  if (payload.size() <= kFilterMetadataBytes) return false;
  const FilterKind* const kind = KindOf(payload);
  ParsedFilter ignored;
  return kind != nullptr &&
         kind->parse(payload, &ignored) == FilterKind::Parsed::kDamaged;
}

}  // namespace ashlar::internal
