#include "pipeline/files.hpp"

#include <agent_audit/pipeline/run_settings.hpp>

using namespace agent_audit;
using namespace agent_audit::test;

namespace {

Settings settings(std::vector<std::pair<std::string, std::string>> pairs) {
    Settings out;
    for (auto& [key, value] : pairs) out.set(std::move(key), {std::move(value), "--set"});
    return out;
}

RunOptions bound(std::vector<std::pair<std::string, std::string>> pairs) {
    auto options = bind_run_settings(settings(std::move(pairs)));
    REQUIRE(options.has_value());
    return std::move(*options);
}

std::string problem(std::string key, std::string value) {
    const auto options = bind_run_settings(settings({{std::move(key), std::move(value)}}));
    REQUIRE_FALSE(options.has_value());
    return options.error().message;
}

bool mentions(const std::string& text, std::string_view word) { return text.find(word) != text.npos; }

// A session in which one tool is called with a query and a field that changes every time.
std::string asking(std::string_view field) {
    std::string out = R"({"type":"user","uuid":"u0","sessionId":"s","message":{"role":"user","content":"find it"}})"
                      "\n";
    for (int i = 0; i < 6; ++i) {
        const std::string n = std::to_string(i);
        out += R"({"type":"assistant","uuid":"a)" + n + R"(","sessionId":"s","message":{"id":"m)" + n +
               R"(","role":"assistant","model":"m","content":[{"type":"tool_use","id":"t)" + n +
               R"(","name":"lookup","input":{"query":"login",")" + std::string(field) + R"(":"v)" + n +
               R"("}}]}})"
               "\n";
        out += R"({"type":"user","uuid":"r)" + n +
               R"(","sessionId":"s","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t)" + n +
               R"(","content":"nothing"}]}})"
               "\n";
    }
    return out;
}

std::size_t repeats(std::string_view field, std::vector<std::pair<std::string, std::string>> pairs) {
    Folder folder;
    folder.write("s.jsonl", asking(field));
    AuditPlan plan;
    plan.inputs = {folder / "s.jsonl"};
    plan.select = {"loop/exact-repeat"};
    plan.settings = settings(std::move(pairs));
    return findings_of(report_of(plan), "loop/exact-repeat");
}

}  // namespace

TEST_SUITE("run settings") {
    TEST_CASE("without settings there is nothing to hand to the readers") {
        const RunOptions options = bound({});
        CHECK_FALSE(options.calls.has_value());
        CHECK(options.engine.segment == SegmentBy::user);
        CHECK(options.engine.errors != nullptr);
    }

    TEST_CASE("tools are named in snake_case whatever the spelling") {
        const RunOptions options =
            bound({{"tools.class.RunSuite", "verify"}, {"tools.class.mcp__ci__get-log", "poll"}});
        CHECK(options.engine.tool_classes.at("run_suite") == ToolClass::verify);
        CHECK(options.engine.tool_classes.at("mcp__ci__get_log") == ToolClass::poll);
    }

    TEST_CASE("volatile fields are added to the default or stand in its place") {
        CHECK(bound({{"calls.volatile-fields", "a, b"}}).calls->volatile_fields.size() ==
              default_volatile_fields().size() + 2);
        CHECK(bound({{"calls.volatile-fields", "=a,b"}}).calls->volatile_fields == std::vector<std::string>{"a", "b"});
        CHECK(bound({{"calls.volatile-fields", "="}}).calls->volatile_fields.empty());
    }

    TEST_CASE("a wrong key or value is an error with origin and the nearest name") {
        CHECK(problem("engine.segment", "usr") ==
              "--set: engine.segment = \"usr\": expected user or session; did you mean user?");
        CHECK(problem("engine.segmnet", "user") ==
              "--set: unknown setting 'engine.segmnet'; did you mean 'engine.segment'?");
        CHECK(mentions(problem("tools.class.x", "serach"), "did you mean search?"));
        CHECK(mentions(problem("tools.clas.x", "read"), "'tools.class.<tool>'"));
        CHECK(mentions(problem("calls.volatile-feilds", "x"), "'calls.volatile-fields'"));
        CHECK(mentions(problem("errors.transcient", "x"), "'errors.transient'"));
        CHECK(mentions(problem("errors.transient", "("), "not a regular expression"));
        CHECK(mentions(problem("tools", "read"), "'tools.class.<tool>'"));
        CHECK(mentions(problem("tools.nothing", "read"), "explain settings"));
        for (const char* value : {"", "a,,b", "a,", " "})
            CHECK(mentions(problem("calls.identity.x", value), "comma separated"));
    }

    TEST_CASE("every documented setting can be set") {
        for (const RunSettingDoc& doc : run_settings()) {
            CAPTURE(doc.key);
            std::string key = doc.key;
            if (const auto at = key.find("<tool>"); at != key.npos) key.replace(at, 6, "some_tool");
            const std::string value = key.starts_with("tools.")                                    ? "read"
                                      : key.ends_with("segment")                                   ? "session"
                                      : key.ends_with("-codes")                                    ? "418"
                                      : key.ends_with(".preset")                                   ? "published"
                                      : key.find(".max-") != key.npos || key.ends_with(".reflect") ? "7"
                                                                                                   : "word";
            CHECK(bind_run_settings(settings({{key, value}})).has_value());
            CHECK_FALSE(doc.doc.empty());
        }
    }

    TEST_CASE("a rule that is misspelled as a table is told so") {
        AuditPlan plan;
        plan.inputs = {"x"};
        plan.settings = settings({{"tolls.class.x", "read"}});
        const auto report = audit(plan);
        REQUIRE_FALSE(report.has_value());
        CHECK(mentions(report.error().message, "did you mean 'tools'?"));
    }
}

TEST_SUITE("identity of calls") {
    TEST_CASE("a field that is said to be volatile does not make a call another one") {
        CHECK(repeats("page_token", {}) == 0);
        CHECK(repeats("page_token", {{"calls.volatile-fields", "page_token"}}) == 1);
        CHECK(repeats("request_id", {}) == 1);
        CHECK(repeats("request_id", {{"calls.volatile-fields", "=other"}}) == 0);
    }

    TEST_CASE("only the identity fields of a tool tell its calls apart") {
        CHECK(repeats("page_token", {{"calls.identity.lookup", "query"}}) == 1);
        CHECK(repeats("page_token", {{"calls.identity.Lookup", "query,page_token"}}) == 0);
        CHECK(repeats("page_token", {{"calls.identity.other", "query"}}) == 0);
        CHECK(repeats("request_id", {{"calls.identity.lookup", "query,request_id"}}) == 0);
    }
}
