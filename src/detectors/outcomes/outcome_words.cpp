#include "detectors/outcomes/outcome_words.hpp"

#include "detectors/outcomes/answers.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"
#include "support/phrase_set.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLongest = 2048;             // bytes: a longer answer has more to say than a figure
constexpr std::size_t kBefore = 40, kBehind = 24;  // bytes around what differs, in its line
constexpr std::string_view kMeasures[] = {
    "lag ",        "lag:",          "eta ",        "eta:",     "remaining",     "time left",     "s left",
    "min left",    "minutes left",  "latency",     "p95",      "p99",           "p50",           "oldest",
    "watermark",   "ns/op",         "ms/op",       "us/op",    "must be below", "must be under", "limit is ",
    "over budget", "latest backup", "last backup", "next run", "next invoice",  "slower than",   "faster than"};
constexpr std::string_view kDeeds[] = {"deleted", "removed", "created",   "archived", "killed",   "processed", "closed",
                                       "merged",  "moved",   "published", "approved", "assigned", "imported"};
constexpr std::string_view kUnits[] = {"s",       "ms",  "us",   "ns",      "sec", "secs",
                                       "seconds", "min", "mins", "minutes", "h",   "hours"};

constexpr std::string_view kFigures[] = {"loss",   "perplexity", "rmse",        "grad norm",
                                         "reward", "accuracy",   "success rate"};

constexpr PhraseSet kMeasureSet(kMeasures);
constexpr PhraseSet kFigureSet(kFigures);
constexpr PhraseSet kDeedSet(kDeeds);

bool ends_line(char c) { return c == '\n' || c == '\r'; }

/// From the first byte in which `now` differs up to the last one.
struct Stretch {
    std::size_t begin = 0, end = 0;
};
Stretch difference(std::string_view before, std::string_view now) {
    const std::size_t most = std::min(before.size(), now.size());
    std::size_t head = 0, tail = 0;
    while (head < most && before[head] == now[head]) ++head;
    while (tail < most - head && before[before.size() - 1 - tail] == now[now.size() - 1 - tail]) ++tail;
    return {head, now.size() - tail};
}

// Where a field of an object ends and the name of the next one begins: `, "`, `,"`, `, \"`.
bool ends_field(std::string_view text, std::size_t at) {
    if (text[at] != ',') return false;
    std::string_view behind = text.substr(at + 1);
    if (behind.starts_with(' ')) behind.remove_prefix(1);
    return behind.starts_with('"') || behind.starts_with("\\\"");
}

// The stretch with what stands around it in its line, and in its field: when a latency was measured is no latency.
std::string_view around(std::string_view text, const Stretch& s) {
    std::size_t begin = s.begin, end = s.end;
    while (begin > 0 && s.begin - begin < kBefore && !ends_line(text[begin - 1]) && !ends_field(text, begin - 1))
        --begin;
    while (end < text.size() && end - s.end < kBehind && !ends_line(text[end]) && !ends_field(text, end)) ++end;
    return text.substr(begin, end - begin);
}

// "10:00:01", "1.2 s"
bool is_time(std::string_view text, Stretch s) {
    const auto of_value = [](char c) {
        return is_digit(c) || is_letter(c) || c == ':' || c == '.' || c == '-' || c == '_';
    };
    while (s.begin > 0 && of_value(text[s.begin - 1])) --s.begin;
    while (s.end < text.size() && of_value(text[s.end])) ++s.end;
    const std::string_view value = text.substr(s.begin, s.end - s.begin);
    if (value.find(':') != value.npos || value.find('.') != value.npos) return true;
    const auto is_unit = [](std::string_view unit) { return std::ranges::find(kUnits, unit) != std::end(kUnits); };
    const auto digits = static_cast<std::size_t>(std::ranges::find_if_not(value, is_digit) - value.begin());
    if (digits > 0 && digits < value.size()) return is_unit(value.substr(digits));
    std::string_view rest = text.substr(s.end);
    if (!rest.starts_with(' ')) return false;
    rest.remove_prefix(1);
    return is_unit(rest.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(rest, is_letter) - rest.begin())));
}

