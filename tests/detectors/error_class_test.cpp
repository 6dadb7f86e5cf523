#include "detectors/outcomes/error_class.hpp"
#include "detectors/outcomes/error_phrases.hpp"
#include "detectors/outcomes/status_code.hpp"
#include "support/session.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <thread>

using namespace agent_audit;
using namespace agent_audit::detectors;
using test::Session;

namespace {

ErrorClass class_of(std::string_view text) {
    static const ErrorClassifier classifier;
    return classifier.classify({text, TextForm::json_string});
}

std::uint16_t code_in(std::string_view text) {
    std::size_t from = 0;
    return next_status_code(text, from);
}

std::shared_ptr<const ErrorClassifier> with(std::string_view key, std::vector<std::string> values) {
    Settings settings;
    for (std::string& value : values) settings.set(std::string(key), {std::move(value), "test"});
    auto made = ErrorClassifier::make(settings);
    REQUIRE(made.has_value());
    return *made;
}

ErrorClass by(const std::shared_ptr<const ErrorClassifier>& classifier, std::string_view text) {
    return classifier->classify({text, TextForm::plain});
}

std::string problem(std::string_view key, std::string_view value) {
    Settings settings;
    settings.set(std::string(key), {std::string(value), "--set"});
    const auto made = ErrorClassifier::make(settings);
    return made ? std::string() : made.error().message;
}

bool has_fact(const Finding& f, std::string_view name, std::string_view value) {
    return std::ranges::any_of(f.because, [&](const Fact& fact) { return fact.name == name && fact.value == value; });
}

}  // namespace

TEST_SUITE("status codes") {
    TEST_CASE("a number beside a word that makes it a code is one") {
        CHECK(code_in("HTTP 503") == 503);
        CHECK(code_in("Error: 503 SlowDown, wait a little") == 503);
        CHECK(code_in("error 429 TooManyRequests") == 429);
        CHECK(code_in("error 503 SlowestMills") == 0);
        CHECK(code_in("HTTP/1.1 502 Bad Gateway") == 502);
        CHECK(code_in("< HTTP/2 429") == 429);
        CHECK(code_in("Request failed with status code 404") == 404);
        CHECK(code_in(R"({\"status\":429,\"title\":\"slow down\"})") == 429);
        CHECK(code_in(R"({"statusCode": 500})") == 500);
        CHECK(code_in("error (500)") == 500);
        CHECK(code_in("Error code: 401 - {'error': 1}") == 401);
        CHECK(code_in("The requested URL returned error: 403") == 403);
        CHECK(code_in("API Error: 529 overloaded") == 529);
        CHECK(code_in("the server responded with a status of 410 (Gone)") == 410);
        CHECK(code_in("oops\\nstatus 503\\nbye") == 503);
        CHECK(code_in("line 500: http_status=408") == 408);
    }

    TEST_CASE("digits inside other text are no code") {
        for (const char* text : {"line 500",
                                 "at line 404, column 12",
                                 "500 items",
                                 "took 503 ms",
                                 "status: 503 ms elapsed",
                                 "error on line 500",
                                 "app.js:500:12",
                                 "error: 400 tests failed",
                                 "exit code 404",
                                 "exited with code 429",
                                 "return code 500",
                                 "port 5003",
                                 "status 5031",
                                 "v4.0.4 status",
                                 "error TS404: x",
                                 "E500",
                                 "error 1404",
                                 "response time 500",
                                 "HTTP 500 items",
                                 "status 404.5",
                                 "code 400%",
                                 "error 12,500",
                                 "id-500",
                                 "/500/index",
                                 "status 500/700",
                                 "error count: 500",
                                 "read 500 of 503",
                                 "404",
                                 "got 500",
                                 "error:400:12",
                                 "503 passed",
                                 "status 500x",
                                 "error\\n500 rows",
                                 "0x500",
                                 "error #500a",
                                 "code_500",
                                 "errors 500"}) {
            CAPTURE(std::string(text));
            CHECK(code_in(text) == 0);
        }
    }

    TEST_CASE("any text is searched to its end") {
        for (std::string text : {std::string(), std::string("5"), std::string("50"), std::string("status 50"),
                                 std::string(2000, '5'), std::string("status ") + std::string(100, '\\') + "503"}) {
            std::size_t from = 0;
            while (next_status_code(text, from) != 0) {
            }
            CHECK(from == text.size());
        }
    }
}

