#include "detectors/engine/plan_identity.hpp"

#include "support/among.hpp"

#include <agent_audit/support/hash.hpp>
#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace agent_audit::detectors {
namespace {

// Goes through the JSON once. Only the order of the entries is lost: a state that nobody thought of, a note that an
// entry gained or the name of the list make it another list.
class PlanSum {
public:
    explicit PlanSum(std::string_view json) : json_(json) {}

    std::uint64_t read() {
        while (at_ < json_.size() && whole_) step();
        return whole_ && depth_ == 0 && entries_ > 0 ? mix_hash(around_, sum_) | 1 : 0;
    }

private:
    static constexpr std::size_t kDeepest = 16;

    struct Entry {
        std::uint64_t sum = 0, inner = 0;
        bool stated = false, told = false;
    };

    void step() {
        const char c = json_[at_];
        switch (c) {
            case '"': return string();
            case '[':
            case '{': return open(c);
            case ']':
            case '}': return close();
            case ',':
            case ':':
            case ' ':
            case '\n':
            case '\r':
            case '\t': ++at_; return;
            default: return bare();
        }
    }

    void open(char c) {
        ++at_;
        whole_ = depth_ < kDeepest;
        if (!whole_) return;
        if (c == '{' && entry_at_ == 0 && depth_ > 0 && open_[depth_ - 1] == '[') {
            entry_ = {};
            entry_at_ = depth_ + 1;
        } else if (entry_at_ > 0) {
            inside(static_cast<std::uint64_t>(c));
        }
        open_[depth_++] = c;
    }

    void close() {
        ++at_;
        whole_ = depth_ > 0;
        if (!whole_) return;
        if (depth_ == entry_at_) {
            whole_ = entry_.stated && entry_.told;
            sum_ += mix_hash(entry_.sum, entry_.inner);
            ++entries_;
            entry_at_ = 0;
        }
        --depth_;
    }

    void string() {
        const std::size_t begin = ++at_;
        while (at_ < json_.size() && json_[at_] != '"') at_ += json_[at_] == '\\' ? 2 : 1;
        whole_ = at_ < json_.size();
        if (!whole_) return;
        const std::string_view word = json_.substr(begin, at_++ - begin);
        const std::size_t next = json_.find_first_not_of(" \n\r\t", at_);
        if (next < json_.size() && json_[next] == ':') {
            key_ = word;
        } else {
            value(word);
        }
    }

    void bare() {
        const std::size_t end = std::min(json_.find_first_of(",:]}\"[{ \n\r\t", at_), json_.size());
        value(json_.substr(at_, end - at_));
        at_ = end;
    }

    void value(std::string_view word) {
        const std::uint64_t said = mix_hash(stable_hash(key_), stable_hash(word));
        if (entry_at_ == 0) {
            around_ = mix_hash(around_, said);
        } else if (depth_ > entry_at_) {
            inside(said);
        } else if (key_ != "priority") {
            entry_.sum += said;
            entry_.stated = entry_.stated || among(key_, kStates);
            entry_.told = entry_.told || (!word.empty() && among(key_, kTexts));
        }
    }

    // What an entry holds further down is in the order it has.
    void inside(std::uint64_t said) { entry_.inner = mix_hash(mix_hash(entry_.inner, stable_hash(key_)), said); }

    static constexpr std::array<std::string_view, 2> kStates{"status", "state"};
    static constexpr std::array<std::string_view, 6> kTexts{"content", "step", "title", "description", "task", "text"};

    std::string_view json_, key_;
    std::size_t at_ = 0, depth_ = 0, entries_ = 0;
    std::size_t entry_at_ = 0;  // how deep the entry is that is being read; 0 = none
    std::array<char, kDeepest> open_{};
    Entry entry_;
    std::uint64_t around_ = 0, sum_ = 0;
    bool whole_ = true;
};

}  // namespace

std::uint64_t plan_identity(RawText json) {
    constexpr std::size_t kLongest = 65'536;     // bytes
    constexpr std::string_view kState = "stat";  // status, state
    if (json.size() > kLongest || json.bytes.find(kState) == json.bytes.npos) return 0;
    if (json.form != TextForm::json_string) return PlanSum(json.bytes).read();
    return PlanSum(decode_json_string(json.bytes)).read();
}

}  // namespace agent_audit::detectors
