#include "detectors/all.hpp"
#include "detectors/engine/episodes.hpp"

#include <agent_audit/support/hash.hpp>
#include <agent_audit/support/unescape.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kId = "loop/node-visits";

constexpr std::string_view kDoc = R"(## What it finds
In a log that names who speaks (the agents of a group, the nodes of a graph): a node that is visited again and again and
says word for word what it had said on an earlier visit.

## Why it matters
A graph whose edges lead in a circle hands the same state from node to node. Every visit is a request, and limits on the
number of steps end it only when the money is spent.

## Example
```
planner: "Look for the invoice in the archive and report the total." → searcher: … → planner: the same again → …
```

## What is not flagged
- a node that says something new, however often it is visited
- short sentences (names of the next node, "approved", "continue"): they are meant to be equal
- several messages of one visit, and everything a human asked for again

## What to do
Put what was learnt into the state that the node sees, or end the graph after the first visit that adds nothing.

## When it is wrong
Nodes with a fixed text. Raise `warn` and `fail`, or `--ignore loop/node-visits`.
)";

struct Params {
    int warn = 4;
    int fail = 8;
    int within = 0;
};

constexpr std::tuple kTable{
    Param<Params, int>{"warn", &Params::warn, 2, 1000, "visits with a text said before, before a warning"},
    Param<Params, int>{"fail", &Params::fail, 2, 10'000, "the same before an error"},
    within_param<Params>(),
};

constexpr std::size_t kShortText = 40;  // bytes; shorter ones route and do not tell

class NodeVisits final : public Detector {
public:
    explicit NodeVisits(Params params) : params_(params) {}

    void on_text(const AgentText& text, const LaneTrack& lane) override {
        if (text.speaker.empty() || text.reasoning) return;
        const std::uint64_t speaker = stable_hash(text.speaker.bytes);
        const bool visit = speaker != speaker_;
        speaker_ = speaker;
        Node& node = node_of(speaker, text.speaker);
        node.visits += visit;
        ++texts_;
        if (text.text.size() < kShortText) return;
        const auto said = std::ranges::find(node.said, text.hash, &Said::hash);
        if (said == node.said.end()) return hear_new(node, text);
        if (!visit) return;
        node.time.add(text.time_ms);
        if (node.again == 0) node.first = said->at;
        if (++node.again == 1) {
            node.spent_before = text.spent;
            node.reset_line = text.at.line > 0 ? text.at.line - 1 : 0;
        }
        node.last = text.at;
        node.last_spent = text.spent;
        node.good_steps = lane.good_steps();
    }

    void on_segment_end(const LaneTrack&) override {
        close();
        speaker_ = 0;
    }
    void finish(const LaneTrack*) override { close(); }

private:
    static constexpr std::size_t kMaxNodes = 64, kMaxSaid = 32;

    struct Said {
        std::uint64_t hash = 0;
        Place at;
    };
    struct Node {
        explicit Node(const Params& params) : time(params.warn, params.within) {}

        std::uint64_t speaker = 0;
        std::string name;
        std::vector<Said> said;
        std::size_t next_said = 0;
        std::uint64_t visits = 0;
        int again = 0;
        TimeWindow time;
        Place first, last;
        TokenCounts spent_before, last_spent;
        std::uint64_t reset_line = 0;
        std::uint64_t good_steps = 0;
    };

    Node& node_of(std::uint64_t speaker, RawText name) {
        const auto known = std::ranges::find(nodes_, speaker, &Node::speaker);
        if (known != nodes_.end()) return *known;
        if (nodes_.size() >= kMaxNodes) {
            say(nodes_.front());
            nodes_.erase(nodes_.begin());
        }
        Node& made = nodes_.emplace_back(params_);
        made.speaker = speaker;
        made.name =
            name.form == TextForm::plain ? std::string(cut_utf8(name.bytes, 60)) : decode_json_string(name.bytes, 60);
        return made;
    }

    // A node that says something new got somewhere: what it repeated before that is over.
    void hear_new(Node& node, const AgentText& text) {
        say(node);
        node.again = 0;
        node.time.reset();
        if (node.said.size() < kMaxSaid)
            node.said.push_back({text.hash, text.at});
        else
            node.said[node.next_said++ % kMaxSaid] = {text.hash, text.at};
    }

    void close() {
        for (const Node& node : nodes_) say(node);
        nodes_.clear();
    }

    void say(const Node& node) {
        if (node.again < params_.warn || !node.time.met()) return;
        const bool hard = node.again >= params_.fail;
        DraftFinding draft;
        const DetectorSpec spec = loop_node_visits();
        Finding& f = draft.finding;
        f.rule = spec.id;
        f.code = spec.code;
        f.confidence = spec.confidence;
        f.severity = hard ? Severity::error : Severity::warning;
        f.first_line = node.first.line;
        f.last_line = node.last.line;
        f.first_seq = node.first.seq;
        f.last_seq = node.last.seq;
        f.first_offset = node.first.offset;
        f.end_offset = node.last.offset + node.last.length;
        f.contiguous = false;
        f.repeats = static_cast<std::uint64_t>(node.again) + 1;
        f.round = {node.name};
        f.pattern_key = mix_hash(node.speaker, 9);
        if (node.last_spent.total() > node.spent_before.total())
            f.wasted_tokens = minus(node.last_spent, node.spent_before);
        if (node.reset_line > node.first.line) f.reset_line = node.reset_line;
        f.message = fmt::format("{} was visited {} times and said {} times what it had said before ({})", node.name,
                                node.visits, node.again, lines_words(f.first_line, f.last_line));
        f.action = "end the graph, or give the node what was learnt since its last visit";
        f.because = {{"visits_with_a_known_text", std::to_string(node.again)},
                     {"threshold", std::to_string(hard ? params_.fail : params_.warn)},
                     {"visits", std::to_string(node.visits)},
                     {"messages_of_all_nodes", std::to_string(texts_)}};
        f.evidence = {{node.first.line, node.first.seq, "first", node.name},
                      {node.last.line, node.last.seq, "last", node.name}};
        draft.good_steps_at_end = node.good_steps;
        report(std::move(draft));
    }

    Params params_;
    std::vector<Node> nodes_;
    std::uint64_t speaker_ = 0;
    std::uint64_t texts_ = 0;
};

}  // namespace

DetectorSpec loop_node_visits() {
    return {kId,
            "AA120",
            "a graph node visited again and again with nothing new to say",
            Severity::error,
            0.6,
            Stage::preview,
            Scope::lane,
            kTexts,
            Signals{},
            [] { return describe(kTable); },
            kDoc,
            [](const Settings& settings) { return bind_detector<NodeVisits>(kId, kTable, settings); }};
}

}  // namespace agent_audit::detectors
