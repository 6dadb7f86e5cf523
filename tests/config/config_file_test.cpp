#include <agent_audit/config/config_file.hpp>

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <string>

using namespace agent_audit;

namespace {

constexpr std::array kOptions{ConfigOption{"fail-on", OptionType::text}, ConfigOption{"select", OptionType::list},
                              ConfigOption{"strict-input", OptionType::flag},
                              ConfigOption{"max-findings", OptionType::number}};
constexpr std::array<std::string_view, 2> kGroups{"errors", "tools"};

Result<ConfigFile> parse(std::string_view text) {
    return parse_config_file(text, "agent-audit.toml", {kOptions, kGroups});
}

ConfigFile read(std::string_view text) {
    auto file = parse(text);
    REQUIRE_MESSAGE(file.has_value(), (file.has_value() ? std::string() : file.error().message));
    return std::move(*file);
}

std::string problem(std::string_view text) {
    const auto file = parse(text);
    return file ? "no problem" : file.error().message;
}

std::string value(const ConfigFile& file, std::string_view key) {
    const Setting* setting = file.settings.find(key);
    return setting ? setting->value + " @ " + setting->origin : "absent";
}

}  // namespace

TEST_SUITE("configuration file") {
    TEST_CASE("options keep their values, and their origin names file, line and key") {
        const ConfigFile file =
            read("fail-on = 'warning'\nselect = ['loop', 'AA101']\nstrict-input = true\nmax-findings = 1_000\n");
        REQUIRE(file.options.size() == 4);
        CHECK(file.options[0].texts == std::vector<std::string>{"warning"});
        CHECK(file.options[0].origin == "agent-audit.toml:1: fail-on");
        CHECK(file.options[1].texts == std::vector<std::string>{"loop", "AA101"});
        CHECK(file.options[2].texts == std::vector<std::string>{"1"});
        CHECK(file.options[3].texts == std::vector<std::string>{"1000"});
    }

    TEST_CASE("parameters of rules become settings with their line") {
        const ConfigFile file = read(
            "[rules.'loop/cycle']\nwarn = 4\nmin_steps = 8\nseverity = "
            "'info'\n[rules.'loop/cycle'.per-tool.Bash]\nwarn = 9\n");
        CHECK(value(file, "loop/cycle.warn") == "4 @ agent-audit.toml:2");
        CHECK(value(file, "loop/cycle.min-steps") == "8 @ agent-audit.toml:3");
        CHECK(value(file, "loop/cycle.severity") == "info @ agent-audit.toml:4");
        CHECK(value(file, "loop/cycle.per-tool.Bash.warn") == "9 @ agent-audit.toml:6");
        REQUIRE(file.rules.size() == 1);
        CHECK(file.rules[0].origin == "agent-audit.toml:1");
    }

    TEST_CASE("a budget sets the limits of the rule that watches them") {
        const ConfigFile file = read(
            "[budget]\nsession-tokens = 2_000_000\nwasted-tokens = 200_000\ncost-usd = 20.0\nwindow-share = 0.8\n");
        CHECK(value(file, "budget/limits.tokens") == "2000000 @ agent-audit.toml:2");
        CHECK(value(file, "budget/limits.wasted-tokens") == "200000 @ agent-audit.toml:3");
        CHECK(value(file, "budget/limits.max-cost") == "20 @ agent-audit.toml:4");
        CHECK(value(file, "budget/limits.window-share") == "0.8 @ agent-audit.toml:5");
        CHECK(value(read("[budget]\ndenied-by-rule-from = 1\n"), "budget/limits.denied-by-rule-from") ==
              "1 @ agent-audit.toml:2");
        for (const char* share : {"77", "77.0"}) {
            CHECK(value(read(std::string("[budget]\nwindow-share = ") + share + "\n"), "budget/limits.window-share") ==
                  "77 @ agent-audit.toml:2");
        }
    }

    TEST_CASE("patterns of errors are as many settings, other lists are one") {
        const ConfigFile file = read(
            "[errors]\ntransient = ['lease expired', 'a, b']\ntransient-codes = [418, 599]\n[tools.class]\nrun_suite = "
            "'verify'\n");
        REQUIRE(file.settings.values("errors.transient").size() == 2);
        CHECK(file.settings.values("errors.transient")[1].value == "a, b");
        CHECK(value(file, "errors.transient-codes") == "418,599 @ agent-audit.toml:3");
        CHECK(value(file, "tools.class.run_suite") == "verify @ agent-audit.toml:5");
    }

    TEST_CASE("suppressions and classes of tools are read whole") {
        const ConfigFile file = read(R"(
[[suppress]]
rule = "loop/cycle"
match = { tool = "mcp__gdb__next", command = "^next", path = "logs/**", project = "shop", session = "abc*" }
reason = "debugger stepping"
until = 2027-01-31
[[tool-class]]
match = { tool = "Bash", command = "^sleep" }
class = "polling"
)");
        REQUIRE(file.suppressions.size() == 1);
        const Suppression& one = file.suppressions[0];
        CHECK(one.rule == "loop/cycle");
        CHECK(one.match.tool == "mcp__gdb__next");
        CHECK(one.match.session == "abc*");
        CHECK(one.reason == "debugger stepping");
        CHECK(one.until_days == 20849);  // days to 2027-01-31
        CHECK(one.origin == "agent-audit.toml:2");
        REQUIRE(file.tool_classes.size() == 1);
        CHECK(file.tool_classes[0].command == "^sleep");
        CHECK(file.tool_classes[0].origin == "agent-audit.toml:7");
    }

    TEST_CASE("what is wrong is named with file, line and the nearest word") {
        CHECK(problem("fail_on = 'error'") == "agent-audit.toml:1: unknown key \"fail_on\"; did you mean \"fail-on\"?");
        CHECK(problem("\n[budgte]\n") == "agent-audit.toml:2: unknown key \"budgte\"; did you mean \"budget\"?");
        CHECK(problem("[budget]\nsession-tokens = 1_000\n[rules.\"budget/limits\"]\ntokens = 20\n") ==
              "agent-audit.toml:2: session-tokens = 1000: [rules.\"budget/limits\"] says tokens = 20 "
              "(agent-audit.toml:4); they are the same limit");
        CHECK(problem("[budget]\ntokens = 1") ==
              "agent-audit.toml:2: unknown key of [budget] \"tokens\" (known: session-tokens, wasted-tokens, cost-usd, "
              "window-share, turns, "
              "responses, tool-calls, minutes, failed-calls-from, denied-by-rule-from, denied-by-person-from)");
        CHECK(problem("[budget]\ncost-us = 1") ==
              "agent-audit.toml:2: unknown key of [budget] \"cost-us\"; did you mean \"cost-usd\"?");
        CHECK(problem("fail-on = 3") == "agent-audit.toml:1: fail-on: expected a text");
        CHECK(problem("max-findings = 'x'").find("agent-audit.toml:1: max-findings: expected a number") == 0);
        CHECK(problem("strict-input = 'yes'") == "agent-audit.toml:1: strict-input: expected true or false");
        CHECK(problem("[rules]\n'loop/cycle' = 3") ==
              "agent-audit.toml:2: rules.loop/cycle: expected a table: [rules.\"group/name\"]");
        CHECK(problem("[rules.'loop/cycle']\nwarn = 'x'") == "agent-audit.toml:2: warn: expected a number");
        CHECK(problem("[rules.'loop/cycle']\nenabled = false") ==
              "agent-audit.toml:2: enabled: expected a number; severity = \"off\" switches a rule off");
        CHECK(problem("[rules.'loop/cycle']\nseverity = 'warn'") ==
              "agent-audit.toml:2: severity: expected one of error, warning, info, off; did you mean warning?");
        CHECK(problem("[rules.'loop/cycle']\nseverity = 'eror'").find("did you mean error?") != std::string::npos);
        CHECK(problem("[budget]\nsession-tokens = -1")
                  .find("agent-audit.toml:2: session-tokens: expected a whole number") == 0);
        CHECK(problem("[budget]\nsession-tokens = 1.5").find("agent-audit.toml:2: session-tokens:") == 0);
        CHECK(problem("[errors]\ntransient = { a = { b = { c = 1 } } }").find("agent-audit.toml:2:") == 0);
    }

    TEST_CASE("what takes texts takes no switches, no numbers in a list, and no list without anything in it") {
        const std::string key = "[errors]\ntransient = ";
        for (const std::string value : {"true", "['a', true]", "[1, 2]", "['a', 3.5]"}) {
            CAPTURE(value);
            CHECK(problem(key + value).find("expected a text, a number or a list of them") != std::string::npos);
        }
        CHECK(problem(key + "[]").ends_with(": the list is empty; leave the key out"));
        CHECK(problem(key + "['a', 'b']") == "no problem");
        CHECK(problem("[errors]\ntransient-codes = [503, 529]") == "no problem");
    }

    TEST_CASE("a suppression without a rule or a reason is an error, and so is a key it does not have") {
        CHECK(problem("[[suppress]]\nrule = 'loop/cycle'") == "agent-audit.toml:1: a suppression needs a reason");
        CHECK(problem("[[suppress]]\nrule = 'loop/cycle'\nreason = ' '") ==
              "agent-audit.toml:1: a suppression needs a reason");
        CHECK(problem("[[suppress]]\nreason = 'x'") == "agent-audit.toml:1: a suppression needs a rule");
        CHECK(
            problem("[[suppress]]\nrule = 'loop'\nreason = 'x'\nuntill = 2027-01-31").find("did you mean \"until\"?") !=
            std::string::npos);
        CHECK(problem("[[suppress]]\nrule = 'loop'\nreason = 'x'\nuntil = '2027-13-01'")
                  .find("agent-audit.toml:4: until: expected a date") == 0);
        CHECK(problem("[[suppress]]\nrule = 'loop'\nreason = 'x'\nmatch = { tol = 'a' }") ==
              "agent-audit.toml:4: unknown key of match \"tol\"; did you mean \"tool\"?");
        CHECK(problem("[[tool-class]]\nclass = 'poll'").find("agent-audit.toml:1: a tool class needs match") == 0);
        CHECK(
            problem("[[tool-class]]\nmatch = { tool = 'Bash' }").find("agent-audit.toml:1: a tool class needs class") ==
            0);
    }

    TEST_CASE("a broken expression is named by its own line, in suppressions and in tool classes") {
        constexpr std::string_view kWhy = ": command = \"a(b\": not a regular expression (RE2)";
        for (const std::string table : {"suppress", "tool-class"}) {
            CAPTURE(table);
            const std::string keys = table == "suppress" ? "rule = 'loop/cycle'\nreason = 'x'" : "class = 'poll'\n";
            const std::string found = problem(fmt::format("[[{0}]]\n{1}\n[{0}.match]\ncommand = 'a(b'", table, keys));
            CHECK(found.starts_with(fmt::format("agent-audit.toml:5{}", kWhy)));
        }
    }
}
