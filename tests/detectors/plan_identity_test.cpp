// When a list of tasks that is written again is the same list.
#include "detectors/engine/plan_identity.hpp"

#include <doctest/doctest.h>

#include <fmt/format.h>

#include <string>
#include <string_view>

using namespace agent_audit;
using agent_audit::detectors::plan_identity;

namespace {

std::uint64_t list(std::string_view json) { return plan_identity({json, TextForm::json_value}); }

// So many sacks, of which the first ones are ground.
std::string sacks(int count, int ground) {
    std::string out = R"({"todos":[)";
    for (int i = 0; i < count; ++i)
        out += fmt::format(R"({}{{"content":"Grind sack {}","status":"{}"}})", i > 0 ? "," : "", i,
                           i < ground ? "completed" : "pending");
    return out + "]}";
}

}  // namespace

TEST_SUITE("plan identity") {
    constexpr std::string_view kPlan =
        R"({"todos":[{"content":"Lift","status":"pending","priority":"high"},{"content":"Cut","status":"done"}]})";

    TEST_CASE("order, weight and layout make no other list") {
        CHECK(list(kPlan) != 0);
        CHECK(list(kPlan) == list(R"({"todos":[{"status":"done","content":"Cut","priority":"low"},)"
                                  R"({"content":"Lift","status":"pending"}]})"));
        CHECK(list(kPlan) == list("[\n  {\"content\": \"Cut\", \"status\": \"done\"},\n"
                                  "  {\"content\": \"Lift\", \"status\": \"pending\"}\n]"));
        CHECK(list(kPlan) == plan_identity({R"({\"todos\":[{\"content\":\"Lift\",\"status\":\"pending\"},)"
                                            R"({\"content\":\"Cut\",\"status\":\"done\"}]})",
                                            TextForm::json_string}));
    }

    TEST_CASE("another state is another list, whatever it is called") {
        const auto stated = [](std::string_view state) {
            return list(fmt::format(R"([{{"content":"Lift","status":"{}"}}])", state));
        };
        for (const char* state : {"backlog", "doing", "review", "finished", "blocked"})
            CHECK(stated(state) != stated("todo"));
    }

    TEST_CASE("entries are compared to their ends, and all of them") {
        CHECK(list(sacks(100, 70)) != list(sacks(100, 71)));
        CHECK(list(sacks(100, 70)) == list(sacks(100, 70)));
        const std::string prefix(200, 'x');
        const auto told = [&](std::string_view end) {
            return list(fmt::format(R"([{{"content":"{} {}","status":"open"}}])", prefix, end));
        };
        CHECK(told("first") != told("second"));
    }

    TEST_CASE("what entries hold besides, and what stands around them, counts") {
        const auto noted = [](std::string_view note) {
            return list(fmt::format(R"([{{"content":"Measure","status":"open","note":"{}"}}])", note));
        };
        CHECK(noted("12 inches") != noted("13 inches"));
        const auto parted = [](std::string_view parts) {
            return list(fmt::format(R"([{{"content":"Lift","status":"open","parts":[{}]}}])", parts));
        };
        CHECK(parted(R"({"name":"a","done":true},{"name":"b","done":false})") !=
              parted(R"({"name":"a","done":false},{"name":"b","done":true})"));
        const auto named = [](std::string_view name) {
            return list(fmt::format(R"({{"list":"{}","todos":[{{"content":"Sweep","status":"open"}}]}})", name));
        };
        CHECK(named("barn") != named("loft"));
        CHECK(named("barn") == named("barn"));
    }

    TEST_CASE("one task, entries without a text or a state, and what is no JSON are no such list") {
        CHECK(list(R"({"id":7,"title":"Mend the gate","status":"done"})") == 0);
        CHECK(list(R"({"merge":true,"todos":[{"id":"3","status":"done"}]})") == 0);
        CHECK(list(R"([{"content":"Lift","status":"open"},{"content":"Cut"}])") == 0);
        CHECK(list(R"([{"content":"Lift","status":"open"})") == 0);
        CHECK(list(R"([{"content":"Lift","status":"open)") == 0);
        CHECK(list(R"(]}[{"content":"Lift","status":"open"}])") == 0);
        CHECK(list(std::string(60'000, '[') + "\"status\"") == 0);
        CHECK(list(sacks(5'000, 0)) == 0);
        CHECK(list("") == 0);
    }
}