// The number alone: no part of another one.
bool names_number(std::string_view text, std::string_view number) {
    for (std::size_t at = text.find(number); at != text.npos; at = text.find(number, at + 1)) {
        const std::size_t end = at + number.size();
        if ((at == 0 || !is_digit(text[at - 1])) && (end == text.size() || !is_digit(text[end]))) return true;
    }
    return false;
}

}  // namespace

bool differs_in_measure(std::string_view before, std::string_view now) {
    if (before.size() > kLongest || now.size() > kLongest) return false;
    return kMeasureSet.said_in(around(now, difference(before, now)));
}

bool differs_in_deed(std::string_view before, std::string_view now) {
    constexpr std::size_t kShort = 200;
    if (before.size() > kShort || now.size() > kShort || says_refusal(now)) return false;
    return kDeedSet.said_in(now) && !is_time(now, difference(before, now));
}

bool names_figure(std::string_view answer) { return kFigureSet.in(answer); }

bool says_nothing_came(std::string_view answer) {
    return kFigureSet.any(answer, [&](std::size_t at, std::string_view figure) {
        std::string_view value = answer.substr(at + figure.size());
        value.remove_prefix(std::min(value.find_first_not_of(" :=\\\"'|\t"), value.size()));
        if (value.starts_with("is ")) value.remove_prefix(3);
        if (value.starts_with('-')) value.remove_prefix(1);  // "-nan"
        const std::string_view word =
            value.substr(0, static_cast<std::size_t>(std::ranges::find_if_not(value, is_letter) - value.begin()));
        if (word == "nan" || word == "NaN") return true;
        const bool good = figure == "reward" || figure == "accuracy" || figure == "success rate";
        const std::size_t end = std::min(value.find_first_not_of("0123456789.,"), value.size());  // "0,98"
        return good && end > 0 && value.substr(0, end).find_first_of("123456789") == value.npos && value[0] == '0';
    });
}

bool says_out_of_reach(std::string_view answer) {
    constexpr std::size_t kShort = 200;  // bytes
    constexpr std::string_view kWords[] = {"not clickable",          "not interactable", "not visible",
                                           "not attached",           "not enabled",      "intercepts pointer events",
                                           "outside of the viewport"};
    return answer.size() <= kShort && contains_any(answer, kWords);
}

bool says_only_code(std::string_view answer) {
    constexpr std::string_view kEnded[] = {"[The command completed with exit code 1.]",
                                           "[Command finished with exit code 1]", "[Current working directory: "};
    while (answer.starts_with('\n') || answer.starts_with("\\n") || answer.starts_with("\\r"))
        answer.remove_prefix(answer[0] == '\\' ? 2 : 1);
    return starts_with_any(answer, kEnded);
}

bool says_no_program(std::string_view answer) {
    constexpr std::string_view kWords[] = {"command not found",
                                           "No such file or directory",
                                           "ermission denied",
                                           "is not recognized",
                                           "Kommando nicht gefunden",
                                           "Befehl nicht gefunden",
                                           "Datei oder Verzeichnis nicht gefunden",
                                           "Keine Berechtigung",
                                           "ist entweder falsch",
                                           "commande introuvable",
                                           "Aucun fichier ou dossier",
                                           "ermission non accord",
                                           "orden no encontrada",
                                           "No existe el fichero",
                                           "No existe el archivo",
                                           "ermiso denegado",
                                           "comando non trovato",
                                           "File o directory non esiste",
                                           "ermesso negato",
                                           "comando não encontrado",
                                           "не найдена",
                                           "Нет такого файла",
                                           "Отказано в доступе",
                                           "未找到命令",
                                           "没有那个文件或目录",
                                           "权限不够",
                                           "コマンドが見つかりません",
                                           "許可がありません"};
    return contains_any(answer, kWords);
}

