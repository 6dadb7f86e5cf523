#include "detectors/engine/result_status.hpp"
#include "detectors/engine/call_endings.hpp"
#include "support/session.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

using namespace agent_audit;
using namespace agent_audit::detectors;

namespace {

ToolResult result(std::string_view text, ResultStatus status = ResultStatus::unknown, std::optional<int> code = {}) {
    ToolResult r;
    r.text = {text, TextForm::plain};
    r.status = status;
    r.exit_code = code;
    return r;
}

Step call(std::string_view tool, ToolClass tool_class, std::uint32_t command_bytes = 0) {
    Step step;
    step.text.tool_size = static_cast<std::uint8_t>(tool.size());
    std::ranges::copy(tool, step.text.tool_bytes.begin());
    step.tool_class = tool_class;
    step.command_bytes = command_bytes;
    return step;
}

ResultStatus told(const Step& step, const ToolResult& r, bool piped = false) {
    return status_of(step, piped, r, exit_code_of(r));
}

}  // namespace

TEST_SUITE("status of results") {
    TEST_CASE("an error that a language server shows is a red check, though the server could be asked") {
        const Step asks = call("get_diagnostics", ToolClass::verify), other = call("list_alerts", ToolClass::other),
                   shell = call("bash", ToolClass::verify, 10);
        for (const std::string_view red :
             {R"([{"uri":"file:///a.ts","diagnostics":[{"message":"no such name","severity":"Error"}]}])",
              R"({\"severity\":1,\"message\":\"no such name\"})", R"({"severity": "ERROR"})"}) {
            CAPTURE(red);
            CHECK(told(asks, result(red)) == ResultStatus::error);
            CHECK(told(asks, result(red, ResultStatus::ok)) == ResultStatus::error);
            CHECK(told(other, result(red, ResultStatus::ok)) == ResultStatus::ok);
            CHECK(told(shell, result(red, ResultStatus::ok)) == ResultStatus::ok);
        }
        for (const std::string_view green :
             {R"([{"uri":"file:///a.ts","diagnostics":[]}])", R"({"severity":"Warning","message":"unused"})",
              R"({"severity":2})", R"({"severity":10})", "severity"}) {
            CAPTURE(green);
            CHECK(told(asks, result(green, ResultStatus::ok)) == ResultStatus::ok);
        }
    }

    TEST_CASE("where no exit code is recorded, what a check says at its end is its verdict") {
        const Step check = call("bash", ToolClass::verify, 10), shell = call("bash", ToolClass::shell, 10);
        constexpr std::string_view kRed = " FAIL  tests/quay.test.ts > opens\n\n Tests  1 failed | 7 passed",
                                   kGreen = " Tests  8 passed";
        CHECK(told(check, result(kRed)) == ResultStatus::error);
        CHECK(told(check, result(kGreen)) != ResultStatus::error);
        CHECK(told(check, result(kRed, ResultStatus::ok)) == ResultStatus::ok);
        CHECK(told(shell, result(kRed)) == ResultStatus::unknown);
    }

    TEST_CASE("an answer under the heading Error is none of a page that tells of errors") {
        const Step clicks = call("browser_click", ToolClass::other);
        CHECK(told(clicks, result("### Error\nTimeoutError: Timeout 5000ms exceeded")) == ResultStatus::error);
        CHECK(told(clicks, result("### Result\n### Error\nnone")) != ResultStatus::error);
        CHECK(told(clicks, result("### Error handling\nRetry once.")) != ResultStatus::error);
    }

    TEST_CASE(
        "a runner's own exit code stands first or last in its answer, whatever a logger calls that; others' do not") {
        const Step shell = call("run_shell", ToolClass::shell, 10);
        for (const std::string_view text : {R"({"stdout": "2 duplicates, 3 lost", "exit_code": 1})",
                                            R"({"exitCode":1,"out":"x"})", R"({\"out\": \"x\", \"returncode\": 1})"})
            CHECK(told(shell, result(text, ResultStatus::ok)) == ResultStatus::error);
        for (const std::string_view text :
             {R"({"stdout": "x", "exit_code": 0})", R"({"runs": 3, "last": {"exit_code": 1, "id": 4}, "n": 2})",
              R"(fine: {"exit_code": 1})", "{", "{}"})
            CHECK(told(shell, result(text, ResultStatus::ok)) == ResultStatus::ok);
    }

    TEST_CASE("what a program of Ruby or Elixir died of is a failure of the tool that ran it, and none of a page") {
        const Step runs = call("run_in_container", ToolClass::other), page = call("read_page", ToolClass::read);
        constexpr std::string_view kElixir =
                                       "** (KeyError) key :corn not found in: %{}\n    (mill 0.1.0) lib/mill.ex:9",
                                   kRuby = "bin/mill:4:in `grind': no corn (MillError)\n\tfrom bin/mill:9:in `<main>'";
        CHECK(told(runs, result(kElixir, ResultStatus::ok)) == ResultStatus::error);
        CHECK(told(runs, result(kRuby, ResultStatus::ok)) == ResultStatus::error);
        CHECK(told(page, result(kRuby, ResultStatus::ok)) == ResultStatus::ok);
        CHECK(told(runs, result("grinding ** (the old way)", ResultStatus::ok)) == ResultStatus::ok);
    }

    TEST_CASE("a log that was read tells of failures, and what cannot be read says so first") {
        const Step read = call("read_file", ToolClass::read), console = call("get_console", ToolClass::other);
        constexpr std::string_view kLog = "INFO: the mill is up\nERROR: belt 3 slipped\nINFO: belt 3 is back";
        CHECK(told(read, result(kLog)) == ResultStatus::unknown);
        CHECK(told(console, result(kLog)) == ResultStatus::unknown);
        CHECK(told(read, result("Error: mill.log is locked")) == ResultStatus::error);
        Step lookup = call("lookup_error", ToolClass::other);
        constexpr std::string_view kCode = "E17";
        std::ranges::copy(kCode, lookup.text.argument_bytes.begin());
        lookup.text.argument_size = kCode.size();
        CHECK(told(lookup, result("Error: E17 means that a belt slipped")) == ResultStatus::unknown);
        CHECK(told(lookup, result("Error: the book of errors is shut")) == ResultStatus::error);
        CHECK(told(console, result("ERROR: no console is open")) == ResultStatus::error);
        CHECK(told(call("grind", ToolClass::other), result(kLog)) == ResultStatus::error);
    }

    TEST_CASE("a search that matched nothing is an answer, also where the tool tells how and where it ended") {
        const Step search = call("execute_bash", ToolClass::search, 10),
                   other = call("execute_bash", ToolClass::shell, 10);
        constexpr std::string_view kNothing =
            "\n[The command completed with exit code 1.]\n[Current working directory: /work]\n[Python interpreter: "
            "/usr/bin/python]\n[Command finished with exit code 1]";
        CHECK(told(search, result(kNothing)) == ResultStatus::ok);
        CHECK(told(other, result(kNothing)) == ResultStatus::error);
        CHECK(told(search, result("grep: corn: no such directory, and many more words of what went wrong here" +
                                  std::string(kNothing))) == ResultStatus::error);
    }

    TEST_CASE("the producer's word comes first, then the exit code, then the text") {
        const Step shell = call("bash", ToolClass::shell, 10);
        CHECK(told(shell, result("Error: no such thing", ResultStatus::ok)) == ResultStatus::ok);
        CHECK(told(shell, result("all good", ResultStatus::error)) == ResultStatus::error);
        CHECK(told(shell, result("all good", ResultStatus::unknown, 2)) == ResultStatus::error);
        CHECK(told(shell, result("Error: no such thing", ResultStatus::unknown, 0)) == ResultStatus::ok);
        CHECK(told(shell, result("Exit code: 1\nno")) == ResultStatus::error);
        CHECK(told(shell, result("plain words")) == ResultStatus::unknown);
    }

    TEST_CASE("an edit that was refused failed, also where the tool is said to have succeeded") {
        const Step edit = call("edit", ToolClass::mutate), read = call("read", ToolClass::read);
        constexpr std::string_view kRefused = "Your proposed edit has introduced new syntax error(s).";
        CHECK(told(edit, result(kRefused)) == ResultStatus::error);
        CHECK(told(edit, result(kRefused, ResultStatus::ok)) == ResultStatus::error);
        CHECK(told(edit, result("Done. No changes were made elsewhere.", ResultStatus::ok)) == ResultStatus::ok);
        CHECK(told(read, result(kRefused, ResultStatus::ok)) == ResultStatus::ok);
        CHECK(told(call("edit_lines", ToolClass::other), result(kRefused, ResultStatus::ok)) == ResultStatus::error);
        CHECK(told(call("ask", ToolClass::other), result(kRefused, ResultStatus::ok)) == ResultStatus::ok);
    }

    TEST_CASE("an exit code with which the text begins says more than that the tool returned") {
        const Step shell = call("bash", ToolClass::shell, 10);
        CHECK(told(shell, result("Exit code: 1\nno such host", ResultStatus::ok)) == ResultStatus::error);
        CHECK(told(shell, result("exit code 2", ResultStatus::ok)) == ResultStatus::error);
        CHECK(told(shell, result("Exit code: 0\nfine", ResultStatus::ok)) == ResultStatus::ok);
        CHECK(told(shell, result("Exit code: 1\nno such host", ResultStatus::ok, 0)) == ResultStatus::ok);
        CHECK(told(shell, result("the job said\nExit code: 1", ResultStatus::ok)) == ResultStatus::ok);
    }

    TEST_CASE("a search that found nothing did not fail, one that says more did") {
        const Step grep = call("bash", ToolClass::search, 20);
        CHECK(told(grep, result("", ResultStatus::error, 1)) == ResultStatus::ok);
        CHECK(told(grep, result("", ResultStatus::error, 2)) == ResultStatus::error);
        const std::string_view trouble =
            "grep: the file that was named on the command line cannot be read because it is a folder";
        CHECK(told(grep, result(trouble, ResultStatus::error, 1)) == ResultStatus::error);
        CHECK(told(call("bash", ToolClass::shell, 20), result("", ResultStatus::error, 1)) == ResultStatus::error);
        const std::string framed =
            "failed in sandbox MacosSeatbelt with execution error: sandbox denied exec error, exit code: 1, stdout: , "
            "stderr: ";
        CHECK(told(grep, result(framed, ResultStatus::error)) == ResultStatus::ok);
        CHECK(told(grep, result(framed + "bash: line 0: syntax error", ResultStatus::error)) == ResultStatus::error);
        CHECK(told(call("bash", ToolClass::shell, 20), result(framed, ResultStatus::error)) == ResultStatus::error);
    }

    TEST_CASE("no program of that name is an answer, and what the agent stops itself did not fail") {
        struct Stop {
            const char* typed;
            int code;
            std::uint64_t errors;
        };
        for (const Stop& c : {Stop{"\\u0003", 130, 0}, Stop{"\\u0003", 1, 0}, Stop{"\\u0003", 2, 1}, Stop{"q\\n", 1, 1},
                              Stop{"", 1, 1}, Stop{"y\\u0003", 1, 1}}) {
            CAPTURE(c.typed);
            CAPTURE(c.code);
            test::Session s;
            s.human("Start the mill.");
            s.respond().open("exec_command", "./mill").goes_on("7");
            s.respond()
                .open_json("write_stdin", "", std::string(R"({"session_id": 7, "chars": ")") + c.typed + "\"}")
                .exits(c.code, "bye");
            s.end();
            CHECK(s.counts().errors == c.errors);
        }
        for (const auto& c : {std::pair{"lsof -i :80", 0U}, std::pair{"pgrep mill", 0U}, std::pair{"grep -c a b", 0U},
                              std::pair{"./mill", 1U}}) {
            CAPTURE(c.first);
            test::Session s;
            s.human("Start the mill.");
            s.respond().open("exec_command", c.first).exits(1, "");
            s.end();
            CHECK(s.counts().errors == c.second);
        }
    }

    TEST_CASE("what a pipe hides of a check its text tells") {
        const Step check = call("bash", ToolClass::verify, 30);
        const ToolResult failed =
            result("FAILED tests/test_a.py::test_b\n=== 1 failed, 3 passed in 0.12s ===", ResultStatus::ok, 0);
        CHECK(told(check, failed) == ResultStatus::ok);
        CHECK(told(check, failed, true) == ResultStatus::error);
    }

    TEST_CASE("what fetches something failed when that is all it says, a line that a search found is none") {
        const ToolResult forbidden = result("Error: HTTP 403 Forbidden (ray 4f2a)", ResultStatus::ok);
        Step fetch = call("fetch_url", ToolClass::search);
        constexpr std::string_view kAddress = "https://mill.example/prices", kWords = "HTTP 403";
        const auto asks = [&](std::string_view words) {
            fetch.text.argument_size = static_cast<std::uint8_t>(words.size());
            std::ranges::copy(words, fetch.text.argument_bytes.begin());
            return fetch;
        };
        CHECK(told(asks(kAddress), forbidden) == ResultStatus::error);
        CHECK(told(asks(kWords), forbidden) == ResultStatus::ok);
        CHECK(told(asks(kAddress), result("Error: none\nThe prices of rye", ResultStatus::ok)) == ResultStatus::ok);
    }

    TEST_CASE("tools with words of their own fail in words, commands and readers of files do not") {
        const ToolResult error = result("Error: the argument 'date' is not valid", ResultStatus::ok);
        CHECK(told(call("book_flight", ToolClass::other), error) == ResultStatus::error);
        CHECK(told(call("bash", ToolClass::other, 12), error) == ResultStatus::ok);
        CHECK(told(call("read_file", ToolClass::read), error) == ResultStatus::ok);
    }
}

