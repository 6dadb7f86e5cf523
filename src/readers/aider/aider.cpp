#include "readers/aider/aider_text.hpp"
#include "readers/all.hpp"
#include "readers/json/format_util.hpp"
#include "support/byte_order_mark.hpp"

#include <string>

// aider's chat history, Markdown in the root of a repository. Its lines are the records:
//
//   # aider chat started at 2026-03-02 09:00:00     a session
//   #### fix the test                               the human; with a / in front a command
//   > Applied edit to a.py                          the program
//   anything else                                   the model, with its edits as blocks in the text
//
// The program ends its own lines with two blanks, so a quote or a heading of the model is told from them; in a file
// that lost its blanks the beginning of a line has to do. What it says in several lines at once (the output of git, a
// long commit message) has the sign in front of the first and the blanks behind the last of them. An answer of the
// model stands behind an empty line always.

namespace agent_audit::readers {
namespace {

using aider_text::Edit;

constexpr std::string_view kHeader = "# aider chat started at ";
constexpr std::size_t kLongestText = 256u << 10;  // of a message or an output; what is more is left out

class Aider final : public RecordReader {
public:
    void use(const CallIdentity& identity) override { args_.use(identity); }

    LineFate read(const Record& record, EventSink& sink) override {
        sink_ = &sink;
        here_ = record.where;
        std::string_view line = record.text;
        const bool gap = record.where.line > last_line_ + 1;
        last_line_ = record.where.line;
        line = without_byte_order_mark(line);
        if (line.starts_with(kHeader)) return session(trim_blank(line.substr(kHeader.size())));
        const bool marked = line.ends_with("  ");
        const bool own = marked || !keeps_blanks_;
        if (line.starts_with("#### ") && own) {
            keeps_blanks_ |= marked;
            goes_on_ = false;
            return human_line(trim_blank(line.substr(5)), gap);
        }
        const bool quoted = line.starts_with("> ") || line == ">";
        if (quoted && own) {
            keeps_blanks_ |= marked;
            goes_on_ = false;
            return program_line(trim_blank(line.substr(1)));
        }
        const bool behind_own = mode_ == Mode::program || mode_ == Mode::human;
        if (keeps_blanks_ && behind_own && (goes_on_ || !gap)) {
            goes_on_ = !marked;
            return more_of_it(line.substr(quoted ? 1 : 0));
        }
        return model_line(line, gap);
    }

    void finish(EventSink& sink) override {
        sink_ = &sink;
        flush();
        answer_command();
        fail_edits();
        announce();
    }

private:
    enum class Mode : std::uint8_t { nothing, human, model, thinking, program };

    // ---- events -----------------------------------------------------------------------------------------

    template <class Body>
    void emit(const Body& body, const SourceSpan& where, IdHash response = 0) {
        if (!std::is_same_v<Body, SessionStart>) announce();
        out_.head = EventHeader{};
        out_.head.where = where;
        out_.head.turn = std::is_same_v<Body, SessionStart> ? 0 : turn_;
        out_.head.response = response;
        out_.head.seq = ++next_seq_;
        if (std::is_same_v<Body, SessionStart>) out_.head.time_ms = started_ms_;
        out_.body = body;
        sink_->on_event(out_);
    }

    // The version and the model come some lines after the headline, so it waits for the first event.
    void announce() {
        if (!std::exchange(waiting_, false)) return;
        SessionStart start;
        start.label = plain(label_);
        start.product_version = plain(version_);
        start.model = plain(model_);
        emit(start, started_);
    }

    LineFate session(std::string_view time) {
        flush();
        asked_.clear();
        answer_command();
        fail_edits();
        announce();
        label_.assign(time.substr(0, 100));
        goes_on_ = false;
        started_ = here_;
        started_ms_ = time_ms(time);
        version_.clear();
        model_.clear();
        edits_.clear();
        waiting_ = true;
        turn_ = 0;
        mode_ = Mode::nothing;
        return LineFate::understood;
    }

