#include <agent_audit/simulator/gemini.hpp>
#include <agent_audit/simulator/regret.hpp>

#include "simulator/gemini/payload.hpp"
#include "simulator/js_text.hpp"

#include <agent_audit/tokens/lengths.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <utility>

namespace agent_audit::simulator::gemini {
namespace {

constexpr std::string_view kShellTool = "run_shell_command";
constexpr std::array<std::string_view, 4> kExemptTools{"activate_skill", "ask_user", "enter_plan_mode",
                                                       "exit_plan_mode"};
constexpr std::size_t kPreviewMax = 500, kPreviewEnd = 250, kPreviewLines = 20, kPreviewSide = 10;

bool exempt(const Part& part) {
    return std::find(kExemptTools.begin(), kExemptTools.end(), part.name) != kExemptTools.end();
}

/// How many bytes the line break at `at` has; 0 when there is none. JavaScript's ^ stands behind each of them.
std::size_t break_at(std::string_view text, std::size_t at) {
    if (text[at] == '\n' || text[at] == '\r') return 1;
    const std::string_view here = text.substr(at, 3);
    return here == "\u2028" || here == "\u2029" ? here.size() : 0;
}

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> lines;
    for (;;) {
        const std::size_t end = text.find('\n');
        lines.push_back(text.substr(0, end));
        if (end == text.npos) return lines;
        text.remove_prefix(end + 1);
    }
}

std::string few_lines(std::string_view text) {
    const auto lines = lines_of(text);
    if (lines.size() <= kPreviewLines) return std::string(text);
    std::string out;
    for (std::size_t i = 0; i < kPreviewSide; ++i) (out += lines[i]) += '\n';
    out += "\n... [" + std::to_string(lines.size() - 2 * kPreviewSide) + " lines omitted] ...\n";
    for (std::size_t i = lines.size() - kPreviewSide; i < lines.size(); ++i) (out += '\n') += lines[i];
    return out;
}

struct Section {
    std::string_view name;  ///< empty for what stands before the first
    std::string_view text;
};

/// What the shell tool wrote: sections that begin a line with their name.
std::vector<Section> shell_sections(std::string_view text) {
    static constexpr std::array<std::string_view, 6> kNames{"Output", "Error",           "Exit Code",
                                                            "Signal", "Background PIDs", "Process Group PGID"};
    std::vector<Section> sections{{{}, text}};
    std::size_t begin = 0;
    for (std::size_t at = 0; at < text.size();) {
        const std::string_view line = text.substr(at);
        for (const std::string_view name : kNames) {
            if (!line.starts_with(name) || !line.substr(name.size()).starts_with(": ")) continue;
            sections.back().text = text.substr(begin, at - begin);
            begin = at + name.size() + 2;
            sections.push_back({name, text.substr(begin)});
            break;
        }
        std::size_t end = at;
        while (end < text.size() && break_at(text, end) == 0) ++end;
        at = end == text.size() ? end : end + break_at(text, end);
    }
    return sections;
}

/// What a template makes of a value: of a list its items with commas between, of an object next to nothing.
std::string as_string(const JsValue& value) {
    if (value.string()) return *value.string();
    if (value.is_object()) return "[object Object]";
    if (!value.array()) return value.stringify();
    std::string out;
    for (std::size_t i = 0; i < value.array()->size(); ++i) {
        if (i > 0) out += ',';
        if (const JsValue& item = (*value.array())[i]; !item.is_nullish()) out += as_string(item);
    }
    return out;
}

std::string shell_preview(const JsValue& response) {
    const JsValue& content = response["output"].truthy() ? response["output"] : response["stdout"];
    if (content.truthy() && !content.string()) return content.stringify();
    const std::string text = content.string() ? *content.string() : std::string();
    const auto sections = shell_sections(text);
    if (sections.size() < 2) return few_lines(text);

    std::string out;
    const auto add = [&out](std::string piece) {
        if (!out.empty()) out += '\n';
        out += piece;
    };
    if (const std::string_view before = js_trim(sections[0].text); !before.empty()) add(few_lines(before));
    for (std::size_t i = 1; i < sections.size(); ++i) {
        const std::string_view inside = js_trim(sections[i].text);
        add(std::string(sections[i].name) + ": " +
            (sections[i].name == "Output" ? few_lines(inside) : std::string(inside)));
    }
    const JsValue& code = response["exitCode"].is_nullish() ? response["exit_code"] : response["exitCode"];
    if (!code.is_nullish() && !(code.number() && *code.number() == 0) &&
        text.find("Exit Code: " + as_string(code)) == text.npos) {
        out += "\n[Exit Code: " + as_string(code) + "]";
    }
    if (const JsValue& error = response["error"];
        error.truthy() && text.find("Error: " + as_string(error)) == text.npos) {
        out += "\n[Error: " + as_string(error) + "]";
    }
    return out;
}

std::string ends_of(std::string_view beginning, std::string_view end) {
    std::string out = head_raw(beginning, kPreviewEnd);
    out += "\n... [TRUNCATED] ...\n";
    append_wtf8(out, tail_raw(end, kPreviewEnd, utf16_length(end)));
    return out;
}

/// JSON.stringify({output}, null, 2).
std::string indented_output(std::string_view output) {
    std::string out = "{\n  \"output\": ";
    append_json_string(out, output);
    return out += "\n}";
}

/// What another agent's shell said would have come from Gemini CLI's, but not what a server's tool did.
bool from_shell(const Part& part) {
    if (part.name == kShellTool) return true;
    return made_response(part) && !part.name.starts_with("mcp__") && call_kind(part.name) == CallKind::command;
}

std::string preview_of(const Part& part) {
    if (from_shell(part)) return shell_preview(json_of(part)["functionResponse"]["response"]);
    std::string content;
    if (made_response(part)) {
        std::string scratch;
        const std::string_view words = part.text.read(scratch);
        // JSON makes no character shorter: the ends of a long text are all that the preview has of it.
        if (const std::size_t units = utf16_length(words); units > kPreviewMax) {
            return ends_of(indented_output(head_raw(words, kPreviewEnd)),
                           indented_output(tail_raw(words, kPreviewEnd, units)));
        }
        content = indented_output(words);
    } else {
        content = payload_of(json_of(part)["functionResponse"]["response"]).indented;
    }
    return utf16_length(content) <= kPreviewMax ? content : ends_of(content, content);
}

/// The same part with another output, other fields kept.
Part with_output(const Part& part, bool keep_siblings, std::string output) {
    if (made_response(part)) return with_made_output(part, Text(std::move(output)));
    JsValue recorded = json_of(part);
    JsValue response = recorded["functionResponse"];
    response.set("response", JsValue::object({{"output", std::move(output)}}));
    JsValue json = keep_siblings ? std::move(recorded) : JsValue(JsValue::Object{});
    json.set("functionResponse", std::move(response));
    return part_of(std::make_shared<const JsValue>(std::move(json)));
}

ContentPtr with_part(const Content& content, std::size_t at, Part part) {
    auto out = std::make_shared<Content>(content);
    out->json_units += part.json_units;
    out->json_units -= out->parts[at].json_units;
    out->parts[at] = std::move(part);
    return out;
}

/// A response with nothing in it, of which there is nothing to save.
bool unanswered(const Part& part) { return part.json && (*part.json)["functionResponse"]["response"].is_undefined(); }

std::string output_words(const Part& part) {
    return made_response(part) ? part.text.copy() : payload_of(json_of(part)["functionResponse"]["response"]).words;
}

/// toLocaleString: groups of three digits, and at most three behind the point.
std::string localised(double value) {
    const double thousandths = std::floor(std::fabs(value) * 1000 + 0.5);
    const std::size_t all = whole(thousandths);
    std::string out = (value < 0 && all > 0 ? "-" : "") + grouped(all / 1000);
    std::string rest = std::to_string(1000 + all % 1000).substr(1);
    while (!rest.empty() && rest.back() == '0') rest.pop_back();
    return rest.empty() ? out : out + "." + rest;
}

/// Where JavaScript's slice begins or ends: below 0 it counts from the end. The room left by the model may be.
std::size_t slice_place(double at, std::size_t units) {
    const std::size_t distance = std::min(units, whole(std::fabs(at)));
    return at < 0 && distance > 0 ? units - distance : distance;
}

struct Prunable {
    std::size_t message, part;
    std::uint64_t tokens;
};

}  // namespace

