#include "advice/books/repeat_book.hpp"

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

namespace agent_audit::advice {
namespace {

constexpr std::size_t kMostCalls = 256;
constexpr std::uint64_t kRepeated = 3;  // two is a retry, three is a habit

}  // namespace

void RepeatBook::told(const Call& call) {
    auto known = std::ranges::find(known_, call.identity, &Known::identity);
    const bool first = known == known_.end();
    if (first) {
        if (known_.size() == kMostCalls) {
            known_.erase(std::ranges::min_element(
                known_, {}, [](const Known& k) { return std::pair(k.longest.count, k.last_line); }));
        }
        Known made;
        made.identity = call.identity;
        known_.push_back(std::move(made));
        known = known_.end() - 1;
    }
    // Another answer than before means that something has changed, and so may a command of which nothing is known.
    if (first ? call.may_change : known->outcome != call.outcome) ++epoch_;
    const bool again = known->run > 0 && known->outcome == call.outcome && known->epoch == epoch_;
    if (!again) known->first_line = call.first_line;
    known->run = again ? known->run + 1 : 1;
    known->outcome = call.outcome;
    known->epoch = epoch_;
    known->last_line = call.line;
    if (known->run < kRepeated || known->run < known->longest.count) return;
    known->longest = {
        std::string(call.tool), std::string(call.words), known->run, known->first_line, call.line, call.turn};
}

void RepeatBook::asked() {
    for (Known& known : known_) known.run = 0;
}

std::vector<Repetition> RepeatBook::list() const {
    std::vector<Repetition> out;
    for (const Known& known : known_) {
        if (known.longest.count > 0) out.push_back(known.longest);
    }
    std::ranges::stable_sort(out, std::greater<>{},
                             [](const Repetition& r) { return std::pair(r.count, r.last_line); });
    return out;
}

}  // namespace agent_audit::advice
