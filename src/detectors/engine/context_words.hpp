#pragma once

#include <agent_audit/detectors/detector.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// 152331 as "152k", 1520000 as "1.5M": what is estimated should not look exact.
std::string about_tokens(std::uint64_t tokens);
/// 1234567 as "1,234,567".
std::string grouped(std::uint64_t value);

/// Where a rule about the window saw something. Such findings are about no steps: they do not compete with loop rules.
class WindowEpisode {
public:
    static constexpr std::size_t kEvidence = 6;

    bool any() const { return count_ > 0; }
    std::uint64_t count() const { return count_; }
    std::uint64_t first_line() const { return first_line_; }
    std::uint64_t last_line() const { return last_line_; }

    void add(const ContextRequest& request, std::string_view role, std::string text);
    void add(const Step& step, std::string_view role);
    /// The evidence as it is, severity info, and the words about it still to be filled in.
    DraftFinding draft(const DetectorSpec& spec) const;
    void reset() { *this = {}; }

private:
    void cover(std::uint64_t line, std::uint64_t seq, std::uint64_t offset, std::uint64_t end);

    std::vector<Evidence> evidence_;
    std::vector<FindingCall> calls_;  // of the first steps
    std::uint64_t count_ = 0;
    std::uint64_t first_line_ = 0, last_line_ = 0, first_seq_ = 0, last_seq_ = 0, first_offset_ = 0, end_offset_ = 0;
    std::uint64_t first_call_ = 0;
};

}  // namespace agent_audit::detectors
