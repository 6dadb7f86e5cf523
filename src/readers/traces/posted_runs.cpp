#include "readers/traces/posted_runs.hpp"

#include "readers/json/json_util.hpp"
#include "readers/json/walk.hpp"

#include <agent_audit/support/unescape.hpp>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <vector>

// --boundary
// Content-Disposition: form-data; name="post.<id>"
// Content-Type: application/json
//
// {"id":"…","trace_id":"…","dotted_order":"…","run_type":"llm",…}
// --boundary
// Content-Disposition: form-data; name="post.<id>.inputs"
//
// {"messages":[…]}
// --boundary--
//
// Other parts: patch.<id>, feedback.<id>, attachment.<id>.<name>; of a run also .events, .serialized.

namespace agent_audit::readers {
namespace {

constexpr std::array<std::string_view, 4> kFields{"inputs", "outputs", "extra", "error"};

// Text of a part that is said to be JSON, and is: nothing else may be put into a record.
bool is_json(std::string_view text) {
    simdjson::dom::parser parser;
    simdjson::dom::element element;
    return !parser.parse(text.data(), text.size()).get(element);
}

class Runs {
public:
    /// One part of the form.
    void add(std::string_view name, std::string_view value) {
        const bool posted = name.starts_with("post.");
        if (!posted && !name.starts_with("patch.")) return;
        const std::string_view rest = name.substr(name.find('.') + 1);
        const std::size_t dot = rest.find('.');
        const std::string_view field = dot == rest.npos ? std::string_view{} : rest.substr(dot + 1);
        if (!field.empty() && std::ranges::find(kFields, field) == kFields.end()) return;
        value = trimmed(value);
        if (value.empty() || (field.empty() && value.front() != '{') || !is_json(value)) {
            whole_ = false;
            return;
        }
        std::string& run = run_of(name.substr(0, name.size() - (field.empty() ? 0 : field.size() + 1)), posted);
        if (field.empty()) value = trimmed(value.substr(1, value.size() - 2));
        if (value.empty()) return;
        if (!run.empty()) run += ',';
        if (!field.empty()) run.append("\"").append(field).append("\":");
        run += value;
    }

    void broken() { whole_ = false; }

    PostedRuns take() const {
        PostedRuns all{{}, whole_};
        if (runs_.empty()) return all;
        all.batch = "{\"post\":[";
        add_all(all.batch, true);
        all.batch += "],\"patch\":[";
        add_all(all.batch, false);
        all.batch += "]}";
        return all;
    }

private:
    struct Run {
        std::string fields;
        bool posted = false;
    };

    static std::string_view trimmed(std::string_view text) {
        const std::size_t begin = text.find_first_not_of(" \t\r\n");
        return begin == text.npos ? std::string_view{} : trim_blank(text.substr(begin));
    }

    std::string& run_of(std::string_view key, bool posted) {
        const auto [found, is_new] = by_name_.try_emplace(std::string(key), runs_.size());
        if (is_new) runs_.push_back({{}, posted});
        return runs_[found->second].fields;
    }

    void add_all(std::string& out, bool posted) const {
        for (const Run& run : runs_) {
            if (run.posted != posted) continue;
            if (out.back() != '[') out += ',';
            out.append("{").append(run.fields).append("}");
        }
    }

    std::vector<Run> runs_;  // no more than the body has parts
    std::unordered_map<std::string, std::size_t> by_name_;
    bool whole_ = true;
};

// post.<id>.inputs, of the lines above a part.
std::string_view name_of_part(std::string_view head) {
    constexpr std::string_view kName = "name=\"";
    const std::size_t begin = head.find(kName);
    if (begin == head.npos) return {};
    head.remove_prefix(begin + kName.size());
    return head.substr(0, head.find('"'));
}

}  // namespace

PostedRuns runs_of_form(std::string_view body) {
    Runs runs;
    const std::size_t first = body.find('\n');
    const std::string boundary = "\n" + std::string(trim_blank(body.substr(0, std::min(first, body.size()))));
    body.remove_prefix(std::min(first, body.size()));
    while (!body.empty()) {
        // Kept at its line's end, so that a part without lines above it ends at once.
        const std::size_t end = body.find(boundary);
        const std::string_view part = body.substr(0, end);
        const std::size_t windows = part.find("\r\n\r\n"), plain = part.find("\n\n");
        const std::size_t gap = std::min(windows, plain);
        if (gap != part.npos) {
            const std::string_view name = name_of_part(part.substr(0, gap));
            // The last one of a body that breaks off is no whole part.
            if (end != body.npos)
                runs.add(name, part.substr(gap));
            else
                runs.broken();
        }
        if (end == body.npos) break;
        const std::size_t line = body.find('\n', end + 1);
        body.remove_prefix(std::min(line, body.size()));
    }
    return runs.take();
}

PostedRuns runs_of_fields(std::string_view fields) {
    Runs runs;
    json::parser parser;
    json::document doc;
    json::array array;
    if (parser.iterate(fields.data(), fields.size(), fields.size() + simdjson::SIMDJSON_PADDING).get(doc) ||
        doc.get_array().get(array))
        return {{}, false};
    for (auto item : array) {
        json::value field;
        std::string name, value;
        const bool whole = !std::move(item).get(field) && each_field(field, [&](const char* key, json::value& v) {
            if (key_is(key, "name"))
                name = decode_json_string(raw_string(v));
            else if (key_is(key, "value"))
                value = decode_json_string(raw_string(v));
            return true;
        });
        if (!whole) {
            runs.broken();
            break;
        }
        runs.add(name, value);
    }
    return runs.take();
}

}  // namespace agent_audit::readers