TEST_SUITE("error classes") {
    TEST_CASE("what goes away by itself is transient") {
        for (const char* text : {"Error: connect ECONNREFUSED 127.0.0.1:8080",
                                 "read ECONNRESET",
                                 "curl: (28) Operation timed out after 3000 ms",
                                 "Request timeout",
                                 "net/http: TLS handshake timeout",
                                 "asyncio.exceptions.TimeoutError",
                                 "connection refused",
                                 "Connection was reset by peer: connection reset",
                                 "429 Too Many Requests",
                                 "rate_limit_error: slow down",
                                 "HTTP 408",
                                 "HTTP 425",
                                 "status code 503",
                                 "503 Service Unavailable",
                                 "502 Bad Gateway",
                                 "500 Internal Server Error",
                                 "API Error: 529 {\\\"type\\\":\\\"overloaded_error\\\"}",
                                 "socket hang up",
                                 "getaddrinfo EAI_AGAIN registry",
                                 "context deadline exceeded",
                                 "Resource temporarily unavailable",
                                 "Please try again later",
                                 "SQLITE_BUSY: database is locked",
                                 "TypeError: fetch failed"}) {
            CAPTURE(std::string(text));
            CHECK(class_of(text) == ErrorClass::transient);
        }
    }

    TEST_CASE("a server that is not up yet is transient, however the client says so") {
        CHECK(class_of("curl: (7) Failed to connect to localhost port 3000 after 0 ms: Couldn't connect to server") ==
              ErrorClass::transient);
        CHECK(class_of("error: unable to connect to the database") == ErrorClass::transient);
    }

    TEST_CASE("what comes back until something is changed is persistent") {
        for (const char* text : {"401 invalid api key",
                                 "HTTP 400",
                                 "status code 401",
                                 "HTTP 403",
                                 "error: 404",
                                 "HTTP/1.1 405",
                                 "status=406",
                                 "HTTP 409 Conflict",
                                 "HTTP 410 Gone",
                                 "bash: /etc/shadow: Permission denied",
                                 "denied: requested access to the resource is denied",
                                 "cat: a.txt: No such file or directory",
                                 "ENOENT: no such file",
                                 "bash: yarn: command not found",
                                 "Invalid credentials",
                                 "Authentication failed for user",
                                 "EACCES: open",
                                 "unknown tool: serach",
                                 "SyntaxError: Unexpected token",
                                 "File has not been read yet",
                                 "String to replace not found in file",
                                 "fatal: not a git repository",
                                 "path is required",
                                 "npm ERR! 404 Not Found"}) {
            CAPTURE(std::string(text));
            CHECK(class_of(text) == ErrorClass::persistent);
        }
    }

    TEST_CASE("the machine's troubles are infrastructure, a human's no is a denial") {
        for (const char* text :
             {"write failed: No space left on device", "ENOSPC: write", "fatal: Out of memory",
              "FATAL ERROR: JavaScript heap out of memory", "fork: Cannot allocate memory", "too many open files",
              "Segmentation fault (core dumped)", "Cannot connect to the Docker daemon at unix:///var/run/docker.sock",
              "touch: cannot touch 'x': Read-only file system"}) {
            CAPTURE(std::string(text));
            CHECK(class_of(text) == ErrorClass::infrastructure);
        }
        for (const char* text : {"The user rejected this action", "Tool call was denied by the user",
                                 "The user doesn't want to proceed with this tool use", "blocked by security policy",
                                 "Permission to use Bash has been denied"}) {
            CAPTURE(std::string(text));
            CHECK(class_of(text) == ErrorClass::user_denied);
        }
    }

    TEST_CASE("words and numbers that only look like it leave an error unknown") {
        for (const char* text :
             {"1 failing", "Exit code 1", "line 500", "500 items", "took 503 ms", "expected 404 to equal 405",
              "AssertionFailed at timeout.ts:12", "set the timeout option", "error: no matching overloaded function",
              "", "expected 2.35 to equal 2.34", "Access-Control: forbid", "the rate of limits", "usernames denied"}) {
            CAPTURE(std::string(text));
            CHECK(class_of(text) == ErrorClass::unknown);
        }
    }

    TEST_CASE("a limit told with 403 is transient, lost memory beats a timeout, a denial beats all") {
        CHECK(class_of("HTTP 403: API rate limit exceeded") == ErrorClass::transient);
        CHECK(class_of("timed out: out of memory") == ErrorClass::infrastructure);
        CHECK(class_of("timed out, rejected by user, out of memory") == ErrorClass::user_denied);
        CHECK(class_of("HTTP 503: file not found") == ErrorClass::transient);
    }

    TEST_CASE("errors are found at the end of a long text and not looked for in its middle") {
        const std::string filler(3000, 'x');
        CHECK(class_of(filler + " connection refused") == ErrorClass::transient);
        CHECK(class_of("connection refused " + filler) == ErrorClass::transient);
        CHECK(class_of(filler + " connection refused " + filler) == ErrorClass::unknown);
    }

    TEST_CASE("bytes that are no text do no harm") {
        std::string noise;
        for (int i = 0; i < 4000; ++i) noise += static_cast<char>(i * 7919 >> 3);
        CHECK(class_of(noise) == ErrorClass::unknown);
        CHECK(class_of("\xff\xfe connection refused \x80") == ErrorClass::transient);
    }
}

