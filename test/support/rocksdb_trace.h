// Writes RocksDB's block cache traces, for tests. The frames follow
// docs/block_cache_trace.md, and share no code with the reader.
#ifndef ASHLAR_TEST_SUPPORT_ROCKSDB_TRACE_H_
#define ASHLAR_TEST_SUPPORT_ROCKSDB_TRACE_H_

#include <cstdint>
#include <string>

namespace ashlar::testing {

inline void AppendNumber(uint64_t number, int bytes, std::string* out) {
  for (int i = 0; i < bytes; ++i) {
    out->push_back(static_cast<char>(number >> 8 * i & 0xff));
  }
}

inline void AppendTraceText(const std::string& text, std::string* out) {
  uint64_t size = text.size();
  for (; size >= 0x80; size >>= 7) {
    out->push_back(static_cast<char>(size | 0x80));
  }
  out->push_back(static_cast<char>(size));
  out->append(text);
}

inline std::string TraceFrame(uint8_t type, const std::string& payload,
                              uint64_t micros = 1000) {
  std::string frame;
  AppendNumber(micros, 8, &frame);
  frame.push_back(static_cast<char>(type));
  AppendNumber(payload.size(), 4, &frame);
  return frame + payload;
}

// Of release 11.8.
inline std::string RocksDBTraceHeader() {
  std::string payload;
  AppendTraceText("feedcafedeadbeef", &payload);
  AppendNumber(11, 4, &payload);
  AppendNumber(8, 4, &payload);
  return TraceFrame(1, payload);
}

struct RocksDBAccess {
  uint8_t type = 9;
  std::string block = "0123456789abcdef";
  uint64_t bytes = 4096;
  uint32_t level = 0;
  uint8_t caller = 3;
  bool hit = true;
  bool no_insert = false;
  std::string key = "key";  // of callers 1 and 2
  uint64_t micros = 1000;
};

inline std::string TracedByRocksDB(const RocksDBAccess& access) {
  std::string payload;
  AppendTraceText(access.block, &payload);
  AppendNumber(access.bytes, 8, &payload);
  AppendNumber(0, 8, &payload);
  AppendTraceText("default", &payload);
  AppendNumber(access.level, 4, &payload);
  AppendNumber(77, 8, &payload);
  AppendNumber(access.caller, 1, &payload);
  AppendNumber(access.hit ? 1 : 0, 1, &payload);
  AppendNumber(access.no_insert ? 1 : 0, 1, &payload);
  if (access.caller == 1 || access.caller == 2) {
    AppendNumber(5, 8, &payload);
    AppendNumber(1, 1, &payload);
    AppendTraceText(access.key, &payload);
    if (access.type == 9) {
      AppendNumber(34, 8, &payload);
      AppendNumber(9, 8, &payload);
      AppendNumber(1, 1, &payload);
    }
  }
  return TraceFrame(access.type, payload, access.micros);
}

}  // namespace ashlar::testing

#endif  // ASHLAR_TEST_SUPPORT_ROCKSDB_TRACE_H_
