#include "convert/spool.hpp"

#include <algorithm>

namespace agent_audit::convert {

void Spool::append(std::uint32_t lane, std::string_view bytes) {
    const std::uint64_t at = in_file_ + memory_.size();
    if (!pieces_.empty() && pieces_.back().lane == lane)
        pieces_.back().size += bytes.size();
    else
        pieces_.push_back({lane, at, bytes.size()});
    memory_ += bytes;
    if (memory_.size() > kInMemory && !spill()) failed_ = true;
}

bool Spool::spill() {
    if (!file_) file_.reset(std::tmpfile());
    const bool written = file_ && std::fseek(file_.get(), 0, SEEK_END) == 0 &&
                         std::fwrite(memory_.data(), 1, memory_.size(), file_.get()) == memory_.size();
    in_file_ += memory_.size();
    memory_.clear();
    return written;
}

bool Spool::holds(std::uint32_t lane) const { return std::ranges::find(pieces_, lane, &Piece::lane) != pieces_.end(); }

void Spool::write(std::uint32_t lane, Sink& out) {
    if (file_ && !memory_.empty() && !spill()) failed_ = true;
    std::string buffer;
    for (const Piece& piece : pieces_) {
        if (piece.lane != lane) continue;
        if (!file_) {
            out.write(std::string_view(memory_).substr(piece.offset, piece.size));
            continue;
        }
        if (std::fseek(file_.get(), static_cast<long>(piece.offset), SEEK_SET) != 0) failed_ = true;
        for (std::uint64_t left = piece.size; left > 0 && !failed_;) {
            buffer.resize(static_cast<std::size_t>(std::min<std::uint64_t>(left, 256u << 10)));
            failed_ = std::fread(buffer.data(), 1, buffer.size(), file_.get()) != buffer.size();
            if (!failed_) out.write(buffer);
            left -= buffer.size();
        }
    }
}

void Spool::clear() {
    pieces_.clear();
    memory_.clear();
    in_file_ = 0;
    file_.reset();
}

}  // namespace agent_audit::convert