    // A file that begins in the middle of a session.
    void need_session() {
        if (next_seq_ > 0 || waiting_) return;
        started_ = here_;
        waiting_ = true;
    }

    // ---- lines ------------------------------------------------------------------------------------------

    void append(std::string_view line, bool gap) {
        if (text_.size() + line.size() > kLongestText) return;
        if (!text_.empty()) text_ += gap ? "\n\n" : "\n";
        text_ += line;
    }

    void begin(Mode mode) {
        need_session();
        flush();
        mode_ = mode;
        at_ = here_;
    }

    LineFate human_line(std::string_view text, bool gap) {
        if (mode_ != Mode::human || gap) {
            begin(Mode::human);
            answer_command();
            fail_edits();
        }
        append(text, false);
        return LineFate::understood;
    }

    LineFate model_line(std::string_view line, bool gap) {
        const bool opens = line.starts_with("<thinking-content-") || line.starts_with("► **THINKING**");
        const bool closes = line.starts_with("</thinking-content-") || line.starts_with("► **ANSWER**");
        if (mode_ != Mode::model && mode_ != Mode::thinking) {
            begin(Mode::model);
            answer_command();
            fail_edits();
            edits_.clear();
            response_ = ++responses_ | std::uint64_t{1} << 63;
        }
        if (opens || closes) {
            begin(opens ? Mode::thinking : Mode::model);
            return LineFate::understood;
        }
        append(line, gap);
        return LineFate::understood;
    }

    // What was gathered becomes events.
    void flush() {
        const Mode mode = mode_;
        mode_ = Mode::nothing;
        if (mode == Mode::model || mode == Mode::thinking) ask();
        if (text_.empty()) return;
        if (mode == Mode::human) human();
        if (mode == Mode::thinking) emit(Thinking{plain(text_), 0}, at_, response_);
        if (mode == Mode::model) {
            emit(Message{Role::assistant, Origin::agent, plain(text_), 0}, at_, response_);
            for (Edit& edit : aider_text::edits_in(text_)) {
                if (edits_.size() < aider_text::kMaxEdits) edits_.push_back(std::move(edit));
            }
            answer_hash_ = stable_hash(text_);
        }
        text_.clear();
    }

    // ---- the human --------------------------------------------------------------------------------------

    void human() {
        if (text_.starts_with('/') || text_.starts_with('!')) return command();
        if (text_ == "<blank>") return;  // nothing was written and nothing sent
        asked_.clear();                  // the question of the command before, told again
        say(text_);
    }

    void say(std::string_view text) {
        ++turn_;
        emit(TurnStart{}, at_);
        emit(Message{Role::user, Origin::human, plain(text), 0}, at_);
    }

    // A question behind a command is written once more as a message of its own, except by old versions.
    void ask() {
        if (asked_.empty()) return;
        const std::string text = std::exchange(asked_, {});
        say(text);
    }

    void command() {
        constexpr std::array<std::string_view, 5> kRun{"/run", "/test", "/lint", "/git", "!"};
        constexpr std::array<std::string_view, 5> kAsk{"/ask", "/code", "/architect", "/context", "/help"};
        asked_.clear();
        const std::string_view text = text_;
        const auto end = text.starts_with('!') ? 1 : std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        std::string_view rest = text.substr(end);
        while (rest.starts_with(' ')) rest.remove_prefix(1);
        if (is_one_of(word, kAsk)) {
            asked_ = rest;
        } else if (is_one_of(word, kRun)) {
            call(word == "!" ? std::string_view("run") : word.substr(1), rest, Caller::user, at_);
        } else if (word == "/clear" || word == "/reset") {
            Compaction reset;
            reset.kind = CompactionKind::reset;
            reset.trigger = CompactionTrigger::manual;
            reset.keep = Keep::none;
            emit(reset, at_);
        }
    }

    // ---- the program ------------------------------------------------------------------------------------