std::string truncate_output(std::string_view text, double max_chars, std::string_view file) {
    const std::size_t units = utf16_length(text);
    if (static_cast<double>(units) <= max_chars) return std::string(text);
    const double head = std::floor(max_chars * 0.2), tail = max_chars - head;
    std::string out = "Output too large. Showing first " + localised(head) + " and last " + localised(tail) +
                      " characters. For full output see: " + std::string(file) + "\n";
    out += head_raw(text, slice_place(head, units));
    out += "\n\n... [" + localised(static_cast<double>(units) - head - tail) + " characters omitted] ...\n\n";
    append_wtf8(out, tail_raw(text, units - slice_place(-tail, units), units));
    return out;
}

bool maskable(const Part& part) { return part.responds && !part.hollow && !exempt(part); }

std::optional<Part> masked(const Part& part, const std::string& file) {
    const std::string tag(kMaskTag);
    Part out = with_output(part, true,
                           "<" + tag + ">\n" + preview_of(part) +
                               "\n\nOutput too large. Full output available at: " + file + "\n</" + tag + ">");
    if (tokens(out) >= tokens(part)) return std::nullopt;
    return out;
}

Masked mask(const History& history, const Masking& settings, const FileNamer& file) {
    Masked out{history, 0, 0};
    std::vector<Prunable> prunable;
    double newest = 0, total = 0;
    bool beyond = false;
    const std::size_t end = settings.protect_latest && !history.empty() ? history.size() - 1 : history.size();
    for (std::size_t i = end; i-- > 0;) {
        for (std::size_t j = history[i]->parts.size(); j-- > 0;) {
            const Part& part = history[i]->parts[j];
            if (!maskable(part)) continue;
            const std::uint64_t size = tokens(part);
            newest += static_cast<double>(size);
            beyond = beyond || newest > settings.protect_tokens;
            if (!beyond) continue;
            total += static_cast<double>(size);
            prunable.push_back({i, j, size});
        }
    }
    if (total < settings.min_prunable_tokens) return out;
    for (const Prunable& item : prunable) {
        const Part& part = out.history[item.message]->parts[item.part];
        std::optional<Part> shorter = masked(part, file(part, item.message, item.part));
        if (!shorter) continue;
        out.saved += item.tokens - tokens(*shorter);
        ++out.count;
        out.history[item.message] = with_part(*out.history[item.message], item.part, std::move(*shorter));
    }
    return out;
}

History truncate_to_budget(const History& history, double max_chars, const FileNamer& file, double budget) {
    History out = history;
    double used = 0;
    for (std::size_t i = out.size(); i-- > 0;) {
        for (std::size_t j = out[i]->parts.size(); j-- > 0;) {
            const Part& part = out[i]->parts[j];
            if (!part.responds) continue;
            const auto size = static_cast<double>(part.output_quarters / 4);
            if (used + size <= budget || unanswered(part)) {
                used += size;
                continue;
            }
            // What is short enough stays, of words that need not be read; it counts as cut all the same.
            const bool fits = made_response(part) && static_cast<double>(part.text.units()) <= max_chars;
            Part cut = fits
                           ? part
                           : with_output(part, false, truncate_output(output_words(part), max_chars, file(part, i, j)));
            used += static_cast<double>(cut.output_quarters / 4);
            out[i] = with_part(*out[i], j, std::move(cut));
        }
    }
    return out;
}

double output_threshold(double prompt_tokens, double limit, double most) {
    return std::min(4 * (limit - prompt_tokens), most);
}

}  // namespace agent_audit::simulator::gemini
