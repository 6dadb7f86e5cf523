#include "detectors/outcomes/outcome.hpp"

#include <doctest/doctest.h>

#include <string>
#include <string_view>

using namespace agent_audit;
using namespace agent_audit::detectors;

namespace {

constexpr TextForm kSpellings[] = {TextForm::plain, TextForm::json_string};

bool equal(std::string_view a, std::string_view b) {
    const bool plain =
        digest_outcome({a, TextForm::plain}, false).hash == digest_outcome({b, TextForm::plain}, false).hash;
    const bool json = digest_outcome({a, TextForm::json_string}, false).hash ==
                      digest_outcome({b, TextForm::json_string}, false).hash;
    CHECK(plain == json);
    return plain;
}
bool opaque(std::string_view text, TextForm form = TextForm::plain) {
    CHECK(digest_outcome({text, form}, false).opaque == is_opaque_outcome({text, form}));
    return is_opaque_outcome({text, form});
}
std::uint64_t key(std::string_view text) { return error_key({text, TextForm::plain}); }
std::uint64_t shape(std::string_view text) { return shape_hash({text, TextForm::plain}); }

}  // namespace

TEST_SUITE("outcomes") {
    TEST_CASE("outcomes that differ only in volatile parts are equal") {
        CHECK(equal("[2026-02-03T04:05:06Z] ok", "[2026-02-04T14:15:16.789Z] ok"));
        CHECK(equal("3 failed in 1.52s", "3 failed in 12.7s"));
        CHECK(equal("server (pid 4711) up", "server (pid 12) up"));
        CHECK(equal("see /tmp/tmp.8XyQ/log.txt", "see /tmp/tmp.aa77b/log.txt"));
        CHECK(equal("<A at 0x7f00aa11>", "<A at 0x7fffdeadbeef>"));
        CHECK(equal("\x1b[31mx\x1b[0m", "\x1b[1;32mx\x1b[0m"));
        CHECK(equal("t=  9ms  done", "t= 123ms done"));
        CHECK(equal("12:30", "23:59"));
    }

    TEST_CASE("outcomes that differ in anything else are different") {
        CHECK_FALSE(equal("3 failed in 1.52s", "2 failed in 1.52s"));
        CHECK_FALSE(equal("foo.py:12: x", "foo.py:13: x"));
        CHECK_FALSE(equal("version 1.2.3", "version 1.2.4"));
        CHECK_FALSE(equal("12% at 12:30", "13% at 12:30"));
        CHECK_FALSE(equal("3/10 (1s)", "4/10 (1s)"));
        CHECK_FALSE(equal("a 1s b", "a 1s, 1s b"));
        CHECK_FALSE(equal("1s", ""));
        CHECK_FALSE(equal("/tmp/a/x", "/tmp/a/y"));
        CHECK_FALSE(equal("x y", "xy"));
    }

    TEST_CASE("an error never equals a result") {
        for (const std::string_view text : {"", "x", "at 12:30:01 done"}) {
            for (const TextForm form : kSpellings) {
                CHECK(digest_outcome({text, form}, true).hash != digest_outcome({text, form}, false).hash);
                CHECK(digest_outcome({text, form}, true).hash == digest_outcome({text, form}, true).hash);
            }
        }
    }

    TEST_CASE("a placeholder alone is opaque") {
        for (const std::string_view text :
             {"[Old tool result content cleared]", "[image]", "<image #2>", "(omitted)", "[REDACTED]", "redacted",
              " [screenshot]\n[image] ", "[120 lines truncated]", "\\n[output truncated]\\n"}) {
            CHECK(opaque(text));
        }
        CHECK(opaque("\"[image]\"", TextForm::json_value));
        CHECK(opaque(R"([{"type":"image","source":{"data":"aGk="}}])", TextForm::json_value));
        CHECK(opaque(R"({"type": "image_url"})", TextForm::json_value));
    }

    TEST_CASE("text that only looks like a placeholder is not opaque") {
        for (const std::string_view text : {"", " ", "[]", "ok", "[image] saved to a.png", "[image.png]", "<image=a>",
                                            "{\"image\": 1}", "[3 files changed]", "[image", "(see below)"}) {
            CHECK_FALSE(opaque(text));
        }
        CHECK_FALSE(opaque(R"([{"type":"image"},{"type":"text","text":"x"}])", TextForm::json_value));
        CHECK_FALSE(opaque(R"({"image":"nginx:1.2","state":"up"})", TextForm::json_value));
        CHECK_FALSE(opaque(R"({"image" : "nginx:1.2"})", TextForm::json_value));
        CHECK_FALSE(opaque(R"([{"type":"image"}])", TextForm::plain));
    }

    TEST_CASE("errors are the same when only numbers and volatile parts differ") {
        CHECK(key("line 12: no such user 7") == key("line 4: no such user 123"));
        CHECK(key("timeout at 12:30:01") == key("timeout at 09:00:59"));
        CHECK(key("line 12: a") != key("line 12: b"));
        CHECK(key("") != key("a"));
        CHECK(key("a") != digest_outcome({"a", TextForm::plain}, false).hash);
    }

    TEST_CASE("errors are the same under another number of letters and digits, and not under another name") {
        CHECK(key("rejected, reference F4R86YNEYU") == key("rejected, reference 7LIZXMW1T9"));
        CHECK(key("rejected, reference D39GFNFGJD") == key("rejected, reference K7QX2M9A"));
        CHECK(key("no module NUMPY2") != key("no module PANDAS2"));
        CHECK(key("ENOENT: NORTHSIDE2") != key("ENOENT: SOUTHSIDE2"));
        CHECK(key("no such table orders2x4") != key("no such table stocks2x4"));
    }

    TEST_CASE("only the first 200 characters of an error count") {
        const std::string start(199, 'e');
        CHECK(key(start + "ab") == key(start + "ac"));
        CHECK(key(start + "b") != key(start + "c"));
        std::string wide;
        for (int i = 0; i < 199; ++i) wide += "\u00e9";
        CHECK(key(wide + "ab") == key(wide + "ac"));
        CHECK(key(wide + "b") != key(wide + "c"));
        CHECK(key(std::string(5000, '\x80')) == key(std::string(6000, '\x80')));  // no characters at all
    }

    TEST_CASE("a shape has one mark for every run of digits") {
        CHECK(shape("a 1 b 22") == shape("a 333 b 4"));
        CHECK(shape("a 1") != shape("a"));
        CHECK(shape("1a1") != shape("11a"));
        CHECK(shape("") != shape("1"));
        for (const std::size_t size : {4094u, 4095u, 4096u, 4097u, 8192u}) {
            const std::string filler(size, 'x');
            CHECK(shape(filler + "1" + filler) == shape(filler + "234567" + filler));
            CHECK(shape(filler + "1") != shape(filler));
        }
        CHECK(shape(std::string(5000, '7')) == shape("7"));
    }
}