TEST_SUITE("error patterns as settings") {
    TEST_CASE("a pattern is added, with = in front it stands in the place of all") {
        const auto added = with("errors.transient", {"lease expired", "quorum (lost|gone)"});
        CHECK(by(added, "LEASE EXPIRED") == ErrorClass::transient);
        CHECK(by(added, "quorum gone") == ErrorClass::transient);
        CHECK(by(added, "connection refused") == ErrorClass::transient);
        const auto alone = with("errors.transient", {"=lease expired"});
        CHECK(by(alone, "lease expired") == ErrorClass::transient);
        CHECK(by(alone, "connection refused") == ErrorClass::unknown);
        CHECK(by(with("errors.transient", {"="}), "connection refused") == ErrorClass::unknown);
    }

    TEST_CASE("a user's pattern wins over ours") {
        CHECK(by(with("errors.persistent", {"timed out waiting for approval"}), "timed out waiting for approval") ==
              ErrorClass::persistent);
    }

    TEST_CASE("codes are added to a class, moved from another, or replaced") {
        const auto added = with("errors.transient-codes", {"599,404"});
        CHECK(by(added, "HTTP 599") == ErrorClass::transient);
        CHECK(by(added, "HTTP 404") == ErrorClass::transient);
        CHECK(by(added, "HTTP 503") == ErrorClass::transient);
        CHECK(by(with("errors.transient-codes", {"=599"}), "HTTP 503") == ErrorClass::unknown);
    }

    TEST_CASE("a bad pattern or code is an error that names its origin, key and value") {
        CHECK(problem("errors.transient", "foo(") ==
              "--set: errors.transient = \"foo(\": not a regular expression (RE2): missing ): foo(");
        CHECK(problem("errors.transient", "flaky\b").find("has a backspace in it") != std::string::npos);
        CHECK(problem("errors.persistent", "x*").ends_with("matches every text"));
        CHECK(problem("errors.persistent", "").starts_with("--set: errors.persistent"));
        CHECK(problem("errors.persistent", R"((a)\1)").find("RE2") != std::string::npos);
        for (const char* codes : {"40", "1000", "x", "404,,405", "-404"}) {
            CAPTURE(std::string(codes));
            CHECK(problem("errors.persistent-codes", codes).find("expected codes from 100 to 999") !=
                  std::string::npos);
        }
    }
}

