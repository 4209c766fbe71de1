#include "table/index/index_words.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <utility>

#include "table/index/varint_groups.h"
#include "util/coding/word_compare.h"

namespace ashlar::internal {

namespace {

constexpr size_t kWordBytes = sizeof(uint64_t);
constexpr size_t kEight = WordRun::kLeafWidth;
// The two sizes at the beginning of an entry, if both are of one byte; the top
// bits of these; all bits of the first one.
constexpr size_t kSizesBytes = 2;
constexpr uint64_t kSizesTops = 0x8080;
constexpr uint64_t kSharedSize = 0xff;
// What may be loaded from behind a key: two numbers of up to 8 bytes.
constexpr size_t kAfterKey = 2 * kWordBytes;
// Offsets are below it, and so have no more than eight groups.
constexpr uint64_t kOffsetLimit = uint64_t{1} << 56;

// Where an entry has its key.
struct KeyPart {
  size_t shared;
  size_t non_shared;
  const char* suffix;

  const char* end() const { return suffix + non_shared; }
  size_t size() const { return shared + non_shared; }
};

// Decodes the key of the entry at p. Returns false if its sizes need more than
// a byte each, or if the key ends less than kAfterKey before `end`, where the
// bytes of the block end. Requires: there are two bytes at p.
[[gnu::always_inline]] inline bool DecodeKey(const char* p, const char* end,
                                             KeyPart* key) {
  const uint64_t sizes = LoadFixed16(p);
  *key = {static_cast<size_t>(sizes & kSharedSize),
          static_cast<size_t>(sizes >> 8), p + kSizesBytes};
  return (sizes & kSizesTops) == 0 &&
         static_cast<size_t>(end - p) >=
             kSizesBytes + key->non_shared + kAfterKey;
}

// Decodes a number that is mostly of two bytes, and its groups. In that case
// nothing waits for where the number ends.
[[gnu::always_inline]] inline const char* DecodeSize(const char* p,
                                                     uint64_t* groups,
                                                     uint64_t* size) {
  const uint64_t two = LoadFixed16(p);
  if ((two & 0x8080) == 0x80) {
    *groups = two & 0x7f7f;
    *size = (two & 0x7f) | (two & 0x7f00) >> 1;
    return p + 2;
  }
  p = DecodeGroups(p, groups);
  if (p != nullptr) *size = JoinGroups(*groups);
  return p;
}

// Returns a mask of the first n of the eight bytes of a big-endian word.
[[gnu::always_inline]] inline uint64_t FirstBytes(size_t n) {
  return n >= kWordBytes ? ~uint64_t{0} : ~(~uint64_t{0} >> 8 * n);
}

// Returns where the bytes of an index block end.
const char* EndOfBytes(const BlockView& view) {
  return view.restarts + view.num_restarts * sizeof(uint32_t);
}

// The common prefix of keys, in a form in which keys are compared with it.
class Prefix {
 public:
  // Requires: `bytes` lives as long as this.
  explicit Prefix(const Slice& bytes) : bytes_(bytes) {
    const size_t n = std::min(bytes.size(), kWordBytes);
    std::memcpy(&head_, bytes.data(), n);
    std::memset(&head_mask_, 0xff, n);
    if (n == kWordBytes) tail_ = LoadFixed64(bytes.end() - kWordBytes);
  }

  size_t size() const { return bytes_.size(); }
  const char* data() const { return bytes_.data(); }
  // Returns 0 if the key begins with the prefix. Requires: as many bytes as the
  // prefix has, and eight more, may be loaded.
  [[gnu::always_inline]] uint64_t Difference(const char* key) const {
    const uint64_t head = (LoadFixed64(key) ^ head_) & head_mask_;
    if (size() <= kWordBytes) return head;
    uint64_t difference =
        head | (LoadFixed64(key + size() - kWordBytes) ^ tail_);
    for (size_t i = kWordBytes; i + kWordBytes < size(); i += kWordBytes) {
      difference |= LoadFixed64(key + i) ^ LoadFixed64(data() + i);
    }
    return difference;
  }

 private:
  const Slice bytes_;
  uint64_t head_ = 0;  // the first eight bytes, fewer if there are fewer
  uint64_t head_mask_ = 0;
  uint64_t tail_ = 0;  // the last eight bytes
};

// How offsets are stored that need as many bytes as this one. An offset is
// given as its groups (varint_groups.h), with all top bits set.
struct StoredOffset {
  explicit StoredOffset(uint64_t offset)
      : bytes(static_cast<size_t>(
                  71 - std::countl_zero((offset & ~kGroupTops) | 1)) /
              8),
        mask(~uint64_t{0} >> (64 - 8 * bytes)),
        last_top(uint64_t{0x80} << 8 * (bytes - 1)),
        largest(mask | kGroupTops) {}