    LineFate program_line(std::string_view text) {
        if (mode_ != Mode::program) begin(Mode::program);
        said_at_ = edit_at_ = here_;
        while (text.starts_with(' ')) text.remove_prefix(1);
        const LineFate fate = told(text);
        previous_.assign(text.substr(0, kLongestCommand));
        return fate;
    }

    // Another line of what the program says: the first may name an event, the others are words.
    LineFate more_of_it(std::string_view text) {
        if (mode_ != Mode::program) return program_line(trim_blank(text));
        said_at_ = here_;
        if (!failing_ && !running_) return LineFate::ignored_kind;
        put_out(trim_blank(text));
        return LineFate::understood;
    }

    void put_out(std::string_view text) {
        if (output_.size() + text.size() >= kLongestText) return;
        if (!output_.empty()) output_ += '\n';
        output_ += text;
    }

    // What a command printed is not written down, only whether the model was given it.
    static bool about_output(std::string_view text) {
        constexpr std::array<std::string_view, 2> kAsides{"Please answer with one of", "You can use /undo"};
        return (text.starts_with("Add") && text.find(" output to the chat") != text.npos) ||
               starts_with_one_of(text, kAsides);
    }

    LineFate told(std::string_view text) {
        if (const auto spent = aider_text::spent_in(text)) return usage(*spent);
        if (text.starts_with("Aider v")) return keep(version_, text.substr(7));
        if (text.starts_with("Model: ")) return model(text.substr(7));
        if (text.starts_with("Main model: ")) return model(text.substr(12));
        if (text.starts_with("Applied edit to ")) return applied(text.substr(16));
        if (text.starts_with("Skipping edits to ")) return skipped(text.substr(18));
        if (text.starts_with("Running ")) return running(text.substr(8));
        if (text.starts_with("Run shell command")) return asked_to_run(text);
        if (text.starts_with("The LLM did not conform to the edit format")) {
            fail_edits();
            failing_ = true;
            failing_at_ = here_;
            return LineFate::understood;
        }
        if (text.starts_with("^C")) {
            emit(TurnEnd{TurnStatus::aborted, -1}, here_);
            return LineFate::understood;
        }
        if (text.starts_with("Only ") && text.find(" reflections allowed") != text.npos) {  // its own loop guard
            fail_edits();
            emit(notice_of(NoticeLayer::harness, NoticeLevel::warning, "reflections", plain(text)), here_);
            return LineFate::understood;
        }
        if (running_ && about_output(text)) return LineFate::understood;
        if (failing_ || running_) {
            put_out(text);
            return LineFate::understood;
        }
        if (const auto layer = complaint(text)) {
            emit(notice_of(*layer, NoticeLevel::warning, {}, plain(text)), here_);
            return LineFate::understood;
        }
        return LineFate::ignored_kind;
    }

    static std::optional<NoticeLayer> complaint(std::string_view text) {
        constexpr std::array<std::string_view, 5> kProvider{"litellm.", "The API provider", "Retrying in ", "API Error",
                                                            "Rate limit"};
        if (starts_with_one_of(text, kProvider)) return NoticeLayer::provider;
        const bool limit = text.starts_with("Model ") && text.find("has hit a token limit") != text.npos;
        if (limit || text.starts_with("Error")) return NoticeLayer::harness;
        return std::nullopt;
    }

    static LineFate keep(std::string& field, std::string_view text) {
        field.assign(text.substr(0, 200));
        return LineFate::understood;
    }

    // "gpt-4o with diff edit format, infinite output"
    LineFate model(std::string_view text) {
        keep(model_, text.substr(0, text.find(" with ")));
        if (waiting_) return LineFate::understood;
        ContextChange change;
        change.model = plain(model_);
        emit(change, here_);
        return LineFate::understood;
    }

