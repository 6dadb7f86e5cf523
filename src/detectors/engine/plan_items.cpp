#include "detectors/engine/plan_items.hpp"

#include "detectors/words/phrases.hpp"

#include <agent_audit/support/hash.hpp>
#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kMostPlan = 64;

// Reads no more of the JSON than plans need.
class PlanReader {
public:
    explicit PlanReader(std::string_view json) : json_(json) {}

    std::vector<PlanItem> read() {
        std::string key;
        PlanItem item;
        bool stated = false;
        while (at_ < json_.size() && items_.size() < kMostPlan) {
            const char c = json_[at_];
            if (c == '"') {
                const std::string_view word = string();
                if (follows_colon()) {
                    key = word;
                } else if (key == "status" || key == "state") {
                    item.state = state_of(word);
                    stated = true;
                } else if (key == "content" || key == "step" || key == "title" || key == "description" ||
                           key == "task" || key == "text") {
                    if (item.text.empty()) item.text = decode_json_string(word, 120);
                }
                continue;
            }
            if (c == '}') {
                if (stated && !item.text.empty()) keep(item);
                item = {};
                stated = false;
            }
            ++at_;
        }
        return std::move(items_);
    }

private:
    std::string_view string() {
        const std::size_t begin = ++at_;
        while (at_ < json_.size() && json_[at_] != '"') at_ += json_[at_] == '\\' ? 2 : 1;
        const std::size_t end = std::min(at_, json_.size());
        ++at_;
        return json_.substr(begin, end - begin);
    }

    bool follows_colon() {
        std::size_t at = at_;
        while (at < json_.size() && (json_[at] == ' ' || json_[at] == '\n')) ++at;
        if (at >= json_.size() || json_[at] != ':') return false;
        at_ = at + 1;
        return true;
    }

    static PlanItem::State state_of(std::string_view word) {
        if (word == "completed" || word == "done" || word == "complete") return PlanItem::State::done;
        if (word == "in_progress" || word == "active" || word == "in-progress") return PlanItem::State::active;
        if (word == "cancelled" || word == "canceled" || word == "skipped") return PlanItem::State::cancelled;
        return PlanItem::State::open;
    }

    void keep(PlanItem& item) {
        item.id = stable_hash(lowered(item.text));
        add_words({item.text, TextForm::plain}, item.text.size(), item.words);
        items_.push_back(std::move(item));
    }

    std::string_view json_;
    std::size_t at_ = 0;
    std::vector<PlanItem> items_;
};

}  // namespace

std::vector<PlanItem> plan_items(std::string_view json) { return PlanReader(json).read(); }

}  // namespace agent_audit::detectors
