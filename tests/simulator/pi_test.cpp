#include "simulator/view.hpp"

#include <agent_audit/simulator/pi.hpp>

#include <doctest/doctest.h>

#include <string>

namespace pi = agent_audit::simulator::pi;
namespace sim = agent_audit::simulator;
using agent_audit::test::Talk;
using pi::Release;

namespace {

pi::CutPoint cut(const Talk& talk, double keep, Release release) {
    const auto entries = pi::entries_of(talk.view());
    return pi::find_cut(entries, 0, entries.size(), keep, release);
}

sim::JsValue usage(double total) {
    return sim::JsValue::object(
        {{"input", total}, {"output", 0}, {"cacheRead", 0}, {"cacheWrite", 0}, {"totalTokens", total}});
}

Talk& answer(Talk& talk, double total, const char* stop) {
    return talk.add(
        {{"role", "assistant"}, {"content", sim::JsValue::Array{}}, {"usage", usage(total)}, {"stopReason", stop}});
}

}  // namespace

TEST_SUITE("pi") {
    TEST_CASE("a huge last result makes 0.73 keep everything, later releases the call with it") {
        Talk talk;
        talk.user("q").calls("a").result("a", "1").calls("b").result("b", std::string(10'000, 'x'));
        CHECK(cut(talk, 1'000, Release::v0_73).first_kept == 0);
        CHECK(cut(talk, 1'000, Release::v0_87).first_kept == 3);
        CHECK(cut(talk, 1'000, Release::openclaw_2026_9).first_kept == 3);
        CHECK(cut(talk, 1'000, Release::v0_87).split_turn);
    }

    TEST_CASE("a cut never falls on a result") {
        Talk talk;
        talk.user("q").calls("a").result("a", std::string(400, 'x')).says("done").user(std::string(200, 'u'));
        for (double keep = 1; keep < 300; ++keep) CHECK(cut(talk, keep, Release::v0_87).first_kept != 2);
    }

    TEST_CASE("a command of the person starts a turn since 0.87") {
        Talk talk;
        talk.user("q").says(std::string(4'000, 'x'));
        talk.add({{"role", "bashExecution"}, {"command", "ls"}, {"output", std::string(4'000, 'o')}});
        CHECK(cut(talk, 500, Release::v0_73).split_turn);
        CHECK_FALSE(cut(talk, 500, Release::v0_87).split_turn);
    }

    TEST_CASE("the context is the last usable usage and an estimate of what came after") {
        Talk talk;
        answer(talk.user("q"), 1'000, "stop");
        answer(talk.user(std::string(400, 'u')), 9'999, "aborted");
        const auto context = pi::context_tokens(talk.view(), Release::v0_87);
        CHECK(context.tokens == 1'100);
        CHECK(context.last_usage == 1);
        CHECK(pi::should_compact(1'101, 1'200, {true, 100, 0}, Release::v0_87));
        CHECK_FALSE(pi::should_compact(1'100, 1'200, {true, 100, 0}, Release::v0_87));
    }

    TEST_CASE("usage of nothing counts for 0.73 alone") {
        Talk talk;
        answer(talk.user(std::string(400, 'u')), 0, "stop");
        CHECK(pi::context_tokens(talk.view(), Release::v0_73).tokens == 0);
        CHECK(pi::context_tokens(talk.view(), Release::v0_87).tokens == 100);
    }

    TEST_CASE(
        "to OpenClaw the usage of a command-line model says nothing about the context, nor does what came before") {
        Talk talk;
        answer(talk.user(std::string(400, 'u')), 9'000, "stop");
        talk.add({{"role", "assistant"},
                  {"content", sim::JsValue::Array{}},
                  {"api", "cli"},
                  {"usage", usage(5'000)},
                  {"stopReason", "stop"}});
        const auto context = pi::context_tokens(talk.view(), Release::openclaw_2026_9);
        CHECK_FALSE(context.last_usage);
        CHECK(context.tokens < 200);
        CHECK(pi::context_tokens(talk.view(), Release::v0_87).tokens == 5'000);
    }

    TEST_CASE("OpenClaw compacts after a summary of its own, not after one that an extension made") {
        const auto session = [](const char* by) {
            return *sim::JsValue::parse(
                std::string(R"([{"type":"message","id":"a","message":{"role":"user","content":"first"}},)"
                            R"({"type":"message","id":"b","message":{"role":"user","content":")") +
                std::string(8'000, 'x') +
                R"("}},{"type":"compaction","id":"c","summary":"S","firstKeptEntryId":"a","fromHook":)" + by + "}]");
        };
        const auto prepared = [&](const char* by) {
            const auto entries = pi::entries_of(session(by), Release::openclaw_2026_9);
            return pi::prepare(entries, {true, 100, 200}, Release::openclaw_2026_9).has_value();
        };
        CHECK(prepared("false"));
        CHECK_FALSE(prepared("true"));
    }

    TEST_CASE(
        "a reset of OpenClaw keeps what was said and the results of calls in it, as a beginning to be summarised") {
        const auto line = [](const char* id, const char* role, const char* fields) {
            return std::string(R"({"type":"message","id":")") + id + R"(","message":{"role":")" + role + R"(",)" +
                   fields + "}}";
        };
        const std::string said = R"("content":[{"type":"text","text":")" + std::string(400, 'x') + R"("}])";
        const std::string lines =
            "[" + line("old", "user", said.c_str()) + "," +
            line("a", "assistant", R"("content":[{"type":"toolCall","id":"1","name":"n","arguments":{}}])") + "," +
            line("r", "toolResult", (R"("toolCallId":"1",)" + said).c_str()) + "," +
            line("s", "toolResult", (R"("toolCallId":"2",)" + said).c_str()) + "," +
            R"({"type":"reset","id":"x","firstKeptEntryId":"a"},)" + line("u", "user", said.c_str()) + "," +
            line("b", "assistant", said.c_str()) + "]";
        const auto prepared = [&](Release release) {
            return pi::prepare(pi::entries_of(*sim::JsValue::parse(lines), release), {true, 100, 50}, release);
        };
        const auto with = prepared(Release::openclaw_2026_9);
        REQUIRE(with);
        REQUIRE(with->summarize.size() == 2);
        CHECK(with->summarize[0]->source_index == 1);
        CHECK(with->summarize[1]->source_index == 2);
        CHECK(with->tokens_before == 301);
        CHECK(with->first_kept_id == "u");
    }

    TEST_CASE("OpenClaw believes the files of an earlier summary when both lists are lists of texts") {
        const auto carried = [](const char* details, Release release) {
            const auto entries = pi::entries_of(
                *sim::JsValue::parse(std::string(R"([{"type":"compaction","id":"c","summary":"S","details":)") +
                                     details + "}]"),
                release);
            return entries[0].read_files.size() + entries[0].modified_files.size();
        };
        CHECK(carried(R"({"readFiles":["/a"],"modifiedFiles":["/b"]})", Release::openclaw_2026_9) == 2);
        CHECK(carried(R"({"modifiedFiles":["/b"]})", Release::openclaw_2026_9) == 0);
        CHECK(carried(R"({"readFiles":["/a",1],"modifiedFiles":["/b"]})", Release::openclaw_2026_9) == 0);
        CHECK(carried(R"({"modifiedFiles":["/b"]})", Release::v0_87) == 1);
    }

    TEST_CASE("a second compaction starts from what the first one kept and knows its files") {
        Talk before, after;
        before.user("old").says("older");
        after.calls("a").result("a", std::string(900, 'x')).user("new").says(std::string(900, 'y'));
        pi::Entries entries = pi::entries_of(before.view());
        pi::Entry compaction;
        compaction.kind = pi::Entry::Kind::compaction;
        compaction.id = "c";
        compaction.first_kept_id = "m1";
        compaction.read_files = {"/before"};
        compaction.message = Talk().add({{"role", "compactionSummary"}, {"summary", "S"}}).view()[0];
        entries.push_back(compaction);
        for (pi::Entry& entry : pi::entries_of(after.view())) {
            entry.id += "'";
            entries.push_back(entry);
        }
        const auto prepared = pi::prepare(entries, {true, 100, 200}, Release::v0_87);
        REQUIRE(prepared);
        CHECK(prepared->previous_summary == "S");
        REQUIRE(prepared->summarize.size() == 3);  // the kept answer, the call and its result
        CHECK(prepared->summarize[0] == before.view()[1]);
        CHECK(prepared->files.read == std::vector<std::string>{"/before", "/w"});
    }

    TEST_CASE("a file that was changed is not listed as read") {
        const auto lists = pi::file_lists({{"b", "a", "c"}, {"c"}, {"d"}});
        CHECK(lists.read == std::vector<std::string>{"a", "b"});
        CHECK(lists.modified == std::vector<std::string>{"c", "d"});
    }
}

TEST_SUITE("context edits of pi 0.87") {
    using agent_audit::simulator::JsValue;
    namespace pi = agent_audit::simulator::pi;

    namespace {

    std::string message(const char* id, const char* role, std::size_t chars) {
        return std::string(R"({"type":"message","id":")") + id + R"(","message":{"role":")" + role +
               R"(","content":[{"type":"text","text":")" + std::string(chars, 'x') + R"("}]}})";
    }
    std::string edit(const char* target, const char* replacement) {
        return std::string(R"({"type":"context_edit","id":"e","targetId":")") + target + R"(","replacement":)" +
               replacement + "}";
    }
    /// Each line follows the one before; of lines with one id the later ones get another.
    JsValue session(std::initializer_list<std::string> lines) {
        JsValue::Array out;
        JsValue before = nullptr;
        for (const std::string& line : lines) {
            JsValue json = *JsValue::parse(line);
            for (const JsValue& known : out) {
                if (known["id"].same_as(json["id"])) json.set("id", *json["id"].string() + std::to_string(out.size()));
            }
            if (!json.has("parentId")) json.set("parentId", before);
            before = json["id"];
            out.push_back(std::move(json));
        }
        return out;
    }

    }  // namespace

    TEST_CASE("the last edit of a message wins; 0.73 knows none") {
        const JsValue lines = session({message("u", "user", 40), message("a", "assistant", 40), edit("a", "null"),
                                       edit("a", R"({"content":"short"})")});
        const pi::Entries entries = pi::entries_of(lines, pi::Release::v0_87);
        REQUIRE(entries[1].message);
        CHECK(pi::message_tokens(*entries[1].message, pi::Release::v0_87) == 2);
        CHECK(pi::message_tokens(*pi::entries_of(lines)[1].message, pi::Release::v0_87) == 10);
    }

    TEST_CASE("a message that was omitted is neither counted nor summarised") {
        const JsValue lines = session({message("u", "user", 4'000), message("a", "assistant", 4'000), edit("a", "null"),
                                       message("v", "user", 4'000), message("b", "assistant", 4'000)});
        const auto with = pi::prepare(pi::entries_of(lines, pi::Release::v0_87), {true, 100, 500}, pi::Release::v0_87);
        REQUIRE(with);
        CHECK(with->tokens_before == 3'000);
        for (const auto& one : with->summarize) CHECK(one->role == agent_audit::simulator::Role::user);
    }

    TEST_CASE("an edit that is no longer sent changes nothing, and one may take a summary") {
        const std::string u = message("u", "user", 4'000), a = message("a", "assistant", 4'000),
                          v = message("v", "user", 4'000), b = message("b", "assistant", 4'000),
                          c = R"({"type":"compaction","id":"c","summary":"S","firstKeptEntryId":"a"})";
        const auto of = [](std::initializer_list<std::string> lines) {
            return *pi::prepare(pi::entries_of(session(lines), pi::Release::v0_87), {true, 100, 500},
                                pi::Release::v0_87);
        };
        CHECK(of({u, edit("a", "null"), a, c, v, b}).tokens_before == 3'001);
        CHECK(of({u, a, edit("a", "null"), c, v, b}).tokens_before == 2'001);
        CHECK(of({u, a, c, v, b}).previous_summary == "S");
        CHECK_FALSE(of({u, a, c, edit("c", "null"), v, b}).previous_summary);
        CHECK(of({u, a, c, edit("c", "null"), v, b}).tokens_before == 3'000);
    }

    TEST_CASE("a branch that the session has left is no part of it") {
        const std::string u = message("u", "user", 4'000), a = message("a", "assistant", 4'000);
        std::string back = message("v", "user", 4'000);
        back.insert(1, R"("parentId":"u",)");
        const JsValue lines = session({u, a, back, message("b", "assistant", 4'000)});
        for (const auto release : {pi::Release::v0_73, pi::Release::v0_87}) {
            CHECK(pi::prepare(pi::entries_of(lines, release), {true, 100, 500}, release)->tokens_before == 3'000);
        }
    }

    TEST_CASE("system messages count as the one they make together") {
        const auto before = [](std::initializer_list<std::string> lines) {
            const auto prepared =
                pi::prepare(pi::entries_of(session(lines), pi::Release::v0_87), {true, 100, 500}, pi::Release::v0_87);
            REQUIRE(prepared);
            return prepared->tokens_before;
        };
        const auto system = [](const char* fields) {
            return R"({"type":"message","id":"s","message":{"role":"system","timestamp":1,)" + std::string(fields) +
                   "}}";
        };
        const std::string u = message("u", "user", 4'000), a = message("a", "assistant", 4'000);
        CHECK(before({u, a}) == 2'000);
        CHECK(before({system(R"("content":"12345")"), u, system(R"("content":"1")"), a}) == 2'002);
        // the latest of a section and of a tool
        CHECK(before({system(R"("content":"","sections":{"x":"12345678","y":"1234"})"), u,
                      system(R"("content":"","sections":{"x":"1234","y":null})"), a}) == 2'001);
        CHECK(before({system(R"("content":"","toolsAdded":[{"name":"read"},{"name":"write"}])"), u,
                      system(R"("content":"","toolsRemoved":[{"name":"write"}])"), a}) == 2'005);
        // a compaction brings its own, and those it kept go
        const std::string c =
            R"({"type":"compaction","id":"c","summary":"12345678","firstKeptEntryId":"s","systemMessage":)"
            R"({"role":"system","timestamp":1,"content":"1234567890123456"}})";
        CHECK(before({system(R"("content":"1234567812345678")"), u, c, a, message("v", "user", 4)}) == 2'007);
    }

    TEST_CASE("an attempt that was taken back does not hold the cut before it") {
        const auto cut_of = [](const JsValue& lines) {
            const pi::Entries entries = pi::entries_of(lines, pi::Release::v0_87);
            return pi::find_cut(entries, 0, entries.size(), 500, pi::Release::v0_87).first_kept;
        };
        CHECK(cut_of(session({message("u", "user", 40), message("v", "user", 4'000), message("a", "assistant", 40),
                              edit("a", "null")})) == 2);
        CHECK(cut_of(session({message("u", "user", 40), message("v", "user", 4'000), message("a", "assistant", 40)})) ==
              1);
    }
}
