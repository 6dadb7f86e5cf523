#include "detectors/speech/goal_terms.hpp"

#include "detectors/speech/remarks.hpp"
#include "detectors/words/last_words.hpp"
#include "detectors/words/number_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"
#include "support/phrase_set.hpp"

#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLongestSentence = 400;  // what is longer is prose or pasted
constexpr std::uint64_t kMostNumber = 1'000'000;

// ---- sentences ---------------------------------------------------------------------------------------------------

std::string_view sentence_around(std::string_view text, std::size_t at) {
    const auto ends = [&](std::size_t i) {
        const char c = text[i];
        if (c == '\n') return true;
        if (c == '.' || c == '!' || c == '?' || c == ';')
            return i + 1 >= text.size() || text[i + 1] == ' ' || text[i + 1] == '\n';
        if (c != '\xe3' && c != '\xef') return false;
        const std::string_view rest = text.substr(i, 3);
        return rest == "。" || rest == "！" || rest == "？" || rest == "；";
    };
    std::size_t begin = at, end = at;
    while (begin > 0 && !ends(begin - 1) && !(begin >= 3 && ends(begin - 3) && text[begin - 3] < 0)) --begin;
    while (end < text.size() && !ends(end)) ++end;
    while (begin < end && text[begin] == ' ') ++begin;
    return text.substr(begin, end - begin);
}

// What is fenced, quoted or part of a table is data.
bool is_data(std::string_view text, std::size_t at) {
    std::size_t fences = 0;
    for (std::size_t i = text.find("```"); i != text.npos && i < at; i = text.find("```", i + 3)) ++fences;
    if (fences % 2 != 0) return true;
    std::size_t begin = at;
    while (begin > 0 && text[begin - 1] != '\n') --begin;
    while (begin < at && text[begin] == ' ') ++begin;
    return text[begin] == '>' || text[begin] == '|';
}

// ---- limits ------------------------------------------------------------------------------------------------------

struct Unit {
    std::string_view word;
    StatedLimit::What what;
    std::uint64_t each;  // of it in one
    bool common;         // a word of everyday: the sentence must speak of the work more plainly
};
constexpr Unit kUnits[] = {
    {"turn", StatedLimit::What::turns, 1, false},     {"round", StatedLimit::What::turns, 1, false},
    {"step", StatedLimit::What::turns, 1, false},     {"call", StatedLimit::What::tool_calls, 1, false},
    {"minute", StatedLimit::What::seconds, 60, true}, {"hour", StatedLimit::What::seconds, 3600, true},
    {"轮", StatedLimit::What::turns, 1, false},       {"步", StatedLimit::What::turns, 1, false},
    {"次", StatedLimit::What::tool_calls, 1, false},  {"分钟", StatedLimit::What::seconds, 60, true},
    {"小时", StatedLimit::What::seconds, 3600, true},
};

constexpr std::string_view kCaps[] = {"at most", "no more than", "not more than", "within",   "maximum",    "max ",
                                      "max. ",   "up to",        "limit",         "you have", "not exceed", "budget",
                                      "最多",    "不超过",       "不要超过",      "不能超过", "不得超过",   "限",
                                      "至多",    "上限"};
constexpr std::string_view kBelow[] = {"fewer than", "less than", "under ", "少于", "不到"};
constexpr std::string_view kCapsBehind[] = {" or less",  " or fewer", " max", " at most", " tops",
                                            " or under", "以内",      "之内", "内",       "为限"};
// What is said of the work itself.
constexpr std::string_view kOfTheWork[] = {
    "you ",           "your",    "finish",  "complete",  "be done",  "get it done", "solve",         "fix ",
    "answer",         "do it",   "do this", "do that",   "use ",     "make ",       "spend",         "stop after",
    "respond",        "reply",   "wrap up", "this task", "the task", "tool call",   "function call", "turns",
    "limit yourself", "work on", "完成",    "结束",      "解决",     "做完",        "搞定",          "调用",
    "任务",           "你",      "轮",      "修好",      "处理"};
constexpr std::string_view kPlainlyOfTheWork[] = {
    "you have",    "finish",        "complete this", "complete the", "complete it", "be done",
    "get it done", "get this done", "wrap up",       "time limit",   "deadline",    "spend",
    "time budget", "done within",   "done in",       "完成",         "结束",        "做完",
    "搞定",        "时间限制",      "截止",          "你有"};
