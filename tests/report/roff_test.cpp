#include "report/escape/roff.hpp"

#include "support/scratch.hpp"

#include <doctest/doctest.h>

#include <string>

using agent_audit::report::roff_text;
using agent_audit::test::Finished;
using agent_audit::test::has_program;
using agent_audit::test::Scratch;

TEST_SUITE("manual pages") {
    TEST_CASE("no line of a text begins with a request, and every character means itself") {
        CHECK(roff_text(".so /etc/passwd") == "\\&.so /etc/passwd");
        CHECK(roff_text("'br") == "\\(aqbr");
        CHECK(roff_text("one\n.two\n'three") == "one\n\\&.two\n\\(aqthree");
        CHECK(roff_text("C:\\new") == "C:\\enew");
        CHECK(roff_text("--fail-on") == "\\-\\-fail\\-on");
        CHECK(roff_text("~/`x` ^ \"y\"") == "\\(ti/\\(gax\\(ga \\(ha \\(dqy\\(dq");
        CHECK(roff_text("a\n\n\nb") == "a\nb");
        CHECK(roff_text("caf\xC3\xA9 \xE2\x80\x94") == "caf\\[u00E9] \\[u2014]");
        CHECK(roff_text("\xFF\x1B[31m") == "?[31m");
    }

    TEST_CASE("what comes out of the typesetter is what went in") {
        if (!has_program("groff")) {
            MESSAGE("skipped: no groff here");
            return;
        }
        const Scratch scratch;
        const std::string hostile = ".de xx \\$1 'tis --x \\(aq `$(id)` ~ ^ \\fBbold\\fR \"q\" \\";
        std::ofstream(scratch / "page.1") << ".TH X 1\n.SH NAME\nx \\- y\n.PP\n"
                                          << roff_text(hostile + "\n'second\n.third \\n") << "\n";
        const Finished shown = scratch.run("groff -man -Tutf8 -P-c -wall -rLL=200n page.1");
        CHECK(shown.err == "");
        CAPTURE(shown.out);
        CHECK(shown.out.find(hostile + " 'second .third \\n") != std::string::npos);
    }

    TEST_CASE("the pages of the program and of every command are set without a complaint") {
        const Scratch scratch;
        REQUIRE(scratch.status("aa man --out pages") == 0);
        const Finished names = scratch.run("ls pages");
        CHECK(names.out.find("agent-audit.1\n") != std::string::npos);
        CHECK(names.out.find("agent-audit-replay.1\n") != std::string::npos);
        // Requests are ours alone, and known ones.
        CHECK(scratch.run("grep -hoE \"^[.'][^ ]*\" pages/*.1 | sort -u | tr '\\n' ' '").out ==
              ".PP .SH .TH .TP .\\\" ");
        if (has_program("groff")) {
            const Finished all =
                scratch.run("for page in pages/*.1; do groff -man -Tutf8 -wall -ww \"$page\" >/dev/null; done");
            CHECK(all.err == "");
            const Finished scan = scratch.run("groff -man -Tutf8 -P-cbou pages/agent-audit-scan.1");
            for (const char* part :
                 {"--fail-on LEVEL", "EXAMPLES", "EXIT STATUS", "AGENT_AUDIT_INPUT_FORMAT", "FORMAT=FILE"}) {
                CAPTURE(part);
                CHECK(scan.out.find(part) != std::string::npos);
            }
        } else {
            MESSAGE("skipped: no groff here");
        }
        if (has_program("mandoc")) {
            // An empty date is meant: pages are the same whenever they are built.
            CHECK(scratch.run("mandoc -Tlint -Wwarning pages/*.1 | grep -v 'missing date'").out == "");
        } else {
            MESSAGE("skipped: no mandoc here");
        }
    }

    TEST_CASE("exit codes are those of the command: a hook's 2 is a refused call, and a listing never ends with 1") {
        const Scratch scratch;
        const auto codes = [&](const std::string& command) {
            return scratch.run("aa man " + command + " | sed -n '/^.SH EXIT STATUS/,/^.SH /p'").out;
        };
        CHECK(codes("scan").find("findings at or above") != std::string::npos);
        CHECK(codes("hook").find("the call must not run") != std::string::npos);
        CHECK(codes("hook").find("audited") == std::string::npos);
        CHECK(codes("replay").find("by the fail\\-on of its policy") != std::string::npos);
        CHECK(codes("diff").find("appeared, or became that bad") != std::string::npos);
        for (const char* command : {"rules", "discover", "schema", "convert", "reset"}) {
            CAPTURE(command);
            CHECK(codes(command).find("\\fB1\\fR") == std::string::npos);
            CHECK(codes(command).find("\ndone\n") != std::string::npos);
        }
    }

    TEST_CASE("an unknown command has no page") {
        const Scratch scratch;
        CHECK(scratch.status("aa man replya") == 2);
        CHECK(scratch.run("aa man replya").err.find("did you mean replay?") != std::string::npos);
        CHECK(scratch.run("aa man scan").out.starts_with(".\\\""));
    }
}
