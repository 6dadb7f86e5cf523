#include "detectors/speech/rule_object.hpp"

#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/ascii.hpp"

#include <algorithm>

namespace agent_audit::detectors {
namespace {

// "the signature of run() in core.py", "the comments in main.c": about a part of the file, of which a step tells
// nothing.
bool names_a_part(std::string_view lower, std::string_view path) {
    constexpr std::string_view kOf[] = {" of", " in", " from", " within", " inside", " to"};
    constexpr std::string_view kWholes[] = {
        "any",       "anything", "file",     "files",  "code",    "the",   "all",           "something", "everything",
        "things",    "stuff",    "of",       "a",      "single",  "line",  "lines",         "byte",      "content",
        "contents",  "tests",    "existing", "source", "sources", "what",  "whatever",      "is",        "that",
        "generated", "other",    "my",       "our",    "this",    "these", "those",         "at",        "one",
        "it",        "in",       "to",       "change", "changes", "edits", "modifications", "directory", "folder"};
    const std::string low_path = lowered(path);
    std::string_view head = trimmed(lower.substr(0, std::min(lower.find(low_path), lower.size())));
    while (!head.empty() && std::string_view("`'\" ").find(head.back()) != std::string_view::npos)
        head.remove_suffix(1);
    constexpr std::string_view kPlaces[] = {" the file", " file", " the module", " the", " module"};
    for (const std::string_view place : kPlaces) {
        if (head.ends_with(place)) head.remove_suffix(place.size());
    }
    const auto of = std::ranges::find_if(kOf, [&](std::string_view word) { return head.ends_with(word); });
    if (of == std::end(kOf)) return false;
    head.remove_suffix(of->size());
    const std::string_view verb = head.substr(0, head.find(' '));
    head.remove_prefix(std::min(head.find(' '), head.size()));  // the verb
    // "Do not add these to .gitignore"
    constexpr std::string_view kThese[] = {"it", "this", "that", "these", "those", "them"}, kAdds = "add", kTo = " to";
    if (verb == kAdds && *of == kTo && std::ranges::find(kThese, trimmed(head)) != std::end(kThese)) return true;
    if (head.find(" else") != head.npos) return true;
    for (head = trimmed(head); !head.empty(); head = trimmed(head)) {
        const std::string_view word = head.substr(0, head.find(' '));
        if (std::ranges::find(kWholes, word) == std::end(kWholes)) return true;
        head.remove_prefix(word.size());
    }
    return false;
}

// "core.py 的接口", "core.py 里的注释": the part stands behind the file; 的文件 and 的任何内容 are all of it.
bool names_a_part_behind(std::string_view lower, std::string_view path) {
    constexpr std::string_view kSkipped[] = {" ",    "`",    "'",    "\"", "/",  "这个", "文件夹", "文件", "目录",
                                             "模块", "里面", "里边", "里", "中", "下面", "下",     "内"};
    constexpr std::string_view kAny[] = {"任何", "所有", "全部", "一切", "其他"};
    constexpr std::string_view kWholes[] = {"文件", "代码", "内容", "东西", "源码", "源代码", "部分"};
    constexpr std::string_view kOf = "的", kEnds = ",.;:!)";
    const std::size_t at = lower.rfind(lowered(path));
    if (at == lower.npos) return false;
    std::string_view rest = lower.substr(at + path.size());
    const auto take = [&](auto& words) {
        for (const std::string_view word : words) {
            if (!rest.starts_with(word)) continue;
            rest.remove_prefix(word.size());
            return true;
        }
        return false;
    };
    while (take(kSkipped)) {
    }
    if (!rest.starts_with(kOf)) return false;
    rest = trimmed(rest.substr(kOf.size()));
    while (take(kAny)) {
    }
    return !rest.empty() && kEnds.find(rest[0]) == kEnds.npos && !starts_with_any(rest, kWholes) &&
           !rest.starts_with("，") && !rest.starts_with("。");
}

// "how a.py parses dates"
bool names_a_behaviour(std::string_view lower) {
    constexpr std::string_view kQuestions[] = {"how ", "what ", "the way ", "where ", "why ", "whether "};
    return starts_with_any(trimmed(lower.substr(std::min(lower.find(' '), lower.size()))), kQuestions);
}

// What stands behind the last of the files: "with sed", "in one commit", "first".
bool names_a_way(std::string_view lower, std::string_view last) {
    constexpr std::string_view kWays[] = {
        "with ",       "in place",    "in one ",   "in a single ", "in the same ",  "only",     "alone",
        "first",       "while the ",  "while it ", "while there ", "at the same ",  "together", "using ",
        "via ",        "that ",       "which ",    "whose ",  // "files in lib/ that are generated"
        "at runtime",  "at run time", "at import", "at startup",   "at build time", "on each ", "on every ",
        "per request", "in a loop"};
    const std::size_t at = lower.rfind(lowered(last));
    if (at == lower.npos) return false;
    std::string_view rest = lower.substr(at + last.size());
    while (!rest.empty() && std::string_view("`'\" /").find(rest.front()) != std::string_view::npos)
        rest.remove_prefix(1);
    return starts_with_any(rest, kWays);
}

// "`src/api` types": a noun right behind the last of the files.
bool names_a_part_of(std::string_view lower, std::string_view last) {
    constexpr std::string_view kParts[] = {
        "types",     "type",     "interface", "interfaces", "signature", "signatures", "imports",
        "exports",   "comments", "docs",      "schema",     "names",     "api",        "apis",
        "functions", "methods",  "classes",   "semantics",  "behaviour", "behavior",   "logic",
        "structure", "layout",   "format",    "version",    "versions",  "paths",      "urls"};
    const std::size_t at = lower.rfind(lowered(last));
    if (at == lower.npos) return false;
    std::string_view rest = lower.substr(at + last.size());
    while (!rest.empty() && std::string_view("`'\" /").find(rest.front()) != std::string_view::npos)
        rest.remove_prefix(1);
    const auto letters = static_cast<std::size_t>(
        std::ranges::find_if_not(rest, [](char c) { return c >= 'a' && c <= 'z'; }) - rest.begin());
    return std::ranges::find(kParts, rest.substr(0, letters)) != std::end(kParts);
}

std::string_view last_word(std::string_view text) {
    text = trimmed(text);
    std::size_t begin = text.size();
    while (begin > 0 && is_letter(text[begin - 1])) --begin;
    return text.substr(begin);
}

// What may stand between two files of a list: commas, "and", "or the file", and remarks in brackets.
bool is_glue(std::string_view between) {
    constexpr std::string_view kGlue[] = {"and", "or", "nor", "the",  "file",   "files",
                                          "any", "of", "in",  "also", "either", "neither"};
    constexpr std::string_view kWideGlue[] = {"、", "和", "或", "与", "以及", "，"};
    for (std::size_t i = 0; i < between.size();) {
        const std::string_view rest = between.substr(i);
        if (rest[0] == '(') {
            const std::size_t close = rest.find(')');
            if (close == rest.npos) return false;
            i += close + 1;
        } else if (is_letter(rest[0])) {
            const auto size = static_cast<std::size_t>(std::ranges::find_if_not(rest, is_letter) - rest.begin());
            if (std::ranges::find(kGlue, lowered(rest.substr(0, size))) == std::end(kGlue)) return false;
            i += size;
        } else if (static_cast<unsigned char>(rest[0]) >= 0x80) {
            const auto wide = std::ranges::find_if(kWideGlue, [&](std::string_view w) { return rest.starts_with(w); });
            if (wide == std::end(kWideGlue)) return false;
            i += wide->size();
        } else {
            if (std::string_view(" ,`'\"/&*\n").find(rest[0]) == std::string_view::npos) return false;
            ++i;
        }
    }
    return true;
}

// "b.py is the right place": what is said of a file, and no member of a list.
bool is_said_of(std::string_view behind) {
    constexpr std::string_view kPredicates[] = {" is ",     " are ",  " needs ", " has ", " may ",  " can ",
                                                " should ", " must ", " will ",  " was ", " would "};
    while (!behind.empty() && std::string_view("`'\"").find(behind.front()) != std::string_view::npos)
        behind.remove_prefix(1);
    return starts_with_any(behind, kPredicates);
}

// "do not touch the tests, change a.py": behind the comma an order begins that is none of what is ruled out. In "do not
// edit, move or delete a.py" nothing stands between the verb and the comma. The place of the comma, or the end.
std::size_t end_at_order(std::string_view head) {
    constexpr std::string_view kFillers[] = {"please ", "simply ", "rather ", "instead ", "always "};
    constexpr std::string_view kOrders[] = {"adapt ",   "adjust ",    "append ",  "change ", "edit ",     "extend ",
                                            "fix ",     "implement ", "improve ", "modify ", "refactor ", "rework ",
                                            "rewrite ", "reuse ",     "touch ",   "update "};
    const std::string lower = lowered(head);
    for (std::size_t comma = lower.find(", "); comma != lower.npos; comma = lower.find(", ", comma + 1)) {
        std::string_view rest = std::string_view(lower).substr(comma + 2);
        for (const std::string_view filler : kFillers) {
            if (rest.starts_with(filler)) rest.remove_prefix(filler.size());
        }
        const std::string before = std::string(last_word(lower.substr(0, comma))).append(" ");
        const bool verbs =
            lower.find(' ') > comma || std::ranges::find(kOrders, std::string_view(before)) != std::end(kOrders);
        if (!verbs && starts_with_any(rest, kOrders)) return comma;
    }
    return head.size();
}

}  // namespace

std::string_view object_of(std::string_view said) {
    constexpr std::string_view kOpens[] = {"files",   "file",        "following", "these",   "those",
                                           "folders", "directories", "paths",     "modules", "ones"};
    const std::vector<std::string> paths = paths_in(said, 16);
    const std::size_t first = paths.empty() ? said.size() : said.find(paths.front());
    const std::string_view head = said.substr(0, std::min(first, said.size()));
    if (const std::size_t order = end_at_order(head); order < head.size()) return said.substr(0, order);
    if (const std::size_t colon = head.find(':'); colon != head.npos) {
        const std::string_view opening = trimmed(head.substr(0, colon));
        const bool list = opening.find(' ') == opening.npos ||
                          std::ranges::find(kOpens, lowered(last_word(opening))) != std::end(kOpens);
        return list ? said : said.substr(0, colon);
    }
    std::size_t end = std::min(first + (paths.empty() ? 0 : paths.front().size()), said.size());
    for (std::size_t i = 1; i < paths.size(); ++i) {
        const std::size_t at = said.find(paths[i], end);
        if (at == said.npos) continue;
        if (!is_glue(said.substr(end, at - end)) || is_said_of(said.substr(at + paths[i].size())))
            return said.substr(0, end);
        end = at + paths[i].size();
    }
    return said;
}

bool names_less(std::string_view lower, const std::vector<std::string>& paths) {
    if (paths.empty()) return false;
    return names_a_part(lower, paths.front()) || names_a_part_behind(lower, paths.back()) || names_a_behaviour(lower) ||
           names_a_way(lower, paths.back()) || names_a_part_of(lower, paths.back());
}

}  // namespace agent_audit::detectors
