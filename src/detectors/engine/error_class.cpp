#include "detectors/engine/error_class.hpp"

#include "detectors/engine/status_code.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>
#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kWindow = 512;       // bytes looked at on either end of a text
constexpr std::size_t kMaxPatterns = 256;  // of a user

constexpr std::string_view kTransient[] = {
    R"(\btimed[ -]?out\b)",
    R"(\be(?:socket)?timedout\b)",
    R"(\b(?:connect|connection|read|write|request|gateway|network|socket|operation|response|navigation|handshake|idle|upstream|lock|lock wait|query|statement)[ _-]?time-?out\b)",
    R"(\btimeout(?:error|exception|expired)\b)",
    R"(\btimeout (?:of \d|after \d|exceeded|expired|reached|while|waiting|occurred))",
    R"(\berror: timeout\b)",
    R"(\bdeadline(?:[ _]has)?[ _]?(?:been )?exceeded\b)",
    R"(\bconnection (?:was |has been |is )?(?:refused|reset|aborted|closed|lost|dropped|interrupted|terminated|error)\b)",
    R"(\bconnection to \S+ (?:was )?(?:refused|reset|closed|lost|failed)\b)",
    R"(\b(?:econnrefused|econnreset|econnaborted|ehostunreach|enetunreach|eai_again)\b)",
    R"(\bsocket hang ?up\b)",
    R"(\b(?:network|host) is (?:unreachable|down)\b)",
    R"(\bno route to host\b)",
    R"(\bnetwork error\b)",
    R"(\bfetch failed\b)",
    R"(\btemporary failure in name resolution\b)",
    R"(\bcould not resolve host\b)",
    R"(\bupstream connect error\b)",
    R"(\brate[ _-]?limit)",
    R"(\btoo many requests\b)",
    R"(\bthrottl(?:ed|ing))",
    R"(\boverloaded_error\b)",
    R"(\b(?:server|service|model|api|engine)(?: is)?(?: currently| temporarily)? overloaded\b)",
    R"(\b(?:temporarily|currently) unavailable\b)",
    R"(\bservice unavailable\b)",
    R"(\bbad gateway\b)",
    R"(\bgateway time-?out\b)",
    R"(\binternal server error\b)",
    R"(\btry again (?:later|in (?:a|\d)))",
    R"(\bdatabase is locked\b)",
    R"(\bcould not get lock\b)",
};

constexpr std::string_view kPersistent[] = {
    R"(\bpermission denied\b)",
    R"(\b(?:eacces|eperm|enoent|enotdir|eisdir|eexist|enotempty)\b)",
    R"(\boperation not permitted\b)",
    R"(\baccess (?:is )?denied\b)",
    R"(\b(?:unauthorized|unauthenticated|forbidden)\b)",
    R"(\bauthentication (?:failed|required|error)\b)",
    R"(\b(?:invalid|incorrect|wrong|missing|expired|revoked|bad)[ _-](?:api[ _-]?)?(?:key|token|credentials?|password|signature|grant)\b)",
    R"(\bcredentials? (?:are |is |were )?(?:invalid|expired|missing|rejected)\b)",
    R"(\bnot logged in\b)",
    R"(\binsufficient[ _](?:quota|permissions?|scopes?|privileges?|balance|funds)\b)",
    R"(\bnot found\b)",
    R"(\b(?:does not|doesn't|do not|don't) exist\b)",
    R"(\bno such (?:file|directory|module|package|table|column|command|option|method|tool|image|container|remote|ref)\b)",
    R"(\b(?:cannot|can't|could not|couldn't|unable to) (?:find|open|locate|resolve module|import)\b)",
    R"(\bunknown (?:tool|command|option|argument|flag|function|method|parameter|property|identifier)\b)",
    R"(\bunrecognized (?:option|arguments?|command)\b)",
    R"(\binvalid (?:argument|option|parameter|params?|input|path|syntax|json|request|value|type|schema)\b)",
    R"(\b(?:syntax|type|reference|name|key|value|attribute|import|modulenotfound|filenotfound|assertion|index)error\b)",
    R"(\bsyntax error\b)",
    R"(\bbad request\b)",
    R"(\bmethod not allowed\b)",
    R"(\bnot (?:supported|implemented|allowed|permitted|a directory|a git repository|executable)\b)",
    R"(\bis a directory\b)",
    R"(\balready exists\b)",
    R"(\b(?:is required|missing required|required (?:parameter|argument|property|field))\b)",
    R"(\b(?:has not been read|must be read|read it first)\b)",
    R"(\bmerge conflict\b)",
    R"(\bvalidation (?:error|failed)\b)",
    R"(\bcompilation (?:failed|error)\b)",
    R"(\bundefined (?:reference|symbol|variable|function|method)\b)",
};

