#include <agent_audit/pipeline/excerpts.hpp>

#include <agent_audit/pipeline/stream.hpp>
#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <deque>
#include <variant>

namespace agent_audit {
namespace {

constexpr std::size_t kMostRead = 64u << 10;  // bytes of one text that are looked at

std::string words_of(RawText text) {
    const std::string_view bytes = text.bytes.substr(0, kMostRead);
    if (text.form == TextForm::json_string) return decode_json_string(bytes, kMostRead);
    return std::string(cut_utf8(bytes, kMostRead));
}

std::string cut(const std::string& text, std::size_t most) {
    const std::string_view kept = cut_utf8(text, most);
    return kept.size() == text.size() ? text : std::string(kept) + " […]";
}

bool is_goal(const Message& message) {
    return message.role == Role::user && (message.origin == Origin::human || message.origin == Origin::queued) &&
           !message.text.empty();
}

// Begins a session anew at each start that is no resumption.
bool starts_session(const Event& event) {
    const auto* start = std::get_if<SessionStart>(&event.body);
    return start != nullptr && !start->resumed;
}

class Collector final : public InputSink {
public:
    Collector(const ExcerptSource& source, std::span<const ExcerptRequest> requests)
        : source_(source), requests_(requests), out_(requests.size()), tails_(requests.size()) {
        for (const ExcerptRequest& one : requests) last_line_ = std::max(last_line_, one.last_line);
    }

    void begin_input(const InputHead&) override {}
    void end_input(const IngestStats&) override {}
    bool wants_more() const override { return !past_; }

    void on_event(const Event& event) override {
        const std::uint64_t line = event.head.where.line;
        past_ = line > last_line_;
        if (starts_session(event)) goal_.clear();
        if (const auto* message = std::get_if<Message>(&event.body)) {
            if (goal_.empty() && event.head.lane == 0 && is_goal(*message)) {
                goal_ = cut(source_.redact(words_of(message->text)), Excerpt::kGoalBytes);
            }
        }
        for (std::size_t i = 0; i < requests_.size(); ++i) {
            const ExcerptRequest& wanted = requests_[i];
            if (line < wanted.first_line || line > wanted.last_line || event.head.lane != wanted.lane) continue;
            if (out_[i].goal.empty()) out_[i].goal = goal_;
            add(i, event);
        }
    }

    std::vector<Excerpt> finish() {
        for (std::size_t i = 0; i < out_.size(); ++i) {
            for (Excerpt::Part& part : tails_[i]) out_[i].parts.push_back(std::move(part));
            if (out_[i].parts.empty()) out_[i].problem = "its steps cannot be read again";
        }
        return std::move(out_);
    }

private:
    void add(std::size_t i, const Event& event) {
        Excerpt::Part part{part_role(event), event.head.where.line, {}};
        if (part.role.empty()) return;
        std::string text;
        if (const auto* message = std::get_if<Message>(&event.body)) text = words_of(message->text);
        if (const auto* call = std::get_if<ToolCall>(&event.body))
            text = words_of(call->name) + " " + words_of(call->args);
        if (const auto* result = std::get_if<ToolResult>(&event.body)) text = words_of(result->text);
        part.text = cut(source_.redact(text), Excerpt::kPartBytes);
        if (out_[i].parts.size() < Excerpt::kHeadParts) {
            out_[i].parts.push_back(std::move(part));
            return;
        }
        tails_[i].push_back(std::move(part));
        if (tails_[i].size() <= Excerpt::kTailParts) return;
        tails_[i].pop_front();
        ++out_[i].left_out;
    }
    static std::string_view part_role(const Event& event) {
        if (const auto* message = std::get_if<Message>(&event.body)) {
            return message->role == Role::user ? "user" : message->role == Role::assistant ? "assistant" : "";
        }
        if (std::holds_alternative<ToolCall>(event.body)) return "call";
        return std::holds_alternative<ToolResult>(event.body) ? "result" : "";
    }

    const ExcerptSource& source_;
    std::span<const ExcerptRequest> requests_;
    std::vector<Excerpt> out_;
    std::vector<std::deque<Excerpt::Part>> tails_;
    std::string goal_;
    std::uint64_t last_line_ = 0;
    bool past_ = false;
};

class Listener final : public InputSink {
public:
    explicit Listener(const ExcerptSource& source) : source_(source) {}
    void begin_input(const InputHead&) override {}
    void end_input(const IngestStats&) override {}

    void on_event(const Event& event) override {
        if (starts_session(event)) end();
        const auto* message = std::get_if<Message>(&event.body);
        if (message == nullptr || event.head.lane != 0 || message->text.empty()) return;
        const bool goal = now_.goal_line == 0;
        if (goal && !is_goal(*message)) return;
        const bool said = is_goal(*message) || message->role == Role::assistant;
        if (!said || now_.messages.size() >= Conversation::kMostMessages) return;
        std::string text = cut(source_.redact(words_of(message->text)), Excerpt::kGoalBytes);
        if (goal) {
            now_.goal_line = event.head.where.line;
            now_.goal = std::move(text);
        } else {
            now_.messages.push_back({event.head.where.line, std::move(text), is_goal(*message)});
        }
    }
    void end() {
        if (now_.goal_line > 0) out.push_back(std::move(now_));
        now_ = {};
    }

    std::vector<Conversation> out;

private:
    const ExcerptSource& source_;
    Conversation now_;
};

std::string stream(const ExcerptSource& source, InputSink& sink) {
    if (source.path == "-") return "standard input cannot be read again";
    StreamPlan plan;
    plan.inputs = {source.path};
    plan.input_format = source.format;
    plan.max_line_bytes = source.max_line_bytes;
    const auto outcome = stream_events(plan, sink);
    return outcome ? std::string() : outcome.error().message;
}

}  // namespace

std::vector<Excerpt> read_excerpts(const ExcerptSource& source, std::span<const ExcerptRequest> requests) {
    Collector collector(source, requests);
    const std::string problem = stream(source, collector);
    std::vector<Excerpt> out = collector.finish();
    for (Excerpt& excerpt : out) {
        if (!problem.empty()) excerpt = {{}, {}, 0, problem};
    }
    return out;
}

std::vector<Conversation> read_conversations(const ExcerptSource& source) {
    Listener listener(source);
    (void)stream(source, listener);
    listener.end();
    return std::move(listener.out);
}

}  // namespace agent_audit
