#pragma once

#include <agent_audit/model/session_report.hpp>

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace agent_audit {

/// What a run sums up of its sessions, and can be had without the rest.
struct SessionSummary {
    std::uint32_t input = 0;
    std::string id;
    SessionCounts counts;
    std::vector<ToolStats> tools;
    std::vector<SkippedRule> skipped_rules;
    std::vector<PeerOutcome> peers;
};

/// The tokens of a finished session at rest, in some 100 bytes instead of 700.
class PackedTotals {
public:
    PackedTotals() = default;
    explicit PackedTotals(const TokenLedgerTotals& tokens);

    TokenLedgerTotals unpack() const;

private:
    friend class PackedSession;
    std::string bytes_;  // empty: nothing was spent
};

/// A finished session at rest: its report in some 1,500 bytes instead of 5,000, for a run over a hundred thousand
/// sessions keeps them all until its end. Only for this process: the names of rules stay where they are.
class PackedSession {
public:
    PackedSession() = default;
    explicit PackedSession(const SessionReport& session) : PackedSession(before_billing(session)) {
        bill(PackedTotals(session.tokens));
    }
    /// All but SessionReport::tokens, which are not known yet.
    static PackedSession before_billing(const SessionReport& session);
    /// Those tokens: once.
    void bill(const PackedTotals& tokens);

    SessionReport unpack() const;
    SessionSummary summary() const;
    std::uint32_t input() const;
    std::string id() const;

    friend bool operator==(const PackedSession&, const PackedSession&) = default;

private:
    std::string bytes_;
};

/// The sessions of a run, packed. A session that is asked for is made anew: the list hands out values, and what was
/// handed out lives as long as its holder wants. It is const: a change made to it would be lost without a word. Asking
/// for one takes some microseconds, its summary() less, its id() and input() next to nothing.
class SessionList {
public:
    using value_type = SessionReport;

    class const_iterator {
    public:
        using iterator_concept = std::random_access_iterator_tag;
        using iterator_category = std::input_iterator_tag;  // it hands out values
        using value_type = SessionReport;
        using difference_type = std::ptrdiff_t;
        using reference = const SessionReport;
        using pointer = void;

        const_iterator() = default;
        const_iterator(const SessionList* list, std::ptrdiff_t at) : list_(list), at_(at) {}

        const SessionReport operator*() const { return (*this)[0]; }
        const SessionReport operator[](difference_type n) const { return (*list_)[static_cast<std::size_t>(at_ + n)]; }
        const_iterator& operator++() { return *this += 1; }
        const_iterator& operator--() { return *this -= 1; }
        const_iterator operator++(int) { return std::exchange(*this, *this + 1); }
        const_iterator operator--(int) { return std::exchange(*this, *this - 1); }
        const_iterator& operator+=(difference_type n) {
            at_ += n;
            return *this;
        }
        const_iterator& operator-=(difference_type n) { return *this += -n; }
        friend const_iterator operator+(const_iterator it, difference_type n) { return it += n; }
        friend const_iterator operator+(difference_type n, const_iterator it) { return it += n; }
        friend const_iterator operator-(const_iterator it, difference_type n) { return it -= n; }
        friend difference_type operator-(const const_iterator& a, const const_iterator& b) { return a.at_ - b.at_; }
        friend bool operator==(const const_iterator& a, const const_iterator& b) { return a.at_ == b.at_; }
        friend std::strong_ordering operator<=>(const const_iterator& a, const const_iterator& b) {
            return a.at_ <=> b.at_;
        }

    private:
        const SessionList* list_ = nullptr;
        std::ptrdiff_t at_ = 0;
    };
    using iterator = const_iterator;

    std::size_t size() const { return packed_.size(); }
    bool empty() const { return packed_.empty(); }
    const SessionReport operator[](std::size_t at) const { return packed_[at].unpack(); }
    const SessionReport front() const { return packed_.front().unpack(); }
    const SessionReport back() const { return packed_.back().unpack(); }
    std::uint32_t input(std::size_t at) const { return packed_[at].input(); }
    std::string id(std::size_t at) const { return packed_[at].id(); }
    SessionSummary summary(std::size_t at) const { return packed_[at].summary(); }
    /// How many sessions an input has. They stand in the order of inputs.
    std::size_t of_input(std::uint32_t input) const {
        const auto first = std::ranges::lower_bound(packed_, input, {}, &PackedSession::input);
        return static_cast<std::size_t>(
            std::ranges::upper_bound(first, packed_.end(), input, {}, &PackedSession::input) - first);
    }
    const_iterator begin() const { return {this, 0}; }
    const_iterator end() const { return {this, static_cast<std::ptrdiff_t>(size())}; }

    void push_back(const SessionReport& session) { packed_.emplace_back(session); }
    void push_back(PackedSession&& session) { packed_.push_back(std::move(session)); }
    void append(SessionList&& more) {
        for (PackedSession& session : more.packed_) packed_.push_back(std::move(session));
        more.packed_.clear();
    }
    /// Hands the session at `at` to `change`, which may change it, and keeps what comes out.
    template <class Change>
    void change(std::size_t at, Change&& change) {
        SessionReport session = packed_[at].unpack();
        change(session);
        packed_[at] = PackedSession(session);
    }

private:
    std::deque<PackedSession> packed_;  // grows without moving what it has
};

}  // namespace agent_audit