// What is said of the thing that is worked on: how often it retries, when its sessions expire.
constexpr std::string_view kOfTheProduct[] = {"retry",        "retries",
                                              "retried",      "timeout",
                                              "time out",     "times out",
                                              "expire",       "rate limit",
                                              "cache",        "cron",
                                              "interval",     "schedule",
                                              "should wait",  "poll",
                                              "api call",     "history",
                                              "the user",     "users",
                                              "client",       "customer",
                                              "endpoint",     "function should",
                                              "conversation", "session",
                                              "meeting",      "drive",
                                              "delay",        "重试",
                                              "超时",         "过期",
                                              "缓存",         "用户",
                                              "间隔",         "会话",
                                              "历史",         "定时",
                                              "接口"};
// A rate, a part, a distance: no limit of the whole.
constexpr std::string_view kRatesBehind[] = {
    " per ",     " each",   "/",      " a ",    " an ",       " of history", " of the",
    " between",  " ago",    " later", " apart", " at a time", " at once",    " in parallel",
    " in a row", " before", " after", " old",   "每"};

constexpr std::string_view kAdjectives[] = {"tool", "function", "model", "agent", "conversation", "reasoning", "个"};

// The number before a unit and its adjectives ("ten tool calls"); both are cut off.
std::optional<std::uint64_t> number_of_unit(std::string_view& head) {
    head = trimmed_end(head);
    for (const std::string_view adjective : kAdjectives) {
        if (head.ends_with(adjective)) head = trimmed_end(head.substr(0, head.size() - adjective.size()));
    }
    return number_before(head);
}

// Whether a unit at `at` may have a number: settled by a few bytes before it, where most units end.
bool may_have_number(std::string_view text, std::size_t at) {
    static constexpr LastWords adjectives(std::to_array(kAdjectives));
    // Most follow a word that is neither a number nor an adjective.
    const std::string_view head = trimmed_end(text.substr(0, at));
    if (head.empty() || (is_letter(head.back()) && !adjectives.may_end(head) && !may_end_with_number(head)))
        return false;
    constexpr std::size_t kLongest = 96;  // of a number, its unit's adjectives and the marks between
    const std::string before = lowered(text.substr(at - std::min(at, kLongest), std::min(at, kLongest)));
    std::string_view lower = before;
    return number_of_unit(lower).has_value();
}

std::optional<StatedLimit> limit_at(const Unit& unit, std::string_view sentence, std::size_t at, std::uint64_t line) {
    const bool english = is_letter(unit.word[0]);
    const std::string lower = lowered(sentence);
    std::string_view tail = std::string_view(lower).substr(at + unit.word.size());
    if (english) {
        // turns, calls; not turning, callback.
        if (tail.starts_with('s')) tail.remove_prefix(1);
        if (!tail.empty() && (is_letter(tail[0]) || tail[0] == '_' || tail[0] == '(')) return std::nullopt;
    } else if (tail.starts_with("询") || tail.starts_with("子") || tail.starts_with("胎") || tail.starts_with("骤") ||
               tail.starts_with("流")) {
        return std::nullopt;  // 轮询, 轮子, 步骤
    }
    std::string_view head = std::string_view(lower).substr(0, at);
    const std::optional<std::uint64_t> number = number_of_unit(head);
    if (!number || *number == 0 || *number > kMostNumber) return std::nullopt;
    // What caps it stands right before the number, or right behind the unit.
    constexpr std::size_t kNear = 48;
    std::string_view near = head.substr(head.size() - std::min(head.size(), kNear));
    near.remove_prefix(near.rfind(", ") + 1);  // npos + 1 = 0: "you have 6 tries each, play 5 rounds"
    const bool below = contains_any(near, kBelow);
    const bool capped = below || contains_any(near, kCaps) || starts_with_any(tail, kCapsBehind);
    if (!capped || starts_with_any(tail, kRatesBehind)) return std::nullopt;
    const bool of_the_work = unit.common ? contains_any(lower, kPlainlyOfTheWork) : contains_any(lower, kOfTheWork);
    if (!of_the_work || contains_any(lower, kOfTheProduct)) return std::nullopt;
    // 次 counts many things.
    if (unit.word == "次" && lower.find("调用") == lower.npos && lower.find("工具") == lower.npos) return std::nullopt;
    StatedLimit limit;
    limit.what = unit.what;
    limit.most = (*number - (below && *number > 1 ? 1 : 0)) * unit.each;
    limit.line = line;
    limit.sentence = shortened(sentence);
    return limit;
}

// ---- measures ----------------------------------------------------------------------------------------------------

