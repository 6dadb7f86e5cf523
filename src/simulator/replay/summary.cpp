#include <agent_audit/simulator/summary.hpp>

#include "support/phrase_set.hpp"

#include <agent_audit/simulator/regret.hpp>
#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace agent_audit::simulator {
namespace {

constexpr double kBytesPerToken = 4, kMostTokens = 100'000;
constexpr std::uint32_t kLongestRead = 256u
                                       << 10;  // bytes; a longer text is a paste, and costs more to read than it tells

// Shares of the room, and sizes of single pieces in bytes.
constexpr double kOldSummaryShare = 0.4, kDemandShare = 0.15, kRequestShare = 0.15, kFileShare = 0.2;
constexpr std::size_t kGoalBytes = 800, kDemandBytes = 240, kRequestBytes = 300, kFailureBytes = 160,
                      kAnswerBytes = 600;
constexpr std::size_t kMore = 8;  // bytes behind a piece that say where its last character ends
constexpr std::size_t kMostFailures = 8, kMostCalls = 400;

// Words of demands; they are meant as they are written here, and "Must" as well.
constexpr std::string_view kDemands[] = {"must",       "never",     "do not",   "don't",     "always", "only ",
                                         "should not", "make sure", "required", "important", "必须",   "不要",
                                         "禁止",       "只能",      "务必",     "不得",      "应该"};
constexpr PhraseSet kDemandSet(kDemands);

// The sentence that holds the next demand from `from` on, with what ends it; empty = there is none.
std::string_view next_demand(std::string_view text, std::size_t from) {
    constexpr std::string_view kEnds = "\n.!?;";
    const std::string_view rest = text.substr(from);
    std::size_t found = rest.npos;
    kDemandSet.any(rest, [&](std::size_t at, std::string_view phrase) {
        const std::string_view said = rest.substr(at, phrase.size());
        if (said == phrase || said == "Must") found = at;
        return found != rest.npos;
    });
    if (found == rest.npos) return {};
    const std::size_t before = rest.substr(0, found).find_last_of(kEnds);
    const std::size_t begin = before == rest.npos ? 0 : before + 1;
    const std::size_t end = std::min(rest.find_first_of(kEnds, found), rest.size() - 1);
    return rest.substr(begin, end + 1 - begin);
}

// Of an argument by each of these names; the best name first.
constexpr std::string_view kNames[] = {"\"file_path\":\"", "\"path\":\"", "\"filePath\":\"", "\"notebook_path\":\""};
using Paths = std::array<std::string_view, std::size(kNames)>;

class Extract {
public:
    explicit Extract(const SummaryTask& task)
        : given_up_(task.given_up),
          room_(static_cast<std::size_t>(std::clamp(task.tokens, 0.0, kMostTokens) * kBytesPerToken)) {
        out_.reserve(room_ + kAnswerBytes);  // most summaries fill it
        for (const MsgPtr& message : given_up_) {
            if (message && message->role == Role::user) users_.push_back(message.get());
        }
    }

    std::string write() {
        old_summary();
        goal();
        demands();
        requests();
        files();
        failures();
        answers();
        out_.resize(cut_utf8(out_, room_).size());
        return std::move(out_);
    }

private:
    std::size_t share(double part) const { return static_cast<std::size_t>(static_cast<double>(room_) * part); }
    std::size_t left() const { return room_ > out_.size() ? room_ - out_.size() : 0; }

    std::string_view words(const Block& block, std::size_t least = std::string_view::npos) {
        return block.text.sizes().bytes > kLongestRead ? std::string_view{} : block.text.front(least, scratch_);
    }
    // Lives until the next words are asked for. As much as an item of so many bytes is made of.
    std::string_view text(const Msg& message, std::size_t item = kLongestRead) {
        constexpr BlockKind kind = BlockKind::text;
        const std::size_t least = item + kMore;
        const auto counts = [](const Block& block) { return block.kind == kind; };
        const auto only = std::ranges::find_if(message.blocks, counts);
        if (only == message.blocks.end()) return {};
        if (std::find_if(only + 1, message.blocks.end(), counts) == message.blocks.end()) return words(*only, least);
        joined_.clear();
        for (const Block& block : message.blocks) {
            if (block.kind != kind) continue;
            const std::string_view more = words(block, least);
            if (more.empty()) continue;
            if (!joined_.empty()) joined_ += '\n';
            joined_ += more;
        }
        return joined_;
    }
    bool changes(std::string_view tool) {
        const auto known = std::ranges::find(changing_, tool, &std::pair<std::string_view, bool>::first);
        if (known != changing_.end()) return known->second;
        return changing_.emplace_back(tool, call_kind(tool) == CallKind::write).second;
    }
    void head(std::string_view title) { (out_ += title) += '\n'; }
    void item(std::string_view piece, std::size_t most) {
        piece = cut_utf8(piece, most);
        while (!piece.empty() && (piece.back() == '\n' || piece.back() == ' ')) piece.remove_suffix(1);
        if (piece.empty()) return;
        ((out_ += "- ") += piece) += '\n';
    }

    void old_summary() {
        for (const MsgPtr& message : given_up_) {
            const bool summary =
                message && (message->role == Role::compaction_summary || message->role == Role::branch_summary);
            if (!summary) continue;
            const std::string_view before = text(*message);
            if (before.empty()) continue;
            head("Before:");
            (out_ += cut_utf8(before, share(kOldSummaryShare))) += '\n';
        }
    }
    void goal() {
        if (users_.empty()) return;
        const std::string_view first = text(*users_.front(), kGoalBytes);
        if (first.empty()) return;
        head("Goal:");
        item(first, std::min(kGoalBytes, left()));
    }

