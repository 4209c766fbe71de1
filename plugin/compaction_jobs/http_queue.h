// A JobQueue behind a server that speaks HTTP.
//
// The server holds the jobs and knows the time; plugin/compaction_jobs/
// example_queue.py is one. What it must answer:
//
//   PUT    /jobs/<id>
//          201, or 409 if the id is in use
//   GET    /results/<id>
//          200 with the result, 204 if there is none yet, 404 if unknown
//   DELETE /jobs/<id>?if=pending
//          200 if it was removed, 409 if a worker has it, 404 if it is unknown
//   DELETE /jobs/<id>
//          200 or 404
//   POST   /claims?worker=<name>
//          200 with the job, and the header "Location: /claims/<id>/<attempt>",
//          or 204 if there is no job
//   POST   /claims/<id>/<attempt>/renewal
//          200, or 410 if the claim has ended
//   PUT    /claims/<id>/<attempt>/result
//          200, or 410 if it is not the one that counts
//
// Bodies are JSON. How long a claim lasts, and how often a job is claimed, are
// the server's to decide.
#ifndef ASHLAR_PLUGIN_COMPACTION_JOBS_HTTP_QUEUE_H_
#define ASHLAR_PLUGIN_COMPACTION_JOBS_HTTP_QUEUE_H_

#include <chrono>
#include <memory>
#include <string>

#include "ashlar/util/export.h"
#include "ashlar/util/result.h"
#include "job_queue.h"

namespace ashlar_rocksdb {

struct HttpQueueOptions {
  // How long one request may take. Default: 10 seconds.
  std::chrono::milliseconds timeout{10'000};
};

// Opens the queue at "http://host:port/path". Connects when it is used. Returns
// InvalidArgument if the URL is none.
ASHLAR_EXPORT ashlar::Result<std::unique_ptr<JobQueue>> OpenHttpQueue(
    const std::string& url, const HttpQueueOptions& options = {});

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_COMPACTION_JOBS_HTTP_QUEUE_H_
