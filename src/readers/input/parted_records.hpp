#pragma once

#include "readers/input/record_source.hpp"

#include <agent_audit/readers/input.hpp>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace agent_audit::readers {

/// Records that stand in parts, one behind the other: the entries of an archive, the files of a folder. They are
/// counted on through all parts. What is no record keeps its fate wherever it stands, and a part that cannot be read
/// costs itself only.
class PartedRecords : public RecordSource {
public:
    std::vector<Record> peek(std::size_t max_records) override;
    bool has_lines() const override { return false; }
    Next next(Record& out) override;
    const std::optional<std::string>& error() const override { return error_; }
    std::uint64_t bytes() const override { return offset_ + (current_ ? current_->bytes() : 0); }
    bool looks_binary() const override { return !current_ || current_->looks_binary(); }

protected:
    /// The next part that can be read; null: there is none.
    virtual std::unique_ptr<BufferedRecords> open_part() = 0;
    /// The part that was opened last is over, because of `error` if there is one.
    virtual void part_ended(const std::optional<std::string>& error) = 0;
    /// May that part still be being written?
    virtual bool may_grow() const = 0;

    /// The first problem is told in words, the others as a number: there may be a hundred thousand.
    void problem(std::string words);
    /// Back to the beginning, before anything was handed out; false: something was, or would be, that is no record.
    bool start_over();
    /// Does the part that was opened last count, in lines and bytes?
    virtual bool counts() const { return true; }
    const BufferedRecords* current() const { return current_.get(); }
    std::uint64_t ended_bytes() const { return offset_; }

private:
    bool open_next();
    void close();
    Record placed(Record record) const;

    std::unique_ptr<BufferedRecords> current_;
    std::deque<std::pair<Next, Record>> passed_over_;  // without text: what was no record while looking for one
    std::uint64_t offset_ = 0;                         // of the parts that are over
    std::uint64_t line_ = 0, last_line_ = 0;           // records of those, and the last one of this part
    std::uint64_t problems_ = 0;
    std::optional<std::string> error_;
};

}  // namespace agent_audit::readers