    LineFate usage(const aider_text::Spent& spent) {
        Usage usage;
        usage.tokens.cache_read = std::min(spent.cache_hit, spent.sent);
        usage.tokens.cache_write = std::min(spent.cache_write, spent.sent - usage.tokens.cache_read);
        usage.tokens.input = spent.sent - usage.tokens.cache_read - usage.tokens.cache_write;
        usage.tokens.output = spent.received;
        usage.model = plain(model_);
        if (usage.tokens.total() == 0 && microusd(spent.usd) == 0) return LineFate::ignored_kind;
        if (microusd(spent.usd) > 0) usage.cost_microusd = microusd(spent.usd);
        emit(usage, here_, response_);
        return LineFate::understood;
    }

    // ---- edits ------------------------------------------------------------------------------------------

    LineFate applied(std::string_view path) {
        edit_calls(path, ResultStatus::ok, {});
        return LineFate::understood;
    }

    LineFate skipped(std::string_view text) {
        edit_calls(text.substr(0, text.find(' ')), ResultStatus::denied, text);
        return LineFate::understood;
    }

    // Every edit of the answer to that file, or one of which only the file is known.
    void edit_calls(std::string_view path, ResultStatus status, std::string_view text) {
        bool any = false;
        for (Edit& edit : edits_) {
            if (edit.used || !aider_text::same_file(path, edit.path)) continue;
            edit.used = any = true;
            one_edit(edit, status, text);
        }
        if (!any) unknown_edit(path, status, text);
    }

    void one_edit(const Edit& edit, ResultStatus status, std::string_view text) {
        padded_ = aider_text::arguments_of(edit);
        const std::size_t size = padded_.size();
        padded_.append(kRecordPadding, ' ');
        json::document doc;
        json::object object;
        CallArgs args;
        args_.clear();
        if (parser_.iterate(padded_.data(), size, padded_.size()).get(doc) || doc.get_object().get(object))
            args = args_.digest_text({}, plain({padded_.data(), size}));  // bytes that are no UTF-8
        else
            args = args_.digest_object({}, object);
        finish_edit(call_of({}, "edit", args), status, text);
    }

    // Its place in the answer tells two of them apart.
    void unknown_edit(std::string_view path, ResultStatus status, std::string_view text) {
        CallArgs args = args_.digest_text({}, plain(path));
        args.digest.canonical = mix_hash(args.digest.canonical, answer_hash_);
        finish_edit(call_of({}, "edit", args), status, text);
    }

    void finish_edit(const ToolCall& call, ResultStatus status, std::string_view text) {
        answer_command();
        emit(call, edit_at_, response_);
        ToolResult result;
        result.status = status;
        result.text = plain(text);
        emit(result, edit_at_);
    }

    // The complaint names the files whose edits did not fit; where it names none, all are meant.
    void fail_edits() {
        if (!std::exchange(failing_, false)) return;
        edit_at_ = failing_at_;
        constexpr std::string_view kNames = "failed to exactly match lines in ";
        const std::string complaint = std::exchange(output_, {});
        bool named = false;
        for (auto at = complaint.find(kNames); at != complaint.npos; at = complaint.find(kNames, at)) {
            at += kNames.size();
            edit_calls(trim_blank(std::string_view(complaint).substr(at, complaint.find('\n', at) - at)),
                       ResultStatus::error, complaint);
            named = true;
        }
        if (named) return;
        bool any = false;
        for (Edit& edit : edits_) {
            if (std::exchange(edit.used, true)) continue;
            any = true;
            one_edit(edit, ResultStatus::error, complaint);
        }
        if (!any) unknown_edit({}, ResultStatus::error, complaint);
    }

    // ---- commands ---------------------------------------------------------------------------------------

    void call(std::string_view name, std::string_view command, Caller caller, const SourceSpan& where) {
        answer_command();
        args_.clear();
        ToolCall call = call_of({}, name, args_.digest_text({}, plain(command)));
        call.caller = caller;
        emit(call, where, caller == Caller::model ? response_ : 0);
        running_ = true;
        output_.clear();
    }

    LineFate running(std::string_view command) {
        fail_edits();
        call("shell", command, Caller::model, here_);
        return LineFate::understood;
    }