TEST_SUITE("error phrases") {
    TEST_CASE("every phrase is found by itself and amid other words, as whole words, whatever the case") {
        for (std::size_t row = 0; row < error_defaults().size(); ++row) {
            for (const std::string_view phrase : error_defaults()[row].phrases) {
                CAPTURE(std::string(phrase));
                std::string text(phrase);
                for (auto at = text.find('*'); at != text.npos; at = text.find('*', at))
                    text.replace(at, 1, "my/thing-2");
                for (auto at = text.find('#'); at != text.npos; at = text.find('#', at)) text.replace(at, 1, "30s");
                const unsigned bit = 1u << row;
                CHECK((phrases_in(text) & bit) != 0);
                CHECK((phrases_in("12: [x] " + text + "!") & bit) != 0);
                CHECK((phrases_in("a\\n" + text + "\\n") & bit) != 0);
                std::string upper(text);
                for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
                CHECK((phrases_in(upper) & bit) != 0);
                if (phrase.find_first_of("*#") == phrase.npos) CHECK((phrases_in(text + "x") & bit) == 0);
            }
        }
    }

    TEST_CASE("words may be apart by an underscore, a dash or a mark, but not by another word or a paragraph") {
        CHECK(phrases_in("rate_limit_error") != 0);
        CHECK(phrases_in("timed-out") != 0);
        CHECK(phrases_in("Error: timeout") != 0);
        CHECK(phrases_in("rate of limit") == 0);
        CHECK(phrases_in("rate          limit") == 0);
        CHECK(phrases_in("crate limit") == 0);
        CHECK(phrases_in("rate limiting-factor") == 0);
        CHECK(phrases_in("timeout of the day") == 0);
    }

    TEST_CASE("text that ends anywhere is searched to its end and no further") {
        const std::string text = "connection to host refused; try again in 5\\";
        for (std::size_t n = 0; n <= text.size(); ++n) phrases_in(std::string_view(text).substr(0, n));
        CHECK(phrases_in(std::string_view(text).substr(0, 18)) == 0);
        CHECK(phrases_in(text) != 0);
    }
}

