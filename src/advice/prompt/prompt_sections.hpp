#pragma once

#include "advice/prompt/prompt_words.hpp"

#include <agent_audit/advice/checkpoint.hpp>
#include <agent_audit/advice/reset_prompt.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace agent_audit::advice::prompt {

struct Item {
    std::string text;
    std::string output;  ///< what a tool said about it: goes into the fenced block
    std::string mark{};  ///< of that; empty = its number
};
struct Group {
    std::string label;
    std::vector<Item> items;
    std::size_t left_out = 0;
};
struct Section {
    std::string title;
    std::vector<Group> groups;
};

/// Failures that a prompt tells at most; where one is among them, others may point at it.
inline constexpr std::size_t kFailures = 8;
/// Characters of a request, where there is no more room; and requests in between.
inline constexpr std::size_t kGoalChars = 800, kBetween = 10;

/// What a fresh session is told, section by section. Checkpoint and options must outlive it.
class Sections {
public:
    Sections(const Checkpoint& state, const ResetPromptOptions& options)
        : state_(state), options_(options), words_(options.redact, options.counts_records) {}

    /// All eight in their order.
    std::vector<Section> all() const;
    /// The first, with at most so many characters of each request and so many requests in between.
    Section goal(std::size_t chars, std::size_t between) const;

private:
    Section constraints() const;
    Section progress() const;
    Section decisions() const;
    Section failed() const;
    Section repeated() const;
    Section files() const;

    std::vector<Answer> decided() const;
    std::string answer_of(const Answer& a) const;
    std::string edits(const Change& c) const;
    std::string failed_since(const Change& c) const;
    Group verified() const;
    std::uint64_t last_push() const;
    std::vector<Deed> deeds(bool told_by_agent) const;
    std::string deed_of(const Deed& d) const;
    std::vector<Change> of_fate(FileFate fate) const;
    std::vector<FileRead> reads(bool unsure) const;

    const Checkpoint& state_;
    const ResetPromptOptions& options_;
    Words words_;
};

}  // namespace agent_audit::advice::prompt