[[gnu::noinline]] bool filled_batch(std::string_view command, std::string_view answer) {
    constexpr std::size_t kFew = 240, kNear = 12;  // bytes
    constexpr std::string_view kBounds[] = {"limit", "batch", "chunk", " top"};
    constexpr std::string_view kDone[] = {"update",   "delete",   "insert",    "remove", "move",    "import",
                                          "migrate",  "copied",   "processed", "wrote",  "written", "loaded",
                                          "affected", "archived", "indexed",   "purged", "sent"};
    static constexpr PhraseSet kBoundSet(kBounds);
    if (answer.size() > kFew || !kBoundSet.in(command)) return false;
    if (std::ranges::none_of(answer, is_digit) || says_refusal(answer)) return false;
    const std::string asked = lowered(command), said = lowered(answer);
    if (!contains_any(said, kDone)) return false;
    for (const std::string_view bound : kBounds) {
        for (std::size_t at = asked.find(bound); at != asked.npos; at = asked.find(bound, at + 1)) {
            const std::string_view near = std::string_view(asked).substr(at + bound.size(), kNear);
            const std::size_t begin = std::min(near.find_first_of("0123456789"), near.size());
            const std::string_view number = near.substr(begin, near.find_first_not_of("0123456789", begin) - begin);
            if (number.size() > 1 && names_number(said, number)) return true;
        }
    }
    return false;
}

namespace {

// Of what these were done to, the next call finds less.
constexpr std::string_view kUsesUp[] = {
    "delet",  "purged",      "moved",     "archived",   "replayed", "requeued", "drained", "consumed", "evicted",
    "pruned", "redelivered", "umgebucht", "verschoben", "gelöscht", "entfernt", "movid",   "eliminad", "borrad",
    "déplac", "supprim",     "spostat",   "eliminat",   "excluíd",  "已移动",   "已删除",  "移動",     "削除"};
// The same, or the same again: as many as were asked for.
constexpr std::string_view kWorksOff[] = {"process",  "migrat",  "import",   "ingest",   "updat",   "insert",
                                          "affected", "backfil", "convert",  "transfer", "handled", "indexed",
                                          "sent",     "copied",  "uploaded", "exported", "loaded",  "synced"};

// What says that something is left to do.
constexpr std::string_view kLeft[] = {"remain", "left", "pending", "to go", "outstanding", "still "};

constexpr std::string_view kPlurals[] = {"s ", "row", "stück", "zeilen", "件", "条"};

// The number of two and more that stands beside a word: "moved 25", "25 rows moved", "DELETE 10000"; empty = none does.
std::string_view amount_beside(std::string_view said, std::size_t at, std::size_t size) {
    constexpr std::size_t kAhead = 20, kAfter = 16;  // bytes
    constexpr std::string_view kDigits = "0123456789", kLetters = "abcdefghijklmnopqrstuvwxyz_", kMarks = " :=\"'\\";
    const auto number_at = [&](std::size_t begin) {
        const std::string_view number =
            said.substr(begin, std::min(said.find_first_not_of(kDigits, begin), said.size()) - begin);
        return number == "1" || number.find_first_not_of('0') == number.npos ? std::string_view{} : number;
    };
    const std::size_t behind = said.find_first_of(kDigits, at + size);
    // "INSERT 0 1000": the first of two is none. "Moved to (640, 380)", "deleted record 4711" tell a place and a name.
    const std::size_t word = std::min(said.find_first_not_of(kLetters, at + size), said.size());
    if (behind != said.npos && behind - at - size <= kAfter && said.find_first_not_of(kMarks, word) == behind) {
        if (const std::string_view number = number_at(behind); !number.empty()) return number;
        const std::size_t next = said.find_first_of(kDigits, said.find_first_not_of(kDigits, behind));
        return next == behind + 2 ? number_at(next) : std::string_view{};
    }
    const std::size_t last = at == 0 ? said.npos : said.find_last_of(kDigits, at - 1);
    if (last == said.npos || at - last > kAhead) return {};
    // "25 rows deleted": of how many things, not of which one.
    const std::string_view things = trimmed(said.substr(last + 1, at - last - 1));
    const bool many = things.empty() || contains_any(std::string(things) + ' ', kPlurals);
    if (!many) return {};
    const std::size_t begin = said.find_last_not_of(kDigits, last);
    return number_at(begin == said.npos ? 0 : begin + 1);
}

// Where the lone 0 ends that stands behind a word, as in "failed 0" and {"moved":0}; npos = none does.
std::size_t zero_behind(std::string_view said, std::size_t word_end) {
    constexpr std::string_view kMarks = " :=\"'\\", kNumber = "0123456789.";
    const std::size_t number = said.find_first_not_of(kMarks, word_end);
    if (number == said.npos || said[number] != '0') return said.npos;
    const bool more = number + 1 < said.size() && kNumber.find(said[number + 1]) != kNumber.npos;
    return more ? said.npos : number + 1;
}

// "replayed 50, failed 0": that none failed is no failure.
std::string without_no_failures(std::string_view said) {
    constexpr std::string_view kFailures[] = {"failed", "failures", "errors", "rejected"};
    std::string rest(said);
    for (const std::string_view word : kFailures) {
        const std::size_t at = rest.find(word);
        if (at == rest.npos) continue;
        if (const std::size_t end = zero_behind(rest, at + word.size()); end != rest.npos) rest.erase(at, end - at);
    }
    return rest;
}

template <std::size_t N, class Is>
bool any_amount(std::string_view said, const std::string_view (&deeds)[N], Is&& is) {
    return std::ranges::any_of(deeds, [&](std::string_view deed) {
        const std::size_t at = said.find(deed);
        if (at == said.npos || (at > 0 && is_letter(said[at - 1]))) return false;
        const std::string_view amount = amount_beside(said, at, deed.size());
        return !amount.empty() && is(amount);
    });
}

// "delete 4711": the number is that of the thing. "--max 50" says how many.
bool names_thing(std::string_view call, std::string_view number) {
    constexpr std::string_view kIds[] = {"id", "record", "#", "key", "ticket", "item"};
    return names_number(call, number) && contains_any(lowered(call), kIds);
}

// "moved 0", "processed: 0".
template <std::size_t N>
bool any_zero(std::string_view said, const std::string_view (&deeds)[N]) {
    constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz_";
    return std::ranges::any_of(deeds, [&](std::string_view deed) {
        const std::size_t at = said.find(deed);
        const std::size_t end = at == said.npos ? at : said.find_first_not_of(kLetters, at + deed.size());
        return end != said.npos && zero_behind(said, end) != said.npos;
    });
}

}  // namespace

