#include "detectors/words/path_words.hpp"

#include "support/ascii.hpp"
#include "support/find_near.hpp"
#include "support/home_folder.hpp"

#include <algorithm>
#include <array>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kMostTarget = 120;

constexpr auto kPathChars = [] {
    std::array<bool, 256> chars{};
    for (const char c : std::string_view("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./*@+~")) {
        chars[static_cast<unsigned char>(c)] = true;
    }
    return chars;
}();

bool is_path_char(char c) { return kPathChars[static_cast<unsigned char>(c)]; }

constexpr std::string_view kEndings[] = {
    "c",     "cc",    "cpp",  "cs",    "css",   "csv",     "go",    "gradle", "h",      "hpp",     "html",       "ini",
    "ipynb", "java",  "js",   "json",  "jsx",   "kt",      "lock",  "lua",    "md",     "mjs",     "php",        "pl",
    "proto", "py",    "rb",   "rs",    "scala", "scss",    "sh",    "sql",    "svelte", "swift",   "tf",         "toml",
    "ts",    "tsx",   "txt",  "vue",   "xml",   "yaml",    "yml",   "env",    "cfg",    "conf",    "dart",       "ex",
    "adoc",  "astro", "bat",  "bicep", "cjs",   "clj",     "cmake", "csproj", "cts",    "cu",      "cxx",        "dll",
    "docx",  "edn",   "ejs",  "elm",   "erb",   "erl",     "exs",   "fs",     "gql",    "graphql", "groovy",     "hbs",
    "hcl",   "hs",    "htm",  "hxx",   "jinja", "jl",      "json5", "jsonc",  "jsonl",  "kts",     "less",       "log",
    "mdx",   "mm",    "mod",  "mts",   "nim",   "parquet", "pdf",   "plist",  "po",     "prisma",  "properties", "ps1",
    "pug",   "rst",   "sass", "sln",   "snap",  "sol",     "sum",   "svg",    "tex",    "tfvars",  "tpl",        "tsv",
    "xaml",  "xlsx",  "zig"};

bool has_ending(std::string_view word) {
    const std::size_t dot = word.rfind('.');
    if (dot == word.npos || dot + 1 >= word.size()) return false;
    const std::string_view ending = word.substr(dot + 1);
    if (word == ".env" || word.ends_with("/.env")) return true;
    return dot > 0 && std::ranges::find(kEndings, ending) != std::end(kEndings);
}

// "api/schema.whatever": in a word with a slash any ending of letters is one.
bool has_some_ending(std::string_view word) {
    constexpr std::size_t kLongest = 10;
    const std::size_t slash = word.rfind('/'), dot = word.rfind('.');
    if (dot == word.npos || dot <= slash + 1 || dot + 1 >= word.size() || word.size() - dot - 1 > kLongest)
        return false;
    return std::ranges::all_of(word.substr(dot + 1), is_letter);
}

// What stands in angle brackets: </issue>, <br/>, and <file.c>, which stands for a name.
bool is_tag(std::string_view word) {
    if (word.starts_with('/')) word.remove_prefix(1);
    if (word.ends_with('/')) word.remove_suffix(1);
    return word.find('/') == word.npos;
}

bool star_matches(std::string_view name, std::string_view pattern) {
    std::size_t n = 0, p = 0, star = pattern.npos, mark = 0;
    while (n < name.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            mark = n;
        } else if (p < pattern.size() && pattern[p] == name[n]) {
            ++p;
            ++n;
        } else if (star != pattern.npos) {
            p = star + 1;
            n = ++mark;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*') ++p;
    return p == pattern.size();
}

}  // namespace

bool looks_like_path(std::string_view word) {
    if (word.size() < 3 || word.size() > kMostTarget || find_near(word, 0, '.', '/') == word.npos) return false;
    if (word.find("//") != word.npos || word.find("..") != word.npos) return false;
    if (has_ending(word)) return true;
    const std::size_t slash = word.find('/');
    if (slash == word.npos) return false;
    if (slash > 0 && has_some_ending(word)) return true;
    // and/or, client/server, 3/4: prose. A trailing slash, a leading one or two slashes are none.
    if (word.ends_with('/')) return word.size() > 2;
    if (word.starts_with('/') || word.starts_with("~/")) return word.size() > 3;
    return word.find('/', slash + 1) != word.npos || word.starts_with("src/") || word.starts_with("lib/") ||
           word.starts_with("docs/") || word.starts_with("test");
}

