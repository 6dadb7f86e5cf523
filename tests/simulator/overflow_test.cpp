#include <agent_audit/simulator/overflow.hpp>

#include <doctest/doctest.h>

#include <string>

namespace overflow = agent_audit::simulator::overflow;
using agent_audit::simulator::StopReason;
using agent_audit::simulator::Usage;

TEST_SUITE("overflow") {
    TEST_CASE("a prompt that is too long is an overflow, a rate limit is not") {
        for (const char* text : {"prompt is too long: 213462 tokens > 200000 maximum", "400 context_length_exceeded",
                                 "Input is too long for requested model", "input length exceed context limit"}) {
            CAPTURE(text);
            CHECK(overflow::any_error(text));
        }
        for (const char* text : {"429 too many requests: prompt is too long", "rate limit", "prompt template error"}) {
            CAPTURE(text);
            CHECK_FALSE(overflow::any_error(text));
            CHECK_FALSE(overflow::openclaw_error(text));
        }
    }

    TEST_CASE("letters that only fold into others elsewhere are no letters here, and every end of a line is one") {
        CHECK(overflow::pi_error("reduce the length of the messages", ""));
        CHECK_FALSE(overflow::pi_error("reduce the length of the me\u017F\u017Fages", ""));
        CHECK_FALSE(overflow::pi_error("to\u212Aen limit exceeded", ""));
        CHECK(overflow::pi_error("input token count 9 \u00B7 exceeds the maximum", ""));
        for (const char* end : {"\n", "\r", "\u2028", "\u2029"}) {
            CAPTURE(end);
            CHECK_FALSE(overflow::pi_error("input token count 9" + std::string(end) + "exceeds the maximum", ""));
        }
    }

    TEST_CASE("every blank that JavaScript knows parts words, but only a space is a space") {
        for (const char* blank : {"\t", "\v", "\u00A0", "\u2003", "\u3000", "\uFEFF"}) {
            CAPTURE(blank);
            CHECK_FALSE(overflow::openclaw_error("spend" + std::string(blank) + "limit reached, context overflow"));
            CHECK_FALSE(overflow::openclaw_error("received" + std::string(blank) + "402, context overflow"));
            CHECK_FALSE(overflow::pi_error("prompt is" + std::string(blank) + "too long", ""));
            CHECK(overflow::openclaw_error("TPM: limit" + std::string(blank) + "10 requested 20; prompt is too long"));
            // two headings make a document, which is not about a bill
            CHECK(overflow::openclaw_error("##" + std::string(blank) + "a\n##" + std::string(blank) +
                                           "insufficient credits, context overflow"));
        }
    }

    TEST_CASE("a minute's limit that one request exceeds is an overflow when the message says so") {
        CHECK_FALSE(overflow::openclaw_error("TPM: Limit 30000, Requested 20000; prompt is too long"));
        CHECK(overflow::openclaw_error("TPM: Limit 30000, Requested 60000; prompt is too long"));
    }

    TEST_CASE("an answer without a body counts for one provider only") {
        CHECK(overflow::pi_error("413 status code (no body)", "cerebras"));
        CHECK_FALSE(overflow::pi_error("413 status code (no body)", "other"));
    }

    TEST_CASE("usage beyond the window is a silent overflow") {
        Usage usage;
        usage.input = 150;
        usage.cache_read = 51;
        CHECK(overflow::silent(usage, StopReason::stop, 200));
        CHECK_FALSE(overflow::silent(usage, StopReason::stop, 201));
        CHECK(overflow::silent(usage, StopReason::length, 203));
        usage.output = 1;
        CHECK_FALSE(overflow::silent(usage, StopReason::length, 203));
    }
}
