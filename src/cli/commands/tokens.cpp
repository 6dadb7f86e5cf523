#include "cli/commands/listing.hpp"
#include "cli/terminal.hpp"

#include <agent_audit/pipeline/text_tokens.hpp>

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <optional>

namespace agent_audit::cli {
namespace {

constexpr FlagSpec kFlags[] = {
    {"-f,--format", "FORMAT", "text (default) or json", false},
    {"--estimator", "NAME,...", "only these estimates; see the list without it", false},
    {"--vocab", "FILE", "count exactly with this byte-pair vocabulary: lines \"base64 rank\", as in o200k_base.tiktoken"},
    {"--pre-tokeniser", "KIND", "how the vocabulary cuts texts: o200k or cl100k (default: by its size)", false},
};
enum Flag : std::size_t { kFormat, kEstimator, kVocab, kPreTokeniser };

constexpr Example kExamples[] = {
    {"agent-audit tokens notes.md", "what each agent would take this text for"},
    {"agent-audit tokens --vocab o200k_base.tiktoken prompt.txt", "with the exact count beside it"},
};

std::string last(const Arguments& arguments, Flag flag, std::string_view otherwise = "") {
    const auto& values = arguments.flags[flag];
    return values.empty() ? std::string(otherwise) : values.back().text;
}

std::vector<std::string> words(const std::vector<FlagValue>& values) {
    std::vector<std::string> out;
    for (const FlagValue& value : values) {
        std::string_view rest = value.text;
        while (!rest.empty()) {
            const std::size_t comma = std::min(rest.find(','), rest.size());
            if (comma > 0) out.emplace_back(rest.substr(0, comma));
            rest.remove_prefix(std::min(comma + 1, rest.size()));
        }
    }
    return out;
}

std::optional<PreTokeniser> pre_tokeniser(std::string_view word) {
    for (const PreTokeniser kind : {PreTokeniser::o200k, PreTokeniser::cl100k}) {
        if (word == name(kind)) return kind;
    }
    return std::nullopt;
}

void write_json(report::JsonWriter& json, const TextTokens& counted) {
    json.begin_object();
    json.text("schema", "agent-audit/tokens/1");
    json.number("bytes", counted.bytes);
    json.number("utf16_units", counted.utf16);
    json.number("code_points", counted.code_points);
    if (counted.exact) {
        json.number("exact", *counted.exact);
        json.text("vocabulary", counted.vocabulary);
    }
    json.key("estimates").begin_array();
    for (const TextTokens::Row& row : counted.estimates) {
        json.begin_object();
        json.text("estimator", row.name);
        json.number("tokens", row.tokens);
        json.end_object();
    }
    json.end_array();
    json.end_object();
    json.newline();
}

std::string error_of(std::uint64_t estimate, std::uint64_t exact) {
    if (exact == 0) return "";
    return fmt::format("{:+.1f} %", 100.0 * (static_cast<double>(estimate) / static_cast<double>(exact) - 1.0));
}

void write_text(report::Page& page, const TextTokens& counted) {
    page.line(0, fmt::format("{} bytes, {} UTF-16 units, {} code points", counted.bytes, counted.utf16, counted.code_points));
    std::vector<report::Column> columns{{"estimate", 0, false}, {"tokens"}};
    if (counted.exact) columns.push_back({"error"});
    columns.push_back({"how", 1, false});
    report::Table table(std::move(columns));
    if (counted.exact) table.row({"exact", std::to_string(*counted.exact), "", counted.vocabulary});
    for (const TextTokens::Row& row : counted.estimates) {
        std::vector<std::string> cells{row.name, std::to_string(row.tokens)};
        if (counted.exact) cells.push_back(error_of(row.tokens, *counted.exact));
        cells.push_back(row.doc);
        table.row(std::move(cells));
    }
    table.draw(page, 0);
}

ExitStatus show(const CommandSpec& self, const Arguments& arguments, const TextTokens& counted) {
    const std::string format = last(arguments, kFormat, "text");
    std::string out;
    const ByteSink sink = [&out](std::string_view bytes) {
        out += bytes;
        return true;
    };
    if (format == "json") {
        report::JsonWriter json(sink);
        write_json(json, counted);
        json.flush();
    } else if (format == "text") {
        const Stream stream = inspect_stream(STDOUT_FILENO, When::automatic);
        report::Page page({.width = stream.width, .color = stream.color, .unicode = stream.unicode}, sink);
        write_text(page, counted);
        page.flush();
    } else {
        return usage_error(self, "--format = \"" + format + "\": expected text or json");
    }
    return print(out);
}

ExitStatus run(const CommandSpec& self, const Arguments& arguments) {
    if (arguments.operands.size() > 1) return usage_error(self, "tokens takes one file");
    TextTokensPlan plan{words(arguments.flags[kEstimator]), last(arguments, kVocab), {}};
    if (const std::string kind = last(arguments, kPreTokeniser); !kind.empty()) {
        plan.pre_tokeniser = pre_tokeniser(kind);
        if (!plan.pre_tokeniser) return usage_error(self, "--pre-tokeniser = \"" + kind + "\": expected o200k or cl100k");
    }
    const Result<std::string> text = read_file(arguments.operands.empty() ? "-" : arguments.operands[0]);
    if (!text) {
        complain(text.error().message);
        return ExitStatus::input;
    }
    const Result<TextTokens> counted = count_text_tokens(*text, plan);
    if (!counted) return usage_error(self, counted.error().message);
    return show(self, arguments, *counted);
}

}  // namespace

CommandSpec tokens_command() {
    return {"tokens",
            "[FILE]",
            "count the tokens of a text as agents estimate them",
            "FILE is a text; without it, or with -, standard input. Estimates are those that agents decide by when they "
            "prune or compact; the exact count needs the vocabulary file of a model.",
            kExamples,
            kFlags,
            run};
}

}  // namespace agent_audit::cli