constexpr std::string_view kInfrastructure[] = {
    R"(\bno space left on device\b)",
    R"(\bdisk (?:is )?full\b)",
    R"(\bdisk quota exceeded\b)",
    R"(\b(?:enospc|enomem|emfile|enfile|edquot|erofs)\b)",
    R"(\bout of memory\b)",
    R"(\bcannot allocate memory\b)",
    R"(\boom[ -]?kill)",
    R"(\b(?:memoryerror|outofmemoryerror)\b)",
    R"(\btoo many open files\b)",
    R"(\bread-only file system\b)",
    R"(\binput/output error\b)",
    R"(\b(?:segmentation fault|bus error)\b)",
    R"(\bsandbox (?:error|crashed|terminated|was terminated|not available|is not available|unavailable|failed to start)\b)",
    R"(\bcontainer (?:\S+ )?(?:is not running|has exited|exited unexpectedly|not running|died)\b)",
    R"(\bcannot connect to the docker daemon\b)",
    R"(\bmcp server (?:\S+ )?(?:is )?(?:disconnected|not connected|crashed|not running|failed to start)\b)",
    R"(\btool (?:server|runtime|host) (?:crashed|exited|is not running|died)\b)",
};

constexpr std::string_view kUserDenied[] = {
    R"(\buser (?:has )?(?:rejected|denied|declined|refused|cancelled|canceled|aborted|interrupted)\b)",
    R"(\b(?:rejected|denied|declined|refused|cancelled|canceled|aborted|interrupted) by (?:the )?(?:user|human|operator)\b)",
    R"(\buser (?:doesn't|does not|didn't|did not) (?:want|approve|allow)\b)",
    R"(\bapproval (?:was )?(?:denied|rejected|refused|declined)\b)",
    R"(\b(?:denied|blocked|rejected|refused) by (?:a |the |your )?(?:\w+ )?(?:policy|permission settings|permission rules?|administrator)\b)",
    R"(\bpermission to use \S+ (?:has been|was|is) denied\b)",
};

constexpr std::uint16_t kTransientCodes[] = {408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529};
constexpr std::uint16_t kPersistentCodes[] = {400, 401, 402, 403, 404, 405, 406, 409, 410, 413, 415, 422, 501};

// A denial is the most telling and an error of the machine the next; what goes away by itself comes before what does
// not, because a wrong "transient" makes the rules wait longer and a wrong "persistent" raises a false alarm.
constexpr ErrorDefaults kDefaults[] = {
    {ErrorClass::user_denied,
     "user-denied",
     "a human or a policy said no; such calls are no evidence of anything",
     kUserDenied,
     {}},
    {ErrorClass::infrastructure, "infrastructure", "the machine or the harness is at fault", kInfrastructure, {}},
    {ErrorClass::transient, "transient", "goes away by itself: the repeat rules wait longer", kTransient,
     kTransientCodes},
    {ErrorClass::persistent, "persistent", "comes back until something is changed", kPersistent, kPersistentCodes},
};

// Ranks: a user's patterns, then our own, each in the order of kDefaults; codes stand before our persistent patterns,
// which are the most general.
constexpr int kOwnRank = 10, kCodeRank = kOwnRank + 3, kPersistentRank = kCodeRank + 1;

int own_rank(std::size_t row) { return row == 3 ? kPersistentRank : kOwnRank + static_cast<int>(row); }

// Bytes, not code points: recordings are cut anywhere.
re2::RE2::Options options() {
    re2::RE2::Options o(re2::RE2::Latin1);
    o.set_case_sensitive(false);
    o.set_log_errors(false);
    return o;
}

std::pair<std::string_view, std::string_view> windows(std::string_view text) {
    if (text.size() <= 2 * kWindow) return {text, {}};
    return {text.substr(0, kWindow), text.substr(text.size() - kWindow)};
}

/// A value that begins with = stands alone; any other is added.
bool replaces(std::string_view& value) {
    if (!value.starts_with('=')) return false;
    value.remove_prefix(1);
    return true;
}

}  // namespace

std::span<const ErrorDefaults> error_defaults() { return kDefaults; }

struct ErrorClassifier::Compiled {
    re2::RE2::Set set{options(), re2::RE2::UNANCHORED};
    std::vector<std::pair<int, ErrorClass>> by_index;  // rank and class of each pattern in the set
    bool usable = false;
};

