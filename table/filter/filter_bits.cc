#include "table/filter/filter_bits.h"

#include <algorithm>

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

FilterBitsBuilder::~FilterBitsBuilder() = default;
FilterBitsBuilder::FilterBitsBuilder(FilterBitsBuilder&&) noexcept = default;
FilterBitsBuilder& FilterBitsBuilder::operator=(FilterBitsBuilder&&) noexcept =
    default;

void FilterBitsBuilder::ChargeTo(const MemoryCharge& like) {
  hashes_.ChargeTo(like.Sibling());
  filter_charge_ = like.Sibling();
}

uint64_t FilterBitsBuilder::SizeEstimate() const {
  const uint64_t n = num_hashes();
  return n == 0 ? 0 : kind_->size_of(n, hashes_.first(), density_);
}

uint64_t FilterBitsBuilder::HashesIn(uint64_t bytes) const {
  return kind_->hashes_in(bytes, density_);
}

// If sizes fit memory, this counts: it is called once per filter, in their
// order.
FilterDensity FilterBitsBuilder::ChooseDensity() {
  return fit_ == nullptr || hashes_.empty()
             ? density_
             : fit_->Choose(*kind_, num_hashes(), hashes_.first(), density_);
}

Status FilterBitsBuilder::Finish(Buffer* out, const WorkerCrew& crew) {
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
  taken.hashes_ = std::move(hashes_);
  taken.filter_charge_ = filter_charge_.Sibling();
  hashes_.Clear();
  return taken;
}

std::string_view FilterBitsBuilder::policy_name() const {
  return kind_->policy_name;
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

bool FilterBitsReader::IsDamaged(const Slice& payload) {
  if (payload.size() <= kFilterMetadataBytes) return false;
  const FilterKind* const kind = KindOf(payload);
  ParsedFilter ignored;
  return kind != nullptr &&
         kind->parse(payload, &ignored) == FilterKind::Parsed::kDamaged;
}

}  // namespace ashlar::internal
