#include "advice/command_line.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace agent_audit::advice {
namespace {

constexpr std::size_t kMostParts = 64;
constexpr int kMostShells = 3;  // one in the other

/// Where the line ends on which the bodies of here-documents end that begin at `at`, in the order of their delimiters.
std::size_t behind_bodies(std::string_view s, std::size_t at, const std::vector<std::string>& delimiters) {
    for (const std::string& delimiter : delimiters) {
        for (bool ended = false; !ended;) {
            if (at >= s.size()) return s.size();
            std::string_view line = s.substr(at, std::min(s.find('\n', at), s.size()) - at);
            at += line.size() + 1;
            line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
            ended = line == delimiter;
        }
    }
    return std::min(at, s.size());
}

std::vector<Part> split_line(std::string_view s) {
    std::vector<Part> parts(1);
    std::string word;
    bool in_word = false, at_delimiter = false;
    std::vector<std::string> delimiters;  // of here-documents that begin on the next line
    const auto end_word = [&] {
        if (in_word && at_delimiter) delimiters.push_back(word.starts_with('-') ? word.substr(1) : word);
        if (in_word) {
            at_delimiter = false;
            parts.back().words.push_back(std::move(word));
        }
        word.clear();
        in_word = false;
    };
    const auto end_part = [&](std::string_view how) {
        end_word();
        if (parts.back().words.empty()) {
            parts.back().text.clear();
            return;
        }
        parts.back().end = how;
        parts.emplace_back();
    };
    for (std::size_t i = 0; i < s.size() && parts.size() < kMostParts; ++i) {
        const char c = s[i];
        if (c != '\n') parts.back().text += c;
        if (c == '\\' && i + 1 < s.size()) {
            if (s[++i] == '\n') continue;
            word += s[i];
            parts.back().text += s[i];
            in_word = true;
        } else if (c == '\'' || c == '"') {
            in_word = true;
            while (++i < s.size() && s[i] != c) {
                parts.back().text += s[i];
                if (c == '"' && s[i] == '\\' && i + 1 < s.size()) parts.back().text += s[++i];
                word += s[i];
            }
            parts.back().text += c;
        } else if (c == ' ' || c == '\t' || c == '(' || c == ')' || c == '{' || c == '}') {
            if ((c == '{' || c == '}') && in_word) {
                word += c;
                continue;
            }
            end_word();
        } else if (c == '#' && !in_word) {
            parts.back().text.pop_back();
            while (i + 1 < s.size() && s[i + 1] != '\n') ++i;
        } else if (s.substr(i).starts_with("<<<")) {
            end_word();
            i += 2;
        } else if (s.substr(i).starts_with("<<")) {
            end_word();
            at_delimiter = true;
            ++i;
        } else if (c == '>') {
            const bool to_stream = in_word && !word.empty() && word != "1" && word != "&" &&
                                   word.find_first_not_of("0123456789&") == word.npos;
            if (to_stream || word == "1" || word == "&") word.clear(), in_word = false;
            end_word();
            if (i + 1 < s.size() && s[i + 1] == '>') ++i;
            if (i + 1 < s.size() && s[i + 1] == '&') {
                ++i;
                while (i + 1 < s.size() && s[i + 1] >= '0' && s[i + 1] <= '9') ++i;
                continue;
            }
            parts.back().words.push_back(to_stream ? "2>" : ">");
        } else if ((c == '&' || c == '|') && i + 1 < s.size() && s[i + 1] == c) {
            parts.back().text.pop_back();
            end_part(s.substr(i, 2));
            ++i;
        } else if (c == ';' || c == '|' || c == '\n') {
            if (c != '\n') parts.back().text.pop_back();
            end_part(c == '|' ? "|" : ";");
            if (c == '\n' && !delimiters.empty()) i = behind_bodies(s, i + 1, std::exchange(delimiters, {})) - 1;
        } else {
            word += c;
            in_word = true;
        }
    }
    end_word();
    if (parts.back().words.empty()) parts.pop_back();
    if (!parts.empty() && parts.back().end == ";") parts.back().end.clear();
    return parts;
}

/// What a shell is told to run: bash -lc '…'.
const std::string* told(const Part& part) {
    const Program shell = program_of(part.words);
    if (shell.name != "bash" && shell.name != "sh" && shell.name != "zsh") return nullptr;
    for (std::size_t i = shell.at + 1; i + 1 < part.words.size() && part.words[i].starts_with('-'); ++i) {
        if (!part.words[i].starts_with("--") && part.words[i].ends_with('c')) return &part.words[i + 1];
    }
    return nullptr;
}

void open_shells(std::vector<Part>& parts, int deep) {
    for (std::size_t i = 0; i < parts.size() && parts.size() < kMostParts; ++i) {
        const std::string* line = told(parts[i]);
        if (line == nullptr) continue;
        std::vector<Part> inner = split_line(*line);
        if (deep > 1) open_shells(inner, deep - 1);
        if (inner.empty()) continue;
        inner.back().end = std::move(parts[i].end);
        const std::size_t count = inner.size();
        parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(i));
        parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(i), std::move_iterator(inner.begin()),
                     std::move_iterator(inner.end()));
        i += count - 1;
    }
}

}  // namespace

std::vector<Part> split(std::string_view command) {
    std::vector<Part> parts = split_line(command);
    open_shells(parts, kMostShells);
    return parts;
}

Program program_of(const Words& words) {
    constexpr std::string_view kLeads[] = {"sudo", "env", "command", "exec", "time", "nohup"};
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& w = words[i];
        if (std::ranges::find(kLeads, w) != std::end(kLeads)) continue;
        if (w.find('=') != w.npos && w.find('/') > w.find('=')) continue;
        const std::size_t slash = w.rfind('/');
        return {slash == w.npos ? w : w.substr(slash + 1), i};
    }
    return {};
}

Words arguments(const Words& words, std::size_t from) {
    Words out;
    for (std::size_t i = from; i < words.size() && words[i] != ">" && words[i] != "2>"; ++i) {
        if (!words[i].empty() && words[i][0] != '-') out.push_back(words[i]);
    }
    return out;
}

bool has_option(const Words& words, std::string_view option) {
    return std::ranges::any_of(
        words, [&](const std::string& w) { return w == option || w.starts_with(std::string(option) + "="); });
}

bool has_letter(const Words& words, char letter) {
    return std::ranges::any_of(words, [&](const std::string& w) {
        return w.size() > 1 && w[0] == '-' && w[1] != '-' && w.find(letter) != w.npos;
    });
}

std::string_view unredirected(std::string_view text) {
    return text.substr(0, std::min(text.find(" 2>"), text.find(" >")));
}

bool goes_elsewhere(const Part& part) { return part.words.size() == 2 && part.words[0] == "cd"; }

bool is_path(std::string_view w) {
    if (w.empty() || w.size() > kLongestPath || w[0] == '-' || w[0] == '&' || w.starts_with("/dev/")) return false;
    return w.find_first_of("$*`?<>|\"'\n{}") == w.npos;
}

bool is_file(std::string_view w) {
    if (!is_path(w) || w.find_first_of("./") == w.npos) return false;
    return w.find_first_not_of("0123456789.,p$") != w.npos && w != "." && w != "..";
}

}  // namespace agent_audit::advice