    // The command stands in the line before the question.
    LineFate asked_to_run(std::string_view text) {
        const auto colon = text.rfind(": ");
        const char answer = colon == text.npos || colon + 2 >= text.size() ? 'y' : text[colon + 2];
        if (answer != 'n' && answer != 'N' && answer != 's' && answer != 'd') return LineFate::understood;
        fail_edits();
        call("shell", previous_, Caller::model, here_);
        ToolResult result;
        result.status = ResultStatus::denied;
        running_ = false;
        emit(result, here_);
        return LineFate::understood;
    }

    // What the program said since then. Codes are not written down.
    void answer_command() {
        if (!std::exchange(running_, false)) return;
        ToolResult result;
        result.text = plain(output_);
        result.opaque = output_.empty();
        emit(result, output_.empty() ? here_ : said_at_);
        output_.clear();
    }

    static constexpr std::size_t kLongestCommand = 4096;

    EventSink* sink_ = nullptr;
    Event out_;
    std::uint64_t next_seq_ = 0, last_line_ = 0, responses_ = 0;
    Mode mode_ = Mode::nothing;
    SourceSpan here_, at_, started_, said_at_, edit_at_, failing_at_;
    std::int64_t started_ms_ = kNoTime;
    std::string text_, output_, asked_, previous_, label_, version_, model_, padded_;
    std::vector<Edit> edits_;
    std::uint64_t answer_hash_ = 0;
    json::parser parser_;
    ArgsDigester args_;
    IdHash response_ = 0;
    std::uint32_t turn_ = 0;
    bool keeps_blanks_ = false, goes_on_ = false, waiting_ = false, failing_ = false, running_ = false;
};

Score score(std::span<const ProbeRecord> sample, Framing framing) {
    if (framing != Framing::lines) return 0;
    std::size_t human = 0, program = 0;
    for (const ProbeRecord& r : sample) {
        if (r.is_object()) continue;
        const std::string_view line = r.json();
        if (without_byte_order_mark(line).starts_with(kHeader)) return kCertain;
        human += line.starts_with("#### ") ? 1 : 0;
        for (const std::string_view said :
             {"> Aider v", "> Tokens: ", "> Applied edit to ", "> Repo-map: ", "> Main model: "})
            program += line.starts_with(said) ? 1 : 0;
    }
    return program > 0 ? (human > 0 || program > 1 ? 80 : 60) : 0;
}

constexpr RecordKindDoc kKinds[] = {
    {"# aider chat started at …",
     "SessionStart, named after the time; product version and model of the lines below it"},
    {"#### …", "TurnStart and Message (human); lines that follow each other are one"},
    {"#### /run, /test, /lint, /git, !", "ToolCall by the user; what the program says next is the ToolResult"},
    {"#### /clear, /reset", "Compaction (reset)"},
    {"other commands", "not needed"},
    {"text", "Message (agent); Thinking between its tags"},
    {"> Tokens: …", "Usage, rounded as it stands, with cost"},
    {"> Applied edit to …", "ToolCall edit and ToolResult (ok), one a block of the answer"},
    {"> The LLM did not conform to the edit format", "ToolCall edit and ToolResult (error) for what did not fit"},
    {"> Running …, > Run shell command? … n", "ToolCall shell and ToolResult; denied when the answer was no"},
    {"> Model: …, > Main model: …", "ContextChange (model)"},
    {"> errors of the provider, token limit, reflections", "Notice"},
    {"> ^C", "TurnEnd (aborted)"},
    {"other lines of the program", "ignored, or output of the command before"},
};

}  // namespace

ReaderSpec aider() {
    return {"aider",
            "aider",
            "chat history files, many sessions in one",
            Signal::tool_calls | Signal::tool_results | Signal::result_status | Signal::token_usage |
                Signal::response_ids | Signal::compaction | Signal::cost,
            kKinds,
            score,
            [] { return std::unique_ptr<RecordReader>(std::make_unique<Aider>()); }};
}

}  // namespace agent_audit::readers
