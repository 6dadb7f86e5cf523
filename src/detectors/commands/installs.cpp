#include "detectors/commands/installs.hpp"

#include "detectors/words/phrases.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace agent_audit::detectors {
namespace {

/// Nothing but flags, and the installer itself: `npm install --no-audit`, `pip install --upgrade pip`.
bool names_no_package(std::string_view words) {
    constexpr std::string_view kItself[] = {"pip", "setuptools", "wheel"},
                               kWithPlace[] = {"--prefix", "-C", "--cwd", "--dir"};
    bool place = false;
    while (!(words = trimmed(words)).empty()) {
        const std::string_view word = words.substr(0, words.find_first_of(" \t"));
        words.remove_prefix(word.size());
        const bool stream = word == "2" && words.empty();  // of "2>&1"
        if (!place && !stream && word[0] != '-' && std::ranges::find(kItself, word) == std::end(kItself)) return false;
        place = std::ranges::find(kWithPlace, word) != std::end(kWithPlace);
    }
    return true;
}

}  // namespace

bool installs_known(std::string_view command, std::string_view target) {
    if (!target.ends_with(" install") && target != "npm i" && target != "go get") return false;
    const std::size_t at = command.find(target);
    if (at == command.npos) return false;
    std::string_view rest = trimmed(command.substr(at + target.size()));
    rest = trimmed(rest.substr(0, rest.find_first_of("&;|>\n")));
    return names_no_package(rest) || rest.starts_with("-r") || rest.starts_with("-e") || rest.starts_with('.') ||
           rest.starts_with("--requirement");
}

std::vector<std::string> installed_packages(std::string_view line, std::string_view installer) {
    constexpr std::size_t kMost = 16;
    std::vector<std::string> packages;
    const std::size_t at = line.find(installer);
    if (at == line.npos) return packages;
    std::string_view words = line.substr(at + installer.size());
    words = words.substr(0, words.find_first_of("&;|>\n"));
    while (!(words = trimmed(words)).empty() && packages.size() < kMost) {
        std::string_view word = words.substr(0, words.find_first_of(" \t"));
        words.remove_prefix(word.size());
        while (!word.empty() && std::string_view("'\"").find(word.front()) != std::string_view::npos)
            word.remove_prefix(1);
        if (word.empty() || word[0] == '-') continue;
        // zod@3, "requests>=2", flask[async]; the first sign of @types/node is part of its name.
        word = word.substr(0, std::min(word.find_first_of("@=<>~![\"'", 1), word.size()));
        packages.emplace_back(word);
    }
    return packages;
}

}  // namespace agent_audit::detectors
