#include "detectors/engine/command_state.hpp"

#include "support/phrase_set.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <string_view>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLongestState = 400;    // bytes of an answer that is a state and little else
constexpr std::size_t kLineLooked = 1024;     // of a command line, for what follows its check
constexpr std::size_t kCommandLooked = 256;   // bytes of a command: what it runs stands in front

constexpr std::string_view kUnfinished[] = {"in_progress", "in progress", "inprogress",   "in-progress", "pending",
                                            "queued",      "creating",    "provisioning", "not ready",   "not_ready",
                                            "initializing", "still running", "still processing", "still building",
                                            "still working", "still waiting"};
// Words that are a state only where nothing else is said: {"status": "running"}, <status>running</status>.
constexpr std::string_view kStates[] = {"running\"",   "running\\\"",   ">running<",   "building\"",   "building\\\"",   "processing\"", "processing\\\"",
                                        "progressing\"", "progressing\\\"", "deploying\"", "deploying\\\"", "starting\"",    "starting\\\"", "waiting\"",
                                        "waiting\\\"", "uploading\"", "uploading\\\"", "done\":false", "done\": false", "done\\\":false", "done\\\": false", "ready\":false",
                                        "ready\": false", "ready\\\":false", "ready\\\": false", "finished\":false", "finished\": false"};
constexpr PhraseSet kStateSet(kStates);
constexpr PhraseSet kUnfinishedSet(kUnfinished);

constexpr std::string_view kMeasures[] = {"bench", "hyperfine", "perf stat", "timeit", "/time ", "time ./", "wrk ", "measure"};
constexpr PhraseSet kMeasureSet(kMeasures);

}  // namespace

bool says_unfinished(RawText answer) {
    if (answer.size() > kLongestState) return false;
    if (kUnfinishedSet.in(answer.bytes)) return true;
    return kStateSet.any(answer.bytes, [&](std::size_t at, std::string_view state) {
        // {"waiting": true} has it as a name.
        const std::size_t next = answer.bytes.find_first_not_of(' ', at + state.size());
        return next == answer.bytes.npos || answer.bytes[next] != ':';
    });
}

bool measures(RawText command) {
    const std::string_view front = command.bytes.substr(0, kCommandLooked);
    return front.starts_with("time ") || kMeasureSet.said_in(front);
}

bool pauses_long(RawText command) {
    constexpr std::string_view kSleep = "sleep ";
    constexpr double kLong = 10;
    const std::size_t at = command.bytes.find(kSleep);
    if (at == command.bytes.npos) return false;
    const char* begin = command.bytes.data() + at + kSleep.size();
    const char* end = command.bytes.data() + command.bytes.size();
    double seconds = 0;
    const auto [unit, error] = std::from_chars(begin, end, seconds);
    if (error != std::errc{}) return true;  // sleep $DELAY
    return seconds >= kLong || (unit != end && (*unit == 'm' || *unit == 'h'));
}

bool hides_exit_code(RawText command) {
    const std::string_view line = command.bytes.substr(0, kLineLooked);
    if (line.find("pipefail") != line.npos) return false;
    char quote = '\0';
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (quote != '\0') {
            if (c == quote) quote = '\0';
        } else if (c == '\'' || c == '"') {
            quote = c;
        } else if (c == '|') {
            return true;
        } else if (c == ';') {
            const std::size_t next = std::min(line.find_first_not_of(' ', i + 1), line.size());
            if (line.substr(next).starts_with("echo") || line.substr(next).starts_with("true")) return true;
        }
    }
    return false;
}

}  // namespace agent_audit::detectors