  size_t bytes;
  uint64_t mask;      // of the bytes
  uint64_t last_top;  // the top bit of the last byte, which is stored as 0
  uint64_t largest;
};

}  // namespace

// Goes through the entries, one by one or by eights. What need not be known at
// once is collected, and looked at after every eighth entry.
class IndexWords::Walker {
 public:
  // `begin` is where the first block begins.
  Walker(const BlockView& view, const IndexChecks& checks, uint64_t begin,
         IndexWords* words)
      : view_(view),
        end_(EndOfBytes(view)),
        prefix_(words->prefix_),
        turn_(WordRun::Turn(checks.order.WordOf(uint64_t{0}))),
        words_(*words),
        next_(begin) {}

  // Takes the entry at p. Returns where the next one begins; null if the block
  // is not of the usual form, so far as this entry tells.
  [[gnu::always_inline]] inline const char* Take(const char* p);
  // Takes eight entries, those of the restart points from i on, which have an
  // interval each. Returns false if the block is not of the usual form.
  // Requires: Take was not called before; MayTakeEight(i).
  bool TakeEight(uint32_t i);
  // Returns whether there are eight restart points from i on and one after
  // them, and nothing that TakeEight loads is behind the bytes of the block.
  bool MayTakeEight(uint32_t i) const {
    constexpr size_t kMostLoaded = kSizesBytes + 255 + kAfterKey;
    return view_.num_restarts - i > kEight &&
           static_cast<size_t>(end_ - Entry(i + kEight - 1)) >= kMostLoaded;
  }
  // Returns the entry of restart point i.
  const char* Entry(size_t i) const {
    return view_.entries + view_.RestartOffset(static_cast<uint32_t>(i));
  }

  // Of what was taken:
  bool bad() const { return bad_ != 0; }
  size_t size() const { return num_eights_ * kEight - (-in_eight_ % kEight); }
  // The bytes of separators, except those that TakeEight has taken.
  uint64_t key_bytes() const { return key_bytes_; }
  // Where the last block ends, its trailer included.
  uint64_t next() const { return next_; }

 private:
  void Blame(bool bad) { bad_ |= bad ? 1 : 0; }
  [[gnu::always_inline]] inline bool TakeKey(const KeyPart& key);
  [[gnu::always_inline]] inline const char* TakeHandle(const char* p,
                                                       bool whole);

