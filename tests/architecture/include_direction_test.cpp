#include "support/places.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace fs = std::filesystem;

namespace {

// The floor plan. A room may include itself and the rooms named here, nothing else.
struct Room {
    std::string_view name;
    std::vector<std::string_view> may_include;
};
const std::array kRooms{
    Room{"support", {}},
    Room{"model", {"support"}},
    Room{"config", {"support"}},
    Room{"readers", {"model", "support"}},
    Room{"tokens", {"model", "config", "support"}},
    Room{"detectors", {"model", "config", "support"}},
    Room{"profiles", {"model", "support"}},
    Room{"policy", {"detectors", "profiles", "model", "config", "support"}},
    Room{"simulator", {"tokens", "model", "config", "support"}},
    Room{"advice", {"detectors", "simulator", "tokens", "model", "config", "support"}},
    Room{"report", {"model", "support"}},
    Room{"convert", {"model", "support"}},
    Room{"remote", {"model", "support"}},
    Room{"pipeline",
         {"readers", "tokens", "detectors", "profiles", "policy", "simulator", "advice", "model", "config", "support"}},
    Room{"cli",
         {"pipeline", "report", "convert", "remote", "advice", "readers", "detectors", "profiles", "policy",
          "simulator", "model", "config", "support"}},
};

// A room with many files has parts, which are folders. A part may include itself and the parts named here, all of which
// stand above it.
struct Part {
    std::string_view folder;
    std::vector<std::string_view> may_include;
};
const std::vector<std::string_view> kRuleParts{"words", "speech", "outcomes", "commands", "engine"};
// What readers share; those of one agent, or one maker, have a part of their own when they are several files.
const std::vector<std::string_view> kFormatParts{"json", "messages", "traces"};
const std::array kParts{
    Part{"detectors/words", {}},
    Part{"detectors/speech", {"words"}},
    Part{"detectors/outcomes", {"words"}},
    Part{"detectors/commands", {"words", "speech", "outcomes"}},
    Part{"detectors/engine", {"words", "speech", "outcomes", "commands"}},
    Part{"detectors/budget", kRuleParts},
    Part{"detectors/constraint", kRuleParts},
    Part{"detectors/context", kRuleParts},
    Part{"detectors/drift", kRuleParts},
    Part{"detectors/loop", kRuleParts},
    Part{"readers/json", {}},
    Part{"readers/input", {"json"}},
    Part{"readers/messages", {"json"}},
    Part{"readers/traces", {"json"}},
    Part{"readers/acp", kFormatParts},
    Part{"readers/aider", kFormatParts},
    Part{"readers/atif", kFormatParts},
    Part{"readers/claude_code", kFormatParts},
    Part{"readers/cline", kFormatParts},
    Part{"readers/codex", kFormatParts},
    Part{"readers/copilot", kFormatParts},
    Part{"readers/cursor", kFormatParts},
    Part{"readers/factory_droid", kFormatParts},
    Part{"readers/gemini", kFormatParts},
    Part{"readers/google_adk", kFormatParts},
    Part{"readers/http", {"json", "messages", "traces", "input"}},
    Part{"readers/inspect", kFormatParts},
    Part{"readers/kimi", kFormatParts},
    Part{"readers/kiro", kFormatParts},
    Part{"readers/langchain", kFormatParts},
    Part{"readers/openai", {"json", "messages", "traces", "codex"}},
    Part{"readers/opencode", kFormatParts},
    Part{"readers/openhands", kFormatParts},
    Part{"readers/pi", kFormatParts},
    Part{"readers/vercel_ai", kFormatParts},
    Part{"simulator/cache", {}},
    Part{"simulator/regret", {"cache"}},
    Part{"simulator/gemini", {}},
    Part{"simulator/openclaw", {}},
    Part{"simulator/pi", {"openclaw"}},
    Part{"simulator/replay", {"cache", "regret", "gemini"}},
    Part{"advice/words", {}},
    Part{"advice/calls", {"words"}},
    Part{"advice/conversation", {"words"}},
    Part{"advice/books", {"words", "calls"}},
    Part{"advice/prompt", {"words", "calls"}},
    Part{"pipeline/inputs", {}},
    Part{"pipeline/settings", {}},
    Part{"pipeline/watches", {}},
    Part{"pipeline/texts", {"inputs"}},
    Part{"pipeline/audit", {"inputs", "settings", "watches"}},
    Part{"pipeline/replay", {"inputs", "settings", "watches"}},
    Part{"report/escape", {}},
    Part{"report/redaction", {}},
    Part{"report/words", {"escape", "redaction"}},
    Part{"report/json", {"escape", "redaction", "words"}},
    Part{"report/schemas", {"json"}},
    Part{"report/saved", {"json"}},
    Part{"report/text", {"escape", "redaction", "words"}},
    Part{"report/html", {"escape", "words"}},
    Part{"report/exchange", {"escape", "words", "json"}},
    Part{"cli/arguments", {}},
    Part{"cli/terminal", {}},
    Part{"cli/sessions", {"arguments", "terminal"}},
    Part{"cli/evidence", {"arguments", "terminal"}},
    Part{"cli/settings", {"arguments", "terminal", "sessions", "evidence"}},
    Part{"cli/pages", {"arguments", "settings"}},
    Part{"cli/results", {"terminal", "settings", "pages"}},
    Part{"cli/replays", {"arguments", "terminal"}},
    Part{"cli/hooks", {"terminal"}},
    Part{"cli/commands",
         {"arguments", "terminal", "sessions", "evidence", "settings", "pages", "results", "replays", "hooks"}},
};

// A guest library is received in few rooms, so that it can be replaced. `public_header` is the one place in include/
// where its types may be seen.
struct Guest {
    std::string_view header;  ///< an include that starts like this
    std::vector<std::string_view> rooms;
    std::string_view public_header = {};
};
const std::array kGuests{
    Guest{"simdjson", {"readers", "config", "profiles"}},
    Guest{"CLI/", {"cli"}},
    Guest{"nlohmann/", {"config", "report", "remote", "cli"}},
    Guest{"curl/", {"remote"}},
    Guest{"toml++/", {"config"}},
    Guest{"re2/", {"report", "config", "detectors", "profiles", "simulator"}},
    Guest{"pugixml", {"report"}},
    Guest{"zlib.h", {"readers"}},
    Guest{"zstd", {"readers"}},
    Guest{"sqlite3", {"readers"}},
    Guest{"xxh", {"support"}},
    Guest{"fmt/",
          {"config", "readers", "tokens", "detectors", "profiles", "policy", "simulator", "advice", "report", "convert",
           "remote", "pipeline", "cli"},
          "include/agent_audit/config/params.hpp"},
    Guest{"doctest", {}},
    Guest{"benchmark/", {}},
    Guest{"gtest/", {}},
};

const Room* find_room(std::string_view name) {
    const auto* found = std::ranges::find(kRooms, name, &Room::name);
    return found == kRooms.end() ? nullptr : found;
}

bool holds(const std::vector<std::string_view>& list, std::string_view item) {
    return std::ranges::find(list, item) != list.end();
}

/// The first part of a path: "readers" of "readers/json/json_util.hpp". Empty when there is no folder.
std::string_view first_folder(std::string_view path) {
    const auto slash = path.find('/');
    return slash == path.npos ? std::string_view{} : path.substr(0, slash);
}

/// The part of a room that a path such as detectors/loop/cycle.cpp names; null: none.
const Part* find_part(std::string_view path) {
    const auto* found = std::ranges::find_if(kParts, [path](const Part& part) {
        return path.starts_with(part.folder) && path.substr(part.folder.size()).starts_with('/');
    });
    return found == kParts.end() ? nullptr : found;
}

/// Of the room that this part is of, the part with this name; null: none.
const Part* sibling(const Part& part, std::string_view name) {
    const std::string_view room = part.folder.substr(0, part.folder.find('/') + 1);
    return find_part(std::string(room).append(name).append("/"));
}

/// Room of a file named from the project root: src/readers/x.cpp, include/agent_audit/readers/x.hpp.
std::string_view room_of(std::string_view file) {
    for (const std::string_view root : {"include/agent_audit/", "src/"}) {
        if (file.starts_with(root)) return first_folder(file.substr(root.size()));
    }
    return {};
}

struct Include {
    std::string_view target;
    bool quoted = false;  ///< "…" and not <…>
};

std::optional<Include> parse_include(std::string_view line) {
    const auto skip_blanks = [&] { line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size())); };
    skip_blanks();
    if (!line.starts_with('#')) return {};
    line.remove_prefix(1);
    skip_blanks();
    if (!line.starts_with("include")) return {};
    line.remove_prefix(7);
    skip_blanks();
    if (line.empty() || (line[0] != '"' && line[0] != '<')) return {};
    const char open = line[0];
    const auto end = line.find(open == '"' ? '"' : '>', 1);
    if (end == line.npos) return {};
    return Include{line.substr(1, end - 1), open == '"'};
}

