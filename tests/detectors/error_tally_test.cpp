#include "detectors/outcomes/error_tally.hpp"
#include "support/session.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using agent_audit::RawText;
using agent_audit::TextForm;
using agent_audit::detectors::counts_alike;
using agent_audit::test::Session;

namespace {

bool alike(std::string_view before, std::string_view now) {
    return counts_alike({before, TextForm::plain}, {now, TextForm::plain});
}

std::string type_errors(int count, int shift, std::string_view code = "TS2345") {
    std::string text;
    for (int i = 0; i < count; ++i)
        text += "src/mill" + std::to_string((i + shift) % 5) + ".ts(" + std::to_string(10 * i + shift) + ",7): error " +
                std::string(code) + ": Argument of type 'rye" + std::to_string(shift) + "' is not assignable\n";
    return text + "\nFound " + std::to_string(count) + " errors in 3 files.\n";
}

}  // namespace

TEST_SUITE("counts of errors") {
    TEST_CASE("as many errors of the same kinds at other places are the same") {
        CHECK(alike(type_errors(6, 1), type_errors(6, 2)));
        CHECK(alike("a.js\n  3:1  error  Import cycle detected  import/no-cycle\n\n4 problems (4 errors, 0 warnings)",
                    "b.js\n  9:1  error  Import cycle detected  import/no-cycle\n\n4 problems (4 errors, 0 warnings)"));
    }

    TEST_CASE("fewer of them, others, one or two, and as many as are counted at most are not") {
        CHECK_FALSE(alike(type_errors(6, 1), type_errors(5, 2)));
        CHECK_FALSE(alike(type_errors(6, 1), type_errors(6, 2, "TS7006")));
        CHECK_FALSE(alike(type_errors(2, 1), type_errors(2, 2)));
        CHECK_FALSE(alike(type_errors(6, 1) + "fatal error: too many errors emitted",
                          type_errors(6, 2) + "fatal error: too many errors emitted"));
        CHECK_FALSE(alike("Found 6 errors", "Found 6 errors"));
        CHECK_FALSE(alike("error: rye1.\n3 errors", "error: rye2.\n3 errors"));
        CHECK_FALSE(alike("6 failed, 2 passed", "6 failed, 2 passed"));
    }

    TEST_CASE("as many in another file are the next ones, unless all files were looked at") {
        const auto found = [](std::string_view file, std::string_view end) {
            std::string text;
            for (const char line : {'3', '5', '9'})
                text.append(file).append({':', line, ':', '2'}).append(": error: use of undeclared identifier 'rye'\n");
            return text.append(end);
        };
        const std::string_view stops = "3 errors generated.", whole = "Found 3 errors in 2 files.";
        CHECK(alike(found("src/mill.c", stops), found("src/mill.c", stops)));
        CHECK_FALSE(alike(found("src/mill.c", stops), found("src/barn.c", stops)));
        CHECK_FALSE(alike(found("C:\\mill.c", stops), found("C:\\barn.c", stops)));
        CHECK(alike(found("src/mill.c", stops), found("src/barn.c", "") + found("src/mill.c", stops)));
        CHECK(alike(found("rye.c", "") + found("oats.c", whole), found("mill.c", "") + found("barn.c", whole)));
        CHECK_FALSE(alike(found("mill.c", "Found 3 errors in 1 file"), found("barn.c", "Found 3 errors in 1 file")));
        const std::string_view rust = "error[E0308]: mismatched types\n --> src/", ends = "due to 3 previous errors";
        const auto crate = [&](std::string_view file) {
            return std::string(rust).append(file).append(":7:9\nerror: could not compile `mill` ").append(ends);
        };
        CHECK(alike(crate("rye.rs"), crate("rye.rs")));
        CHECK_FALSE(alike(crate("rye.rs"), crate("oats.rs")));
    }

    TEST_CASE("rewrites that only move the errors are a stalled fix, those that leave fewer are none") {
        for (const bool falls : {false, true}) {
            Session s("loop/stalled-fix");
            for (int i = 0; i < 8; ++i) {
                s.call("Edit", "change " + std::to_string(i), "done");
                s.fails("Bash", "npx tsc --noEmit", type_errors(falls ? 20 - i : 6, 7 * i));
            }
            CHECK(s.end().size() == (falls ? 0u : 1u));
        }
    }
}