std::vector<std::string> paths_in(std::string_view text, std::size_t most) {
    std::vector<std::string> out;
    std::size_t from = 0;  // what stands before belongs to words that were looked at
    while (out.size() < most) {
        // Every path has a dot or a slash, and most words have none.
        const std::size_t mark = find_near(text, from, '.', '/');
        if (mark == text.npos) break;
        std::size_t begin = mark, end = mark + 1;
        while (begin > from && is_path_char(text[begin - 1])) --begin;
        while (end < text.size() && is_path_char(text[end])) ++end;
        // A URL is no file of the project: its scheme, and all up to the next blank.
        const bool scheme_before =
            begin == mark && mark > from + 1 && text[mark - 1] == ':' && is_path_char(text[mark - 2]);
        if ((scheme_before && text.substr(mark).starts_with("//")) || text.substr(end).starts_with("://")) {
            while (end < text.size() && !is_space(text[end])) ++end;
            from = end;
            continue;
        }
        from = end;
        std::string_view word = text.substr(begin, end - begin);
        if (begin > 0 && text[begin - 1] == '<' && end < text.size() && text[end] == '>' && is_tag(word)) continue;
        while (!word.empty() && (word.back() == '.' || word.back() == '-')) word.remove_suffix(1);
        if (word.starts_with("./")) word.remove_prefix(2);
        if (word.starts_with('@')) word.remove_prefix(1);
        if (looks_like_path(word) && std::ranges::find(out, word) == out.end()) out.emplace_back(word);
    }
    return out;
}

bool path_matches(std::string_view path, std::string_view target) {
    if (target.starts_with("./")) target.remove_prefix(2);
    if (path.starts_with("./")) path.remove_prefix(2);
    while (target.ends_with('/') || target.ends_with("/*") || target.ends_with("/**")) {
        target.remove_suffix(target.ends_with('/') ? 1 : target.ends_with("/**") ? 3 : 2);
    }
    while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    if (target.empty() || path.empty()) return false;
    if (target.find('*') != target.npos) {
        const std::string_view name = target.find('/') == target.npos ? path.substr(path.rfind('/') + 1) : path;
        return star_matches(name, target) || star_matches(path, std::string("*/").append(target));
    }
    for (std::size_t at = path.find(target); at != path.npos; at = path.find(target, at + 1)) {
        const bool begins = at == 0 || path[at - 1] == '/';
        const std::size_t end = at + target.size();
        if (begins && (end == path.size() || path[end] == '/')) return true;
    }
    return false;
}

bool is_path_of(std::string_view path, std::string_view target) {
    if (path_matches(path, target)) return true;
    if (!target.starts_with("~/")) return false;
    const std::size_t home = home_length(path);
    return home > 0 && path_matches("~" + std::string(path.substr(home)), target);
}

bool is_in_copy(std::string_view path, std::string_view target) {
    constexpr std::string_view kSources[] = {"src",      "lib",     "app",    "pkg",      "cmd",
                                             "internal", "include", "source", "server",   "client",
                                             "core",     "api",     "config", "packages", "apps"};
    constexpr std::string_view kCopies[] = {
        "test",       "tests",     "__tests__", "spec",    "specs",       "e2e",          "fixtures",
        "fixture",    "testdata",  "examples",  "example", "samples",     "sample",       "demo",
        "demos",      "templates", "template",  "vendor",  "third_party", "node_modules", "mocks",
        "benchmarks", "bench",     "tools",     "docs",    "build",       "dist",         "backup"};
    const auto among_any = [](std::string_view folder, const auto& folders) {
        return std::ranges::find(folders, folder) != std::end(folders);
    };
    if (target.starts_with("./")) target.remove_prefix(2);
    const std::size_t slash = target.find('/');
    if (path.starts_with('/') || slash == target.npos || !among_any(target.substr(0, slash), kSources)) return false;
    while (target.ends_with('/')) target.remove_suffix(1);
    const std::size_t at = ("/" + std::string(path)).find("/" + std::string(target));
    if (at == 0 || at == std::string::npos) return false;
    for (std::size_t begin = 0, end = 0; begin < at; begin = end + 1) {
        end = path.find('/', begin);
        if (among_any(path.substr(begin, end - begin), kCopies)) return true;
    }
    return false;
}

bool may_lie_below(std::string_view path, std::string_view target) {
    if (path.starts_with('/') || path.starts_with('~') || !(target.starts_with('/') || target.starts_with("~/")))
        return false;
    if (path.starts_with("./")) path.remove_prefix(2);
    while (target.ends_with('/')) target.remove_suffix(1);
    const std::string first = "/" + std::string(path.substr(0, path.find('/'))) + "/", all = std::string(target) + "/";
    const std::size_t at = all.find(first);
    if (at == all.npos) return true;
    const std::string_view rest = std::string_view(target).substr(at + 1);
    return path.starts_with(rest) && (path.size() == rest.size() || path[rest.size()] == '/');
}

bool names_path(std::string_view line, std::string_view target, bool copies) {
    std::size_t begin = 0;
    while (begin < line.size()) {
        while (begin < line.size() && !is_path_char(line[begin])) ++begin;
        std::size_t end = begin;
        while (end < line.size() && is_path_char(line[end])) ++end;
        const std::string_view word = line.substr(begin, end - begin);
        if (end > begin && path_matches(word, target) && (copies || !is_in_copy(word, target))) return true;
        begin = end;
    }
    return false;
}

bool is_scratch(std::string_view path) {
    return path.starts_with("/tmp/") || path.starts_with("/var/") || path.starts_with("/dev/") ||
           path.starts_with("/private/");
}

}  // namespace agent_audit::detectors
