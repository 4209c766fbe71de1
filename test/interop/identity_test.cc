// Compares the identity of files with RocksDB's: session ids and unique ids.

#include <gtest/gtest.h>
#include <rocksdb/table_properties.h>
#include <rocksdb/unique_id.h>

#include <random>
#include <string>

#include "ashlar/table/entry/table_identity.h"

namespace rocksdb {

// RocksDB's library exports this function but does not declare it for users.
std::string EncodeSessionId(uint64_t upper, uint64_t lower);

}  // namespace rocksdb

namespace ashlar::interop {
namespace {

struct Identity {
  std::string db_id;
  std::string session_id;
  uint64_t file_number;
};

Identity RandomIdentity(std::mt19937_64* random) {
  Identity identity;
  identity.db_id = "db" + std::to_string((*random)() % 100);
  identity.file_number = 1 + (*random)() % (uint64_t{1} << (*random)() % 64);
  switch ((*random)() % 4) {
    case 0:  // not of the form of RocksDB's session ids
      identity.session_id = std::to_string((*random)() % 1000);
      break;
    case 1:
      identity.session_id = std::string(13 + (*random)() % 12, 'z');
      break;
    default:
      // Eight digits hold the upper 39 bits.
      identity.session_id = EncodeSessionId((*random)() >> 25, (*random)() | 1);
  }
  return identity;
}

TEST(RocksDbIdentity, SessionIdsAreTheSame) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 1000; ++i) {
    const uint64_t upper = random();
    const uint64_t lower = random();
    ASSERT_EQ(EncodeSessionId(upper, lower),
              rocksdb::EncodeSessionId(upper, lower));
  }
}

TEST(RocksDbIdentity, UniqueIdsAreTheSame) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 1000; ++i) {
    const Identity identity = RandomIdentity(&random);
    rocksdb::TableProperties theirs;
    theirs.db_id = identity.db_id;
    theirs.db_session_id = identity.session_id;
    theirs.orig_file_number = identity.file_number;
    std::string id;
    const rocksdb::Status status =
        rocksdb::GetExtendedUniqueIdFromTableProperties(theirs, &id);
    // RocksDB has no unique id for other session ids. Ours uses their hash.
    const bool regular = identity.session_id.size() >= 13;
    ASSERT_EQ(status.ok(), regular) << status.ToString();
    if (!regular) continue;
    ASSERT_EQ(
        UniqueIdText(identity.db_id, identity.session_id, identity.file_number),
        rocksdb::UniqueIdToHumanString(id))
        << identity.session_id << " " << identity.file_number;
  }
}

}  // namespace
}  // namespace ashlar::interop
