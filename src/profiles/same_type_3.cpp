#include "profiles/all.hpp"
#include "profiles/rule.hpp"

#include <algorithm>

namespace agent_audit::profiles {
namespace {

constexpr int kSameType = 3;
constexpr std::int64_t kNear = 5;   // lines, at both ends
constexpr std::int64_t kSmall = 3;  // lines of an edit
constexpr int kChurn = 3;

struct Region {
    std::uint64_t file = 0;
    std::int64_t first = 0;  // 0 = the call does not say
    std::int64_t last = 0;
    std::int64_t lines = 0;     // that are written
    std::string before, after;  // where lines are not given, what was replaced by what
};

constexpr std::size_t kKept = 4096;  // bytes of an edit that are compared

std::int64_t count_lines(std::string_view text) {
    if (text.ends_with('\n')) text.remove_suffix(1);
    return 1 + std::ranges::count(text, '\n');
}

std::optional<std::int64_t> first_of(const Arguments& arguments, std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
        if (const auto number = arguments.integer(key)) return number;
    }
    return std::nullopt;
}

std::optional<std::string_view> text_of(const Arguments& arguments, std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
        if (const auto text = arguments.text(key)) return text;
    }
    return std::nullopt;
}

// An edit is a call with a file and either line numbers and new text, or old text and new text.
std::optional<Region> edited(const Arguments& arguments) {
    const auto file = text_of(arguments, {"path", "file_path", "filePath", "file", "filename"});
    const auto after =
        text_of(arguments, {"new_string", "new_str", "newString", "content", "new_text", "insert_text", "text"});
    if (!file || !after) return std::nullopt;
    Region region;
    region.file = stable_hash(*file);
    region.after = after->substr(0, kKept);
    region.lines = count_lines(*after);
    if (const auto first = first_of(arguments, {"start_line", "line_start", "insert_line", "line", "from_line"})) {
        region.first = *first;
        region.last = std::max(*first, first_of(arguments, {"end_line", "line_end", "to_line"}).value_or(*first));
        region.lines = std::max(region.lines, region.last - region.first + 1);
        return region;
    }
    const auto before = text_of(arguments, {"old_string", "old_str", "oldString", "old_text"});
    if (!before || before->empty()) return std::nullopt;
    region.before = before->substr(0, kKept);
    region.lines = std::max(region.lines, count_lines(*before));
    return region;
}

// Without line numbers: the new edit takes up what the last one left.
bool same_place(const Region& a, const Region& b) {
    if (a.file != b.file) return false;
    if (a.first > 0 && b.first > 0) {
        return std::abs(a.first - b.first) <= kNear && std::abs(a.last - b.last) <= kNear;
    }
    if (a.after.empty() || b.before.empty()) return false;
    return a.after.find(b.before) != a.after.npos || b.before.find(a.after) != b.before.npos;
}

class SameType3 final : public PeerRule {
public:
    void on_call(const PeerCall& call, const Arguments& arguments) override {
        const std::uint64_t type = stable_hash(call.name);
        streak_ = streak_ > 0 && type == type_ ? streak_ + 1 : 1;
        type_ = type;
        if (streak_ >= kSameType) warn("same type 3x", call.at);
        if (auto region = edited(arguments)) count_edit(std::move(*region), call.at);
    }

private:
    void count_edit(Region region, const Spot& at) {
        const bool near = edits_seen_ && same_place(last_, region);
        if (near && region.lines <= kSmall)
            ++churn_;
        else if (near)
            churn_ = 1;
        else
            churn_ = edits_seen_ ? 0 : 1;
        last_ = std::move(region);
        edits_seen_ = true;
        if (churn_ < kChurn) return;
        stop("edit churn 3x", at);
        churn_ = 0;
    }

    std::uint64_t type_ = 0;
    int streak_ = 0;
    Region last_;
    bool edits_seen_ = false;
    int churn_ = 0;
};

}  // namespace

ProfileSpec same_type_3() {
    return {
        "same-type-3",
        "a published simple rule, after Memfit's first and third layer",
        "3 actions of one type (tool name) in a row; then, for edits: 3 in a row within 5 lines of each other and of "
        "at "
        "most 3 lines each",
        "3 actions of one type: a reflection is asked for",
        "3 small edits in one place: the loop is told to leave",
        "the judgement by a model between the two; without line numbers an edit is near the last one when it takes up "
        "its text",
        []() -> std::unique_ptr<PeerRule> { return std::make_unique<SameType3>(); }};
}

}  // namespace agent_audit::profiles