/// What is wrong with an include within one room of src; empty when nothing is.
std::string fault_of_parts(std::string_view file, std::string_view target) {
    const Part* here = find_part(file);
    const Part* there = find_part(target);
    if (!here || !there || here == there) return {};
    const std::string_view name = there->folder.substr(there->folder.find('/') + 1);
    return holds(here->may_include, name) ? "" : "may not include this part of its room";
}

/// What is wrong with one include; empty when nothing is.
std::string fault(std::string_view file, const Include& include) {
    const std::string_view room = room_of(file);
    const Room* here = find_room(room);
    if (!here) return "lies in no room of the floor plan";
    const std::string_view target = include.target;

    if (target.find("..") != target.npos) return "climbs out of its room with ..";
    const bool in_public_form = target.starts_with("agent_audit/");
    if (file.starts_with("include/") && include.quoted) return "a public header may include public headers only";

    if (in_public_form || include.quoted) {
        const std::string_view other = first_folder(in_public_form ? target.substr(12) : target);
        if (other == room && include.quoted) return fault_of_parts(file.substr(4), target);
        if (other.empty() || other == room) return {};
        if (!find_room(other)) return "names a room that is not on the floor plan";
        return holds(here->may_include, other) ? "" : "may not include this room";
    }
    for (const Guest& guest : kGuests) {
        if (!target.starts_with(guest.header)) continue;
        if (!holds(guest.rooms, room)) return "does not receive this guest";
        if (file.starts_with("include/") && file != guest.public_header) return "lets a guest into a public header";
    }
    return {};
}

