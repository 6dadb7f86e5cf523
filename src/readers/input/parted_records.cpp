#include "readers/input/parted_records.hpp"

#include <fmt/format.h>

namespace agent_audit::readers {

std::vector<Record> PartedRecords::peek(std::size_t max_records) {
    while (current_ || open_next()) {
        std::vector<Record> found = current_->peek(max_records);
        if (!found.empty()) {
            for (Record& record : found) record = placed(record);
            return found;
        }
        Record none;
        for (Next what = current_->next(none); what != Next::end; what = current_->next(none)) {
            last_line_ = none.where.line;
            none = placed(none);
            none.text = {};
            passed_over_.emplace_back(what == Next::record ? Next::blank : what, none);
            constexpr std::size_t kMostPassedOver = 64;
            if (passed_over_.size() >= kMostPassedOver) return {};
        }
        close();
    }
    return {};
}

RecordSource::Next PartedRecords::next(Record& out) {
    if (!passed_over_.empty()) {
        const Next what = passed_over_.front().first;
        out = passed_over_.front().second;
        passed_over_.pop_front();
        return what;
    }
    while (current_ || open_next()) {
        const Next what = current_->next(out);
        if (what != Next::end) {
            last_line_ = out.where.line;
            out = placed(out);
            return what;
        }
        close();
    }
    return Next::end;
}

Record PartedRecords::placed(Record record) const {
    record.where.line += line_;
    record.where.offset += offset_;
    record.last_unterminated = record.last_unterminated && may_grow();
    record.counted = false;  // the lines of all parts are counted on
    return record;
}

bool PartedRecords::open_next() {
    current_ = open_part();
    return current_ != nullptr;
}

bool PartedRecords::start_over() {
    if (!passed_over_.empty() || offset_ > 0 || (current_ && current_->bytes() > 0)) return false;
    current_.reset();
    return true;
}

void PartedRecords::close() {
    const std::uint64_t lines = std::exchange(last_line_, 0);
    if (counts()) {
        offset_ += current_->bytes();
        line_ += lines;
    }
    part_ended(current_->error());
    current_.reset();
}

void PartedRecords::problem(std::string words) {
    if (++problems_ == 1) {
        error_ = std::move(words);
        return;
    }
    const std::size_t tail = error_->rfind(" (and ");
    if (problems_ > 2 && tail != error_->npos) error_->resize(tail);
    *error_ += fmt::format(" (and {} more)", problems_ - 1);
}

}  // namespace agent_audit::readers
