#pragma once

#include "convert/texts.hpp"

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::convert {

/// Keeps the records of sub-agents until their turn comes: in memory while they are small, then in a temporary file
/// that has no name.
class Spool {
public:
    void append(std::uint32_t lane, std::string_view bytes);
    bool holds(std::uint32_t lane) const;
    /// Writes everything of one lane, in the order it came.
    void write(std::uint32_t lane, Sink& out);
    void clear();
    /// The temporary file could not be made, written or read: something is lost.
    bool failed() const { return failed_; }

private:
    struct Piece {
        std::uint32_t lane = 0;
        std::uint64_t offset = 0, size = 0;
    };
    static constexpr std::size_t kInMemory = 4u << 20;

    bool spill();

    std::vector<Piece> pieces_;
    std::string memory_;
    std::uint64_t in_file_ = 0;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, std::fclose};
    bool failed_ = false;
};

}  // namespace agent_audit::convert
