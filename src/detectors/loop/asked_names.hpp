#pragma once

#include <agent_audit/detectors/step.hpp>

#include <array>
#include <cstddef>
#include <cstdint>

namespace agent_audit::detectors {

/// The names that a row of queries of a database asked of: tables and columns, not the words of the language. Who looks
/// for one thing in other words comes back to the same names; who goes through the columns of a table does not.
class AskedNames {
public:
    /// Takes in those of a query, and says whether one of them is new. False once there are too many.
    bool has_new_ones(const Step& query);

private:
    std::array<std::uint32_t, 128> names_{};
    std::size_t known_ = 0;
};

}  // namespace agent_audit::detectors