bool did_a_part(std::string_view call, std::string_view answer) {
    constexpr std::size_t kFew = 240;  // bytes
    if (answer.size() > kFew || std::ranges::none_of(answer, is_digit)) return false;
    const std::string said = without_no_failures(lowered(answer));
    if (says_refusal(said)) return false;
    constexpr std::string_view kWays[] = {" cm", " mm", "meter", "metre", " step", "pixel", "degree", "inch", "tile"};
    if (contains_any(said, kLeft) || contains_any(said, kWays)) return false;  // a robot moved 30 cm
    return any_amount(said, kUsesUp, [&](std::string_view amount) { return !names_thing(call, amount); }) ||
           any_amount(said, kWorksOff, [&](std::string_view amount) { return names_number(call, amount); });
}

bool moves_nothing(std::string_view answer) {
    constexpr std::string_view kCounts[] = {"done", "count"}, kSome = "123456789";
    const std::string said = lowered(answer);
    const bool left = contains_any(said, kLeft) && said.find_first_of(kSome) != said.npos;
    return left || any_zero(said, kUsesUp) || any_zero(said, kWorksOff) || any_zero(said, kCounts);
}

bool says_given_up(std::string_view answer) {
    constexpr std::string_view kOver[] = {"cancel", "kill", "abort", "terminat", "timed out", "timeout", "expired",
                                          "stopped", "halted", "paused", "crashed", "\"dead", " dead", "gone",
                                          "declined", "rolled back", "rolled_back", "exit 1", "exit code 1",
                                          "exit_code\":1", "paper jam", "angehalten", "fehlgeschlagen", "abgebrochen",
                                          "gescheitert", "échou", "fallid", "fallad", "已取消", "中止",
                                          // No wait brings the image of a pod that has another name.
                                          "errimagepull", "imagepullbackoff"};
    return contains_any(lowered(answer), kOver);
}

