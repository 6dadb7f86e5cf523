#include "profiles/all.hpp"
#include "profiles/rule.hpp"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace agent_audit::profiles {
namespace {

constexpr int kErrors = 3;
constexpr int kReads = 5;
constexpr std::size_t kErrorBytes = 200;
constexpr std::size_t kPaths = 4096;  // remembered at a time

std::uint64_t error_fingerprint(std::string_view text) {
    std::string head(text.substr(0, kErrorBytes));
    std::string masked;
    for (const char c : head) {
        const bool digit = c >= '0' && c <= '9';
        if (!digit)
            masked += c;
        else if (masked.empty() || masked.back() != '#')
            masked += '#';
    }
    return stable_hash(masked) | 1;
}

std::uint64_t path_of(const Arguments& arguments) {
    for (const char* key : {"path", "file_path", "filePath", "absolute_path", "target_file", "filename", "file"}) {
        if (const auto path = arguments.text(key); path && !path->empty()) return stable_hash(*path) | 1;
    }
    return 0;
}

bool writes(const PeerCall& call, const Arguments& arguments) {
    const auto changes = [](std::string_view word) {
        for (const std::string_view part :
             {"write", "edit", "replace", "create", "insert", "patch", "delete", "remove", "move", "save"}) {
            if (word.find(part) != word.npos) return true;
        }
        return false;
    };
    // One tool for everything says in its command what it does: view, write, str_replace, insert.
    if (const auto command = arguments.text("command")) return changes(*command);
    std::string name = call.name;
    for (char& c : name) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
    return changes(name);
}

class Goose final : public PeerRule {
public:
    void on_call(const PeerCall& call, const Arguments& arguments) override {
        if (errors_ >= kErrors && stable_hash(call.name) == failing_tool_) stop("same error 3x", call.at);
        if (is_shell_tool(call.name)) return;
        const std::uint64_t path = path_of(arguments);
        if (path == 0) return;
        if (writes(call, arguments)) {
            reads_.erase(path);
            return;
        }
        if (reads_.size() >= kPaths) reads_.clear();
        if (++reads_[path] > kReads) stop("same path read 5x", call.at);
    }
    void on_result(const PeerCall& call, const PeerResult& result) override {
        if (!result.failed()) {
            errors_ = 0;
            return;
        }
        const std::uint64_t tool = stable_hash(call.name);
        const std::uint64_t error = error_fingerprint(result.text);
        errors_ = errors_ > 0 && tool == failing_tool_ && error == error_ ? errors_ + 1 : 1;
        failing_tool_ = tool;
        error_ = error;
    }

private:
    int errors_ = 0;
    std::uint64_t failing_tool_ = 0;
    std::uint64_t error_ = 0;
    std::unordered_map<std::uint64_t, int> reads_;  // by path, since it was last written
};

}  // namespace

ProfileSpec goose() {
    return {
        "goose",
        "goose with the rules REP-002 and REP-003 of its variants",
        "the next call of a tool that failed 3 times in a row with one error, or the 6th read of a path without a "
        "write "
        "to it",
        "",
        "the call is denied",
        "the repetition limit, which is unlimited unless set; compiler and test ids in errors are masked digits here",
        []() -> std::unique_ptr<PeerRule> { return std::make_unique<Goose>(); }};
}

}  // namespace agent_audit::profiles