TEST_SUITE("the classifier at work") {
    TEST_CASE("a session without failures compiles nothing, the first failure does") {
        const auto shared = with("errors.transient", {"lease expired"});
        EngineOptions options;
        options.errors = shared;
        Session healthy({}, {}, options);
        for (int i = 0; i < 50; ++i) healthy.call("Read", "f" + std::to_string(i), "text: connection refused");
        healthy.end();
        CHECK_FALSE(shared->compiled());
        Session failing({}, {}, options);
        failing.fails("Read", "a", "boom").end();
        CHECK(shared->compiled());
    }

    TEST_CASE("without patterns of a user nothing is ever compiled") {
        const ErrorClassifier plain;
        CHECK(by(std::make_shared<const ErrorClassifier>(), "connection refused") == ErrorClass::transient);
        CHECK(plain.classify({"connection refused", TextForm::plain}) == ErrorClass::transient);
        CHECK_FALSE(plain.compiled());
    }

    TEST_CASE("threads share one classifier") {
        const auto made = with("errors.transient", {"lease expired"});
        const ErrorClassifier& shared = *made;
        std::vector<std::jthread> threads;
        std::array<ErrorClass, 4> seen{};
        for (std::size_t i = 0; i < seen.size(); ++i) {
            threads.emplace_back([&, i] { seen[i] = shared.classify({"lease expired", TextForm::plain}); });
        }
        threads.clear();
        for (const ErrorClass error : seen) CHECK(error == ErrorClass::transient);
    }

    TEST_CASE("four equal timeouts are silent where four equal errors warn") {
        for (const char* rule : {"loop/exact-repeat", "loop/same-error"}) {
            CAPTURE(std::string(rule));
            Session patient(rule), strict(rule);
            for (int i = 0; i < 4; ++i) patient.fails("fetch_page", "x", "HTTP 503");
            for (int i = 0; i < 4; ++i) strict.fails("fetch_page", "x", "HTTP 404");
            CHECK(patient.end().empty());
            CHECK(strict.end().size() == 1);
        }
    }

    TEST_CASE("a transient error is known by its end, beyond what a step keeps of it") {
        Session s("loop/exact-repeat");
        const std::string output = std::string(300, '.') + " connection refused";
        for (int i = 0; i < 4; ++i) s.fails("Bash", "curl localhost", output);
        CHECK(s.end().empty());
    }

    TEST_CASE("findings about failing calls name the class, others do not") {
        Session s("loop/same-error");
        for (int i = 0; i < 5; ++i) s.fails("lookup", std::to_string(i), "401 invalid api key");
        CHECK(has_fact(s.end().at(0), "error_class", "persistent"));
        Session mixed("loop/error-streak");
        for (int i = 0; i < 8; ++i) mixed.fails("t" + std::to_string(i), "x", i < 3 ? "timed out" : "not found");
        CHECK(has_fact(mixed.end().at(0), "error_class", "transient 3, persistent 5"));
        Session fine("loop/exact-repeat");
        for (int i = 0; i < 5; ++i) fine.call("Read", "a", "same");
        const auto& found = fine.end().at(0);
        CHECK(std::ranges::none_of(found.because, [](const Fact& f) { return f.name == "error_class"; }));
    }

    TEST_CASE("a finding names the classes of its own errors, not those of one before it") {
        Session s("loop/exact-repeat");
        for (int i = 0; i < 5; ++i) s.fails("lookup", "x", "401 invalid api key");
        for (int i = 0; i < 3; ++i) s.call("Read", std::to_string(i), std::to_string(i));
        for (int i = 0; i < 12; ++i) s.fails("fetch_page", "x", "HTTP 503");
        const auto& found = s.end();
        REQUIRE(found.size() == 2);
        CHECK(has_fact(found[0], "error_class", "persistent"));
        CHECK(has_fact(found[1], "error_class", "transient"));
    }

    TEST_CASE("the threshold that is named is the transient one where that decided") {
        Session s("loop/exact-repeat");
        for (int i = 0; i < 10; ++i) s.fails("fetch_page", "x", "HTTP 503");
        const auto& found = s.end();
        REQUIRE(found.size() == 1);
        CHECK(found[0].severity == Severity::error);
        CHECK(has_fact(found[0], "threshold", "10"));
    }

    TEST_CASE("a red test that waited in vain for a page is no trouble that goes away by itself") {
        const std::string_view red[] = {
            "1) login.spec.ts:8:5\n  Error: Timed out 5000ms waiting for expect(locator).toBeVisible()\n  1 failed",
            "AssertionError: Timed out retrying after 4000ms: Expected to find element: `.welcome`\n\n  1 failing",
            "TimeoutError: page.waitForSelector: Timeout 30000ms exceeded.\n  1 failed\n    login.spec.ts:8:5",
            "'opens' panicked: timeout waiting for selector .welcome\ntest result: FAILED. 3 passed; 1 failed"};
        for (const std::string_view said : red) {
            CAPTURE(std::string(said));
            Session s("loop/exact-repeat");
            for (int i = 0; i < 3; ++i) s.fails("Bash", "npx playwright test", said);
            const auto& found = s.end();
            REQUIRE(found.size() == 1);
            CHECK(has_fact(found[0], "error_class", "persistent"));
        }
    }

    TEST_CASE("a check that reached no server, or was broken off, is waited for as ever") {
        const std::string_view waits[] = {
            "page.goto: net::ERR_CONNECTION_REFUSED at http://localhost:3000/\nTimeoutError: Timed out\n  1 failed",
            "Command timed out after 2m 0.0s\nRunning 41 tests using 1 worker",
            "E   requests.exceptions.ReadTimeout: read timeout=10\n1 failed in 12.1s"};
        for (const std::string_view said : waits) {
            CAPTURE(std::string(said));
            Session s("loop/exact-repeat");
            for (int i = 0; i < 4; ++i) s.fails("Bash", "npx playwright test", said);
            CHECK(s.end().empty());
        }
        Session tool("loop/exact-repeat");  // no check: the page may show later
        for (int i = 0; i < 4; ++i) tool.fails("browser_wait_for", ".welcome", "Timed out; 1 failed");
        CHECK(tool.end().empty());
    }

    TEST_CASE("a short error that tells of a denial is no evidence, a long output that speaks of one is") {
        Session denied;
        for (int i = 0; i < 8; ++i) denied.fails("edit_file", "a", "The user rejected this change");
        CHECK(denied.end().empty());
        CHECK(denied.counts().denied == 8);
        CHECK(denied.counts().errors == 0);
        Session told("loop/exact-repeat");
        for (int i = 0; i < 8; ++i)
            told.fails("edit_file", "a", "The user rejected this change" + std::string(2000, '.'));
        CHECK(told.end().size() == 1);
    }
}
