#include "report/redaction/redact.hpp"
#include "report/redaction/redact_kinds.hpp"
#include "support/report_builder.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

using namespace agent_audit;
using test::rendered;

namespace {

// Made up, and put together here so that no scanner takes this file for a leak.
std::string made(std::string_view prefix, std::size_t n) {
    constexpr std::string_view kLetters = "aB3dE5gH7jK9mN2pQ4rS6tU8vW1xY0z";
    std::string out(prefix);
    for (std::size_t i = 0; i < n; ++i) out += kLetters[i * 11 % kLetters.size()];
    return out;
}
std::string hex(std::string_view prefix, std::size_t n) {
    std::string out(prefix);
    for (std::size_t i = 0; i < n; ++i) out += "0123456789abcdef"[i * 7 % 16];
    return out;
}
std::string upper(std::string_view prefix, std::size_t n) {
    std::string out(prefix);
    for (std::size_t i = 0; i < n; ++i) out += "ABCDEFGH23456789"[i * 5 % 16];
    return out;
}

struct Credential {
    std::string before;  // what makes it one, and may stay
    std::string secret;  // must go
};

std::vector<Credential> credentials() {
    const std::string pem = std::string("-----BEGIN EC PRIVATE") + " KEY-----";
    return {
        {"", made("sk-ant-api03-", 40)},
        {"", made("sk-or-v1-", 40)},
        {"", made("sk-proj-", 40)},
        {"", made("sk_live_", 24)},
        {"", made("ghp_", 36)},
        {"", made("github_pat_", 60)},
        {"", made("glpat-", 20)},
        {"", made("xoxb-", 40)},
        {"https://", "hooks.slack.com/services/" + upper("T", 8) + upper("/B", 8) + made("/", 24)},
        {"https://discord.com", "/api/webhooks/123456789012/" + made("", 60)},
        {"", made("npm_", 36)},
        {"//registry.example/:_authToken=", made("", 36)},
        {"", made("pypi-", 80)},
        {"", hex("rubygems_", 48)},
        {"", upper("AKIA", 16)},
        {"aws_secret_access_key = ", made("", 40)},
        {"", made("AIza", 35)},
        {"", made("ya29.", 60)},
        {"", made("GOCSPX-", 28)},
        {"AccountKey=", made("", 64)},
        {"", made("hf_", 34)},
        {"", made("gsk_", 52)},
        {"", made("xai-", 60)},
        {"", made("r8_", 37)},
        {"", made("pplx-", 48)},
        {"", hex("dop_v1_", 64)},
        {"", hex("dapi", 32)},
        {"", made("SG.", 22) + made(".", 43)},
        {"", hex("key-", 32)},
        {"", hex("shpat_", 32)},
        {"", made("lin_api_", 40)},
        {"", made("ntn_", 44)},
        {"", made("figd_", 40)},
        {"", made("dckr_pat_", 27)},
        {"", made("hvs.", 40)},
        {"", upper("AGE-SECRET-KEY-1", 58)},
        {"", made("glsa_", 32)},
        {"", made("123456789:AA", 33)},
        {"", made("eyJ", 20) + made(".eyJ", 40) + made(".", 43)},
        {"Authorization: Bearer ", made("", 30)},
        {"authorization: basic ", made("", 24)},
        {"Cookie: ", "session=" + made("", 32)},
        {"postgres://bob:", "hunter2tiger" + std::string("@db")},
        {"curl --password ", "hunter2tiger"},
        {"MY_API_KEY=", made("", 24)},
        {R"("client_secret": ")", made("", 30)},
        {"", pem + "\nMIIEabcdef0123456789\n"},
    };
}

Report holding(const std::string& text) {
    Report report = test::full_report();
    SessionReport s = report.sessions.front();
    s.label = text;
    s.tools.front().tool = text;
    test::put(report, 0, s);
    report.notes = {{Severity::info, text}};
    REQUIRE_FALSE(report.tokens.by_model.empty());
    report.tokens.by_model.front().model = text;
    report.inputs.back().error = text;
    for (Finding& f : report.findings) {
        f.message = "Bash was called 4 times: " + text;
        f.action = text;
        f.round = {text};
        for (Evidence& e : f.evidence) e.text = "Bash `" + text + "`";
        for (Fact& fact : f.because) fact.value = text;
    }
    return report;
}

/// The part of a secret that no escape of a format changes.
std::string core(const std::string& secret) {
    const std::size_t end = secret.find_first_of("@\n");
    const std::string line = secret.substr(0, end);
    std::size_t best = 0, best_size = 0;
    for (std::size_t i = 0; i < line.size();) {
        std::size_t n = 0;
        while (i + n < line.size() && std::isalnum(static_cast<unsigned char>(line[i + n]))) ++n;
        if (n > best_size) {
            best = i;
            best_size = n;
        }
        i += n + 1;
    }
    return line.substr(best, best_size);
}

}  // namespace

