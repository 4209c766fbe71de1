#include "http_queue.h"

#include <charconv>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

#include "compaction_job.h"
#include "http_request.h"
#include "job_files.h"

namespace ashlar_rocksdb {

namespace {

using ashlar::Status;

// The worker's name as a part of a URL: what could end it becomes '_'.
std::string UrlName(const std::string& worker) {
  std::string name = worker;
  for (char& c : name) {
    if (!IsJobId(std::string_view(&c, 1)) && c != '.') c = '_';
  }
  return name;
}

// Splits "/claims/<id>/<attempt>". Returns false if it is something else.
bool ParseClaim(std::string_view location, ClaimedJob* job) {
  constexpr std::string_view kFolder = "/claims/";
  const size_t folder = location.find(kFolder);
  if (folder == std::string_view::npos) return false;
  location.remove_prefix(folder + kFolder.size());
  const size_t slash = location.find('/');
  if (slash == std::string_view::npos) return false;
  job->id = location.substr(0, slash);
  location.remove_prefix(slash + 1);
  const char* const end = location.data() + location.size();
  const auto parsed = std::from_chars(location.data(), end, job->attempt);
  return parsed.ec == std::errc() && parsed.ptr == end && IsJobId(job->id);
}

class HttpQueue final : public JobQueue {
 public:
  HttpQueue(HttpServer server, const HttpQueueOptions& options)
      : server_(std::move(server)), options_(options) {}

  Status Submit(const std::string& id, const std::string& text) override {
    if (!IsJobId(id)) return Status::InvalidArgument(id + " is no id of a job");
    HttpAnswer answer;
    Status status = CheckTextSize(id, text);
    if (!status.ok()) return status;
    status = Send("PUT", "/jobs/" + id, text, &answer);
    if (!status.ok() || answer.status == 201) return status;
    if (answer.status == 409) {
      return Status::InvalidArgument("the job " + id + " exists");
    }
    return Unexpected("PUT /jobs/" + id, answer);
  }

  Status FetchResult(const std::string& id,
                     std::optional<std::string>* result) override {
    result->reset();
    HttpAnswer answer;
    Status status = Send("GET", "/results/" + id, {}, &answer);
    if (!status.ok() || answer.status == 204) return status;
    if (answer.status == 404) return Unknown(id);
    if (answer.status != 200) return Unexpected("GET /results/" + id, answer);
    *result = std::move(answer.body);
    return {};
  }

  Status Withdraw(const std::string& id, bool* withdrawn) override {
    *withdrawn = false;
    HttpAnswer answer;
    Status status = Send("DELETE", "/jobs/" + id + "?if=pending", {}, &answer);
    if (!status.ok()) return status;
    *withdrawn = answer.status == 200;
    if (answer.status == 404) return Unknown(id);
    if (*withdrawn || answer.status == 409) return {};
    return Unexpected("DELETE /jobs/" + id, answer);
  }

  Status Forget(const std::string& id) override {
    HttpAnswer answer;
    Status status = Send("DELETE", "/jobs/" + id, {}, &answer);
    if (!status.ok() || answer.status == 200 || answer.status == 404) {
      return status;
    }
    return Unexpected("DELETE /jobs/" + id, answer);
  }

  Status Claim(const std::string& worker,
               std::optional<ClaimedJob>* job) override {
    job->reset();
    HttpAnswer answer;
    Status status =
        Send("POST", "/claims?worker=" + UrlName(worker), {}, &answer);
    if (!status.ok() || answer.status == 204) return status;
    ClaimedJob claimed;
    if (answer.status != 200 || !ParseClaim(answer.location, &claimed)) {
      return Unexpected("POST /claims", answer);
    }
    claimed.text = std::move(answer.body);
    *job = std::move(claimed);
    return {};
  }

  Status Renew(const ClaimedJob& job, bool* wanted) override {
    return SendToClaim("POST", job, "/renewal", {}, wanted);
  }

  Status Complete(const ClaimedJob& job, const std::string& result,
                  bool* accepted) override {
    *accepted = false;
    Status status = CheckTextSize(job.id, result);
    if (!status.ok()) return status;
    return SendToClaim("PUT", job, "/result", result, accepted);
  }

 private:
  Status Send(const char* method, const std::string& target,
              const std::string& body, HttpAnswer* answer) const {
    return SendHttpRequest(server_, method, target, body, options_.timeout,
                           answer);
  }

  Status SendToClaim(const char* method, const ClaimedJob& job,
                     const char* part, const std::string& body,
                     bool* counts) const {
    *counts = false;
    const std::string target =
        "/claims/" + job.id + "/" + std::to_string(job.attempt) + part;
    HttpAnswer answer;
    Status status = Send(method, target, body, &answer);
    if (!status.ok()) return status;
    *counts = answer.status == 200;
    if (*counts || answer.status == 404 || answer.status == 410) return {};
    return Unexpected(std::string(method) + " " + target, answer);
  }

  Status Unknown(const std::string& id) const {
    return Status::NotFound(server_.host + ":" + server_.port +
                            ": the server has nothing of the job " + id);
  }
  Status Unexpected(const std::string& request,
                    const HttpAnswer& answer) const {
    return Status::IOError(server_.host + ":" + server_.port + ": " + request +
                           ": the server answers " +
                           std::to_string(answer.status));
  }

  const HttpServer server_;
  const HttpQueueOptions options_;
};

}  // namespace

ashlar::Result<std::unique_ptr<JobQueue>> OpenHttpQueue(
    const std::string& url, const HttpQueueOptions& options) {
  ashlar::Result<HttpServer> server = ParseHttpUrl(url);
  if (!server.ok()) return server.status();
  return std::unique_ptr<JobQueue>(
      std::make_unique<HttpQueue>(std::move(*server), options));
}

}  // namespace ashlar_rocksdb
