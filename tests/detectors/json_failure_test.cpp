#include "detectors/outcomes/json_failure.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace agent_audit;
using namespace agent_audit::detectors;

namespace {

bool reported(std::string_view text) { return reports_failure({text, TextForm::plain}); }

}  // namespace

TEST_SUITE("answers in JSON that report a failure") {
    TEST_CASE("the usual ways to say it") {
        CHECK(reported(R"({"error":"unauthorized"})"));
        CHECK(reported("{\n  \"error\": {\"code\": 404, \"message\": \"no such order\"}\n}"));
        CHECK(reported(R"({"error": true, "message": "quota"})"));
        CHECK(reported(R"({"success": false, "reason": "locked"})"));
        CHECK(reported(R"({"ok":false})"));
        CHECK(reported(R"({"cod":401, "message": "Invalid API key"})"));
        CHECK(reported(R"({"isError":true,"content":[]})"));
        CHECK(reported(R"({"status":"error","tool":"web_fetch"})"));
        CHECK(reported(R"({"id":7,"took":"3 ms","done":true,"error":"gone"})"));
        CHECK(reported(R"({"result":null,"error":"gone"})"));
        CHECK(reported(R"({"errorMessage":"a \"quoted\" word"})"));
    }

    TEST_CASE("answers that say that nothing failed") {
        CHECK_FALSE(reported(R"({"error":null,"rows":[1]})"));
        CHECK_FALSE(reported(R"({"error":false})"));
        CHECK_FALSE(reported(R"({"error":""})"));
        CHECK_FALSE(reported(R"({"error":"none","rows":3})"));
        CHECK_FALSE(reported(R"({"error":{},"rows":3})"));
        CHECK_FALSE(reported(R"({"error":[],"rows":3})"));
        CHECK_FALSE(reported(R"({"error":0})"));
        CHECK_FALSE(reported(R"({"success":true})"));
        CHECK_FALSE(reported(R"({"success":"false alarms are rare"})"));
        CHECK_FALSE(reported(R"({"status":"failed","job":17})"));   // a job's status, well answered
        CHECK_FALSE(reported(R"({"errors":["line 3: unused"]})"));  // what a linter found
    }

    TEST_CASE("data within the answer is data") {
        CHECK_FALSE(reported(R"({"rows":[{"error":"x"}],"error":"y"})"));
        CHECK_FALSE(reported(R"([{"error":"x"}])"));
        CHECK_FALSE(reported(R"(found: {"error":"x"})"));
        CHECK_FALSE(reported(R"("error":"x")"));
        CHECK_FALSE(reported("{" + std::string(700, ' ') + R"("error":"x"})"));
        CHECK_FALSE(reported(""));
        CHECK_FALSE(reported("{"));
        CHECK_FALSE(reported("{\"error"));
        CHECK_FALSE(reported("{\"error\":"));
    }

    TEST_CASE("however it is spelled in the recording") {
        CHECK(reports_failure({R"({\"error\":\"unauthorized\"})", TextForm::json_string}));
        CHECK(reports_failure({R"(\n{\n  \"ok\": false\n})", TextForm::json_string}));
        CHECK(reports_failure({R"({"error":"unauthorized"})", TextForm::json_value}));
        CHECK(reports_failure({R"("{\"error\":\"unauthorized\"}")", TextForm::json_value}));
        CHECK(reports_failure({R"([{"type":"text","text":"{\"error\":\"x\"}"}])", TextForm::json_value}));
        CHECK_FALSE(reports_failure({R"([{"type":"text","text":"{\"rows\":[]}"}])", TextForm::json_value}));
        CHECK_FALSE(reports_failure({R"([{"type":"image"}])", TextForm::json_value}));
        CHECK_FALSE(reports_failure({R"({\)", TextForm::json_string}));
    }
}
