#include "stub_server.hpp"

#include <agent_audit/remote/http.hpp>

#include <doctest/doctest.h>

using namespace agent_audit;
using namespace agent_audit::remote;
using test::http_reply;
using test::StubServer;

namespace {

HttpAnswer ask(const StubServer& server, std::string_view path = "/v1/chat/completions") {
    HttpRequest request;
    request.url = server.url() + std::string(path);
    request.body = R"({"a":1})";
    request.timeout = std::chrono::milliseconds{2'000};
    request.max_answer = 1'000;
    return curl_transport()(request);
}

std::string url_of(std::string_view url) {
    const auto result = operation_url(url, "chat/completions");
    return result ? *result : "error: " + result.error().message;
}

}  // namespace

TEST_SUITE("remote/http") {
    TEST_CASE("an address is the server, its version, or the operation itself") {
        CHECK(url_of("http://127.0.0.1:8000") == "http://127.0.0.1:8000/v1/chat/completions");
        CHECK(url_of("http://127.0.0.1:8000/") == "http://127.0.0.1:8000/v1/chat/completions");
        CHECK(url_of("https://api.example.com/v1/") == "https://api.example.com/v1/chat/completions");
        CHECK(url_of("https://example.com/openai/v1beta") == "https://example.com/openai/v1beta/chat/completions");
        CHECK(url_of("https://example.com/x/v1/chat/completions") == "https://example.com/x/v1/chat/completions");
        CHECK(url_of("HTTPS://example.com?api-version=2") == "HTTPS://example.com/v1/chat/completions?api-version=2");
    }

    TEST_CASE("only http and https are addresses, and a password is no part of one") {
        for (const char* bad :
             {"", "ftp://x/", "file:///etc/passwd", "127.0.0.1:80", "http://", "http:///x", "gopher://x",
              "http://user:pass@x/", "http://x/a b", "http://x/\nHost: y", "http://x/#y"}) {
            CAPTURE(bad);
            CHECK(url_of(bad).starts_with("error: "));
        }
    }

    TEST_CASE("what is shown of an address has no query, and only loopback is this machine") {
        CHECK(shown_url("https://x/v1?key=secret") == "https://x/v1");
        CHECK(is_open_to_others("http://10.0.0.1/v1"));
        CHECK(is_open_to_others("http://127.evil.example/"));
        CHECK_FALSE(is_open_to_others("https://10.0.0.1/v1"));
        CHECK_FALSE(is_open_to_others("http://localhost:1/v1"));
        CHECK_FALSE(is_open_to_others("http://[::1]:80/"));
    }

    TEST_CASE("a question is posted as JSON with its key, and the answer comes back") {
        StubServer server([](const auto&, int) { return http_reply(200, R"({"ok":true})"); });
        HttpRequest request;
        request.url = server.url() + "/v1/x";
        request.body = R"({"a":"ö"})";
        request.key = "k-123";
        const HttpAnswer answer = curl_transport()(request);
        CHECK(answer.problem == "");
        CHECK(answer.status == 200);
        CHECK(answer.body == R"({"ok":true})");
        const auto seen = server.requests();
        REQUIRE(seen.size() == 1);
        CHECK(seen[0].head.starts_with("POST /v1/x HTTP/1.1"));
        CHECK(seen[0].has("Authorization: Bearer k-123"));
        CHECK(seen[0].has("Content-Type: application/json"));
        CHECK(seen[0].body == request.body);
    }

    TEST_CASE("without a key no authorization is sent") {
        StubServer server([](const auto&, int) { return http_reply(200, "{}"); });
        ask(server);
        CHECK_FALSE(server.requests().at(0).has("Authorization"));
    }

    TEST_CASE("an answer in chunks is put together") {
        const std::string body = R"({"text":"in seven byte pieces, one after the other"})";
        StubServer server([&](const auto&, int) { return test::chunked_reply(body); });
        CHECK(ask(server).body == body);
    }

    TEST_CASE("an answer longer than its limit is refused, announced or not") {
        StubServer announced([](const auto&, int) { return http_reply(200, std::string(5'000, 'x')); });
        CHECK(ask(announced).status == 0);
        CHECK(ask(announced).problem == "the answer is longer than 1000 bytes");
        StubServer silent([](const auto&, int) { return test::chunked_reply(std::string(5'000, 'x')); });
        const HttpAnswer answer = ask(silent);
        CHECK(answer.problem == "the answer is longer than 1000 bytes");
        CHECK(answer.body.empty());
    }

    TEST_CASE("a slow server is given up on") {
        StubServer server([](const auto&, int) {
            auto reply = http_reply(200, "{}");
            reply.before = std::chrono::milliseconds{3'000};
            return reply;
        });
        HttpRequest request;
        request.url = server.url();
        request.timeout = std::chrono::milliseconds{100};
        CHECK(curl_transport()(request).problem == "no answer within 100 ms");
    }

    TEST_CASE("a connection closed without an answer, or in the middle of one, is a problem and not an answer") {
        StubServer closes([](const auto&, int) { return test::StubReply{"", {}, true}; });
        CHECK(ask(closes).status == 0);
        CHECK(ask(closes).problem != "");
        StubServer half(
            [](const auto&, int) { return test::StubReply{"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"a\""}; });
        CHECK(ask(half).status == 0);
        StubServer garbage([](const auto&, int) { return test::StubReply{"\x01\x02\x03 no http at all"}; });
        CHECK(ask(garbage).status == 0);
    }

    TEST_CASE("nobody listening is a problem") {
        std::string url;
        {
            StubServer server([](const auto&, int) { return http_reply(200, "{}"); });
            url = server.url();
        }
        HttpRequest request;
        request.url = url;
        CHECK(curl_transport()(request).status == 0);
        CHECK(curl_transport()(request).problem != "");
    }

    TEST_CASE("a redirect is not followed") {
        StubServer other([](const auto&, int) { return http_reply(200, "{}"); });
        StubServer server([&](const auto&, int) { return http_reply(302, "", "Location: " + other.url() + "/\r\n"); });
        CHECK(ask(server).status == 302);
        CHECK(other.count() == 0);
    }

    TEST_CASE("how long the server asks to wait is heard, when it is a number of seconds") {
        StubServer server([](const auto&, int number) {
            return http_reply(429, "",
                              number == 1 ? "Retry-After: 7\r\n" : "Retry-After: Fri, 31 Dec 1999 23:59:59 GMT\r\n");
        });
        CHECK(ask(server).retry_after == std::chrono::seconds{7});
        CHECK_FALSE(ask(server).retry_after.has_value());
    }
}