  const BlockView& view_;
  const char* const end_;
  const Prefix prefix_;
  const int64_t turn_;  // turns bytes into words
  IndexWords& words_;
  size_t num_eights_ = 0;
  size_t in_eight_ = 0;  // entries in the last of them; 0: all
  Eight* eight_ = nullptr;
  // Of the last entry:
  size_t key_size_ = 0;
  uint64_t bytes_ = 0;  // its word, as it is in the key
  int64_t word_ = std::numeric_limits<int64_t>::min();
  uint64_t size_ = 0;  // of its block
  uint64_t next_;
  uint64_t key_bytes_ = 0;
  uint64_t bad_ = 0;  // 0: no
};

bool IndexWords::Walker::TakeKey(const KeyPart& key) {
  const size_t size = key.size();
  if (key.shared > key_size_ || size < prefix_.size()) return false;
  uint64_t bytes;
  if (key.shared <= prefix_.size()) {
    const size_t more = prefix_.size() - key.shared;
    if (key.non_shared < more) return false;
    Blame(!SameBytes(key.suffix, prefix_.data() + key.shared, more));
    bytes = LoadBigEndian64(key.suffix + more);
  } else {
    const size_t of_word = key.shared - prefix_.size();
    if (of_word >= kWordBytes) return false;
    bytes = (bytes_ & FirstBytes(of_word)) |
            LoadBigEndian64(key.suffix) >> 8 * of_word;
  }
  const size_t word_size = size - prefix_.size();
  bytes &= FirstBytes(word_size);
  const int64_t word = static_cast<int64_t>(bytes) ^ turn_;
  // The word has the rest of the key, and that does not end with a zero.
  Blame(word_size > kWordBytes);
  Blame(key.end()[-1] == 0);
  Blame(word <= word_);
  eight_->words[in_eight_] = word;
  bytes_ = bytes;
  word_ = word;
  key_size_ = size;
  key_bytes_ += size;
  return true;
}

// Takes offset and size of a block, or only the difference of its size to that
// of the one before it.
const char* IndexWords::Walker::TakeHandle(const char* p, bool whole) {
  uint64_t first;
  p = DecodeShortVarint(p, &first);
  if (p == nullptr) return nullptr;
  if (whole) {
    Blame(first != next_);
    p = DecodeShortVarint(p, &size_);
  } else {
    // This may wrap around.
    size_ += static_cast<uint64_t>(ZigzagDecode(first));
  }
  if (p == nullptr || size_ > PackedHandles::kMostEnd) return nullptr;
  if (in_eight_ == 0) eight_->handles.begin = next_;
  Blame(!eight_->handles.StoreEnd(in_eight_, {next_, size_}));
  next_ += size_ + kBlockTrailerSize;
  return p;
}

const char* IndexWords::Walker::Take(const char* p) {
  KeyPart key;
  if (!DecodeKey(p, end_, &key)) return nullptr;
  if (in_eight_ == 0) eight_ = words_.AddEight(num_eights_++);
  if (!TakeKey(key)) return nullptr;
  p = TakeHandle(key.end(), key.shared == 0);
  in_eight_ = (in_eight_ + 1) % kEight;
  return in_eight_ == 0 && bad_ != 0 ? nullptr : p;
}

// Most of the time of opening a table without a filter is spent here. The
// entries do not wait for each other: the restart points say where each begins,
// and the offset of each block is known before, also in how many bytes it is
// stored. So nothing is branched on but sizes of numbers.
bool IndexWords::Walker::TakeEight(uint32_t i) {
  Eight* const eight = words_.AddEight(num_eights_++);
  eight->handles.begin = next_;
  // Local, because what is stored might be taken for members.
  const Prefix& prefix = prefix_;
  const int64_t turn = turn_;
  const char* const entries = view_.entries;
  const char* const points = view_.restarts + size_t{i} * sizeof(uint32_t);
  int64_t word = word_;
  uint64_t offset = SpreadGroups(next_) | kGroupTops;
  StoredOffset stored(offset);
  uint64_t end = 0;  // of a block, from next_ on
  uint64_t bad = 0;
  uint64_t all_sizes = 0;       // or-ed
  uint64_t all_last_bytes = 0;  // or-ed: of words, which of their bytes is last
  const char* p = entries + LoadFixed32(points);
  for (size_t j = 0; j < kEight; ++j) {
    const uint64_t sizes = LoadFixed16(p);
    const size_t key_size = sizes >> 8;
    const char* const key = p + kSizesBytes;
    all_sizes |= sizes;
    bad |= prefix.Difference(key);
    // Keys that are too short make this very large.
    const size_t last_byte = key_size - prefix.size() - 1;
    all_last_bytes |= last_byte;
    const size_t zeros = (last_byte ^ (kWordBytes - 1)) * 8 % 64;
    const uint64_t right = LoadBigEndian64(key + prefix.size()) >> zeros;
    bad |= (right & 0xff) == 0 ? 1 : 0;
    const int64_t last =
        std::exchange(word, static_cast<int64_t>(right << zeros) ^ turn);
    bad |= word <= last ? 1 : 0;
    eight->words[j] = word;

    p = key + key_size;
    if (offset > stored.largest) [[unlikely]]
      stored = StoredOffset(offset);
    bad |= ((LoadFixed64(p) ^ offset) & stored.mask) ^ stored.last_top;
    uint64_t groups;
    uint64_t size;
    p = DecodeSize(p + stored.bytes, &groups, &size);
    if (p == nullptr) return false;
    offset = (offset + AddGroups(groups, kBlockTrailerSize)) | kGroupTops;
    end += size;
    std::memcpy(eight->handles.ends.data() + PackedHandles::kEndBytes * j, &end,
                PackedHandles::kEndBytes);
    end += kBlockTrailerSize;
    const char* const next =
        entries + LoadFixed32(points + (j + 1) * sizeof(uint32_t));
    bad |= p != next ? 1 : 0;
    p = next;
  }
  bad |= all_sizes & (kSizesTops | kSharedSize);
  bad |= all_last_bytes >= kWordBytes ? 1 : 0;
  bad |= end > PackedHandles::kMostEnd ? 1 : 0;
  word_ = word;
  next_ += end;
  return bad == 0;
}

// Finds the prefix. Sets *begin to where the first block begins, and *alone to
// whether the first interval has one entry.
bool IndexWords::Begin(const BlockView& view, uint64_t* begin, bool* alone) {
  const char* const end = EndOfBytes(view);
  KeyPart first;
  if (!DecodeKey(view.entries, end, &first) || first.shared != 0) return false;
  uint64_t number;
  const char* p = DecodeShortVarint(first.end(), begin);
  if (p != nullptr) p = DecodeShortVarint(p, &number);
  if (p == nullptr) return false;
  *alone = view.num_restarts > 1 && p == view.entries + view.RestartOffset(1);
  // The last separator, from the entries of the last interval.
  std::array<char, 256> last;
  size_t last_size = 0;
  p = view.entries + view.RestartOffset(view.num_restarts - 1);
  while (p < view.limit()) {
    KeyPart key;
    if (!DecodeKey(p, end, &key) || key.shared > last_size) return false;
    std::memcpy(last.data() + key.shared, key.suffix, key.non_shared);
    last_size = key.size();
    p = DecodeShortVarint(key.end(), &number);
    if (p != nullptr && key.shared == 0) p = DecodeShortVarint(p, &number);
    if (p == nullptr) return false;
  }
  prefix_.assign(first.suffix,
                 CommonPrefix(Slice(first.suffix, first.non_shared),
                              Slice(last.data(), last_size)));
  return true;
}

bool IndexWords::Walk(const BlockView& view, const IndexChecks& checks) {
  const IndexForm& form = checks.form;
  const bool usual = form.user_keys && form.delta_handles && !form.first_keys &&
                     form.keys.stripped_timestamp == 0 &&
                     checks.order.known() && checks.order.IsOfBytes() &&
                     checks.file_limit < kOffsetLimit;
  uint64_t begin;
  bool alone;
  if (!usual || view.entries_size == 0 || !Begin(view, &begin, &alone)) {
    return false;
  }
  Walker walker(view, checks, begin, this);
  uint32_t i = 0;
  for (; alone && walker.MayTakeEight(i); i += kEight) {
    if (!walker.TakeEight(i)) return false;
  }
  for (; i < view.num_restarts; ++i) {
    const char* p = walker.Entry(i);
    const char* const end =
        i + 1 < view.num_restarts ? walker.Entry(i + 1) : view.limit();
    do {
      p = walker.Take(p);
    } while (p != nullptr && p < end);
    if (p != end) return false;
  }
  // Separators that share nothing are together not larger than the block.
  KeyBudget budget(view.entries_size);
  if (walker.bad() || walker.next() > checks.file_limit ||
      !budget.Take(walker.key_bytes() + view.entries_size)) {
    return false;
  }
  size_ = walker.size();
  return true;
}

// Returns eight number i, which is new. Makes room for as many again if need
// be.
IndexWords::Eight* IndexWords::AddEight(size_t i) {
  constexpr size_t kLeast = 64;
  if (i == eights_.size()) [[unlikely]]
    eights_.resize(std::max(kLeast, 2 * i));
  return &eights_[i];
}

void IndexWords::PlanSeparators(MemoryPlan* plan,
                                PackedSeparators* packed) const {
  constexpr size_t kLine = 64;
  char* const prefix = plan->Take<char>(prefix_.size());
  auto* const inner =
      plan->Take<int64_t>(WordRun::NumInner(size_) * WordRun::kWidth, kLine);
  auto* const leaves =
      plan->Take<int64_t>(eights().size() * WordRun::kLeafWidth, kLine);
  packed->size_ = size_;
  if (!plan->has_memory()) return;
  std::memcpy(prefix, prefix_.data(), prefix_.size());
  int64_t* leaf = leaves;
  for (const Eight& eight : eights()) {
    leaf = std::copy(eight.words.begin(), eight.words.end(), leaf);
  }
  packed->UseRoot(Slice(prefix, prefix_.size()), size_, inner, leaves);
}

void IndexWords::PlanHandles(MemoryPlan* plan, PackedHandles* packed) const {
  const auto copy = [&](PackedHandles::Record* record) {
    for (const Eight& eight : eights()) *record++ = eight.handles;
  };
  packed->PlanRecords(size_, copy, plan);
}

void IndexWords::Clear() {
  constexpr size_t kMostKept = size_t{1} << 13;  // times eight entries
  if (eights_.size() > kMostKept) eights_ = {};
  prefix_.clear();
  size_ = 0;
}

}  // namespace ashlar::internal
