#include "readers/codex/codex_script.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace agent_audit;
using readers::ScriptCall;

namespace {

// "tool {json}" for each call.
std::vector<std::string> calls(std::string_view script, std::size_t most = 32) {
    std::vector<std::string> out;
    for (const ScriptCall& call : readers::calls_of_script(script, most))
        out.push_back(call.tool + " " + std::string(call.json()));
    return out;
}
using Calls = std::vector<std::string>;

}  // namespace

TEST_SUITE("scripts of Codex") {
    TEST_CASE("calls are told in the order of the text, whatever stands around them") {
        CHECK(calls(R"(const [a, b] = await Promise.all([
                           tools.exec_command({cmd: "ls -l", yield_time_ms: 1_000}),
                           tools.exec_command({"cmd":'cat a.txt', workdir: `/w`,}),
                       ]); text(a); text(b))") == Calls{R"(exec_command {"cmd":"ls -l","yield_time_ms":1000})",
                                                        R"(exec_command {"cmd":"cat a.txt","workdir":"/w"})"});
        CHECK(calls("text(await tools . update_plan ( {plan:[{step:'a',done:true},{step:'b',n:-1.5,x:null}]} , 2))") ==
              Calls{R"(update_plan {"plan":[{"step":"a","done":true},{"step":"b","n":-1.5,"x":null}]})"});
    }

    TEST_CASE("strings become JSON's, whichever quotes they have") {
        CHECK(calls(R"js(tools.t({a:'it\'s "x"', b:"tab\tnew\nline\\", c:"\x41\u00e9", d:`two
lines`, e:String.raw`a\d`, f:"a" + 'b' + `c`, g:"on\
e"}))js") == Calls{R"js(t {"a":"it's \"x\"","b":"tab\tnew\nline\\","c":"\u0041\u00e9","d":"two\nlines","e":"a\\d",)js"
                   R"js("f":"abc","g":"one"})js"});
    }

    TEST_CASE("what is computed is not told, and hides nothing behind it") {
        CHECK(calls("for (const c of list) await tools.exec_command({cmd: c}); tools.t({a: 1})") ==
              Calls{R"(t {"a":1})"});
        CHECK(calls("tools.exec_command({cmd}); tools.exec_command(args); tools.exec_command({cmd: `ls ${dir}`})")
                  .empty());
        CHECK(calls("tools.exec_command({cmd: 'a' + b}); tools.exec_command({...rest}); tools.t({f() { return 1 }})")
                  .empty());
        CHECK(calls("tools.outer({a: tools.inner({b: 2})})") == Calls{R"(inner {"b":2})"});
        CHECK(
            calls("tools.t({a: 012}); tools.t({a: 0x1f}); tools.t({a: 1.}); tools.t({a: 1e3}); tools.t({a: Infinity})")
                .empty());
    }

    TEST_CASE("no call is made in strings and comments") {
        CHECK(calls(R"js(const s = "tools.exec_command({cmd:'rm'})"; // tools.t({a:1})
                         /* tools.t({a:2}) */ const p = `tools.t({a:3})`; mytools.t({a:4}); tools.t({a:5}))js") ==
              Calls{R"(t {"a":5})"});
    }

    TEST_CASE("no text breaks it, and a thousand calls are some") {
        std::string many;
        for (int i = 0; i < 1000; ++i) many += "tools.t({a:" + std::to_string(i) + "});";
        CHECK(calls(many).size() == 32);
        CHECK(calls(many, 3).size() == 3);
        const std::string whole = R"(/*c*/ tools.t({"a":'b\n', c:[1,{d:`e`}], f:"g"+'h'}); // x)";
        for (std::size_t size = 0; size <= whole.size(); ++size) CHECK(calls(whole.substr(0, size)).size() <= 1);
        std::string deep = "tools.t(";
        for (int i = 0; i < 100'000; ++i) deep += "{a:";
        CHECK(calls(deep).empty());
        for (const char* odd :
             {"tools", "tools.", "tools.t", "tools.t(", "tools.t({", "tools.t({a", "tools.t({a:", "\\", "'\\", "`", "/",
              "/*", "tools.t({a:'\\", "tools.t({a:'\\x", "tools.t({a:'\\u{41}'})", "tools.t({a:-})"})
            CHECK(calls(odd).empty());
    }
}
