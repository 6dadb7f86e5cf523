#include "detectors/outcomes/outcome_words.hpp"

#include "detectors/outcomes/answers.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"
#include "support/phrase_set.hpp"

#include <algorithm>

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
