#include "detectors/outcomes/build_noise.hpp"

#include "detectors/outcomes/answers.hpp"
#include "detectors/words/raw_lines.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <span>
#include <string_view>

namespace agent_audit::detectors {
namespace {

// How lines begin that tell what a build does.
constexpr std::string_view kDoings[] = {"> Task ",
                                        "> Configure project",
                                        "Starting a Gradle Daemon",
                                        "To honour the JVM settings",
                                        "Daemon will be stopped",
                                        "Welcome to Gradle",
                                        "Here are the highlights of this release",
                                        "For more details see https://docs.gradle.org",
                                        "Deprecated Gradle features",
                                        "BUILD FAILED in ",
                                        "> Run with --",
                                        "Download http",
                                        "Note: ",
                                        "Calculating task graph",
                                        "Configuration cache",
                                        "Reusing configuration cache",
                                        "Downloading ",
                                        "Downloaded ",
                                        "Blocking waiting for file lock",
                                        "Updating crates.io",
                                        "Updating git repository",
                                        "[INFO] Total time",
                                        "[INFO] Finished at",
                                        "[INFO] Download",
                                        "[INFO] Compiling ",
                                        "[INFO] Scanning for projects",
                                        "note: Building targets",
                                        "Prepare build",
                                        "PrepareBuild",
                                        "Progress (",
                                        "INFO: Elapsed time",
                                        "INFO: Analyzed",
                                        "Loading:",
                                        "Analyzing:",
                                        "Scanning dependencies of",
                                        "Consolidate compiler generated",
                                        "Building C",
                                        "Linking C",
                                        "go: downloading ",
                                        "=> ",
                                        "[+] Building "};
constexpr std::string_view kCrates[] = {"Compiling ", "Checking ", "Fresh ",
                                        "Dirty "};  // and a version behind the name
constexpr std::string_view kCompilers[] = {"cc ", "gcc ", "g++ ", "c++ ", "clang ", "clang++ "};
constexpr std::string_view kAnywhere[] = {" actionable task", "==>",          "B/s", "\xe2\x94\x81\xe2\x94\x81",
                                          "\\u2501\\u2501",   " (in target '"};

void skip_digits(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of("0123456789"), text.size()));
}
void skip_blanks(std::string_view& text) { text.remove_prefix(std::min(text.find_first_not_of(' '), text.size())); }

bool begins_with_one_of(std::string_view line, std::span<const std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return line.starts_with(word); });
}
bool has_one_of(std::string_view line, std::span<const std::string_view> words) {
    return std::ranges::any_of(words, [&](std::string_view word) { return line.find(word) != line.npos; });
}

// "[3/40] ", "[ 41%] ", "(3/40) "
bool begins_with_share(std::string_view line) {
    if (!line.starts_with('[') && !line.starts_with('(')) return false;
    const char end = line.front() == '[' ? ']' : ')';
    line.remove_prefix(1);
    skip_blanks(line);
    if (line.empty() || !is_digit(line.front())) return false;
    skip_digits(line);
    if (line.starts_with('%')) {
        line.remove_prefix(1);
    } else if (line.starts_with('/')) {
        line.remove_prefix(1);
        skip_digits(line);
    } else {
        return false;
    }
    return line.size() > 1 && line.front() == end && line[1] == ' ';
}

// "   Compiling serde v1.0.2"
bool names_a_crate(std::string_view line) {
    const std::size_t version = line.find(" v");
    return begins_with_one_of(line, kCrates) && version != line.npos && version + 2 < line.size() &&
           is_digit(line[version + 2]);
}

// "INFO: 12 processes: 3 internal, 9 linux-sandbox."
bool counts_processes(std::string_view line) {
    constexpr std::string_view kInfo = "INFO: ";
    if (!line.starts_with(kInfo) || line.size() == kInfo.size() || !is_digit(line[kInfo.size()])) return false;
    line.remove_prefix(kInfo.size());
    skip_digits(line);
    return line.starts_with(" process");
}

constexpr std::string_view kError = "[ERROR] ", kWarning = "[WARNING] ";

