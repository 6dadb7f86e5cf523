#include "advice/books/failure_book.hpp"

#include "advice/calls/checks.hpp"
#include "advice/calls/commands.hpp"
#include "advice/calls/file_names.hpp"

#include <agent_audit/support/hash.hpp>

#include <algorithm>
#include <tuple>

namespace agent_audit::advice {
namespace {

constexpr std::size_t kMostFailures = 48, kMostFailing = 16;
constexpr std::size_t kMostMended = 12;
constexpr std::uint64_t kLookIsOld = 20;  // responses after which a look that found nothing matters no more
constexpr std::uint64_t kOnceIsOld = 60;  // and one that failed once, and was not tried again
constexpr std::uint32_t kRecent = 3;      // turns
constexpr std::uint64_t kOften = 3;       // failures after which it is worth telling although it works by now

// Each check has up to two names.
struct Names {
    std::string_view first, second;
};
bool covers(const Names& passed, const Names& failed) {
    for (const std::string_view by : {passed.first, passed.second}) {
        for (const std::string_view of : {failed.first, failed.second}) {
            if (!by.empty() && !of.empty() && covers_check(by, of)) return true;
        }
    }
    return false;
}

bool is_edit(const CallFacts& facts) {
    return facts.patches || (!facts.shell && facts.tool_class == ToolClass::mutate);
}

}  // namespace

int FailureBook::weight_of(const CallFacts& facts, ErrorClass error) {
    if (facts.looks) return 0;
    if (facts.check.kind != CheckCommand::no || is_edit(facts) || facts.sends() || facts.effects.commits) return 2;
    return error == ErrorClass::user_denied ? 2 : 1;
}

void FailureBook::mend(Known& known, std::uint64_t line) {
    if (known.failure.works_since == 0) known.failure.works_since = line;
}

void FailureBook::failed(const CallFacts& facts, ErrorClass error, std::string output, const Place& at,
                         std::string_view second) {
    const bool check = facts.check.kind != CheckCommand::no;
    const std::uint64_t target = stable_hash(facts.target, stable_hash(facts.tool));
    const bool refused = error == ErrorClass::user_denied;
    auto known = std::ranges::find_if(known_, [&](const Known& k) {
        return k.target == target && k.refused == refused && may_be_one_place(k.directory, facts.check.directory);
    });
    if (known == known_.end()) {
        if (known_.size() == kMostFailures) {
            known_.erase(std::ranges::min_element(known_, {}, [](const Known& k) {
                return std::tuple(k.failure.works_since == 0, k.weight, k.failure.count, k.failure.last_line);
            }));
        }
        Known made;
        made.target = target;
        made.refused = refused;
        made.failure.tool = facts.tool;
        made.failure.first_line = at.first_line;
        known_.push_back(std::move(made));
        known = known_.end() - 1;
    }
    known->check = check ? facts.check.words : std::string();
    known->second = second;
    known->directory = facts.check.directory;
    known->sends = facts.sends() ? target | 1 : 0;
    known->weight = weight_of(facts, error);
    known->edit = is_edit(facts);
    known->outranked = false;
    known->conflict = facts.shell && (output.find("onflict") != output.npos || output.find("CONFLICT") != output.npos ||
                                      output.find("could not apply") != output.npos);
    known->response = at.response;
    known->parts = facts.parts.all;
    known->whole = facts.whole;
    if (is_edit(facts)) known->files = facts.effects.changed;
    Failure& failure = known->failure;
    failure.error = error;
    failure.sends = facts.sends();
    ++failure.count;
    failure.call = facts.words;
    failure.last_line = at.line;
    failure.turn = at.turn;
    failure.works_since = failure.unclear_since = 0;
    failure.output = std::move(output);
}

void FailureBook::worked(const CallFacts& facts, const Place& at, bool in_doubt) {
    if (known_.empty()) return;
    const std::uint64_t target = stable_hash(facts.target, stable_hash(facts.tool));
    const auto edits = [&](const Known& known, const std::vector<std::string>& paths) {
        return std::ranges::any_of(known.files, [&](const std::string& file) {
            return std::ranges::any_of(paths, [&](const std::string& path) { return same_file(file, path); });
        });
    };
    // In one command with more around them, or one after the other.
    const std::vector<std::uint64_t>& done = in_doubt             ? facts.parts.sure
                                             : facts.parts.either ? facts.parts.sure
                                                                  : facts.parts.all;
    const auto ran_all = [&](Known& known) {
        return std::erase_if(known.parts,
                             [&](std::uint64_t part) { return std::ranges::find(done, part) != done.end(); }) > 0 &&
               known.parts.empty();
    };
    for (Known& known : known_) {
        if (known.failure.works_since != 0 || !may_be_one_place(known.directory, facts.check.directory)) continue;
        if (ran_all(known)) mend(known, at.line);
        // A merge that stopped in conflicts is done when what was resolved is committed.
        const bool resolved = known.conflict && facts.shell &&
                              (facts.effects.commits || facts.words.find("--continue") != std::string::npos);
        if (resolved) mend(known, at.line);
        const bool same = known.target == target && (!in_doubt || (known.whole != 0 && known.whole == facts.whole));
        if (same || edits(known, facts.effects.changed) || edits(known, facts.effects.deleted)) mend(known, at.line);
    }
}

void FailureBook::check_ended(const CheckRun& run, std::string_view second) {
    const Names names{run.command, second};
    const auto is_covered = [&](const Failing& old) {
        return may_be_one_place(run.directory, old.run.directory) && covers(names, {old.run.command, old.second});
    };
    if (run.end == CheckEnd::failed) {
        std::erase_if(failing_, [&](const Failing& old) {
            return old.run.command == run.command && may_be_one_place(run.directory, old.run.directory);
        });
        if (failing_.size() == kMostFailing) failing_.erase(failing_.begin());
        failing_.push_back({run, std::string(second)});
        return;
    }
    // Whether it still fails is not known when it ran again and does not say.
    std::erase_if(failing_, is_covered);
    for (Known& known : known_) {
        if (known.check.empty() || known.failure.works_since != 0 || !may_be_one_place(run.directory, known.directory))
            continue;
        known.outranked =
            known.outranked || (run.end == CheckEnd::passed && check_rank(run.command) >= check_rank(known.check));
        if (!covers(names, {known.check, known.second})) continue;
        if (run.end == CheckEnd::passed)
            mend(known, run.line);
        else
            known.failure.unclear_since = run.line;
    }
}

void FailureBook::tell(Checkpoint& out) const {
    struct Open {
        Failure failure;
        int weight;
        std::uint64_t sends;
    };
    std::vector<Open> open;
    for (const Known& known : known_) {
        const Failure& failure = known.failure;
        if (failure.works_since != 0) {
            // An edit that found its place at the second attempt is nothing to know of.
            const bool telling = !known.check.empty() || (known.weight == 2 && (known.refused || !known.edit)) ||
                                 failure.count >= kOften;
            // What failed once or twice, turns ago, and works: nobody would tell it.
            const bool past = failure.turn > 0 && failure.turn + kRecent < out.turn && failure.count < kOften;
            if (telling && known.weight > 0 && !past) out.mended.push_back(failure);
            continue;
        }
        // A look that found nothing says something about the file names of that moment, and soon nothing at all.
        const bool old = failure.turn < out.turn || known.response + kLookIsOld < out.responses;
        if (known.weight == 0 && (old || out.answered_line > failure.last_line) && failure.count < kOften) continue;
        // A filter or a flag of turns ago, and wider checks have passed since.
        if (known.outranked && failure.turn + kRecent < out.turn) continue;
        const bool left = failure.turn < out.turn && known.response + kOnceIsOld < out.responses &&
                          failure.error != ErrorClass::user_denied;
        if (known.weight == 1 && left && failure.count < kOften) continue;
        const auto alike = std::ranges::find_if(open, [&](const Open& o) {
            return o.sends == known.sends && o.failure.tool == failure.tool && o.failure.error == failure.error &&
                   !failure.output.empty() && masked(o.failure.output) == masked(failure.output);
        });
        if (alike == open.end()) {
            open.push_back({failure, known.weight, known.sends});
            continue;
        }
        Failure merged = failure.last_line > alike->failure.last_line ? failure : alike->failure;
        merged.count = failure.count + alike->failure.count;
        merged.calls = failure.calls + alike->failure.calls;
        merged.first_line = std::min(failure.first_line, alike->failure.first_line);
        *alike = {std::move(merged), std::max(known.weight, alike->weight), known.sends};
    }
    std::ranges::stable_sort(open, std::greater<>{}, [](const Open& o) {
        return std::tuple(o.weight, o.failure.count >= kOften, o.failure.last_line);
    });
    for (Open& one : open) out.failures.push_back(std::move(one.failure));
    std::ranges::stable_sort(out.mended, std::greater<>{}, &Failure::works_since);
    if (out.mended.size() > kMostMended) out.mended.resize(kMostMended);
    for (auto failing = failing_.rbegin(); failing != failing_.rend(); ++failing) out.failing.push_back(failing->run);
}

}  // namespace agent_audit::advice
