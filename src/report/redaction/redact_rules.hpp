#pragma once

#include "report/redaction/redact.hpp"
#include "support/phrase_set.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

// The kinds of secrets that are taken out of texts, and where in a text one of them may be.

namespace agent_audit::report {

/// What stands before a word and is no part of it, though it ends in a letter or a digit: \x1b[32m, raw or written out,
/// \n, \u0022, %3D.
inline constexpr std::string_view kColour = R"((?:\x1B|\\(?:x1[bB]|u001[bB]|033|e)|\^\[)\[[0-9;:?]*[A-Za-z])";
inline constexpr std::string_view kEscape =
    R"(|(?:^|\[)[0-9;]+m|\\[bfnrt]|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|%(?:25)*[0-9a-fA-F]{2})";

/// How tokens begin that are known by half of them.
inline constexpr std::string_view kBeginnings[] = {"sk-",
                                                   "sk_live_",
                                                   "rk_live_",
                                                   "pk_live_",
                                                   "ghp_",
                                                   "gho_",
                                                   "ghu_",
                                                   "ghs_",
                                                   "ghr_",
                                                   "github_pat_",
                                                   "glpat-",
                                                   "gldt-",
                                                   "glrt-",
                                                   "glcbt-",
                                                   "glptt-",
                                                   "glft-",
                                                   "glsoat-",
                                                   "gloas-",
                                                   "xoxa-",
                                                   "xoxb-",
                                                   "xoxe-",
                                                   "xoxp-",
                                                   "xoxr-",
                                                   "xoxs-",
                                                   "xapp-",
                                                   "npm_",
                                                   "pypi-",
                                                   "hf_",
                                                   "gsk_",
                                                   "xai-",
                                                   "pplx-",
                                                   "AIza",
                                                   "AKIA",
                                                   "ASIA",
                                                   "ya29.",
                                                   "eyJ",
                                                   "lsv2_",
                                                   "nvapi-",
                                                   "pcsk_",
                                                   "tskey-",
                                                   "sk_test_",
                                                   "rk_test_",
                                                   "whsec_",
                                                   "hooks.slack.com/services/",
                                                   "GOCSPX-",
                                                   "r8_",
                                                   "dop_v1_",
                                                   "doo_v1_",
                                                   "dor_v1_",
                                                   "dapi",
                                                   "SG.",
                                                   "shpat_",
                                                   "shpca_",
                                                   "shppa_",
                                                   "shpss_",
                                                   "lin_api_",
                                                   "ntn_",
                                                   "figd_",
                                                   "dckr_pat_",
                                                   "hvs.",
                                                   "hvb.",
                                                   "AGE-SECRET-KEY-",
                                                   "glc_",
                                                   "glsa_",
                                                   "PMAK-",
                                                   "sntrys_",
                                                   "sntryu_",
                                                   "ATATT3",
                                                   "sq0atp-",
                                                   "sq0csp-",
                                                   "dp.pt.",
                                                   "pscale_",
                                                   "sbp_",
                                                   "tvly-",
                                                   "NRAK-",
                                                   "e2b_",
                                                   "csk-",
                                                   "jina_",
                                                   "bkua_",
                                                   "CCIPAT_",
                                                   "fm2_",
                                                   "X-Amz-Signature=",
                                                   "X-Goog-Signature="};

/// One kind of secret. `marks` are lower-case literals of at least three bytes, or @: no match without one of them.
/// `expression` has the secret as its only group that takes part, or no group when all of the match is secret. Six
/// marks of our own stand in it (written_out): `\<` where a token may begin, `\~` for an escape, `\_` for blanks, `\#`
/// for one of kBeginnings, `\;` for the rest of a shell command up to an option, `\@` for a word of it that is no
/// reference ($X).
struct RedactRule {
    std::string_view name;
    std::string_view marks;  // separated by blanks
    std::string_view expression;
    bool strict = false;
    enum class Weigh : std::uint8_t {
        no,
        random,
        login
    } weigh = Weigh::no;  // the group counts only when it looks random, or is NAME:PASSWORD in base64
    enum class Call : std::uint8_t {
        mark,
        value,
        word,
        cut,
        option,
        piped,
        quoted
    } call = Call::mark;  // what besides a mark there must be: see is_called()
};

// Bytes, not code points: transcripts hold broken UTF-8. A rule a line: they are read as a table.
// clang-format off
inline constexpr RedactRule kRedactRules[] = {
    {"private key", "-----begin private-lines", R"(-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\z)|Private-Lines: [0-9]+(?:(?:\s|\\[nr])+[A-Za-z0-9+/]{20,}={0,2})+)"},
    // The same in base64, as cluster configurations carry it; a certificate goes on otherwise.
    {"private key", "ls0tls1crudjti", R"((?:LS0tLS1CRUdJTi)(?:BQUklWQVRF|BSU0EgUFJJVkFURS|BFQyBQUklWQVRF|BPUEVOU1NIIFBSSVZBVEUg|BFTkNSWVBURUQgUFJJVkFURS|BEU0EgUFJJVkFURS)[A-Za-z0-9+/=]*)"},
    {"anthropic key", "sk-ant-", R"(\<(sk-ant-[A-Za-z0-9_-]{16,}))"},
    {"openrouter key", "sk-or-", R"(\<(sk-or-[A-Za-z0-9_-]{16,}))"},
    {"openai key", "sk-", R"(\<(sk-(?:proj-|svcacct-|admin-|None-)?[A-Za-z0-9_-]{20,}))"},
    {"stripe key", "sk_ rk_ pk_ whsec_", R"(\<((?:(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{16,})))"},
    {"github token", "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", R"(\<(gh[pousr]_[A-Za-z0-9]{20,})|gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{20,})"},
    {"gitlab token", "glpat- gldt- glrt- glcbt- glptt- glft- glsoat- gloas-", R"((?:glpat|gldt|glrt|glcbt|glptt|glft|glsoat|gloas)-[A-Za-z0-9_.-]{16,})"},
    {"slack token", "xoxb xoxp xoxa xoxr xoxs xoxe xapp-", R"(xox[abeprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}|\<(xapp-[A-Za-z0-9-]{10,}))"},
    {"slack webhook", "hooks.slack.com", R"(hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/_-]{12,})"},
    {"discord webhook", "/api/webhooks/", R"(/api/webhooks/[0-9]{8,}/[A-Za-z0-9_-]{20,})"},
    {"npm token", "npm_ _authtoken", R"(\<(npm_[A-Za-z0-9]{30,})|(?i:_authToken)\s*=\s*([A-Za-z0-9_=+/-]{8,}))"},
    {"pypi token", "pypi-", R"(\<(pypi-[A-Za-z0-9_-]{20,}))"},
    {"rubygems key", "rubygems_", R"(\<(rubygems_[a-f0-9]{32,}))"},
    {"cargo token", "cio", R"(\<(cio[A-Za-z0-9]{32})\b)"},
    {"aws key id", "akia asia abia acca", R"(\<((?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16})\b)"},
    {"google key", "aiza", R"(\<(AIza[A-Za-z0-9_-]{30,}))"},
    {"google token", "ya29.", R"(\<(ya29\.[A-Za-z0-9_.-]{20,}))"},
    {"google client secret", "gocspx-", R"(\<(GOCSPX-[A-Za-z0-9_-]{20,}))"},
    {"azure key", "accountkey= sharedaccesskey= sig= 7q~ 8q~", R"(\<(?i:(?:AccountKey|SharedAccessKey|sig)=)([A-Za-z0-9+/%]{30,}={0,2})|[A-Za-z0-9_.~-]{3}[78]Q~[A-Za-z0-9_.~-]{31,34})"},
    {"hugging face token", "hf_", R"(\<(hf_[A-Za-z0-9]{20,}))"},
    {"groq key", "gsk_", R"(\<(gsk_[A-Za-z0-9]{20,}))"},
    {"xai key", "xai-", R"(\<(xai-[A-Za-z0-9]{20,}))"},
    {"replicate token", "r8_", R"(\<(r8_[A-Za-z0-9]{20,}))"},
    {"perplexity key", "pplx-", R"(\<(pplx-[A-Za-z0-9]{20,}))"},
    {"digitalocean token", "dop_v1_ doo_v1_ dor_v1_", R"(\<(do[opr]_v1_[a-f0-9]{32,}))"},
    {"databricks token", "dapi", R"(\<(dapi[a-f0-9]{32})\b)"},
    {"sendgrid key", "sg.", R"(\<(SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}))"},
    {"mailgun key", "key-", R"((?:\b|\~)(key-[a-f0-9]{32})\b)"},
    {"shopify token", "shpat_ shpca_ shppa_ shpss_", R"(\<(shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32})\b)"},
    {"linear key", "lin_api_", R"(\<(lin_api_[A-Za-z0-9]{32,}))"},
    {"notion token", "ntn_ secret_", R"(\<((?:ntn_[A-Za-z0-9]{40,}|secret_[A-Za-z0-9]{43}\b)))"},
    {"figma token", "figd_", R"(\<(figd_[A-Za-z0-9_-]{30,}))"},
    {"docker token", "dckr_pat_", R"(\<(dckr_pat_[A-Za-z0-9_-]{20,}))"},
    {"vault token", "hvs. hvb.", R"(\<(hv[bs]\.[A-Za-z0-9_-]{20,}))"},
    {"age key", "age-secret-key-", R"(AGE-SECRET-KEY-1[A-Z0-9]{40,})"},
    {"service token", "glc_ glsa_ pmak- sntrys_ sntryu_ atatt3 sq0atp- sq0csp- dp.pt. pscale_ sbp_ tvly- nrak- e2b_ lsv2_ nvapi- pcsk_ csk- jina_ tskey- .atlasv1. bkua_ ccipat_ napi_ fm2_", R"(\<((?:lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{6,}|nvapi-[A-Za-z0-9_-]{40,}|pcsk_[A-Za-z0-9_]{40,}|csk-[a-z0-9]{40,}|jina_[A-Za-z0-9_-]{50,}|tskey-[a-z]+-[A-Za-z0-9-]{20,}|[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{40,}|bkua_[a-f0-9]{40}|CCIPAT_[A-Za-z0-9]{20,}_[a-f0-9]{40}|napi_[a-z0-9]{50,}|fm2_[A-Za-z0-9+/=_,-]{60,}|glc_[A-Za-z0-9+/=]{32,}|glsa_[A-Za-z0-9_]{20,}|PMAK-[a-f0-9-]{30,}|sntry[su]_[A-Za-z0-9+/=_-]{30,}|ATATT3[A-Za-z0-9_=-]{30,}|sq0(?:atp|csp)-[A-Za-z0-9_-]{20,}|dp\.pt\.[A-Za-z0-9]{30,}|pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{20,}|sbp_[a-f0-9]{40}|tvly-[A-Za-z0-9-]{20,}|NRAK-[A-Z0-9]{20,}|e2b_[a-f0-9]{40})))"},
    {"telegram token", ":aa", R"([0-9]{8,10}:AA[A-Za-z0-9_-]{32,})"},
    {"json web token", "eyj", R"(eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)"},
    // Outside of a header it is also a word of sentences: "Bearer authentication".
    {"bearer", "bearer", R"(\<(?i:authorization["']?\s*[:=]\s*["'`]?bearer)\s+([A-Za-z0-9._~+/=-]{12,})|\<(?i:bearer)\s+([A-Za-z]?[a-z]*[A-Z0-9._~+/=-][A-Za-z0-9._~+/=-]{8,}|[A-Za-z]?[a-z]{10,}[A-Z0-9._~+/=-][A-Za-z0-9._~+/=-]*))"},
    {"authorization", "authorization", R"(\<(?i:authorization["']?\s*[:=]\s*["'`]?(?:basic|token|apikey|negotiate|bot))\s+([A-Za-z0-9._~+/=-]{6,}))"},
    {"registry login", "auth\" auth\\\"", R"(\\*"auth\\*"\s*:\s*\\*"([A-Za-z0-9+/]{6,}={0,2})\\*")", false, RedactRule::Weigh::login},
    {"url signature", "x-amz-signature x-goog-signature", R"((?i:x-(?:amz|goog)-signature)(?:=|%3D)([A-Fa-f0-9]{32,}))"},
    {"cookie", "cookie", R"(\<(?i:(?:set-)?cookie\\?["']?\s*:\s*\\?["']?)([A-Za-z0-9_.-]+=[^"'\r\n]{4,}))"},
    // It should be written %40 and %2F in there, and often is not; what only looks like it is a port and a path with an @.
    {"password", "://", R"([A-Za-z0-9]://[^\s/:@"'<>]*:(?:([^\s/@"'<>]+(?:@[^\s/@"'<>\\,;()]+)*)|([0-9]*[^\s/@"'<>\\0-9${][^\s/@"'<>\\]*/[^\s@"'<>\\]*[^\s/@"'<>\\](?:@[^\s/@"'<>\\,;()]+)*))@)"},
    // Weak words are passwords too where a program takes nothing else for this option.
    {"password", "curl", R"(\bcurl\b\;(?:-[fgiIjkLNqsSv]*[uU][= ]?|--(?:proxy-)?user[= ])(?:\\*["'])?[^\s:"'\\]*:([^\s"'\\$<{:][^\s"'\\]*))", false, RedactRule::Weigh::no, RedactRule::Call::option},
    {"password", "login", R"(\b(?:docker|podman|nerdctl|buildah|skopeo|oras|crane|helm|oc|az|cf|ibmcloud)(?:\s+[a-z]+){0,2}\s+login\b\;-p[= ]?\@)", false, RedactRule::Weigh::no, RedactRule::Call::option},
    {"password", "mysql mariadb", R"(\b(?:mysql|mariadb)[a-z_-]*\;(?:-u(?:[^s]|s[^e])|-h|--user[= ]|--host[= ])[^\s]*\;-p\\*["']?([0-9]*[^\s0-9:"'\\$<{][^\s"'\\]*|[0-9]+\b)(?:[\s"'\\]|\z))", false, RedactRule::Weigh::no, RedactRule::Call::option},
    {"password", "sshpass redis-cli", R"(\b(?:sshpass\s+(?:-v\s+)*-p ?|redis-cli\;(?:-a ?|--pass[= ]))\@)", false, RedactRule::Weigh::no, RedactRule::Call::option},
    {"password", "pass: storepass keypass", R"((?:-pass(?:in|out)?[= ]\\*["']?pass:|-(?:store|key)pass[= ])\@)"},
    {"password", "--password-stdin sudo", R"(\b(?:echo|printf)\s+(?:-[a-zA-Z]+\s+)*(?:\\*["']%s(?:\\+n)?\\*["']\s+)?\@\s*\|\s*(?:[^\r\n|]*--password-stdin|sudo\s+(?:-\S+\s+)*(?:-[a-zA-Z]*S|--stdin)))", false, RedactRule::Weigh::no, RedactRule::Call::piped},
    // Of users of databases.
    {"password", "identified password", R"((?i:(?:\b(?:create|alter)\s+(?:user|role)\s+(?:if\s+(?:not\s+)?exists\s+)?\S+|@\S+)\s+(?:identified\s+(?:with\s+[^\s']+\s+)?by|(?:with\s+|set\s+)?(?:encrypted\s+)?password)|\bset\s+password\s+for\s+[^\s=]+\s*=)\s*'([^'\r\n$<{][^'\r\n]*)')", false, RedactRule::Weigh::no, RedactRule::Call::quoted},
    {"password", "--password --passwd --token --api-key --secret --passphrase", R"((?i:--(?:password|passwd|token|api-key|secret|passphrase))[= ](?:\\*"([^\s"'\\$<{][^"\\\r\n]{3,99})\\*"|'([^\s"'\\$<{][^'\r\n]{3,99})'|\\*["']?([^\s"'\\$<{][^\s"'\\]{3,})))"},
    // What XML has between tags that say so, and what .netrc holds, its lines written out or not. On one line a bare word is no host: machines and passwords are also talked of.
    {"password", "machine password> passphrase>", R"((?i:<[A-Z0-9_.:-]*(?:password|passphrase)>)([^<>\s${][^<>\r\n]{3,})</|\bmachine(?:\s|\\[nrt])+(?:(?:[^\s\\]*[.:0-9-][^\s\\]*|localhost)(?:\s|\\[nrt])+|[^\s\\]+(?:[ \t]|\\t)*(?:[\r\n]|\\[nr])(?:\s|\\[nrt])*)login(?:\s|\\[nrt])+[^\s\\]+(?:\s|\\[nrt])+password(?:\s|\\t)+([^\s"'\\$<{]+))"},
    {"password", "_pass dbpass", R"((?i:(?:db|database|mysql|pg|postgres|smtp|mail|email|imap|redis|mongo|ftp|sftp|ssh|ldap|admin|root|user|login|http|proxy|auth|sudo|become|vault|keystore|truststore)_?pass)\\*["']?\_(?::=|=>|=|:)\_(?:\\*["'])?([^\s"'`\\,;&|<>(){}\[\]]{6,}))", false, RedactRule::Weigh::random, RedactRule::Call::word},
    // A value of several words is told from a sentence by its quotes and by a word in it that has a digit.
    {"password", "passw passphrase", R"((?i:[A-Z0-9_.-]*(?:passw(?:or)?d|passphrase))\\*["']?\_(?::=|=>|=|:)\_(?:\\*"((?:[^\s"\\$*.]+ ){1,4}[^\s"\\$*.]+)\\*"|'((?:[^\s'\\$*.]+ ){1,4}[^\s'\\$*.]+)'))", false, RedactRule::Weigh::random, RedactRule::Call::value},
    {"secret", "key token secret passw passphrase pwd credential",
     R"((?i:[A-Z0-9_.-]*(?:api[_-]?key|apikey|access[_-]?key|secret[_-]?key|private[_-]?key|signing[_-]?key|encryption[_-]?key|account[_-]?key|client[_-]?key[_-]?data|(?:subscription|functions?)[_-]key|secret|token|passw(?:or)?[dt]|passphrase|pwd|credentials?)[A-Z0-9_.-]*)\\?["']?\_(?::=|=>|=|:)\_(?:[a-z]{0,2}\\?["'`])?([^\s"'`\\,;&|<>(){}\[\]]{6,}))",
     false, RedactRule::Weigh::random, RedactRule::Call::word},
    // Evidence is cut before it gets here: half a secret is still one, and has no length to go by.
    {"cut secret", "\xE2\x80\xA6",
     R"((?:\<\#|\<(?i:bearer\s+|basic\s+)|(?i:--password[= ]|(?:key|token|secret|passw(?:or)?d)\\?["']?\s*[:=]\s*\\?["']?)|://[^\s/:@"'<>]*:)([A-Za-z0-9._~+/%=!-]*[A-Za-z_~+%=!-][A-Za-z0-9._~+/%=!-]*)\xE2\x80\xA6)", false, RedactRule::Weigh::no, RedactRule::Call::cut},
    {"e-mail", "@", R"(\b[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}\b)", true},
    {"user", "-home- -users-", R"((?i:-(?:home|users)-)([A-Za-z0-9_.]+))", true},
    {"user", "%2fhome%2f %2fusers%2f %5cusers%5c", R"((?:^|[^A-Za-z0-9_.%-]|%[0-9A-Fa-f]{2})(?i:%2Fhome%2F|%2FUsers%2F|%5CUsers%5C)((?:[A-Za-z0-9_.-]|%[8-9A-Fa-f][0-9A-Fa-f])+))", true},
    // Homes of a Linux inside Windows, as Windows names them.
    {"user", "wsl$ wsl.localhost", R"((?i:\\{2,4}wsl(?:\$|\.localhost))\\{1,4}[^\\\s]+\\{1,4}home\\{1,4}([A-Za-z0-9_][A-Za-z0-9_.-]*))", true},
    {"user", "/media /run/ /net /export \\\\", R"((?:(?:^|[\s"'`=(:,;\[{<]|\~)/(?:(?:run/)?media|run/user|net|export(?:/home)?)/|(?:^|[\s"'`=(,;\[{<])\\{2,4}[A-Za-z0-9._-]{2,}\\{1,2})([A-Za-z0-9_-][A-Za-z0-9_.-]*))", true},
    {"user", "/home/ /users/", R"((?:^|[\s"'`=(:,;\[{<]|\~)/(?:(?:nfs|srv|data|mnt|afs|vol|storage|scratch|nas)/home|(?i:volumes)/[^/\s]+/(?:home|Users))/([A-Za-z0-9_-][A-Za-z0-9_.-]*))", true},
};
// clang-format on
static_assert(std::size(kRedactRules) <= kMaxRedactRules);

/// A mark, and the rule that it calls for.
struct RedactMark {
    std::string_view text;
    std::size_t rule = 0;
};

template <class Take>
constexpr void each_mark(Take&& take) {
    for (std::size_t rule = 0; rule < std::size(kRedactRules); ++rule) {
        for (std::string_view marks = kRedactRules[rule].marks; !marks.empty();) {
            const std::size_t end = std::min(marks.find(' '), marks.size());
            take(RedactMark{marks.substr(0, end), rule});
            marks.remove_prefix(std::min(end + 1, marks.size()));
        }
    }
}

inline constexpr std::size_t kShortestMark = 3;  // of those that are looked for together; '@' is alone
template <class Take>
constexpr void each_long_mark(Take&& take) {
    each_mark([&](const RedactMark& mark) {
        if (mark.text.size() >= kShortestMark) take(mark);
    });
}
inline constexpr std::size_t kMarkCount = [] {
    std::size_t count = 0;
    each_long_mark([&](const RedactMark&) { ++count; });
    return count;
}();
inline constexpr std::size_t kMarkBytes = [] {
    std::size_t count = 0;
    each_long_mark([&](const RedactMark& mark) { count += mark.text.size(); });
    return count;
}();
/// All of them, one behind the other: where a mark stands says whose it is, also where several rules have the same.
struct RedactMarkList {
    std::array<char, kMarkBytes> bytes{};
    std::array<std::uint8_t, kMarkBytes> rule_at{};
};
inline constexpr RedactMarkList kRedactMarks = [] {
    RedactMarkList marks;
    std::size_t at = 0;
    each_long_mark([&](const RedactMark& mark) {
        marks.rule_at[at] = static_cast<std::uint8_t>(mark.rule);
        for (const char c : mark.text) marks.bytes[at++] = c;
    });
    return marks;
}();
inline constexpr PhraseSet kRedactMarkSet([] {
    std::array<std::string_view, kMarkCount> texts{};
    std::size_t at = 0, byte = 0;
    each_long_mark([&](const RedactMark& mark) {
        texts[at++] = {kRedactMarks.bytes.data() + byte, mark.text.size()};
        byte += mark.text.size();
    });
    return texts;
}());
inline constexpr std::size_t kMailRule = [] {
    std::size_t found = 0;
    each_mark([&](const RedactMark& mark) {
        if (mark.text == "@") found = mark.rule;
    });
    return found;
}();

static_assert(kRedactRules[kMailRule].name == "e-mail" && kRedactRules[kMailRule].strict);

}  // namespace agent_audit::report
