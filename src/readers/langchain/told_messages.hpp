#pragma once

#include "readers/langchain/langchain_message.hpp"

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <utility>
#include <vector>

namespace agent_audit::readers {

/// Which messages were told: a state repeats all that the ones before it held. Messages are known by their ids; where a
/// state has none, or one word in place of all of them, by what they say and by all that was said before them.
class ToldMessages {
public:
    /// A state without ids, as far as it was looked at. It goes on with the session if one of them is the beginning of
    /// the other.
    struct Look {
        std::size_t looked = 0, known = 0;  // messages; those that were told
        std::uint64_t chain = 0;            // of what was looked at
        bool unnamed = false, same = false;
    };
    struct Found {
        bool told = false;
        bool of_this_session = false;  ///< or, of a state without ids, what goes on with it
    };

    /// Gives back the look before it, for go_on_with().
    Look look_anew() { return std::exchange(look_, {}); }
    void go_on_with(const Look& look) { look_ = look; }
    /// The next message of a state, before any of it is told. False: no more need be looked at.
    bool look_at(const LangChainMessage& m) {
        if (look_.looked == 0) look_.unnamed = is_stand_in(m.id);
        if (!look_.unnamed) return false;
        look_.chain = said_behind(look_.chain, m);
        if (look_.looked++ < said_.size()) {
            look_.same = said_[look_.looked - 1] == look_.chain;
            if (!look_.same) return false;
            look_.known = look_.looked;
        }
        return look_.looked < said_.size();
    }

    /// Asked once of each message that is to be told: it is known from then on.
    Found find(const LangChainMessage& m) {
        if (look_.unnamed) {
            const bool told = look_.same && look_.known > 0;
            if (told) --look_.known;
            return {told, look_.same};
        }
        const IdHash key = is_stand_in(m.id) ? 0 : id_hash(m.id);
        const bool known = key != 0 && ids_.contains(key);
        if (key == 0 || known) return {known, known};
        if (ids_.size() >= kMost) ids_.clear();
        ids_.insert(key);
        return {};
    }
    bool has_id(std::string_view id) const { return ids_.contains(id_hash(id)); }

    void begin_session() { said_.clear(); }
    bool session_is_new() const { return said_.empty(); }
    void add(const LangChainMessage& m) {
        if (said_.size() < kMost) said_.push_back(said_behind(said_.empty() ? 0 : said_.back(), m));
    }

private:
    static constexpr std::size_t kMost = 200'000;  // messages; beyond it all ids are forgotten

    static std::uint64_t said_behind(std::uint64_t before, const LangChainMessage& m) {
        const std::uint64_t words = mix_hash(stable_hash(m.content.text.bytes), stable_hash(m.type));
        std::uint64_t key = mix_hash(mix_hash(before, words), figures_hash(m.tokens));
        for (const LangChainCall& call : m.calls) key = mix_hash(key, call.args.digest.canonical);
        return key;
    }

    Look look_;
    std::vector<std::uint64_t> said_;  // of each message told in the session, what it says and all before it
    std::unordered_set<IdHash> ids_;
};

}  // namespace agent_audit::readers
