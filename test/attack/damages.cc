#include "test/attack/damages.h"

#include <algorithm>
#include <vector>

#include "table/format/block_handle.h"
#include "test/support/resign.h"

namespace ashlar::testing {

namespace {

void Flip(const std::string& sound, const DamageTaker& take) {
  std::string bytes = sound;
  for (size_t bit = 0; bit < 8 * sound.size(); ++bit) {
    char& byte = bytes[bit / 8];
    const auto mask = static_cast<char>(1 << bit % 8);
    byte = static_cast<char>(byte ^ mask);
    take(DamageKind::kFlip, bytes,
         [bit] { return "bit " + std::to_string(bit) + " changed"; });
    byte = static_cast<char>(byte ^ mask);
  }
}

void Truncate(const std::string& sound, const DamageTaker& take) {
  for (size_t size = 0; size < sound.size(); ++size) {
    take(DamageKind::kTruncation, sound.substr(0, size),
         [size] { return "cut to " + std::to_string(size) + " bytes"; });
  }
}

// Puts blocks of `other` in the place of blocks of the file that have their
// size, and the other way round if it is the same file.
void MoveBlocks(const std::string& sound, const std::string& other,
                const char* other_name, const DamageTaker& take) {
  const bool is_same = &sound == &other;
  for (const BlockInfo& to : BlocksOf(sound)) {
    for (const BlockInfo& from : BlocksOf(other)) {
      if (to.kind == BlockKind::kFooter || from.kind == BlockKind::kFooter ||
          to.size != from.size || (is_same && from.offset <= to.offset)) {
        continue;
      }
      const size_t whole = to.size + internal::kBlockTrailerSize;
      std::string bytes = sound;
      bytes.replace(to.offset, whole, other, from.offset, whole);
      if (is_same) bytes.replace(from.offset, whole, sound, to.offset, whole);
      if (bytes == sound) continue;
      take(DamageKind::kBlock, bytes, [&] {
        return std::string("block at ") + std::to_string(to.offset) +
               " has the bytes of the one at " + std::to_string(from.offset) +
               " of " + other_name;
      });
    }
  }
}

void ChangeSectors(const std::string& sound, const std::string& older,
                   const DamageTaker& take) {
  for (const size_t size : {size_t{64}, size_t{512}}) {
    const auto replace = [&](size_t at, const std::string& by,
                             const char* what) {
      std::string bytes = sound;
      bytes.replace(at, by.size(), by);
      bytes.resize(sound.size());
      if (bytes == sound) return;
      take(DamageKind::kSector, bytes, [&] {
        return std::to_string(size) + " bytes at " + std::to_string(at) + ": " +
               what;
      });
    };
    for (size_t at = 0; at < sound.size(); at += size) {
      const size_t n = std::min(size, sound.size() - at);
      replace(at, std::string(n, '\0'), "zeroed");
      if (at != 0) replace(at, sound.substr(at - size, n), "repeated");
      if (at < older.size())
        replace(at, older.substr(at, n), "of an older version");
    }
  }
}

}  // namespace

void ForEachDamage(const TableForm& form, const std::string& sound,
                   const DamageTaker& take) {
  const std::string other_build =
      BuildTable(form.options, AttackedEntries(), FixedBuild("other"));
  const std::string older =
      BuildTable(form.options, OlderEntries(), FixedBuild("older"));
  Flip(sound, take);
  Truncate(sound, take);
  MoveBlocks(sound, sound, "the same file", take);
  MoveBlocks(sound, other_build, "a file of another build", take);
  MoveBlocks(sound, older, "an older version", take);
  ChangeSectors(sound, older, take);
}

}  // namespace ashlar::testing