struct SourceFile {
    std::string name;  ///< from the project root, with /
    std::string text;
};

std::vector<std::string> violations(const std::vector<SourceFile>& files) {
    std::vector<std::string> out;
    for (const SourceFile& file : files) {
        std::istringstream lines(file.text);
        std::string line;
        for (int number = 1; std::getline(lines, line); ++number) {
            const auto include = parse_include(line);
            if (!include) continue;
            const std::string why = fault(file.name, *include);
            if (why.empty()) continue;
            out.push_back(file.name + ":" + std::to_string(number) + ": " + std::string(include->target) + ": " + why);
        }
    }
    return out;
}

std::vector<SourceFile> project_files() {
    const fs::path root = agent_audit::test::project_folder();
    std::vector<SourceFile> files;
    for (const char* folder : {"include", "src"}) {
        for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
            const auto extension = entry.path().extension();
            if (extension != ".hpp" && extension != ".cpp") continue;
            std::ifstream in(entry.path(), std::ios::binary);
            files.push_back(
                {entry.path().lexically_relative(root).generic_string(), {std::istreambuf_iterator<char>(in), {}}});
        }
    }
    std::ranges::sort(files, {}, &SourceFile::name);
    return files;
}

}  // namespace

TEST_SUITE("architecture") {
    TEST_CASE("every include goes down the stairs") {
        const auto files = project_files();
        CHECK(files.size() > 20);  // otherwise we looked in the wrong place
        for (const auto& found : violations(files)) FAIL_CHECK(found);
    }

    TEST_CASE("every file lies in a room") {
        for (const auto& file : project_files()) {
            CAPTURE(file.name);
            CHECK(find_room(room_of(file.name)) != nullptr);
        }
    }

    // So no circle of includes can lead from part to part.
    TEST_CASE("a part may include only parts that stand above it") {
        for (const Part& part : kParts) {
            for (const std::string_view name : part.may_include) {
                CAPTURE(part.folder);
                CAPTURE(name);
                const Part* other = sibling(part, name);
                REQUIRE(other != nullptr);
                CHECK(other < &part);
            }
        }
    }

    TEST_CASE("planted violations are caught, each with its file and line") {
        const std::vector<SourceFile> planted{
            {"src/readers/codex/codex.cpp", "#pragma once\n#include <agent_audit/detectors/detector.hpp>\n"},
            {"src/detectors/loop/cycle.cpp", "#include \"detectors/all.hpp\"\n\n#  include <simdjson.h>\n"},
            {"src/report/text/text.cpp", "#include \"readers/json/json_util.hpp\"\n"},
            {"include/agent_audit/readers/reader.hpp", "#include <simdjson.h>\n"},
            {"include/agent_audit/report/renderer.hpp", "#include \"report/draw.hpp\"\n"},
            {"src/model/event.cpp", "#include \"../readers/all.hpp\"\n"},
            {"src/pipeline/audit.cpp", "#include <agent_audit/report/renderer.hpp>\n"},
            {"src/convert/atif.cpp", "#include \"report/redaction/redact.hpp\"\n"},
            {"src/pipeline/stream.cpp", "#include <agent_audit/convert/converter.hpp>\n"},
            {"src/pipeline/replay.cpp", "#include <agent_audit/remote/http.hpp>\n"},
            {"src/cli/main.cpp", "#include <curl/curl.h>\n"},
            {"src/attic/old.cpp", "#include <vector>\n"},
            {"src/detectors/words/phrases.cpp", "#include \"detectors/speech/goal.hpp\"\n"},
            {"src/detectors/loop/cycle.cpp", "#include \"detectors/drift/topic_switch.hpp\"\n"},
            {"src/readers/pi/pi.cpp", "#include \"readers/kimi/kimi_code_line.hpp\"\n"},
            {"src/report/html/html_resets.cpp", "#include \"report/text/reset_block.hpp\"\n"},
            {"src/cli/settings/options.cpp", "#include \"cli/commands/command.hpp\"\n"},
        };
        const auto found = violations(planted);
        REQUIRE(found.size() == planted.size());
        for (std::size_t i = 0; i < planted.size(); ++i) CHECK(found[i].starts_with(planted[i].name + ":"));
        CHECK(found[0].find("codex.cpp:2: ") != std::string::npos);
        CHECK(found[1].find("cycle.cpp:3: ") != std::string::npos);
    }

    TEST_CASE("what the floor plan allows is left alone") {
        const std::vector<SourceFile> fine{
            {"src/readers/codex/codex.cpp",
             "#include \"readers/json/json_util.hpp\"\n#include <simdjson.h>\n#include <vector>\n"},
            {"src/readers/probe.cpp", "#include \"all.hpp\"\n#include <agent_audit/model/event.hpp>\n"},
            {"src/cli/main.cpp", "#include <CLI/CLI.hpp>\n#include <agent_audit/pipeline/audit.hpp>\n"},
            {"include/agent_audit/config/params.hpp", "#include <fmt/format.h>\n"},
            {"src/detectors/loop/cycle.cpp",
             "#include \"detectors/engine/episodes.hpp\"\n#include \"detectors/words/phrases.hpp\"\n"},
            {"src/report/registry.cpp", "#include \"report/html/html_page.hpp\"\n"},
            {"src/support/hash.cpp", "// #include <agent_audit/readers/reader.hpp>\n#include <xxhash.h>\n"},
        };
        for (const auto& found : violations(fine)) FAIL_CHECK(found);
    }
}
