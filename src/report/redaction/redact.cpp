#include "report/redaction/redact.hpp"

#include "report/redaction/redact_kinds.hpp"
#include "report/redaction/secret_values.hpp"
#include "support/ascii.hpp"
#include "support/find_near.hpp"
#include "support/home_folder.hpp"
#include "support/phrase_set.hpp"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <initializer_list>
#include <iterator>
#include <span>

namespace agent_audit::report {
namespace {

// What stands before a word and is no part of it, though it ends in a letter or a digit: \x1b[32m, raw or written out,
// \n, \u0022, %3D.
constexpr std::string_view kColour = R"((?:\x1B|\\(?:x1[bB]|u001[bB]|033|e)|\^\[)\[[0-9;:?]*[A-Za-z])";
constexpr std::string_view kEscape =
    R"(|(?:^|\[)[0-9;]+m|\\[bfnrt]|\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|%(?:25)*[0-9a-fA-F]{2})";

// How tokens begin that are known by half of them.
constexpr std::string_view kBeginnings[] = {"sk-",
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

// One kind of secret. `marks` are lower-case literals of at least three bytes, or @: no match without one of them.
// `expression` has the secret as its only group that takes part, or no group when all of the match is secret. Six
// marks of our own stand in it (written_out): `\<` where a token may begin, `\~` for an escape, `\_` for blanks, `\#`
// for one of kBeginnings, `\;` for the rest of a shell command up to an option, `\@` for a word of it that is no
// reference ($X).
struct Rule {
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
constexpr Rule kRules[] = {
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
    {"registry login", "auth\" auth\\\"", R"(\\*"auth\\*"\s*:\s*\\*"([A-Za-z0-9+/]{6,}={0,2})\\*")", false, Rule::Weigh::login},
    {"url signature", "x-amz-signature x-goog-signature", R"((?i:x-(?:amz|goog)-signature)(?:=|%3D)([A-Fa-f0-9]{32,}))"},
    {"cookie", "cookie", R"(\<(?i:(?:set-)?cookie\\?["']?\s*:\s*\\?["']?)([A-Za-z0-9_.-]+=[^"'\r\n]{4,}))"},
    // It should be written %40 and %2F in there, and often is not; what only looks like it is a port and a path with an @.
    {"password", "://", R"([A-Za-z0-9]://[^\s/:@"'<>]*:(?:([^\s/@"'<>]+(?:@[^\s/@"'<>\\,;()]+)*)|([0-9]*[^\s/@"'<>\\0-9${][^\s/@"'<>\\]*/[^\s@"'<>\\]*[^\s/@"'<>\\](?:@[^\s/@"'<>\\,;()]+)*))@)"},
    // Weak words are passwords too where a program takes nothing else for this option.
    {"password", "curl", R"(\bcurl\b\;(?:-[fgiIjkLNqsSv]*[uU][= ]?|--(?:proxy-)?user[= ])(?:\\*["'])?[^\s:"'\\]*:([^\s"'\\$<{:][^\s"'\\]*))", false, Rule::Weigh::no, Rule::Call::option},
    {"password", "login", R"(\b(?:docker|podman|nerdctl|buildah|skopeo|oras|crane|helm|oc|az|cf|ibmcloud)(?:\s+[a-z]+){0,2}\s+login\b\;-p[= ]?\@)", false, Rule::Weigh::no, Rule::Call::option},
    {"password", "mysql mariadb", R"(\b(?:mysql|mariadb)[a-z_-]*\;(?:-u(?:[^s]|s[^e])|-h|--user[= ]|--host[= ])[^\s]*\;-p\\*["']?([0-9]*[^\s0-9:"'\\$<{][^\s"'\\]*|[0-9]+\b)(?:[\s"'\\]|\z))", false, Rule::Weigh::no, Rule::Call::option},
    {"password", "sshpass redis-cli", R"(\b(?:sshpass\s+(?:-v\s+)*-p ?|redis-cli\;(?:-a ?|--pass[= ]))\@)", false, Rule::Weigh::no, Rule::Call::option},
    {"password", "pass: storepass keypass", R"((?:-pass(?:in|out)?[= ]\\*["']?pass:|-(?:store|key)pass[= ])\@)"},
    {"password", "--password-stdin sudo", R"(\b(?:echo|printf)\s+(?:-[a-zA-Z]+\s+)*(?:\\*["']%s(?:\\+n)?\\*["']\s+)?\@\s*\|\s*(?:[^\r\n|]*--password-stdin|sudo\s+(?:-\S+\s+)*(?:-[a-zA-Z]*S|--stdin)))", false, Rule::Weigh::no, Rule::Call::piped},
    // Of users of databases.
    {"password", "identified password", R"((?i:(?:\b(?:create|alter)\s+(?:user|role)\s+(?:if\s+(?:not\s+)?exists\s+)?\S+|@\S+)\s+(?:identified\s+(?:with\s+[^\s']+\s+)?by|(?:with\s+|set\s+)?(?:encrypted\s+)?password)|\bset\s+password\s+for\s+[^\s=]+\s*=)\s*'([^'\r\n$<{][^'\r\n]*)')", false, Rule::Weigh::no, Rule::Call::quoted},
    {"password", "--password --passwd --token --api-key --secret --passphrase", R"((?i:--(?:password|passwd|token|api-key|secret|passphrase))[= ](?:\\*"([^\s"'\\$<{][^"\\\r\n]{3,99})\\*"|'([^\s"'\\$<{][^'\r\n]{3,99})'|\\*["']?([^\s"'\\$<{][^\s"'\\]{3,})))"},
    // What XML has between tags that say so, and what .netrc holds, its lines written out or not. On one line a bare word is no host: machines and passwords are also talked of.
    {"password", "machine password> passphrase>", R"((?i:<[A-Z0-9_.:-]*(?:password|passphrase)>)([^<>\s${][^<>\r\n]{3,})</|\bmachine(?:\s|\\[nrt])+(?:(?:[^\s\\]*[.:0-9-][^\s\\]*|localhost)(?:\s|\\[nrt])+|[^\s\\]+(?:[ \t]|\\t)*(?:[\r\n]|\\[nr])(?:\s|\\[nrt])*)login(?:\s|\\[nrt])+[^\s\\]+(?:\s|\\[nrt])+password(?:\s|\\t)+([^\s"'\\$<{]+))"},
    {"password", "_pass dbpass", R"((?i:(?:db|database|mysql|pg|postgres|smtp|mail|email|imap|redis|mongo|ftp|sftp|ssh|ldap|admin|root|user|login|http|proxy|auth|sudo|become|vault|keystore|truststore)_?pass)\\*["']?\_(?::=|=>|=|:)\_(?:\\*["'])?([^\s"'`\\,;&|<>(){}\[\]]{6,}))", false, Rule::Weigh::random, Rule::Call::word},
    // A value of several words is told from a sentence by its quotes and by a word in it that has a digit.
    {"password", "passw passphrase", R"((?i:[A-Z0-9_.-]*(?:passw(?:or)?d|passphrase))\\*["']?\_(?::=|=>|=|:)\_(?:\\*"((?:[^\s"\\$*.]+ ){1,4}[^\s"\\$*.]+)\\*"|'((?:[^\s'\\$*.]+ ){1,4}[^\s'\\$*.]+)'))", false, Rule::Weigh::random, Rule::Call::value},
    {"secret", "key token secret passw passphrase pwd credential",
     R"((?i:[A-Z0-9_.-]*(?:api[_-]?key|apikey|access[_-]?key|secret[_-]?key|private[_-]?key|signing[_-]?key|encryption[_-]?key|account[_-]?key|client[_-]?key[_-]?data|(?:subscription|functions?)[_-]key|secret|token|passw(?:or)?[dt]|passphrase|pwd|credentials?)[A-Z0-9_.-]*)\\?["']?\_(?::=|=>|=|:)\_(?:[a-z]{0,2}\\?["'`])?([^\s"'`\\,;&|<>(){}\[\]]{6,}))",
     false, Rule::Weigh::random, Rule::Call::word},
    // Evidence is cut before it gets here: half a secret is still one, and has no length to go by.
    {"cut secret", "\xE2\x80\xA6",
     R"((?:\<\#|\<(?i:bearer\s+|basic\s+)|(?i:--password[= ]|(?:key|token|secret|passw(?:or)?d)\\?["']?\s*[:=]\s*\\?["']?)|://[^\s/:@"'<>]*:)([A-Za-z0-9._~+/%=!-]*[A-Za-z_~+%=!-][A-Za-z0-9._~+/%=!-]*)\xE2\x80\xA6)", false, Rule::Weigh::no, Rule::Call::cut},
    {"e-mail", "@", R"(\b[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}\b)", true},
    {"user", "-home- -users-", R"((?i:-(?:home|users)-)([A-Za-z0-9_.]+))", true},
    {"user", "%2fhome%2f %2fusers%2f %5cusers%5c", R"((?:^|[^A-Za-z0-9_.%-]|%[0-9A-Fa-f]{2})(?i:%2Fhome%2F|%2FUsers%2F|%5CUsers%5C)((?:[A-Za-z0-9_.-]|%[8-9A-Fa-f][0-9A-Fa-f])+))", true},
    // Homes of a Linux inside Windows, as Windows names them.
    {"user", "wsl$ wsl.localhost", R"((?i:\\{2,4}wsl(?:\$|\.localhost))\\{1,4}[^\\\s]+\\{1,4}home\\{1,4}([A-Za-z0-9_][A-Za-z0-9_.-]*))", true},
    {"user", "/media /run/ /net /export \\\\", R"((?:(?:^|[\s"'`=(:,;\[{<]|\~)/(?:(?:run/)?media|run/user|net|export(?:/home)?)/|(?:^|[\s"'`=(,;\[{<])\\{2,4}[A-Za-z0-9._-]{2,}\\{1,2})([A-Za-z0-9_-][A-Za-z0-9_.-]*))", true},
    {"user", "/home/ /users/", R"((?:^|[\s"'`=(:,;\[{<]|\~)/(?:(?:nfs|srv|data|mnt|afs|vol|storage|scratch|nas)/home|(?i:volumes)/[^/\s]+/(?:home|Users))/([A-Za-z0-9_-][A-Za-z0-9_.-]*))", true},
};
// clang-format on
static_assert(std::size(kRules) <= kMaxRedactRules);

// A mark, and the rule that it calls for.
struct Mark {
    std::string_view text;
    std::size_t rule = 0;
};

template <class Take>
constexpr void each_mark(Take&& take) {
    for (std::size_t rule = 0; rule < std::size(kRules); ++rule) {
        for (std::string_view marks = kRules[rule].marks; !marks.empty();) {
            const std::size_t end = std::min(marks.find(' '), marks.size());
            take(Mark{marks.substr(0, end), rule});
            marks.remove_prefix(std::min(end + 1, marks.size()));
        }
    }
}

constexpr std::size_t kShortestMark = 3;  // of those that are looked for together; '@' is alone
template <class Take>
constexpr void each_long_mark(Take&& take) {
    each_mark([&](const Mark& mark) {
        if (mark.text.size() >= kShortestMark) take(mark);
    });
}
constexpr std::size_t kMarkCount = [] {
    std::size_t count = 0;
    each_long_mark([&](const Mark&) { ++count; });
    return count;
}();
constexpr std::size_t kMarkBytes = [] {
    std::size_t count = 0;
    each_long_mark([&](const Mark& mark) { count += mark.text.size(); });
    return count;
}();
// All of them, one behind the other: where a mark stands says whose it is, also where several rules have the same.
struct MarkList {
    std::array<char, kMarkBytes> bytes{};
    std::array<std::uint8_t, kMarkBytes> rule_at{};
};
constexpr MarkList kMarks = [] {
    MarkList marks;
    std::size_t at = 0;
    each_long_mark([&](const Mark& mark) {
        marks.rule_at[at] = static_cast<std::uint8_t>(mark.rule);
        for (const char c : mark.text) marks.bytes[at++] = c;
    });
    return marks;
}();
constexpr PhraseSet kMarkSet([] {
    std::array<std::string_view, kMarkCount> texts{};
    std::size_t at = 0, byte = 0;
    each_long_mark([&](const Mark& mark) {
        texts[at++] = {kMarks.bytes.data() + byte, mark.text.size()};
        byte += mark.text.size();
    });
    return texts;
}());
constexpr std::size_t kMailRule = [] {
    std::size_t found = 0;
    each_mark([&](const Mark& mark) {
        if (mark.text == "@") found = mark.rule;
    });
    return found;
}();

static_assert(kRules[kMailRule].name == "e-mail" && kRules[kMailRule].strict);

// Where a value is given to the name that goes on at `at`, or may be: at the sign for it. Else npos. What may stand
// between them is looked at only as far as it takes to say no: words in prose and paths ("token") are many, and the
// expressions for them are large.
std::size_t sign_behind_name(std::string_view text, std::size_t at) {
    constexpr std::string_view kNameBytes = "_.-";
    constexpr std::size_t kLongestName = 64;  // each mark in a longer one would look at all of it again
    const auto skip = [&](auto&& belongs) {
        while (at < text.size() && belongs(text[at])) ++at;
    };
    const std::size_t begin = at;
    skip([&](char c) {
        const bool letter = lower(c) >= 'a' && lower(c) <= 'z', digit = c >= '0' && c <= '9';
        return at <= begin + kLongestName && (letter || digit || kNameBytes.find(c) != kNameBytes.npos);
    });
    if (at > begin + kLongestName) return text.size();  // nobody knows
    const std::size_t name_end = at;
    skip([](char c) { return c == '\\'; });
    const bool quote = at < text.size() && (text[at] == '"' || text[at] == '\'');
    if (at > name_end && !quote) return name_end;  // may be a colour
    at += quote;
    skip([](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); });
    return at < text.size() && std::string_view(":=\x1B\\^").find(text[at]) != std::string_view::npos ? at : text.npos;
}

// May the word behind this sign look random (is_password)? One without a digit is long then: "token.cpp:12" may, and
// "token.cpp: error" may not. Behind a colour, or the letters of a quoted text (b"…"), it may.
bool may_look_random(std::string_view text, std::size_t sign) {
    constexpr std::string_view kSigns = ":=> \t\r\n\v\f\"'`\\", kEnds = " \t\r\n\v\f\"'`\\,;&|<>(){}[]";
    constexpr std::size_t kLong = 16;  // with signs in front it has 24 bytes; too few of them differ if these are fewer
    const std::size_t begin = std::min(text.find_first_not_of(kSigns, sign), text.size());
    const std::string_view word = text.substr(begin, text.find_first_of(kEnds, begin) - begin);
    return word.size() < 3 || word.size() >= kLong || text[begin] < ' ' || text[begin] == '^' ||
           word.find_first_of("0123456789") != word.npos;
}

bool is_quote_or_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || c == '"' || c == '\'' || c == '\\'; }

// Without blanks, quotes and backslashes at its end.
std::string_view without_tail(std::string_view text) {
    while (!text.empty() && is_quote_or_blank(text.back())) text.remove_suffix(1);
    return text;
}

template <std::size_t N>
bool ends_in_word(std::string_view text, const std::array<std::string_view, N>& words) {
    constexpr std::size_t kLongest = 8;
    std::string end(text.substr(text.size() - std::min(text.size(), kLongest)));
    std::ranges::transform(end, end.begin(), lower);
    return std::ranges::any_of(words, [&](std::string_view word) { return end.ends_with(word); });
}

// Is a secret given a value behind this text, which ends before the : or =? The last one of an address follows its
// user.
bool names_secret(std::string_view text) {
    constexpr std::array<std::string_view, 5> kNames{"key", "token", "secret", "password", "passwd"};
    constexpr std::size_t kLongestUser = 256;
    const std::string_view user = text.substr(text.size() - std::min(text.size(), kLongestUser));
    return ends_in_word(without_tail(text), kNames) || user.find("://") != user.npos;
}

// May what is cut off at `at` be half a secret? It begins like one, or follows what secrets follow. Long texts are cut
// often, and hardly ever within a secret.
bool may_be_half_a_secret(std::string_view text, std::size_t at) {
    constexpr std::size_t kLongest = 256;
    constexpr std::string_view kTokenMarks = "._~+/%=!-";
    constexpr std::array<std::string_view, 3> kWords{"bearer", "basic", "password"};
    std::size_t begin = at;
    const auto is_token = [&](char c) {
        return (lower(c) >= 'a' && lower(c) <= 'z') || (c >= '0' && c <= '9') ||
               kTokenMarks.find(c) != kTokenMarks.npos;
    };
    while (begin > 0 && is_token(text[begin - 1])) --begin;
    if (at - begin > kLongest) return true;
    const std::string_view token = text.substr(begin, at - begin);
    for (const std::string_view beginning : kBeginnings) {
        if (token.find(beginning) != token.npos) return true;
    }
    for (std::size_t equals = token.find('='); equals != token.npos; equals = token.find('=', equals + 1)) {
        if (names_secret(text.substr(0, begin + equals))) return true;
    }
    const std::string_view before = without_tail(text.substr(0, begin));
    if (before.ends_with(':') || before.ends_with('=')) return names_secret(before.substr(0, before.size() - 1));
    return ends_in_word(before, kWords);
}

constexpr std::size_t kLongestCommand = 2'048;

// Does an option follow soon? Programs are named far more often than they are called with one.
bool has_an_option(std::string_view text) {
    text = text.substr(0, kLongestCommand);
    for (std::size_t at = text.find('-'); at != text.npos; at = text.find('-', at + 1)) {
        if (at > 0 && is_quote_or_blank(text[at - 1])) return true;
    }
    return false;
}

// Does a pipe stand in the command that ends here?
bool is_handed_something(std::string_view before) {
    return before.substr(before.size() - std::min(before.size(), kLongestCommand)).find('|') != before.npos;
}

// A rule whose mark stands in the text from `begin` to `end`: is its expression to be asked? They are large, so most
// words that only look like a name or a half are told by less.
bool is_called(const Rule& rule, std::string_view text, std::size_t begin, std::size_t end) {
    constexpr std::size_t kNearQuote = 64;
    switch (rule.call) {
        case Rule::Call::value: return sign_behind_name(text, end) != text.npos;
        case Rule::Call::word: {
            const std::size_t sign = sign_behind_name(text, end);
            return sign != text.npos && may_look_random(text, sign);
        }
        case Rule::Call::cut: return may_be_half_a_secret(text, begin);
        case Rule::Call::option: return has_an_option(text.substr(end));
        case Rule::Call::quoted: return text.substr(end, kNearQuote).find('\'') != text.npos;
        case Rule::Call::piped: return is_handed_something(text.substr(0, begin));
        default: return true;
    }
}

using RuleSet = std::bitset<std::size(kRules)>;

// The rules of which a mark stands in the text: reports pay for redaction only where there is something to redact.
RuleSet rules_called_for(std::string_view text, bool strict) {
    RuleSet rules;
    kMarkSet.any(text, [&](std::size_t at, std::string_view phrase) {
        const std::size_t number = kMarks.rule_at[static_cast<std::size_t>(phrase.data() - kMarks.bytes.data())];
        if (rules[number]) return false;
        const Rule& rule = kRules[number];
        // Every path below a home has a mark of a strict rule.
        if ((strict || !rule.strict) && is_called(rule, text, at, at + phrase.size())) rules.set(number);
        return false;
    });
    if (strict && find_near(text, 0, '@') != text.npos) rules.set(kMailRule);
    return rules;
}

std::string any_beginning() {
    std::string out = "(?:";
    for (const std::string_view beginning : kBeginnings) {
        if (out.back() != ':') out += '|';
        out += re2::RE2::QuoteMeta({beginning.data(), beginning.size()});
    }
    return out + ")";
}

// The expression with its shorthands written out.
std::string written_out(std::string_view expression) {
    const std::string escape = std::string(kColour).append(kEscape);
    const std::pair<std::string_view, std::string> shorthands[] = {
        {"\\<", "(?:\\b|_|" + escape + ")"},
        {"\\~", "(?:" + escape + ")"},
        {"\\_", "(?:\\s|" + std::string(kColour) + ")*"},
        {"\\#", any_beginning()},
        {"\\;", R"((?:[^\r\n;|&]|[;|&][^\s;|&]|\\\r?\n)*?\s)"},
        {"\\@",
         R"((?:\\*"([^"\\\r\n$<{][^"\\\r\n]*)\\*"|'([^'\r\n$<{][^'\r\n]*)'|\\*["']?([^\s"'\\$<{|;&-][^\s"'\\|;&]*)))"},
    };
    std::string out(expression);
    for (const auto& [shorthand, meaning] : shorthands) {
        for (std::size_t at = out.find(shorthand); at != out.npos; at = out.find(shorthand, at + meaning.size())) {
            out.replace(at, shorthand.size(), meaning);
        }
    }
    return out;
}

bool weighs(Rule::Weigh weigh, std::string_view match, std::string_view value) {
    if (weigh == Rule::Weigh::no) return true;
    if (weigh == Rule::Weigh::login) return is_login(value);
    return is_password(match, value);
}

bool is_name_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.' || static_cast<unsigned char>(c) >= 0x80;
}

bool ends_in_hex(std::string_view text, std::string_view mark, std::size_t digits) {
    if (text.size() < mark.size() + digits) return false;
    const std::string_view end = text.substr(text.size() - digits - mark.size());
    return end.starts_with(mark) && std::ranges::all_of(end.substr(mark.size()), is_hex);
}

// What kEscape says: the last letter or digit is not the end of a name.
bool ends_in_escape(std::string_view text) {
    if (text.size() < 2) return false;
    const char last = text.back();
    if (text[text.size() - 2] == '\\' && std::string_view("bfnrt").find(last) != std::string_view::npos) return true;
    if (ends_in_hex(text, "\\u", 4) || ends_in_hex(text, "\\x", 2) || ends_in_hex(text, "%", 2)) return true;
    const std::string_view colour = text.substr(0, text.size() - 1);
    const std::size_t open = colour.find_last_not_of("0123456789;:?");
    if (open == colour.npos) return last == 'm';  // what cut the text out began behind the bracket
    if (!is_letter(last) || colour[open] != '[') return false;
    const std::string_view before = colour.substr(0, open);
    return (last == 'm' && open + 1 < colour.size()) || before.ends_with('\x1B') || before.ends_with("\\e") ||
           before.ends_with("\\033") || before.ends_with("\\x1b") || before.ends_with("\\u001b");
}

// May an absolute path begin where this text ends? Behind :// it is the host or the user of an address.
bool path_may_begin(std::string_view before) {
    if (before.empty()) return true;
    if (before.ends_with(":/")) return false;
    return !is_name_byte(before.back()) || ends_in_escape(before);
}

// Where a home directory that starts at `pos` ends, or npos.
std::size_t home_end(std::string_view text, std::size_t pos) {
    const std::size_t length = home_length(text.substr(pos));
    return length == 0 || !path_may_begin(text.substr(0, pos)) ? text.npos : pos + length;
}

// Writes the text to `out` if there is a home directory in it.
bool without_home(std::string_view text, std::string& out) {
    out.clear();
    std::size_t copied = 0;
    for (std::size_t pos = find_near(text, 0, '/', ':'); pos != text.npos; pos = find_near(text, pos, '/', ':')) {
        const std::size_t start = text[pos] == ':' && pos > 0 ? pos - 1 : pos;
        const std::size_t end = start >= copied ? home_end(text, start) : text.npos;
        if (end == text.npos) {
            ++pos;
            continue;
        }
        out += text.substr(copied, start - copied);
        out += '~';
        pos = copied = end;
    }
    if (copied == 0) return false;
    out += text.substr(copied);
    return true;
}

constexpr int kMaxGroups = 3;

// The group that takes part in the match; without one, the match.
re2::StringPiece the_secret(const re2::StringPiece* found, int groups) {
    for (int group = groups - 1; group > 0; --group) {
        if (found[group].data() != nullptr) return found[group];
    }
    return found[0];
}

}  // namespace

std::vector<RedactKind> redact_kinds() {
    std::vector<RedactKind> kinds;
    for (const Rule& rule : kRules)
        kinds.push_back({rule.name, rule.marks, rule.strict, rule.weigh != Rule::Weigh::no});
    return kinds;
}

Redactor::Redactor(Redact level) : level_(level) {}
Redactor::~Redactor() = default;

const re2::RE2& Redactor::compiled(std::size_t rule) {
    if (!rules_[rule]) {
        re2::RE2::Options options(re2::RE2::Latin1);
        options.set_log_errors(false);
        rules_[rule] = std::make_unique<re2::RE2>(written_out(kRules[rule].expression), options);
    }
    return *rules_[rule];
}

void Redactor::apply(std::size_t index, std::string& text) {
    const Rule& rule = kRules[index];
    const re2::RE2& expression = compiled(index);
    const std::string mark = "[redacted " + std::string(rule.name) + "]";
    if (!expression.ok()) {
        text = "[withheld: the redaction rule for a " + std::string(rule.name) + " is broken]";
        return;
    }
    const int groups = 1 + std::min(kMaxGroups, expression.NumberOfCapturingGroups());
    std::string out;
    re2::StringPiece found[1 + kMaxGroups];
    std::size_t pos = 0;
    std::size_t copied = 0;
    while (pos <= text.size() && expression.Match(text, pos, text.size(), re2::RE2::UNANCHORED, found, groups)) {
        const re2::StringPiece secret = the_secret(found, groups);
        const auto start = static_cast<std::size_t>(secret.data() - text.data());
        pos = start + std::max<std::size_t>(secret.size(), 1);
        const std::string_view value(secret.data(), secret.size());
        const std::string_view match(found[0].data(), found[0].size());
        if (value.starts_with("[redacted")) continue;
        if (!weighs(rule.weigh, match, value)) continue;
        out.append(text, copied, start - copied).append(mark);
        copied = start + secret.size();
    }
    if (copied == 0) return;
    out.append(text, copied);
    text = std::move(out);
}

std::string_view Redactor::shown_text(std::string_view raw) {
    if (level_ == Redact::none) return raw;
    const RuleSet called = rules_called_for(raw, level_ == Redact::strict);
    if (called.none()) return at_home(raw);
    redacted_ = raw;
    for (std::size_t rule = 0; rule < called.size(); ++rule) {
        if (called[rule]) apply(rule, redacted_);
    }
    return at_home(redacted_);
}

std::string Redactor::word(std::string_view raw, std::string_view said) {
    std::string shown = text(raw);
    if (level_ == Redact::none) return shown;
    const bool taken_out = said.find(raw) != said.npos && text(said).find(shown) == std::string::npos;
    return taken_out || is_key_like_a_path(raw) ? "[redacted secret]" : shown;
}

std::string_view Redactor::at_home(std::string_view raw) {
    if (level_ == Redact::none || !without_home(raw, home_)) return raw;
    return home_;
}

}  // namespace agent_audit::report
