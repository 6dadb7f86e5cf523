#pragma once

#include <agent_audit/model/event.hpp>
#include <agent_audit/support/hash.hpp>

#include <cstdint>

// Responses whose id and request say nothing: what is published has one word in place of all of them, and some
// gateways name neither. A response is spread over several records that repeat its prompt, while its output only grows;
// the next one has another prompt, or comes in another turn. Calls stand last in a response.

namespace agent_audit::readers {

/// Tells responses of one lane apart that have no name.
class UnnamedResponses {
public:
    struct Record {
        std::uint64_t prompt = 0, output = 0;  ///< tokens
        std::uint64_t begun = 0;               ///< what copies of the record have in common, such as its time
        std::uint32_t turn = 0;
        bool calls = false;  ///< it begins with a call
    };

    /// The identity of the response that the record belongs to; copies of its first record in other files have the
    /// same.
    IdHash of(const Record& record, IdHash word) {
        const bool goes_on = key_ != 0 && record.prompt == prompt_ && record.output >= output_ &&
                             record.turn == turn_ && (record.calls || !calls_);
        if (word != word_ || !goes_on) key_ = mix_hash(mix_hash(word, record.prompt), record.begun) | 1;
        word_ = word;
        prompt_ = record.prompt;
        output_ = record.output;
        turn_ = record.turn;
        calls_ = record.calls;
        return key_;
    }

private:
    IdHash key_ = 0, word_ = 0;
    std::uint64_t prompt_ = 0, output_ = 0;
    std::uint32_t turn_ = 0;
    bool calls_ = false;
};

}  // namespace agent_audit::readers
