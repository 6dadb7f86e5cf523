#include "support/session.hpp"

#include <doctest/doctest.h>

using namespace agent_audit;
using agent_audit::test::Session;

namespace {

using RuleSettings = std::vector<std::pair<std::string, std::string>>;

class Graph {
public:
    explicit Graph(RuleSettings set = {}) : session_("loop/node-visits", std::move(set)) {}

    Graph& says(const std::string& node, const std::string& text) {
        kept_.push_back(node);
        const std::string& name = kept_.emplace_back(node);
        const std::string& said = kept_.emplace_back(text);
        session_.respond().emit(
            Message{Role::assistant, Origin::agent, {said, TextForm::plain}, 0, {name, TextForm::plain}});
        return *this;
    }
    Session& session() { return session_; }

private:
    std::deque<std::string> kept_;
    Session session_;
};

const std::string kPlan = "Count the sacks in the barn and tell me how many of them are full.";

std::string report(int i) {
    return "I looked into corner number " + std::to_string(i) + " and saw no sacks there at all.";
}

}  // namespace

TEST_SUITE("loop/node-visits") {
    TEST_CASE("four visits with a text said before are a warning, eight an error") {
        for (const auto& [visits, findings, severity] :
             {std::tuple{4, 0u, Severity::info}, {5, 1u, Severity::warning}, {9, 1u, Severity::error}}) {
            Graph g;
            for (int i = 0; i < visits; ++i) g.says("planner", kPlan).says("counter", report(i));
            const auto& found = g.session().end();
            REQUIRE(found.size() == findings);
            if (findings == 0) continue;
            CHECK(found[0].severity == severity);
            CHECK(found[0].first_line == 1);
            CHECK(found[0].round == std::vector<std::string>{"planner"});
        }
    }

    TEST_CASE("nodes that say something new may be visited as often as they like") {
        Graph g;
        for (int i = 0; i < 60; ++i) g.says("planner", kPlan + std::to_string(i)).says("counter", report(i));
        CHECK(g.session().end().empty());
    }

    TEST_CASE("short routing words are meant to be equal") {
        Graph g;
        for (int i = 0; i < 60; ++i) g.says("supervisor", "counter").says("counter", report(i));
        CHECK(g.session().end().empty());
    }

    TEST_CASE("several messages of one visit count once") {
        Graph g;
        for (int i = 0; i < 12; ++i) g.says("planner", kPlan);
        CHECK(g.session().end().empty());
    }

    TEST_CASE("a log that names nobody is not a graph") {
        Session s("loop/node-visits");
        for (int i = 0; i < 20; ++i) s.says(kPlan);
        CHECK(s.end().empty());
    }

    TEST_CASE("a human who asks again starts afresh") {
        Graph g;
        for (int i = 0; i < 12; ++i) {
            g.says("planner", kPlan).says("counter", report(i));
            if (i % 3 == 2) g.session().human("and now?");
        }
        CHECK(g.session().end().empty());
    }

    TEST_CASE("something new in between starts the count again") {
        Graph g;
        for (int i = 0; i < 8; ++i)
            g.says("planner", i == 4 ? "Let us rather look behind the barn this time, all of us." : kPlan)
                .says("counter", report(i));
        CHECK(g.session().end().empty());
    }

    TEST_CASE("visits that are spread over more time than asked for are silent") {
        for (const auto& [seconds, findings] : {std::pair{1, 1u}, {100, 0u}}) {
            Graph g(RuleSettings{{"within", "60"}});
            for (int i = 0; i < 8; ++i) {
                g.session().at(1000 + i * seconds);
                g.says("planner", kPlan).says("counter", report(i));
            }
            CHECK(g.session().end().size() == findings);
        }
    }
}
