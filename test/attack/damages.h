// Which damages the attack makes to a small table.
#ifndef ASHLAR_TEST_ATTACK_DAMAGES_H_
#define ASHLAR_TEST_ATTACK_DAMAGES_H_

#include <functional>
#include <string>

#include "test/attack/damage_space.h"

namespace ashlar::testing {

enum class DamageKind : uint8_t { kFlip, kTruncation, kBlock, kSector };

// Called with each damaged file. `name` makes a text that says what was done.
using DamageTaker =
    std::function<void(DamageKind kind, const std::string& bytes,
                       const std::function<std::string()>& name)>;

// Calls `take` for:
//   each bit, changed
//   each size, to which the file is cut
//   each two blocks of one size, which change places, within the file, and with
//     those of a table of another build and of an older version of the file
//   each sector of 64 and of 512 bytes: zeroed, a copy of the sector before it,
//     or of the same sector of the older version
// Files that are as before are left out.
void ForEachDamage(const TableForm& form, const std::string& sound,
                   const DamageTaker& take);

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_ATTACK_DAMAGES_H_
