#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace agent_audit::test {

struct StubRequest {
    std::string head;  ///< request line and headers
    std::string body;

    std::string path() const {
        const std::size_t from = head.find(' ') + 1;
        return head.substr(from, head.find(' ', from) - from);
    }
    bool has(std::string_view text) const { return head.find(text) != head.npos || body.find(text) != body.npos; }
};

/// What the stub writes, byte for byte, and how.
struct StubReply {
    std::string bytes;
    std::chrono::milliseconds before{0};  ///< waits so long first
    bool reset = false;                   ///< closes without a word
};

inline StubReply http_reply(int status, std::string_view body, std::string_view headers = "") {
    return {"HTTP/1.1 " + std::to_string(status) + " x\r\nContent-Type: application/json\r\n" + std::string(headers) +
            "Content-Length: " + std::to_string(body.size()) + "\r\nConnection: close\r\n\r\n" + std::string(body)};
}

inline StubReply chunked_reply(std::string_view body) {
    StubReply out{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"};
    for (std::size_t at = 0; at < body.size(); at += 7) {
        const std::string_view piece = body.substr(at, 7);
        out.bytes += std::string(1, "01234567"[piece.size()]) + "\r\n" + std::string(piece) + "\r\n";
    }
    out.bytes += "0\r\n\r\n";
    return out;
}

/// A server on 127.0.0.1 that does to each request what a test says. One connection at a time.
class StubServer {
public:
    using Handler = std::function<StubReply(const StubRequest& request, int number)>;  ///< number from 1

    explicit StubServer(Handler handler) : handler_(std::move(handler)) {
        listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        if (listener_ < 0 || ::bind(listener_, reinterpret_cast<sockaddr*>(&address), length) != 0 ||
            ::listen(listener_, 16) != 0 ||
            ::getsockname(listener_, reinterpret_cast<sockaddr*>(&address), &length) != 0) {
            throw std::runtime_error("no socket on 127.0.0.1");
        }
        port_ = ntohs(address.sin_port);
        thread_ = std::thread([this] { serve(); });
    }
    ~StubServer() {
        stopping_ = true;
        ::shutdown(listener_, SHUT_RDWR);
        if (thread_.joinable()) thread_.join();
        ::close(listener_);
    }
    StubServer(const StubServer&) = delete;
    StubServer& operator=(const StubServer&) = delete;

    std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
    std::vector<StubRequest> requests() const {
        const std::scoped_lock lock(mutex_);
        return requests_;
    }
    std::size_t count() const { return requests().size(); }

private:
    void serve() {
        while (!stopping_) {
            const int connection = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
            if (connection < 0) continue;
            const timeval patience{5, 0};
            ::setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
            if (auto request = receive(connection)) answer(connection, std::move(*request));
            ::close(connection);
        }
    }
    static std::optional<StubRequest> receive(int connection) {
        std::string all;
        std::size_t end = all.npos, wanted = 0;
        char buffer[16384];
        while (end == all.npos || all.size() < end + 4 + wanted) {
            const ssize_t got = ::recv(connection, buffer, sizeof buffer, 0);
            if (got <= 0) return std::nullopt;
            all.append(buffer, static_cast<std::size_t>(got));
            if (end != all.npos) continue;
            end = all.find("\r\n\r\n");
            const std::size_t at = all.find("Content-Length: ");
            if (end != all.npos && at != all.npos) wanted = std::strtoul(all.c_str() + at + 16, nullptr, 10);
        }
        return StubRequest{all.substr(0, end), all.substr(end + 4)};
    }
    void answer(int connection, StubRequest request) {
        int number = 0;
        {
            const std::scoped_lock lock(mutex_);
            requests_.push_back(request);
            number = static_cast<int>(requests_.size());
        }
        const StubReply reply = handler_(request, number);
        for (auto waited = std::chrono::milliseconds{0}; waited < reply.before && !stopping_;
             waited += std::chrono::milliseconds{10}) {
            std::this_thread::sleep_for(std::chrono::milliseconds{10});
        }
        if (reply.reset) return;
        std::string_view rest = reply.bytes;
        while (!rest.empty()) {
            const ssize_t sent = ::send(connection, rest.data(), rest.size(), MSG_NOSIGNAL);
            if (sent <= 0) return;
            rest.remove_prefix(static_cast<std::size_t>(sent));
        }
        ::shutdown(connection, SHUT_WR);
    }

    Handler handler_;
    int listener_ = -1;
    unsigned port_ = 0;
    std::atomic<bool> stopping_{false};
    mutable std::mutex mutex_;
    std::vector<StubRequest> requests_;
    std::thread thread_;
};

/// A chat completion whose answer is `content`, a JSON string with its quotes.
inline std::string chat_json(std::string_view content) {
    return R"({"id":"x","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":)" +
           std::string(content) + R"(},"finish_reason":"stop"}],"usage":{"prompt_tokens":100,"completion_tokens":20}})";
}

}  // namespace agent_audit::test