namespace {

// The number in front of a unit: "9%", "3577001551 bytes".
std::optional<double> figure_before(std::string_view text, std::string_view unit) {
    constexpr std::string_view kOfNumber = "0123456789.";
    for (std::size_t at = text.find(unit); at != text.npos; at = text.find(unit, at + 1)) {
        std::size_t begin = at;
        while (begin > 0 && kOfNumber.find(text[begin - 1]) != kOfNumber.npos) --begin;
        double number = 0;
        const auto [end, error] =
            std::from_chars(text.data() + begin, text.data() + at, number, std::chars_format::fixed);
        if (error == std::errc{} && end == text.data() + at) return number;
    }
    return std::nullopt;
}

}  // namespace

bool came_further(std::string_view before, std::string_view now) {
    constexpr std::string_view kProgress[] = {"%", " %", " bytes"};
    return std::ranges::any_of(kProgress, [&](std::string_view unit) {
        const std::optional<double> then = figure_before(before, unit), last = figure_before(now, unit);
        return then && last && *last > *then;
    });
}

bool is_bare_verdict(std::string_view answer) {
    constexpr std::size_t kLongestVerdict = 24;  // bytes
    constexpr std::string_view kCode = "xit code";
    constexpr std::string_view kVerdicts[] = {"fail", "failed", "ng",     "no",       "not ok", "nok",       "bad",
                                              "red",  "error",  "fehler", "nicht ok", "false",  "incorrect", "wrong"};
    if (answer.substr(std::min<std::size_t>(1, answer.size())).starts_with(kCode)) {
        answer.remove_prefix(1 + kCode.size());
        answer.remove_prefix(std::min(answer.find_first_not_of(": "), answer.size()));
        while (!answer.empty() && is_digit(answer.front())) answer.remove_prefix(1);
        if (answer.starts_with("\\n")) answer.remove_prefix(2);
    }
    while (answer.ends_with("\\n")) answer.remove_suffix(2);
    answer = trimmed(answer);
    while (answer.ends_with('.') || answer.ends_with('!')) answer.remove_suffix(1);
    if (answer.size() > kLongestVerdict) return false;
    const std::string said = lowered(answer);
    return said.empty() || std::ranges::find(kVerdicts, std::string_view(said)) != std::end(kVerdicts);
}

bool only_waited_for_lock(std::string_view answer) {
    constexpr std::size_t kFew = 240;  // bytes: what ran says more
    constexpr std::string_view kWaits[] = {"waiting for", "Waiting for", "waits for", "aiting to"};
    constexpr std::string_view kBusy[] = {" lock", "nother command", "nother process", "nother instance"};
    constexpr std::string_view kHeld[] = {"ould not get lock", "ould not acquire lock"};
    constexpr std::string_view kWrong[] = {"rror", "RROR", "ailed", "FAIL", "anic", "annot", "assed", "could not"};
    static constexpr PhraseSet kBusySet(kBusy);
    if (answer.size() > kFew || !kBusySet.in(answer)) return false;
    return contains_any(answer, kHeld) || (contains_any(answer, kWaits) && !contains_any(answer, kWrong));
}

bool says_absent(std::string_view answer) {
    constexpr std::string_view kWords[] = {"404", "(NoSuch", "not found", "Not Found", "does not exist",
                                           "doesn't exist",
                                           // What package managers say of a package.
                                           "atching distribution", "satisfies the requirement", "o match found for",
                                           "not available from current channels", "nable to locate package"};
    return contains_any(answer, kWords);
}

}  // namespace agent_audit::detectors
