#include "detectors/engine/command_state.hpp"

#include "support/phrase_set.hpp"

#include <cstddef>
#include <string_view>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLongestState = 400;    // bytes of an answer that is a state and little else
constexpr std::size_t kCommandLooked = 256;   // bytes of a command: what it runs stands in front

constexpr std::string_view kUnfinished[] = {"in_progress", "in progress", "inprogress",   "in-progress", "pending",
                                            "queued",      "creating",    "provisioning", "not ready",   "not_ready",
                                            "\"running\"", "initializing"};
constexpr PhraseSet kUnfinishedSet(kUnfinished);

constexpr std::string_view kMeasures[] = {"bench", "hyperfine", "perf stat", "timeit", "/time ", "time ./", "wrk ", "measure"};
constexpr PhraseSet kMeasureSet(kMeasures);

}  // namespace

bool says_unfinished(RawText answer) { return answer.size() <= kLongestState && kUnfinishedSet.in(answer.bytes); }

bool measures(RawText command) {
    const std::string_view front = command.bytes.substr(0, kCommandLooked);
    return front.starts_with("time ") || kMeasureSet.said_in(front);
}

}  // namespace agent_audit::detectors
