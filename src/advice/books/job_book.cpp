#include "advice/books/job_book.hpp"

#include "advice/words/text.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace agent_audit::advice {
namespace {

constexpr std::size_t kMostJobs = 64;

std::string_view cut_front(std::string_view text, std::size_t keep) {
    text.remove_prefix(text.size() - std::min(keep, text.size()));
    while (!text.empty() && (static_cast<unsigned char>(text[0]) & 0xC0) == 0x80) text.remove_prefix(1);
    return text;
}

}  // namespace

bool JobBook::may_go_on(const ToolResult& result) {
    const std::string_view head = result.text.bytes.substr(0, 600);
    return result.status == ResultStatus::running || head.find("running") != head.npos ||
           head.find("background") != head.npos;
}

void JobBook::begin(std::string handle, OpenCall call, const std::string& text) {
    std::erase_if(jobs_, [&](const Job& job) { return job.handle == handle; });
    if (jobs_.size() == kMostJobs) jobs_.erase(jobs_.begin());
    // "Command running in background with ID: 7" is nothing that the command printed.
    const bool only_told =
        call.facts.shell && text.find('\n') == text.npos && lowered(text).find("background") != text.npos;
    jobs_.push_back({std::move(handle), std::move(call), only_told ? std::string() : text, false});
}

std::string JobBook::asked(RawText arguments) const {
    for (std::string& handle : handles_asked(arguments)) {
        if (std::ranges::find(jobs_, handle, &Job::handle) != jobs_.end()) return std::move(handle);
    }
    return {};
}

std::optional<JobBook::Ended> JobBook::answered(const OpenCall& call, const ToolResult& result,
                                                const std::string& text) {
    const auto job = std::ranges::find(jobs_, call.job, &Job::handle);
    if (job == jobs_.end()) return std::nullopt;
    job->text += "\n" + text;
    if (job->text.size() > 2 * kText) job->text = std::string(cut_front(job->text, kText));
    const Ending ending = ending_of(result, text);
    // What the agent itself has ended says nothing, and what is lost never will.
    job->stopped = job->stopped || call.stops;
    if (ending.ended && !job->stopped) return end(job, ending);
    if (!job->stopped && result.status == ResultStatus::error) jobs_.erase(job);
    return std::nullopt;
}

std::optional<JobBook::Ended> JobBook::noticed(const TaskNotice& notice, const std::string& message) {
    if (!notice.ending.ended) return std::nullopt;
    const auto job = std::ranges::find(jobs_, notice.handle, &Job::handle);
    if (job == jobs_.end()) return std::nullopt;
    // What an agent came to stands in the notice alone, what a command printed in its own output.
    if (job->call.facts.delegates) job->text = message;
    return end(job, notice.ending);
}

JobBook::Ended JobBook::end(std::vector<Job>::iterator at, const Ending& ending) {
    Job job = std::move(*at);
    jobs_.erase(at);
    return {std::move(job.call), std::move(job.text), ending};
}

void JobBook::tell(Checkpoint& out) const {
    for (auto job = jobs_.rbegin(); job != jobs_.rend(); ++job) {
        const OpenCall& call = job->call;
        // A look that was slow is over by now, whatever it showed.
        if (job->stopped || call.lane != 0 || !call.of_model || call.facts.looks) continue;
        out.running.push_back(
            {call.facts.shell ? call.facts.words : one_line(call.facts.tool + " " + call.facts.words, 160), call.line,
             call.turn});
    }
}

}  // namespace agent_audit::advice
