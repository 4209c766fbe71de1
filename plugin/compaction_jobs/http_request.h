// One HTTP request: what HttpQueue needs of HTTP, and no more.
//
// HTTP/1.0 over TCP, one connection for each request, without TLS: put a proxy
// of your own in between if the network is not trusted. Any number of threads
// may call it.
#ifndef ASHLAR_PLUGIN_COMPACTION_JOBS_HTTP_REQUEST_H_
#define ASHLAR_PLUGIN_COMPACTION_JOBS_HTTP_REQUEST_H_

#include <chrono>
#include <string>

#include "ashlar/util/result.h"
#include "ashlar/util/status.h"

namespace ashlar_rocksdb {

// Where a server is.
struct HttpServer {
  std::string host;
  std::string port = "80";
  std::string path;  // in front of each request's, without a '/' at its end
};

// Parses "http://host:port/path". Returns InvalidArgument for anything else. An
// IPv6 address is in brackets.
ashlar::Result<HttpServer> ParseHttpUrl(const std::string& url);

struct HttpAnswer {
  int status = 0;        // 200, and so on
  std::string location;  // the header of this name; empty: none
  std::string body;
};

// Sends a request, and waits for the answer, at most `timeout` in all. `target`
// begins with '/'. Returns IOError if the server cannot be reached, TimedOut,
// and Corruption if what it answers is no HTTP, or larger than 16 MiB.
ashlar::Status SendHttpRequest(const HttpServer& server, const char* method,
                               const std::string& target,
                               const std::string& body,
                               std::chrono::milliseconds timeout,
                               HttpAnswer* answer);

}  // namespace ashlar_rocksdb

#endif  // ASHLAR_PLUGIN_COMPACTION_JOBS_HTTP_REQUEST_H_