constexpr std::string_view kDemands[] = {"until",    "make sure", "ensure",   "must",     "should",    "so that",
                                         "needs to", "need to",   "have to",  "has to",   "done when", "success",
                                         "get the",  "get all",   "make the", "make all", "直到",      "确保",
                                         "保证",     "必须",      "要",       "使",       "让",        "为准"};
constexpr std::string_view kOfTests[] = {
    "tests pass",    "test pass",   "tests are green", "test suite pass", "suite is green", "tests passing",
    "tests to pass", "pytest pass", "tests succeed",   "test passes",     "pass all tests", "pass the tests",
    "ci is green",   "ci passes",   "tests green",     "测试通过",        "通过测试",       "测试全部通过",
    "测试都通过",    "测试能通过",  "通过所有测试",    "通过全部测试"};
constexpr std::string_view kOfBuilds[] = {"build passes",     "build is green",  "build succeeds",   "it compiles",
                                          "compiles without", "compile cleanly", "compiles cleanly", "builds cleanly",
                                          "build works",      "code compiles",   "project compiles", "project builds",
                                          "编译通过",         "构建通过",        "构建成功",         "编译成功"};
constexpr std::string_view kOfLint[] = {
    "lint passes",     "linter passes",    "lint is clean",     "lint clean",        "no lint",        "clippy passes",
    "clippy is clean", "typecheck passes", "type check passes", "type-check passes", "no type errors", "mypy passes",
    "tsc passes",      "tsgo passes",      "eslint passes",     "类型检查通过",      "没有类型错误",   "lint 通过"};

// All three lists are looked for at once: a text is read a single time for them.
constexpr auto kOfMeasures = [] {
    std::array<std::string_view, std::size(kOfTests) + std::size(kOfBuilds) + std::size(kOfLint)> all{};
    std::ranges::copy(kOfLint, std::ranges::copy(kOfBuilds, std::ranges::copy(kOfTests, all.begin()).out).out);
    return all;
}();
constexpr StatedMeasure::What kMeasures[] = {StatedMeasure::What::tests, StatedMeasure::What::build,
                                             StatedMeasure::What::lint};
using FirstPlaces = std::array<std::size_t, std::size(kMeasures)>;

std::size_t measure_of(std::size_t phrase) {
    if (phrase < std::size(kOfTests)) return 0;
    return phrase < std::size(kOfTests) + std::size(kOfBuilds) ? 1 : 2;
}

// Where each of them is named first.
FirstPlaces measures_at(std::string_view text) {
    static constexpr PhraseSet phrases(kOfMeasures);
    FirstPlaces first;
    first.fill(text.npos);
    phrases.any(text, [&first](std::size_t place, std::string_view phrase) {
        std::size_t& at =
            first[measure_of(static_cast<std::size_t>(std::ranges::find(kOfMeasures, phrase) - kOfMeasures.begin()))];
        at = std::min(at, place);
        return false;
    });
    return first;
}

void state_measure(StatedMeasure::What what, std::string_view text, std::size_t at, std::uint64_t line,
                   std::vector<StatedMeasure>& out) {
    if (at == text.npos || is_data(text, at)) return;
    const std::string_view sentence = sentence_around(text, at);
    if (sentence.size() > kLongestSentence || !contains_any(lowered(sentence), kDemands)) return;
    out.push_back({what, line, shortened(sentence)});
}

constexpr auto kUnitWords = [] {
    std::array<std::string_view, std::size(kUnits)> words{};
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = kUnits[i].word;
    return words;
}();

// Units with a number before them, by kind and place.
std::vector<std::pair<std::size_t, std::size_t>> units_in(std::string_view text) {
    static constexpr PhraseSet words(kUnitWords);
    std::vector<std::pair<std::size_t, std::size_t>> out;
    words.any(text, [&](std::size_t at, std::string_view word) {
        const char before = at > 0 ? text[at - 1] : '\0';
        // Most are part of another word, or have no number before them: return, callback.
        if (before == '\0' || (is_letter(word[0]) && is_letter(before)) || before == '_') return false;
        if (!text.substr(at).starts_with(word) || !may_have_number(text, at)) return false;
        out.emplace_back(static_cast<std::size_t>(std::ranges::find(kUnitWords, word) - kUnitWords.begin()), at);
        return false;
    });
    std::ranges::sort(out);
    return out;
}

}  // namespace

std::string shortened(std::string_view text) {
    constexpr std::size_t kMostSentence = 160;
    constexpr std::string_view kMore = "\xE2\x80\xA6";
    if (text.size() <= kMostSentence) return std::string(text);
    std::string_view kept = cut_utf8(text, kMostSentence - kMore.size());
    const std::size_t blank = kept.find_last_of(" \t\r\n");
    if (text[kept.size()] > ' ' && blank != kept.npos && blank > kMostSentence / 2) kept = kept.substr(0, blank);
    while (!kept.empty() && static_cast<unsigned char>(kept.back()) <= ' ') kept.remove_suffix(1);
    return std::string(kept).append(kMore);
}

