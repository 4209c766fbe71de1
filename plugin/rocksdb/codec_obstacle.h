// Which tables Ashlar cannot read for their codecs.
#ifndef ASHLAR_PLUGIN_ROCKSDB_CODEC_OBSTACLE_H_
#define ASHLAR_PLUGIN_ROCKSDB_CODEC_OBSTACLE_H_

#include <string>

#include "ashlar/table/table_reader.h"

namespace ashlar_rocksdb {

// Returns why Ashlar cannot read the blocks of this table, by what its
// properties say of their codecs. Empty: it can.
std::string CodecObstacle(const ashlar::TableReader& reader);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_ROCKSDB_CODEC_OBSTACLE_H_
