#include "http_request.h"

#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <memory>
#include <string_view>

namespace ashlar_rocksdb {

namespace {

using ashlar::Status;
using Clock = std::chrono::steady_clock;

constexpr size_t kMostAnswerBytes = size_t{16} << 20;
constexpr size_t kReadBytes = size_t{16} << 10;

// A socket that is connected, or is being connected.
class Connection {
 public:
  Connection(const HttpServer& server, Clock::time_point deadline)
      : name_(server.host + ":" + server.port), deadline_(deadline) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { Close(); }

  Status Open(const HttpServer& server) {
    addrinfo wanted = {};
    wanted.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int error = ::getaddrinfo(server.host.c_str(), server.port.c_str(),
                                    &wanted, &found);
    if (error != 0) {
      return Status::IOError(name_ + ": no address: " + ::gai_strerror(error));
    }
    const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(
        found, &::freeaddrinfo);
    Status status;
    for (const addrinfo* at = found; at != nullptr; at = at->ai_next) {
      status = Connect(*at);
      if (status.ok()) break;
    }
    return status;
  }

  Status Send(std::string_view data) {
    while (!data.empty()) {
      const ssize_t sent =
          ::send(socket_, data.data(), data.size(), MSG_NOSIGNAL);
      if (sent >= 0) {
        data.remove_prefix(static_cast<size_t>(sent));
        continue;
      }
      Status status = AfterError("send", POLLOUT);
      if (!status.ok()) return status;
    }
    return {};
  }

  // Appends all that comes until the server closes the connection.
  Status ReceiveAll(std::string* data) {
    std::array<char, kReadBytes> buffer;
    while (true) {
      const ssize_t received = ::recv(socket_, buffer.data(), buffer.size(), 0);
      if (received == 0) return {};
      if (received < 0) {
        Status status = AfterError("receive", POLLIN);
        if (!status.ok()) return status;
        continue;
      }
      data->append(buffer.data(), static_cast<size_t>(received));
      if (data->size() > kMostAnswerBytes) {
        return Status::Corruption(name_ + ": an answer above 16 MiB");
      }
    }
  }

 private:
  Status Connect(const addrinfo& address) {
    Close();
    socket_ = ::socket(address.ai_family,
                       address.ai_socktype | SOCK_NONBLOCK | SOCK_CLOEXEC,
                       address.ai_protocol);
    if (socket_ < 0) return Status::FromErrno("open a socket", name_, errno);
    if (::connect(socket_, address.ai_addr, address.ai_addrlen) == 0) return {};
    if (errno != EINPROGRESS) {
      return Status::FromErrno("connect", name_, errno);
    }
    Status status = WaitFor(POLLOUT);
    if (!status.ok()) return status;
    int error = 0;
    socklen_t size = sizeof(error);
    if (::getsockopt(socket_, SOL_SOCKET, SO_ERROR, &error, &size) != 0) {
      error = errno;
    }
    return error == 0 ? Status() : Status::FromErrno("connect", name_, error);
  }

  // Waits if the socket is only not ready, and else returns the error.
  Status AfterError(const char* operation, short events) {
    if (errno == EINTR) return {};
    if (errno == EAGAIN || errno == EWOULDBLOCK) return WaitFor(events);
    return Status::FromErrno(operation, name_, errno);
  }

