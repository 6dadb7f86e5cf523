#include "report/words/line_words.hpp"

#include "report/words/human.hpp"

#include <fmt/format.h>

namespace agent_audit::report {

std::string LineWords::one(std::uint64_t line) const { return fmt::format("{} {}", noun_, line); }

std::string LineWords::grouped(std::uint64_t line) const { return fmt::format("{} {}", noun_, thousands(line)); }

std::string LineWords::span(std::uint64_t first, std::uint64_t last) const {
    return first == last ? one(last) : fmt::format("{}s {}-{}", noun_, first, last);
}

}  // namespace agent_audit::report