ErrorClassifier::ErrorClassifier() {
    for (std::size_t row = 0; row < std::size(kDefaults); ++row) {
        for (const std::string_view pattern : kDefaults[row].patterns) {
            patterns_.push_back({kDefaults[row].error, own_rank(row), std::string(pattern)});
        }
        for (const std::uint16_t code : kDefaults[row].codes) codes_[code] = kDefaults[row].error;
    }
}

ErrorClassifier::~ErrorClassifier() = default;

Result<std::shared_ptr<const ErrorClassifier>> ErrorClassifier::make(const Settings& settings) {
    auto made = std::make_shared<ErrorClassifier>();
    std::size_t added = 0;
    for (std::size_t row = 0; row < std::size(kDefaults); ++row) {
        const ErrorDefaults& defaults = kDefaults[row];
        const std::string key = fmt::format("errors.{}", defaults.key);
        for (const Setting& setting : settings.values(key)) {
            std::string_view value = setting.value;
            if (replaces(value)) {
                std::erase_if(made->patterns_, [&](const Pattern& p) { return p.error == defaults.error; });
                if (value.empty()) continue;
            }
            const auto wrong = [&](std::string_view why) {
                return Error{fmt::format("{}: {} = \"{}\": {}", setting.origin, key, setting.value, why)};
            };
            if (value.empty()) return wrong("expected a regular expression (RE2)");
            if (++added > kMaxPatterns) return wrong(fmt::format("more than {} patterns", kMaxPatterns));
            const re2::RE2 pattern(re2::StringPiece(value.data(), value.size()), options());
            if (!pattern.ok()) return wrong("not a regular expression (RE2): " + pattern.error());
            if (pattern.Match("", 0, 0, re2::RE2::UNANCHORED, nullptr, 0)) return wrong("matches every text");
            made->patterns_.push_back({defaults.error, static_cast<int>(row), std::string(value)});
        }
        const std::string codes_key = key + "-codes";
        for (const Setting& setting : settings.values(codes_key)) {
            std::string_view list = setting.value;
            if (replaces(list)) std::ranges::replace(made->codes_, defaults.error, ErrorClass::none);
            while (!list.empty()) {
                const std::string_view word = list.substr(0, list.find(','));
                list.remove_prefix(std::min(word.size() + 1, list.size()));
                unsigned code = 0;
                const auto [end, ec] = std::from_chars(word.data(), word.data() + word.size(), code);
                if (ec != std::errc{} || end != word.data() + word.size() || code < 100 || code > 999) {
                    return Error{fmt::format("{}: {} = \"{}\": expected codes from 100 to 999, comma separated",
                                             setting.origin, codes_key, setting.value)};
                }
                made->codes_[code] = defaults.error;
            }
        }
    }
    return std::shared_ptr<const ErrorClassifier>(std::move(made));
}

const ErrorClassifier::Compiled& ErrorClassifier::compile() const {
    std::call_once(once_, [this] {
        auto made = std::make_unique<Compiled>();
        for (const Pattern& pattern : patterns_) {
            std::string ignored;
            if (made->set.Add(re2::StringPiece(pattern.text), &ignored) >= 0)
                made->by_index.emplace_back(pattern.rank, pattern.error);
        }
        made->usable = !made->by_index.empty() && made->set.Compile();
        compiled_ = std::move(made);
    });
    return *compiled_;
}

void ErrorClassifier::consider(std::string_view window, int& rank, ErrorClass& error) const {
    const Compiled& compiled = compile();
    std::vector<int> matches;
    if (compiled.usable && compiled.set.Match(re2::StringPiece(window.data(), window.size()), &matches)) {
        for (const int index : matches) {
            const auto& [its_rank, its_error] = compiled.by_index[static_cast<std::size_t>(index)];
            if (its_rank < rank) {
                rank = its_rank;
                error = its_error;
            }
        }
    }
    if (rank <= kCodeRank) return;
    for (std::size_t at = 0; const std::uint16_t code = next_status_code(window, at);) {
        if (codes_[code] == ErrorClass::none) continue;
        rank = kCodeRank;
        error = codes_[code];
        return;
    }
}

ErrorClass ErrorClassifier::classify(RawText text) const {
    int rank = std::numeric_limits<int>::max();
    ErrorClass error = ErrorClass::unknown;
    const auto [head, tail] = windows(text.bytes);
    consider(head, rank, error);
    if (!tail.empty()) consider(tail, rank, error);
    return error;
}

std::uint64_t ErrorClassifier::hash(RawText text) {
    const auto [head, tail] = windows(text.bytes);
    return stable_hash(tail, stable_hash(head));
}

}  // namespace agent_audit::detectors
