// Requests to servers that answer what they should not.
#include "plugin/compaction_jobs/http_request.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>

namespace ashlar_rocksdb {
namespace {

// Answers one request with given bytes, whatever it says. Keeps the connection
// open until it is destroyed if it says nothing.
class CannedServer {
 public:
  explicit CannedServer(std::string answer) : answer_(std::move(answer)) {
    listener_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    EXPECT_EQ(::bind(listener_, plain, size), 0);
    EXPECT_EQ(::listen(listener_, 1), 0);
    EXPECT_EQ(::getsockname(listener_, plain, &size), 0);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { Serve(); });
  }
  ~CannedServer() {
    ::shutdown(listener_, SHUT_RDWR);
    thread_.join();
    ::close(listener_);
    if (connection_ >= 0) ::close(connection_);
  }

  HttpServer server() const {
    return {.host = "127.0.0.1", .port = std::to_string(port_), .path = ""};
  }

 private:
  void Serve() {
    connection_ = ::accept(listener_, nullptr, nullptr);
    if (connection_ < 0 || answer_.empty()) return;
    // All of the request, so that closing does not reset the connection.
    std::string request;
    std::array<char, 4096> buffer;
    while (request.find("\r\n\r\n") == std::string::npos) {
      const ssize_t n = ::recv(connection_, buffer.data(), buffer.size(), 0);
      if (n <= 0) break;
      request.append(buffer.data(), static_cast<size_t>(n));
    }
    size_t sent = 0;
    while (sent < answer_.size()) {
      const ssize_t n = ::send(connection_, answer_.data() + sent,
                               answer_.size() - sent, MSG_NOSIGNAL);
      if (n <= 0) break;
      sent += static_cast<size_t>(n);
    }
    ::close(connection_);
    connection_ = -1;
  }

  const std::string answer_;
  int listener_ = -1;
  int connection_ = -1;
  int port_ = 0;
  std::thread thread_;
};

ashlar::Status Ask(
    const std::string& canned, HttpAnswer* answer,
    std::chrono::milliseconds timeout = std::chrono::minutes(1)) {
  const CannedServer server(canned);
  return SendHttpRequest(server.server(), "GET", "/x", "", timeout, answer);
}

TEST(HttpRequest, ReadsAnAnswer) {
  HttpAnswer answer;
  ASSERT_TRUE(Ask("HTTP/1.1 200 OK\r\nContent-length:  2\r\n"
                  "LOCATION: /claims/a/1 \r\n\r\nab",
                  &answer)
                  .ok());
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.location, "/claims/a/1");
  EXPECT_EQ(answer.body, "ab");
  // Without a length, the end of the connection is the end.
  ASSERT_TRUE(Ask("HTTP/1.0 204 \r\n\r\n", &answer).ok());
  EXPECT_EQ(answer.status, 204);
  EXPECT_EQ(answer.body, "");
}

TEST(HttpRequest, RefusesWhatIsNoHttp) {
  for (const char* text :
       {"x", "HTTP/1.1 200 OK\r\n", "HTTP/2 200 OK\r\n\r\n",
        "HTTP/1.1 abc OK\r\n\r\n", "HTTP/1.1 200\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n"}) {
    HttpAnswer answer;
    const ashlar::Status status = Ask(text, &answer);
    EXPECT_TRUE(status.IsCorruption()) << text << status.ToString();
  }
  HttpAnswer answer;
  const std::string large =
      "HTTP/1.1 200 OK\r\n\r\n" + std::string(17 << 20, ' ');
  EXPECT_TRUE(Ask(large, &answer).IsCorruption());
}

TEST(HttpRequest, EndsAtItsTime) {
  HttpAnswer answer;
  const ashlar::Status status = Ask("", &answer, std::chrono::milliseconds(20));
  EXPECT_TRUE(status.IsTimedOut()) << status.ToString();
}

TEST(HttpRequest, NamesAServerThatIsNotThere) {
  HttpServer gone;
  {
    const CannedServer server("x");
    gone = server.server();
  }
  HttpAnswer answer;
  const ashlar::Status status =
      SendHttpRequest(gone, "GET", "/x", "", std::chrono::minutes(1), &answer);
  EXPECT_TRUE(status.IsIOError()) << status.ToString();
  EXPECT_NE(status.ToString().find("127.0.0.1:" + gone.port),
            std::string::npos);
}

TEST(HttpUrl, IsTakenApart) {
  const auto url = ParseHttpUrl("http://host:81/a/b/");
  ASSERT_TRUE(url.ok());
  EXPECT_EQ(url.value().host, "host");
  EXPECT_EQ(url.value().port, "81");
  EXPECT_EQ(url.value().path, "/a/b");
  EXPECT_EQ(ParseHttpUrl("http://[::1]").value().host, "::1");
  EXPECT_EQ(ParseHttpUrl("http://[::1]:8080").value().port, "8080");
  EXPECT_EQ(ParseHttpUrl("http://host").value().port, "80");
  for (const char* text :
       {"", "host", "https://host", "http://", "http://:80",
        "http://host:", "http://host:x", "http://host:99999", "http://[::1",
        "http://[::1]x", "http://host/a b", "http://host/\r\nX: y"}) {
    EXPECT_TRUE(ParseHttpUrl(text).status().IsInvalidArgument()) << text;
  }
}

}  // namespace
}  // namespace ashlar_rocksdb