TEST_SUITE("redaction of outputs") {
    TEST_CASE("no format lets one of many kinds of secret through unless it is told to") {
        const std::vector<Credential> all = credentials();
        CHECK(all.size() >= 25);
        for (const Credential& credential : all) {
            const std::string text = "x " + credential.before + credential.secret + " y";
            CAPTURE(text);
            const std::string needle = core(credential.secret);
            REQUIRE(needle.size() >= 7);
            const Report report = holding(text);
            for (const RendererSpec& format : all_renderers()) {
                CAPTURE(format.id);
                const RenderOptions options{.width = 0, .verbosity = 1, .redact = format.redact};
                const std::string out = rendered(report, format.id, options);
                CHECK(out.find(needle) == std::string::npos);
                CHECK(out.find("redacted") != std::string::npos);
            }
        }
    }

    TEST_CASE("two thirds of a secret that was cut off are one, whatever its kind") {
        report::Redactor redact(Redact::secrets);
        // A name and hexadecimal digits, or digits and a colon: words of that kind are too many.
        const std::set<std::string> unknown{"rubygems_", "key-", "123456789:AA", "/api/webhooks/"};
        for (const Credential& credential : credentials()) {
            if (credential.secret.find('\n') != std::string::npos) continue;
            if (std::ranges::any_of(unknown,
                                    [&](const std::string& begin) { return credential.secret.starts_with(begin); }))
                continue;
            const std::string text =
                "x " + credential.before + credential.secret.substr(0, credential.secret.size() * 2 / 3) + "\u2026";
            CAPTURE(text);
            CHECK(redact.text(text).find("[redacted") != std::string::npos);
        }
    }

    TEST_CASE("what is meant to be shared names no person by default, and the rest keeps paths usable") {
        const std::string text = "mail bob@example.com about /home/alice/src";
        for (const RendererSpec& format : all_renderers()) {
            CAPTURE(format.id);
            const RenderOptions options{.width = 0, .verbosity = 1, .redact = format.redact};
            const std::string out = rendered(holding(text), format.id, options);
            CHECK(out.find("alice") == std::string::npos);
            CHECK((out.find("bob@") == std::string::npos) == (format.redact == Redact::strict));
        }
        for (const char* id : {"sarif", "junit", "tap", "github", "gitlab", "markdown", "csv"}) {
            CHECK(find_renderer(id)->redact == Redact::strict);
        }
        for (const char* id : {"text", "compact", "json", "ndjson"}) {
            CHECK(find_renderer(id)->redact == Redact::secrets);
        }
    }

    TEST_CASE("folders and files that a recording names are texts of it") {
        const std::string secret = "ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8";
        Report report = test::full_report();
        report.sessions.change(0, [&](SessionReport& session) {
            session.cwd = "/home/alice/" + secret;
            LaneContext lane;
            lane.requests = 1;
            lane.files = {{"/home/alice/" + secret + "/a.cpp", 40, 1}};
            session.context.lanes = {lane};
        });
        for (const char* format : {"json", "ndjson"}) {
            const std::string out = rendered(report, format, {.redact = Redact::secrets});
            CHECK(out.find(secret) == std::string::npos);
            CHECK(out.find("~/[redacted") != std::string::npos);
            CHECK(rendered(report, format, {.redact = Redact::none}).find(secret + "/a.cpp") != std::string::npos);
        }
    }

    TEST_CASE("a key with slashes in what was asked for is in no scope and no rule") {
        const std::string key = made("", 10) + "/" + made("", 10) + "/" + made("", 18);
        Report report = test::full_report();
        report.sessions.change(0, [&](SessionReport& session) {
            session.goal.messages = 1;
            session.goal.line = 2;
            session.goal.text = "deploy --password " + key;
            session.goal.paths = {key, "src/a.c"};
            session.goal.rules = {{}};
            session.goal.rules.front().target = key;
            session.goal.rules.front().sentence = "never use --password " + key;
        });
        for (const RendererSpec& format : all_renderers()) {
            CAPTURE(format.id);
            const std::string out =
                rendered(report, format.id, {.width = 0, .verbosity = 2, .redact = Redact::secrets});
            CHECK(out.find(key.substr(0, 10)) == std::string::npos);
        }
        CHECK(rendered(report, "json", {.redact = Redact::secrets}).find("[redacted secret]\",\"src/a.c\"") !=
              std::string::npos);
    }

    TEST_CASE("with strict redaction no output has an absolute path") {
        Report report = test::full_report();
        report.inputs.front().path = "/home/alice/logs/a.jsonl";
        report.inputs.back().path = "/srv/bob/logs/b.bin";
        report.sessions.change(0, [](SessionReport& session) { session.cwd = "/home/alice/project"; });
        const std::string sarif = rendered(report, "sarif", {.redact = Redact::strict});
        CHECK(sarif.find("/home") == std::string::npos);
        CHECK(sarif.find("alice") == std::string::npos);
        CHECK(sarif.find("file://") == std::string::npos);
        CHECK(sarif.find("\"uri\":\"/") == std::string::npos);
    }

    TEST_CASE("every kind is described, and none twice in the same way") {
        std::set<std::pair<std::string_view, std::string_view>> seen;
        for (const report::RedactKind& kind : report::redact_kinds()) {
            CHECK(!kind.name.empty());
            CHECK(!kind.marks.empty());
            CHECK(seen.emplace(kind.name, kind.marks).second);
        }
        CHECK(seen.size() >= 25);
    }
}