TEST_SUITE("services that are not there") {
    constexpr std::string_view kBusy[] = {
        "HTTP 503 Service Unavailable",
        "HTTP/1.1 429 Too Many Requests\nretry-after: 3\n\n",
        "502 Bad Gateway",
        "<html>\n<head><title>503 Service Temporarily Unavailable</title></head>\n<body></body></html>",
        "connect ECONNREFUSED 127.0.0.1:9999",
        "getaddrinfo EAI_AGAIN db"};
    constexpr std::string_view kOther[] = {
        "503 apples were sold",
        "HTTP/1.1 200 OK\n\n503",
        "HTTP 404 Not Found",
        "<title>Room 503 of the hotel</title>",
        "<html><head><title>Prices</title></head><body>503 Service Unavailable is a code</body></html>",
        "connect the hose to ECONNREFUSED hydrants",
        "reads: 503 Service Unavailable was logged twice"};

    TEST_CASE(
        "what a server that is too busy sends is a failure, whoever fetched it and says nothing of how it ended") {
        const Step shell = call("bash", ToolClass::shell, 10), prices = call("get_prices", ToolClass::other),
                   log = call("get_log", ToolClass::other), file = call("bash", ToolClass::read, 10);
        constexpr std::string_view kCommand = "curl -s mill.example/prices";
        Step fetch = shell;
        fetch.text.argument_size = static_cast<std::uint8_t>(kCommand.size());
        std::ranges::copy(kCommand, fetch.text.argument_bytes.begin());
        for (const std::string_view text : kBusy) {
            CAPTURE(std::string(text));
            CHECK(told(shell, result(text)) == ResultStatus::error);
            CHECK(told(shell, result(text, ResultStatus::ok)) == ResultStatus::error);
            CHECK(told(shell, result(text, ResultStatus::unknown, 0)) == ResultStatus::ok);
            CHECK(told(fetch, result(text, ResultStatus::unknown, 0)) == ResultStatus::error);
            CHECK(told(prices, result(text)) == ResultStatus::error);
            CHECK(told(log, result(text)) != ResultStatus::error);
            CHECK(told(file, result(text)) != ResultStatus::error);
        }
    }

    TEST_CASE("what only speaks of it is none") {
        const Step shell = call("bash", ToolClass::shell, 10), prices = call("get_prices", ToolClass::other);
        for (const std::string_view text : kOther) {
            CAPTURE(std::string(text));
            CHECK(told(shell, result(text)) != ResultStatus::error);
            if (!text.starts_with("HTTP 404")) CHECK(told(prices, result(text)) != ResultStatus::error);
        }
    }

    TEST_CASE("on a terminal without exit codes a complaint at the end is a failure") {
        const Step shell = call("bash_command", ToolClass::shell, 10), file = call("bash_command", ToolClass::read, 10);
        for (const std::string_view text :
             {"curl: (7) Failed to connect to localhost port 8080 after 0 ms: Couldn't connect to server",
              "E: Could not get lock /var/lib/dpkg/lock. It is held by process 412\nE: Unable to acquire the lock",
              "ssh: connect to host db port 22: Connection refused", "sh: 1: yarn: not found",
              "mount: /mnt: Device or resource busy", "bash: yarn: command not found",
              "cc -c a.c\nmake: *** [a.o] Error 2"}) {
            CAPTURE(std::string(text));
            CHECK(told(shell, result(text)) == ResultStatus::error);
        }
        CHECK(told(shell, result("E: Could not get lock", ResultStatus::ok)) == ResultStatus::error);
        CHECK(told(shell, result("bash: yarn: command not found", ResultStatus::ok)) == ResultStatus::error);
        CHECK(told(call("bash", ToolClass::verify, 4), result("bash: make: command not found", ResultStatus::ok)) ==
              ResultStatus::error);
        // `rm -rf tools; ls tools`: it is gone, as was wanted.
        CHECK(told(call("bash", ToolClass::mutate, 20), result("ls: cannot access 'tools': No such file or directory",
                                                               ResultStatus::ok)) == ResultStatus::ok);
        CHECK(told(shell, result("built 3 pages\nE: Could not get lock", ResultStatus::ok)) == ResultStatus::ok);
        CHECK(told(shell, result("E: Could not get lock", ResultStatus::unknown, 0)) == ResultStatus::ok);
        for (const std::string_view text : {"Europe: north", "the log says: Connection refused twice",
                                            "fetched 3 pages\ncurl: (ok)\ndone", "libquay.so => not found"}) {
            CAPTURE(std::string(text));
            CHECK(told(shell, result(text)) != ResultStatus::error);
        }
        CHECK(told(file, result("E: Could not get lock")) != ResultStatus::error);
        for (const std::string_view command : {"docker logs api", "journalctl -u api", "tail -2 run.log"}) {
            Step log = shell;
            log.text.argument_size = static_cast<std::uint8_t>(command.size());
            std::ranges::copy(command, log.text.argument_bytes.begin());
            CHECK(told(log, result("dial tcp db:5432: Connection refused")) != ResultStatus::error);
        }
        CHECK(told(shell, result(std::string(2000, '.') + "\nE: Could not get lock")) != ResultStatus::error);
    }

    TEST_CASE("a log is what others said, and what is run beside it speaks for itself") {
        const auto ran = [](std::string_view command, ToolClass tool_class = ToolClass::shell) {
            Step step = call("bash", tool_class, static_cast<std::uint32_t>(command.size()));
            step.text.argument_size = static_cast<std::uint8_t>(command.size());
            std::ranges::copy(command, step.text.argument_bytes.begin());
            return told(step,
                        result("Traceback (most recent call last):\n  File \"mill.py\", line 4\nKeyError: 'rye'"));
        };
        for (const std::string_view command :
             {"docker logs mill 2>&1 | tail -20", "sudo journalctl -u mill", "cd /mill && tail -2 run.log",
              "kubectl logs mill-0", "ssh mill 'tail -5 mill.log'", "sleep 2; grep rye mill.log", "dmesg | tail",
              "Get-Content mill.log", "docker compose up -d && docker compose logs mill",
              "Restart-Service mill; Get-Content mill.log"}) {
            CAPTURE(std::string(command));
            CHECK(ran(command) != ResultStatus::error);
        }
        for (const std::string_view command :
             {"python mill.py > out.log 2>&1; tail out.log", "python mill.py 2>&1 | tee mill.log",
              "./mill --log mill.log", "node -e 'console.log(1)'", "curl mill.test/auth.login",
              "cd logs && python ../mill.py"}) {
            CAPTURE(std::string(command));
            CHECK(ran(command) == ResultStatus::error);
        }
        CHECK(ran("pytest -q > out.log 2>&1; tail -30 out.log", ToolClass::verify) == ResultStatus::error);
    }

    TEST_CASE(
        "the title of an issue and the subject of a commit may name an exception, what a program prints dies of it") {
        const auto ran = [](std::string_view command, std::string_view said) {
            Step step = call("bash", ToolClass::shell, static_cast<std::uint32_t>(command.size()));
            step.text.argument_size = static_cast<std::uint8_t>(command.size());
            std::ranges::copy(command, step.text.argument_bytes.begin());
            return told(step, result(said));
        };
        for (const std::string_view command : {"gh issue view 40 --json title -q .title", "git log -1 --format=%s"})
            CHECK(ran(command, "TypeError: gate is undefined") != ResultStatus::error);
        CHECK(ran("node mill.js", "TypeError: gate is undefined") == ResultStatus::error);
        CHECK(ran("git log -1 --format=%s", "fatal: not a git repository") == ResultStatus::error);
    }

    TEST_CASE("the exit code of a pod that is described is none of the command that describes it") {
        const std::string_view command = "kubectl describe pod mill-0";
        Step step = call("bash", ToolClass::read, static_cast<std::uint32_t>(command.size()));
        step.text.argument_size = static_cast<std::uint8_t>(command.size());
        std::ranges::copy(command, step.text.argument_bytes.begin());
        CHECK(told(step, result("Status: Running\nLast State: Terminated\n  Exit Code: 137\n")) != ResultStatus::error);
        CHECK(told(step, result("Exit code: 1\nno such pod")) == ResultStatus::error);
    }

    TEST_CASE("what Node says of the command that failed is a failure") {
        const auto ran = [](std::string_view command, ToolClass tool_class) {
            Step step = call("bash", tool_class, static_cast<std::uint32_t>(command.size()));
            step.text.argument_size = static_cast<std::uint8_t>(command.size());
            std::ranges::copy(command, step.text.argument_bytes.begin());
            return step;
        };
        const Step mill = ran("sh mill.sh", ToolClass::shell), file = ran("cat rye.yml", ToolClass::read),
                   search = ran("grep -rn rye .", ToolClass::search);
        CHECK(told(mill, result("Command failed: sh mill.sh\nthe stones stand still\n")) == ResultStatus::error);
        CHECK(told(mill, result("Command failed: Command failed: sh mill.sh\n")) == ResultStatus::error);
        CHECK(told(file, result("Command failed: cat rye.yml\nit is a secret")) == ResultStatus::error);
        CHECK(told(mill, result("Command failed: npm test\n1 failing")) != ResultStatus::error);
        CHECK(told(mill, result("Command failed: sh mill.sh", ResultStatus::ok)) == ResultStatus::ok);
        CHECK(told(search, result("Command failed: grep -rn rye .\n")) != ResultStatus::error);
        CHECK(told(search, result("Command failed: grep -rn rye .\ngrep: .: forbidden\n")) == ResultStatus::error);
    }

    TEST_CASE("a click on what cannot be clicked failed, a word of it elsewhere did not") {
        CHECK(told(call("click_element", ToolClass::other), result("Element not clickable with index 58")) ==
              ResultStatus::error);
        CHECK(told(call("click_element", ToolClass::other),
                   result("Clicked: 'Seats not visible from here'" + std::string(300, '.'))) != ResultStatus::error);
        CHECK(told(call("describe", ToolClass::other), result("The moon is not visible")) != ResultStatus::error);
    }

    TEST_CASE(
        "a column that is not there is a fault in a query, a customer that is not there an answer to a question") {
        const auto asks = [](std::string_view argument) {
            Step step = call("run_sql", ToolClass::other);
            step.text.argument_size = static_cast<std::uint8_t>(argument.size());
            std::ranges::copy(argument, step.text.argument_bytes.begin());
            return step;
        };
        const ToolResult column = result("column \"fee\" does not exist"),
                         error = result("Error: table berths not found");
        CHECK(told(asks("SELECT avg(fee) FROM berths"), column) == ResultStatus::error);
        CHECK(told(asks("SELECT avg(fee) FROM berths"), error) == ResultStatus::error);
        CHECK(told(asks("SELECT avg(fee) FROM berths"), result("[]")) != ResultStatus::error);
        CHECK(told(asks("fee"), column) != ResultStatus::error);
        test::Session guesses, looks;
        for (const char* name : {"fee", "fees", "amount", "cost", "price", "charge", "sum", "total", "due"}) {
            const std::string missing = "column \"" + std::string(name) + "\" does not exist";
            guesses.call("run_sql", "SELECT avg(" + std::string(name) + ") FROM berths", missing);
            looks.call("find_fee", name, missing);
        }
        CHECK_FALSE(guesses.end().empty());
        CHECK(looks.end().empty());
    }

    TEST_CASE("what a service that is busy sent is a failure of the command that fetched it, however it is framed") {
        const auto ran = [](std::string_view command, std::string_view text) {
            test::Session s;
            s.human("go").respond().open("bash", command);
            ToolResult r = result(text, ResultStatus::ok, 0);
            s.emit(r).end();
            return s.counts().errors;
        };
        constexpr std::string_view kCurl = "curl -s https://mill.example/sacks";
        for (const std::string_view text :
             {std::string_view("<returncode>0</returncode>\n<output>\n503 Service Unavailable\n</output>"),
              std::string_view("<returncode>0</returncode>\n<output>\nHTTP/1.1 502 Bad Gateway\nServer: x\n</output>"),
              std::string_view("<returncode>0</returncode>\n<output>\n{\"status\":503,\"error\":\"busy\"}\n</output>"),
              std::string_view("{\"statusCode\": 429, \"message\": \"slow down\"}")}) {
            CAPTURE(text);
            CHECK(ran(kCurl, text) == 1);
            CHECK(ran("cat answer.json", text) == 0);
        }
        for (const std::string_view text :
             {std::string_view("<returncode>0</returncode>\n<output>\n503 sacks\n</output>"),
              std::string_view("{\"status\":200,\"code\":503200}"), std::string_view("{\"items\":[7],\"status\":503}"),
              std::string_view("{\"status\": 404, \"message\": \"no such sack\"}")}) {
            CAPTURE(text);
            CHECK(ran(kCurl, text) == 0);
        }
    }

    TEST_CASE("four tries with growing pauses are healthy, dozens without one are not") {
        const auto worst = [](int tries, bool at_last) {
            Severity found = Severity::info;
            for (const std::string_view text : kBusy) {
                for (const std::string_view tool : {"Bash", "get_prices"}) {
                    test::Session s;
                    for (int i = 0; i < tries; ++i)
                        s.call(tool, "curl https://mill.example/prices", text, ResultStatus::unknown);
                    if (at_last)
                        s.call(tool, "curl https://mill.example/prices", R"({"rye":1.9})", ResultStatus::unknown);
                    for (const Finding& f : s.end()) found = std::max(found, f.severity);
                }
            }
            return found;
        };
        CHECK(worst(4, true) == Severity::info);
        CHECK(worst(20, false) == Severity::error);
    }
}

TEST_SUITE("endings of calls") {
    TEST_CASE("a late result says how its call had ended, once") {
        CallEndings endings;
        endings.remember(0, 77, Ending::lost);
        endings.remember(1, 77, Ending::stopped);
        CHECK(endings.answer(0, 77) == Ending::lost);
        CHECK(endings.answer(0, 77) == Ending::answered);
        CHECK(endings.answer(1, 77) == Ending::stopped);
        CHECK_FALSE(endings.answer(2, 77));
        CHECK_FALSE(endings.answer(0, 0));
        endings.clear();
        CHECK_FALSE(endings.answer(0, 77));
    }

    TEST_CASE("only the last calls are known") {
        CallEndings endings;
        for (IdHash id = 1; id <= 10'000; ++id) endings.remember(0, id * 0x9e3779b97f4a7c15ULL, Ending::at_end);
        CHECK_FALSE(endings.answer(0, 0x9e3779b97f4a7c15ULL));
        CHECK(endings.answer(0, 10'000 * 0x9e3779b97f4a7c15ULL) == Ending::at_end);
    }
}