std::vector<StatedLimit> limits_in(std::string_view text, std::uint64_t line) {
    std::vector<StatedLimit> out;
    for (const auto& [unit, at] : units_in(text)) {
        const std::string_view sentence = sentence_around(text, at);
        if (sentence.size() > kLongestSentence || is_data(text, at)) continue;
        const auto place = at - static_cast<std::size_t>(sentence.data() - text.data());
        auto limit = limit_at(kUnits[unit], sentence, place, line);
        const auto same = [&](const StatedLimit& known) { return known.what == limit->what; };
        if (limit && std::ranges::none_of(out, same)) out.push_back(std::move(*limit));
    }
    return out;
}

std::vector<StatedMeasure> measures_in(std::string_view text, std::uint64_t line) {
    std::vector<StatedMeasure> out;
    const FirstPlaces first = measures_at(text);
    for (std::size_t i = 0; i < first.size(); ++i) state_measure(kMeasures[i], text, first[i], line, out);
    return out;
}

void GoalTerms::clear() {
    open_.clear();
    closed_.clear();
    passed_.clear();
    began_ms_ = -1;
    said_.clear();
    said_at_.clear();
    only_greeted_ = false;
}

void GoalTerms::hear(std::string_view text, std::uint64_t line) {
    // Who only greets has not said yet what it is about.
    if (only_greeted_) {
        said_.clear();
        said_at_.clear();
    }
    only_greeted_ = said_at_.empty() && (is_greeting(text) || is_command_word(text));
    if (said_.size() < kMostSaid) {
        said_at_.emplace_back(said_.size(), line);
        said_.append(text.substr(0, kMostSaid - said_.size()));
    }
    for (StatedLimit& limit : limits_in(text, line)) {
        if (open_.size() + closed_.size() < SessionGoal::kMostLimits) open_.push_back(std::move(limit));
    }
}

void GoalTerms::close() {
    // The goal given for the run is not taken back by what is said in it.
    const auto ended =
        std::stable_partition(open_.begin(), open_.end(), [](const StatedLimit& limit) { return limit.line == 0; });
    std::move(ended, open_.end(), std::back_inserter(closed_));
    open_.erase(ended, open_.end());
    passed_.clear();
    began_ms_ = -1;
}

void GoalTerms::use(StatedLimit::What what, std::uint64_t amount, const Place& at) {
    for (StatedLimit& limit : open_) {
        if (limit.what != what) continue;
        limit.used += amount;
        if (limit.used <= limit.most || limit.passed_line != 0) continue;
        limit.passed_line = at.line;
        passed_.push_back({limit, at});
    }
}

void GoalTerms::time(std::int64_t ms, const Place& at) {
    if (ms < 0) return;
    if (began_ms_ < 0 || ms < began_ms_) began_ms_ = ms;
    const auto since = static_cast<std::uint64_t>((ms - began_ms_) / 1000);
    for (StatedLimit& limit : open_) {
        if (limit.what == StatedLimit::What::seconds && since > limit.used)
            use(StatedLimit::What::seconds, since - limit.used, at);
    }
}

void GoalTerms::tell(SessionGoal& goal) const {
    if (!said_at_.empty()) {
        const std::size_t end = said_at_.size() > 1 ? said_at_[1].first : said_.size();
        goal.line = said_at_[0].second;
        std::string_view text = std::string_view(said_).substr(0, end);
        while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ') text.remove_prefix(1);
        goal.text = shortened(text);
    }
    for (std::size_t i = 0; i < said_at_.size() && goal.measures.size() < SessionGoal::kMostMeasures; ++i) {
        const std::size_t end = i + 1 < said_at_.size() ? said_at_[i + 1].first : said_.size();
        const std::string_view text = std::string_view(said_).substr(said_at_[i].first, end - said_at_[i].first);
        for (StatedMeasure& measure : measures_in(text, said_at_[i].second)) {
            const auto same = [&](const StatedMeasure& known) { return known.what == measure.what; };
            if (std::ranges::none_of(goal.measures, same)) goal.measures.push_back(std::move(measure));
        }
    }
    goal.limits = closed_;
    goal.limits.insert(goal.limits.end(), open_.begin(), open_.end());
}

}  // namespace agent_audit::detectors
