// A JobQueue in a folder that databases and workers share.
//
// Purpose. Jobs move between processes, and between machines with a shared file
// system, without a server. Every step is one rename or one new name, so that a
// process may be killed between any two of them.
//
// Layout. All files of a queue are in four folders:
//
//   pending/<id>.<attempt>   waits for a worker; the attempt is the next one
//   claimed/<id>.<attempt>   a worker runs it. The file's modification time is
//                            when the claim was last renewed
//   done/<id>                the result
//   clock/                   empty files, by which workers ask the file system
//                            what time it is
//
// All four hold temporary names of AtomicFile too, which nobody reads: an
// attempt is a number.
//
// Transitions, and which party makes them:
//
//   Submit    database    a whole new file -> pending/<id>.1
//   Claim     worker      pending/<id>.n -> claimed/<id>.n
//   Renew     worker      sets the time of claimed/<id>.n
//   Complete  worker      a whole new file -> done/<id>, unless it exists; then
//                         removes claimed/<id>.n
//   reclaim   any worker  claimed/<id>.n, if expired -> pending/<id>.(n+1); or,
//                         after the last attempt, done/<id> with an error
//   Withdraw  database    removes pending/<id>.n, or claimed/<id>.n if expired
//   Forget    database    removes pending/<id>.*, claimed/<id>.* and done/<id>
//
// A rename has one winner: of two workers that claim or reclaim a file, one is
// told that it does not exist. The time of a file is set before the rename by
// which it becomes a claim, so that a job which has waited long is not taken
// for an expired claim.
//
// What a crash leaves:
//
//   in Submit                 a temporary name
//   after Claim               a claim that nobody renews: it expires
//   in Complete, before done  the same; the job runs again
//   in Complete, after done   a result, and a claim beside it. The worker that
//                             finds the claim expired removes it
//   in reclaim                the job is claimed or pending, never both
//   of a database             its jobs run, and their results stay in done/. A
//                             worker that finds nothing to do removes results
//                             and temporary names after a day
//
// A worker that was only slow finds its claim gone: Renew and Complete say so.
// If its result comes between that check and the reclaim, done/ has it, and the
// second worker's result is not accepted.
//
// Time is that of the file system, not of the machine: a worker sets the time
// of a file of its own and reads it, so that clocks need not agree.
//
// Nothing is synced. A crash of the machine ends the database and its jobs too,
// and a job that is cut short is no JSON, which a worker reports.
//
// Rejected: locks on files, which some shared file systems do not have; one
// folder with the state in the name, where a listing sees a job twice or not at
// all during a rename.
//
// Tests: folder_queue_test.cc
#ifndef ASHLAR_PLUGIN_COMPACTION_JOBS_FOLDER_QUEUE_H_
#define ASHLAR_PLUGIN_COMPACTION_JOBS_FOLDER_QUEUE_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "ashlar/util/export.h"
#include "ashlar/util/result.h"
#include "job_queue.h"

namespace ashlar_rocksdb {

struct FolderQueueOptions {
  // How long a claim lasts without being renewed. Workers of one queue must
  // agree. Default: 30 seconds.
  std::chrono::milliseconds lease{30'000};
  // How often a job is claimed before the queue gives it up with an error. A
  // job that kills its workers must not go on for ever. Default: 3.
  uint64_t most_attempts = 3;
};

// Opens the queue in `folder`, and makes the folder if there is none. Returns
// InvalidArgument for a relative path, and IOError.
ASHLAR_EXPORT ashlar::Result<std::unique_ptr<JobQueue>> OpenFolderQueue(
    const std::string& folder, const FolderQueueOptions& options = {});

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_COMPACTION_JOBS_FOLDER_QUEUE_H_