    // Sentences of the person that bind what comes later.
    void demands() {
        const std::size_t until = out_.size() + share(kDemandShare);
        bool any = false;
        for (auto user = users_.rbegin(); user != users_.rend() && out_.size() < until; ++user) {
            const std::string_view all = text(**user);
            std::size_t from = 0;
            while (out_.size() < until) {
                const std::string_view sentence = next_demand(all, from);
                if (sentence.empty()) break;
                from = static_cast<std::size_t>(sentence.data() + sentence.size() - all.data());
                if (!any) head("Constraints:");
                any = true;
                item(sentence.substr(std::min(sentence.find_first_not_of(" \n"), sentence.size())), kDemandBytes);
            }
        }
    }
    void requests() {
        const std::size_t until = out_.size() + share(kRequestShare);
        if (users_.size() < 2) return;
        head("Asked later:");
        for (std::size_t i = users_.size(); i-- > 1 && out_.size() < until;)
            item(text(*users_[i], kRequestBytes), kRequestBytes);
    }

    // Values of arguments that are paths, newest first; what was changed before what was only read.
    void files() {
        constexpr unsigned kChanged = 1, kSeen = 2;
        std::vector<std::string> changed, seen;
        std::unordered_map<std::string, unsigned> lists;  // in which a path stands
        std::size_t calls = 0;
        for (std::size_t i = given_up_.size(); i-- > 0 && calls < kMostCalls;) {
            if (!given_up_[i] || given_up_[i]->role != Role::assistant) continue;
            for (const Block& block : given_up_[i]->blocks) {
                if (block.kind != BlockKind::tool_call || ++calls > kMostCalls) continue;
                const std::string path = path_of(block);
                if (path.empty()) continue;
                const bool changing = changes(block.name);
                unsigned& listed = lists[path];
                if ((listed & kChanged) != 0 || (!changing && listed != 0)) continue;
                listed |= changing ? kChanged : kSeen;
                (changing ? changed : seen).push_back(path);
            }
        }
        const std::size_t until = out_.size() + share(kFileShare);
        list_files("Changed files:", changed, until);
        list_files("Read files:", seen, until);
    }
    void list_files(std::string_view title, const std::vector<std::string>& paths, std::size_t until) {
        if (paths.empty() || out_.size() >= until) return;
        head(title);
        for (const std::string& path : paths) {
            if (out_.size() >= until) return;
            item(path, kRequestBytes);
        }
    }
    // Mostly the file is named first, before contents that may be long: then it is enough to read the front.
    std::string path_of(const Block& call) {
        constexpr std::size_t kFront = 256;
        if (call.text.sizes().bytes > 2 * kFront) {
            const Paths front = paths_in(words(call, kFront));
            if (!front[0].empty()) return std::string(front[0]);
        }
        const Paths paths = paths_in(words(call));
        const auto found = std::ranges::find_if(paths, [](std::string_view path) { return !path.empty(); });
        return found == paths.end() ? std::string() : std::string(*found);
    }
    // The string that begins here, when it is as long as a path may be.
    static std::string_view path_at(std::string_view rest) {
        const std::size_t end = rest.find('"');
        return end != rest.npos && end <= kRequestBytes ? rest.substr(0, end) : std::string_view{};
    }
    // Of the first place of each name; the names that stand first come first, and behind the very first there is
    // nothing better. Colons are fewer than quotes.
    static Paths paths_in(std::string_view arguments) {
        constexpr std::size_t kBefore = 1;  // the quote that ends a name
        Paths paths;
        std::array<bool, std::size(kNames)> met{};
        for (std::size_t at = arguments.find(':', kBefore); at != arguments.npos; at = arguments.find(':', at + 1)) {
            if (arguments[at - 1] != '"' || at + 1 == arguments.size() || arguments[at + 1] != '"') continue;
            const std::string_view front = arguments.substr(0, at + 2);
            for (std::size_t k = 0; k < met.size(); ++k) {
                if (met[k] || !front.ends_with(kNames[k])) continue;
                met[k] = true;
                paths[k] = path_at(arguments.substr(front.size()));
            }
            if (!paths[0].empty()) break;
        }
        return paths;
    }

    void failures() {
        std::size_t count = 0;
        for (std::size_t i = given_up_.size(); i-- > 0 && count < kMostFailures;) {
            const MsgPtr& message = given_up_[i];
            if (!message || message->role != Role::tool_result || !message->is_error) continue;
            const std::string_view all = text(*message, kFailureBytes);
            if (all.empty()) continue;
            if (count++ == 0) head("Failed:");
            item((message->tool_name + ": ").append(all.substr(0, all.find('\n'))), kFailureBytes);
        }
    }
    void answers() {
        bool any = false;
        for (std::size_t i = given_up_.size(); i-- > 0 && left() > kDemandBytes;) {
            if (!given_up_[i] || given_up_[i]->role != Role::assistant) continue;
            const std::string_view said = text(*given_up_[i], kAnswerBytes);
            if (said.empty()) continue;
            if (!any) head("Done:");
            any = true;
            item(said, std::min(kAnswerBytes, left()));
        }
    }

    std::span<const MsgPtr> given_up_;
    std::size_t room_;
    std::vector<const Msg*> users_;
    std::vector<std::pair<std::string_view, bool>> changing_;  // whether tools change files
    std::string out_, scratch_, joined_;
};

}  // namespace

Summary extractive_summary(const SummaryTask& task) { return {Extract(task).write(), false}; }

}  // namespace agent_audit::simulator
