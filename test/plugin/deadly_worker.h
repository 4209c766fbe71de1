// A worker process that kills itself, for tests of what is left behind.
//
// The test program starts itself with these two in the environment. Its main
// then runs one job of the folder queue instead of the tests.
#ifndef ASHLAR_TEST_PLUGIN_DEADLY_WORKER_H_
#define ASHLAR_TEST_PLUGIN_DEADLY_WORKER_H_

namespace ashlar_rocksdb {

inline constexpr char kDeadlyWorkerFolder[] = "ASHLAR_SERVICE_CHILD";
// Where it dies: at its "claim", inside a "table", or before its "result".
inline constexpr char kDeadlyWorkerPoint[] = "ASHLAR_SERVICE_POINT";

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_TEST_PLUGIN_DEADLY_WORKER_H_