// Does Maven say in a line of its own what is wrong? Else "Dependency problems found" and the like stand for what its
// warnings say.
bool names_fault(RawText text) {
    constexpr std::string_view kGeneral[] = {
        "Failed to execute goal", "To see the full", "Re-run Maven", "For more information", "[Help ",
        "After correcting",       "-> [Help "};
    if (text.bytes.find(kError) == text.bytes.npos) return false;
    RawLines lines(text.bytes, text.form == TextForm::plain ? Spelling::plain : Spelling::escaped);
    for (std::string_view line; lines.next(line);) {
        if (!line.starts_with(kError)) continue;
        line.remove_prefix(kError.size());
        skip_blanks(line);
        if (!line.empty() && !begins_with_one_of(line, kGeneral)) return true;
    }
    return false;
}

// Of a file it may be what the build fails for.
bool warns_of_no_file(std::string_view line) {
    return line.starts_with(kWarning) && line.find(".java") == line.npos && line.find(".kt") == line.npos;
}

bool tells_of_progress(std::string_view line) {
    skip_blanks(line);
    const bool compiles = begins_with_one_of(line, kCompilers) && line.find(" -c ") != line.npos;
    const bool goes_on = begins_with_share(line) || begins_with_one_of(line, kDoings) || names_a_crate(line) ||
                         counts_processes(line) || compiles || has_one_of(line, kAnywhere);
    // "… 1 incompatible Daemon could not be reused", "BUILD FAILED in 1m 2s" below what went wrong.
    constexpr std::string_view kWhateverItSays[] = {"Starting a Gradle Daemon", "BUILD FAILED in "};
    return goes_on && (begins_with_one_of(line, kWhateverItSays) || !says_refusal(line)) &&
           line.find("pass") == line.npos && line.find("PASS") == line.npos && !line.ends_with(" ok");
}

// "#9 7.123 ERROR: …" is what the command said that BuildKit ran, "#9 DONE 7.2s" what BuildKit says itself.
bool takes_off_step(std::string_view& line) {
    std::string_view rest = line;
    if (!rest.starts_with('#') || rest.size() < 2 || !is_digit(rest[1])) return false;
    rest.remove_prefix(1);
    skip_digits(rest);
    if (!rest.starts_with(' ')) return false;
    line = rest.substr(1);
    return true;
}
// " > [5/12] RUN npm ci:" stands above what a failed step said, at the end of all: often nothing else was kept.
bool names_failed_step(std::string_view line) {
    skip_blanks(line);
    return line.starts_with("> [") && line.ends_with(':');
}
bool takes_off_time(std::string_view& line) {
    std::string_view rest = line;
    skip_digits(rest);
    if (rest.size() == line.size() || !rest.starts_with('.')) return false;
    rest.remove_prefix(1);
    const std::size_t before = rest.size();
    skip_digits(rest);
    if (rest.size() == before || !rest.starts_with(' ')) return false;
    line = rest.substr(1);
    return true;
}

}  // namespace

BuildWords without_progress(RawText text) {
    BuildWords words;
    const bool fault = names_fault(text);
    RawLines lines(text.bytes, text.form == TextForm::plain ? Spelling::plain : Spelling::escaped);
    for (std::string_view line; lines.next(line);) {
        const bool step = takes_off_step(line);
        words.in_image = words.in_image || step || line.starts_with("[+] Building ") || names_failed_step(line);
        const bool timed = words.in_image && takes_off_time(line);
        if (line.empty() || (step && !timed && !says_refusal(line)) || tells_of_progress(line)) continue;
        if (fault && warns_of_no_file(line)) continue;
        words.text.append(line).push_back('\n');
    }
    const std::string_view all = words.text;
    constexpr std::size_t kEnd = 2048;  // bytes: compilers say it early, builders at the end
    if (!says_refusal(all) && !says_refusal(all.substr(all.size() - std::min(all.size(), kEnd)))) words.text.clear();
    return words;
}

}  // namespace agent_audit::detectors