  Status WaitFor(short events) {
    while (true) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(
          deadline_ - Clock::now());
      if (left.count() <= 0) return Status::TimedOut(name_ + ": no answer");
      pollfd waited = {.fd = socket_, .events = events, .revents = 0};
      const int ready =
          ::poll(&waited, 1,
                 static_cast<int>(std::min<int64_t>(left.count(), 60'000)));
      if (ready > 0) return {};
      if (ready < 0 && errno != EINTR) {
        return Status::FromErrno("poll", name_, errno);
      }
    }
  }

  void Close() {
    if (socket_ >= 0) ::close(socket_);
    socket_ = -1;
  }

  const std::string name_;  // for messages
  const Clock::time_point deadline_;
  int socket_ = -1;
};

std::string_view Trimmed(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool IsSameName(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) {
                      return std::tolower(x) == std::tolower(y);
                    });
}

template <class T>
bool ParseNumber(std::string_view text, T* number) {
  const auto parsed =
      std::from_chars(text.data(), text.data() + text.size(), *number);
  return parsed.ec == std::errc() && parsed.ptr == text.data() + text.size();
}

// Takes apart what the server has sent. Returns what is wrong, or null.
const char* ParseAnswer(std::string_view text, HttpAnswer* answer) {
  const size_t head_size = text.find("\r\n\r\n");
  if (head_size == std::string_view::npos) return "no end of its headers";
  std::string_view head = text.substr(0, head_size);
  std::string_view body = text.substr(head_size + 4);
  const std::string_view line = head.substr(0, head.find("\r\n"));
  // "HTTP/1.x 200 text"
  if (!line.starts_with("HTTP/1.") || line.size() < 12 || line[8] != ' ' ||
      !ParseNumber(line.substr(9, 3), &answer->status)) {
    return "no status line";
  }
  head.remove_prefix(std::min(head.size(), line.size() + 2));
  while (!head.empty()) {
    const size_t end = std::min(head.find("\r\n"), head.size());
    const std::string_view header = head.substr(0, end);
    head.remove_prefix(std::min(head.size(), end + 2));
    const size_t colon = header.find(':');
    if (colon == std::string_view::npos) return "a header without a colon";
    const std::string_view name = header.substr(0, colon);
    const std::string_view value = Trimmed(header.substr(colon + 1));
    if (IsSameName(name, "location")) answer->location = value;
    if (IsSameName(name, "transfer-encoding")) return "a transfer encoding";
    if (!IsSameName(name, "content-length")) continue;
    size_t size = 0;
    if (!ParseNumber(value, &size)) return "no number as its length";
    if (size > body.size()) return "fewer bytes than its length";
    body = body.substr(0, size);
  }
  answer->body = body;
  return nullptr;
}

}  // namespace

ashlar::Result<HttpServer> ParseHttpUrl(const std::string& url) {
  const Status bad =
      Status::InvalidArgument("\"" + url + "\" is not http://host:port/path");
  constexpr std::string_view kScheme = "http://";
  std::string_view rest = url;
  if (!rest.starts_with(kScheme)) return bad;
  rest.remove_prefix(kScheme.size());
  HttpServer server;
  const size_t slash = std::min(rest.find('/'), rest.size());
  server.path = rest.substr(slash);
  while (server.path.ends_with('/')) server.path.pop_back();
  std::string_view place = rest.substr(0, slash);
  if (place.starts_with('[')) {
    const size_t end = place.find(']');
    if (end == std::string_view::npos) return bad;
    server.host = place.substr(1, end - 1);
    place.remove_prefix(end + 1);
    if (!place.empty() && place[0] != ':') return bad;
  } else {
    const size_t colon = std::min(place.find(':'), place.size());
    server.host = place.substr(0, colon);
    place.remove_prefix(colon);
  }
  if (!place.empty()) server.port = place.substr(1);
  uint16_t port = 0;
  if (server.host.empty() || !ParseNumber(server.port, &port)) return bad;
  const auto is_odd = [](unsigned char c) { return c <= ' ' || c > '~'; };
  if (std::any_of(url.begin(), url.end(), is_odd)) return bad;
  return server;
}

ashlar::Status SendHttpRequest(const HttpServer& server, const char* method,
                               const std::string& target,
                               const std::string& body,
                               std::chrono::milliseconds timeout,
                               HttpAnswer* answer) {
  *answer = HttpAnswer();
  Connection connection(server, Clock::now() + timeout);
  Status status = connection.Open(server);
  if (!status.ok()) return status;
  const std::string head = std::string(method) + " " + server.path + target +
                           " HTTP/1.0\r\nHost: " + server.host +
                           "\r\nContent-Type: application/json"
                           "\r\nContent-Length: " +
                           std::to_string(body.size()) + "\r\n\r\n";
  std::string received;
  status = connection.Send(head);
  if (status.ok()) status = connection.Send(body);
  if (status.ok()) status = connection.ReceiveAll(&received);
  if (!status.ok()) return status;
  const char* const fault = ParseAnswer(received, answer);
  if (fault == nullptr) return {};
  return Status::Corruption(server.host + ":" + server.port + " " + method +
                            " " + target + ": the answer has " + fault);
}

}  // namespace ashlar_rocksdb
