#include <agent_audit/policy/policy_file.hpp>

#include "config/toml_tree.hpp"
#include "policy/policy_keys.hpp"

#include <agent_audit/detectors/detector.hpp>
#include <agent_audit/profiles/profile.hpp>
#include <agent_audit/support/suggest.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>

namespace agent_audit::policy {
namespace {

constexpr std::size_t kMaxProblems = 100;
constexpr std::size_t kMaxExtends = 8;

using Names = std::vector<std::string_view>;

// ---- paths -------------------------------------------------------------------------------------------------------

bool is_wild(std::string_view part) { return part.starts_with('<'); }

std::vector<std::string_view> parts_of(std::string_view key) {
    std::vector<std::string_view> out;
    for (std::size_t from = 0;;) {
        const std::size_t dot = key.find('.', from);
        out.push_back(key.substr(from, dot - from));
        if (dot == key.npos) return out;
        from = dot + 1;
    }
}

// A basic string of TOML.
std::string in_quotes(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        if (c == '\n')
            out += "\\n";
        else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F)
            out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
        else
            out += c;
    }
    return out + '"';
}

// A part of a path as it is written in a file.
std::string shown_part(std::string_view part) {
    const auto bare = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    };
    if (!part.empty() && std::ranges::all_of(part, bare)) return std::string(part);
    return in_quotes(part);
}

std::string shown(const Path& path) {
    std::string out;
    for (const std::string& part : path) out += (out.empty() ? "" : ".") + shown_part(part);
    return out;
}

// ---- one layer of a policy ---------------------------------------------------------------------------------------

struct Given {
    Path path;
    const PolicyKey* row = nullptr;
    Path wild;
    Value value;
    std::string text;  // as it could be written
    std::string origin;
};

struct Layer {
    std::vector<Given> values;
    std::string extends;
    std::uint32_t extends_line = 0;
};

class LayerReader {
public:
    LayerReader(std::string source, std::vector<std::string>& problems, bool built_in)
        : source_(std::move(source)), problems_(problems), built_in_(built_in) {}

    Layer read(const TomlTable& root) {
        walk(root, {});
        if (const TomlEntry* version = root.find("version"); !version && !built_in_)
            fail(1, "version is missing: version = 1");
        check_pairs();
        return std::move(layer_);
    }

private:
    void fail(std::uint32_t line, std::string_view what) {
        if (problems_.size() < kMaxProblems)
            problems_.push_back(fmt::format("{}:{}: {}", source_, std::max(line, 1u), what));
    }

    static bool fits(std::span<const std::string_view> parts, const Path& path) {
        if (path.size() > parts.size()) return false;
        for (std::size_t i = 0; i < path.size(); ++i) {
            if (!is_wild(parts[i]) && parts[i] != path[i]) return false;
        }
        return true;
    }

    // What may stand below a path: literal names, and the wildcard if there is one.
    static void children(const Path& path, Names& literal, std::string_view& wild) {
        for (const PolicyKey& row : policy_key_table()) {
            const auto parts = parts_of(row.key);
            if (parts.size() <= path.size() || !fits(parts, path)) continue;
            // A literal part wins over a wildcard of another row at the same place.
            const std::string_view next = parts[path.size()];
            if (is_wild(next))
                wild = wild.empty() ? next : wild;
            else if (std::ranges::find(literal, next) == literal.end())
                literal.push_back(next);
        }
    }

    bool known_wild(std::string_view wild, const TomlEntry& entry, const Path& path) {
        if (wild == "<action>") {
            if (std::ranges::find(kActionNames, entry.key) != kActionNames.end()) return true;
            fail(entry.line, unknown_word("action", entry.key, kActionNames));
            return false;
        }
        if (wild == "<rule>") {
            if (find_detector(entry.key)) return true;
            Names ids;
            for (const DetectorSpec& spec : all_detectors()) ids.push_back(spec.id);
            fail(entry.line, unknown_word("rule", entry.key, ids));
            return false;
        }
        if (wild == "<param>") {
            const auto params = find_detector(path.back())->params();
            std::vector<std::string> names{"per-tool"};
            for (const ParamDoc& p : params) names.push_back(p.name);
            if (std::ranges::find(names, entry.key) != names.end()) return true;
            fail(entry.line, unknown_word(fmt::format("parameter of {}", path.back()), entry.key,
                                          Names(names.begin(), names.end())));
            return false;
        }
        return !entry.key.empty();
    }

    void walk(const TomlTable& t, const Path& path) {
        Names literal;
        std::string_view wild;
        children(path, literal, wild);
        for (const TomlEntry& entry : t.entries) {
            Path here = path;
            here.push_back(entry.key);
            const bool named = std::ranges::find(literal, entry.key) != literal.end();
            if (!named && wild.empty()) {
                fail(entry.line,
                     unknown_word(path.empty() ? "key" : fmt::format("key of [{}]", shown(path)), entry.key, literal));
                continue;
            }
            if (!named && !known_wild(wild, entry, path)) continue;
            const auto* inner = std::get_if<TomlTable>(&entry.value.data);
            const PolicyKey* row = leaf(here);
            if (inner && row) {
                fail(entry.line, fmt::format("{}: expected {}, not a table", shown(here), takes(*row, here)));
            } else if (inner) {
                walk(*inner, here);
            } else if (!row) {
                fail(entry.line, fmt::format("{}: expected a table: [{}]", entry.key, shown(here)));
            } else {
                take(*row, entry, here);
            }
        }
    }

    static const PolicyKey* leaf(const Path& path) {
        for (const PolicyKey& row : policy_key_table()) {
            const auto parts = parts_of(row.key);
            if (parts.size() == path.size() && fits(parts, path)) {
                // "rules.X.per-tool" is a table and no parameter.
                if (row.key == "rules.<rule>.<param>" && path.back() == "per-tool") continue;
                return &row;
            }
        }
        return nullptr;
    }

public:
    static std::string takes(const PolicyKey& row, const Path& path = {}) {
        switch (row.kind) {
            case Kind::whole:
                return row.min == row.max
                           ? fmt::format("{}", static_cast<std::int64_t>(row.min))
                           : fmt::format("a whole number from {} to {}", static_cast<std::int64_t>(row.min),
                                         static_cast<std::int64_t>(row.max));
            case Kind::number: {
                if (row.min < row.max) return fmt::format("a number from {} to {}", row.min, row.max);
                if (const ParamDoc* p = path.size() == 3 ? param_of(path) : nullptr) {
                    return fmt::format("a {}number from {} to {}", p->integer ? "whole " : "", p->min, p->max);
                }
                return "a number in the parameter's range";
            }
            case Kind::flag: return "true or false";
            case Kind::text: return "a text";
            case Kind::word: return fmt::format("one of {}", fmt::join(row.known, ", "));
            case Kind::words: return fmt::format("a list of {}", fmt::join(row.known, ", "));
            case Kind::texts: return "a text or a list of texts";
        }
        return "";
    }

private:
    static const ParamDoc* param_of(const Path& path) {
        static thread_local ParamDoc found;
        const DetectorSpec* spec = path.size() == 3 ? find_detector(path[1]) : nullptr;
        if (!spec) return nullptr;
        for (ParamDoc& p : spec->params()) {
            if (p.name != path[2]) continue;
            found = p;
            return &found;
        }
        return nullptr;
    }

    void take(const PolicyKey& row, const TomlEntry& entry, const Path& path) {
        Given given;
        given.path = path;
        given.row = &row;
        given.origin = built_in_ ? source_ : fmt::format("{}:{}", source_, entry.line);
        const auto parts = parts_of(row.key);
        for (std::size_t i = 0; i < parts.size(); ++i) {
            if (is_wild(parts[i])) given.wild.push_back(path[i]);
        }
        const std::string name = shown(path);
        if (!understand(row, entry, name, path, given)) return;
        if (row.key == "extends") {
            layer_.extends = given.value.text;
            layer_.extends_line = entry.line;
        }
        if (row.key == "ladder") check_ladder(given.value.texts, entry.line);
        if (row.key == "select" || row.key == "ignore") check_rules(given.value.texts, entry.line, name);
        if (row.key == "follow") check_profiles(given.value.texts, entry.line);
        lines_[name] = entry.line;
        layer_.values.push_back(std::move(given));
    }

    bool understand(const PolicyKey& row, const TomlEntry& entry, const std::string& name, const Path& path,
                    Given& given) {
        const auto& data = entry.value.data;
        const auto wrong = [&] {
            fail(entry.line, fmt::format("{}: expected {}", name, takes(row, path)));
            return false;
        };
        Value& v = given.value;
        switch (row.kind) {
            case Kind::whole: {
                const auto* whole = std::get_if<std::int64_t>(&data);
                if (!whole || static_cast<double>(*whole) < row.min || static_cast<double>(*whole) > row.max)
                    return wrong();
                v.whole = *whole;
                given.text = fmt::format("{}", *whole);
                return true;
            }
            case Kind::number: {
                double number = std::nan("");
                if (const auto* real = std::get_if<double>(&data)) number = *real;
                const auto* whole = std::get_if<std::int64_t>(&data);
                if (whole) number = static_cast<double>(*whole);
                double min = row.min, max = row.max;
                if (const ParamDoc* p = row.min < row.max ? nullptr : param_of(path)) {
                    min = std::strtod(p->min.c_str(), nullptr);
                    max = std::strtod(p->max.c_str(), nullptr);
                    if (p->integer && !whole) return wrong();
                }
                if (!(number >= min && number <= max)) return wrong();
                v.number = number;
                given.text = fmt::format("{}", number);
                return true;
            }
            case Kind::flag: {
                const auto* flag = std::get_if<bool>(&data);
                if (!flag) return wrong();
                v.flag = *flag;
                given.text = *flag ? "true" : "false";
                return true;
            }
            case Kind::text: {
                const auto* text = std::get_if<std::string>(&data);
                if (!text) return wrong();
                v.text = *text;
                given.text = in_quotes(*text);
                return true;
            }
            case Kind::word: {
                const auto* text = std::get_if<std::string>(&data);
                if (!text) return wrong();
                if (!known_word(row, *text, entry.line, name)) return false;
                v.text = *text;
                given.text = in_quotes(*text);
                return true;
            }
            case Kind::words:
            case Kind::texts: {
                if (const auto* one = std::get_if<std::string>(&data); one && row.kind == Kind::texts) {
                    v.texts = {*one};
                } else {
                    const auto* list = std::get_if<TomlArray>(&data);
                    if (!list) return wrong();
                    for (const TomlValue& item : *list) {
                        const auto* text = std::get_if<std::string>(&item.data);
                        if (!text) return wrong();
                        if (row.kind == Kind::words && !known_word(row, *text, entry.line, name)) return false;
                        v.texts.push_back(*text);
                    }
                }
                std::string out;
                for (const std::string& one : v.texts) out += (out.empty() ? "" : ", ") + in_quotes(one);
                given.text = "[" + out + "]";
                return true;
            }
        }
        return false;
    }

    bool known_word(const PolicyKey& row, const std::string& word, std::uint32_t line, const std::string& name) {
        if (std::ranges::find(row.known, word) != row.known.end()) return true;
        std::string what =
            fmt::format("{} = {}: expected one of {}", name, in_quotes(word), fmt::join(row.known, ", "));
        if (const std::string_view near = nearest(word, row.known); !near.empty())
            what += fmt::format("; did you mean {}?", in_quotes(near));
        fail(line, what);
        return false;
    }

    void check_ladder(const std::vector<std::string>& ladder, std::uint32_t line) {
        for (std::size_t i = 0; i < ladder.size(); ++i) {
            if (std::find(ladder.begin(), ladder.begin() + static_cast<std::ptrdiff_t>(i), ladder[i]) !=
                ladder.begin() + static_cast<std::ptrdiff_t>(i)) {
                fail(line, fmt::format("ladder: \"{}\" stands there twice", ladder[i]));
            }
            if (ladder[i] == "stop" && i + 1 < ladder.size())
                fail(line, fmt::format("ladder: \"{}\" comes after \"stop\" and is never reached", ladder[i + 1]));
        }
    }

    void check_rules(const std::vector<std::string>& selectors, std::uint32_t line, const std::string& name) {
        for (const std::string& selector : selectors) {
            Names known{"all"};
            for (const DetectorSpec& spec : all_detectors()) {
                known.push_back(spec.id);
                known.push_back(spec.code);
                const auto group = spec.id.substr(0, spec.id.find('/'));
                if (std::ranges::find(known, group) == known.end()) known.push_back(group);
            }
            const std::string_view bare = std::string_view(selector).ends_with('/')
                                              ? std::string_view(selector).substr(0, selector.size() - 1)
                                              : selector;
            if (std::ranges::find(known, bare) == known.end())
                fail(line, fmt::format("{}: {}", name, unknown_word("rule", selector, known)));
        }
    }

    void check_profiles(const std::vector<std::string>& names, std::uint32_t line) {
        Names known;
        for (const ProfileSpec& spec : all_profiles()) known.push_back(spec.name);
        for (const std::string& one : names) {
            if (find_profile(one)) continue;
            std::string words = unknown_word("profile", one, known);
            if (words.find("did you mean") == words.npos)
                words += fmt::format(": expected one of {}", fmt::join(known, ", "));
            fail(line, "follow: " + words);
        }
    }

    // What makes sense alone and not together, within one file.
    void check_pairs() {
        std::map<std::string, const Given*> by_key;
        for (const Given& g : layer_.values) by_key[shown(g.path)] = &g;
        for (const auto& [key, g] : by_key) {
            if (g->row->key.starts_with("rules.") && g->path.back().find("warn") != std::string::npos) {
                Path fail_path = g->path;
                std::string& last = fail_path.back();
                last.replace(last.find("warn"), 4, "fail");
                const auto other = by_key.find(shown(fail_path));
                const auto number = [](const Given& x) {
                    return x.row->kind == Kind::whole ? static_cast<double>(x.value.whole) : x.value.number;
                };
                if (other != by_key.end() && number(*g) > number(*other->second)) {
                    fail(lines_[key], fmt::format("{} = {} is above {} = {}: nothing would ever be a warning", key,
                                                  g->text, other->first, other->second->text));
                }
            }
        }
        const auto base = by_key.find("back-off.base-ms"), cap = by_key.find("back-off.cap-ms");
        if (base != by_key.end() && cap != by_key.end() && base->second->value.whole > cap->second->value.whole) {
            fail(lines_["back-off.base-ms"], fmt::format("back-off.base-ms = {} is above back-off.cap-ms = {}",
                                                         base->second->text, cap->second->text));
        }
    }

    std::string source_;
    std::vector<std::string>& problems_;
    bool built_in_;
    Layer layer_;
    std::map<std::string, std::uint32_t> lines_;
};

// ---- layers on top of each other ---------------------------------------------------------------------------------

std::string beside(const std::string& file, const std::string& path) {
    if (path.starts_with('/')) return path;
    const auto slash = file.rfind('/');
    return slash == file.npos ? path : file.substr(0, slash + 1) + path;
}

// From what is extended to the file itself.
std::vector<Layer> layers_of(std::string now, const FileText& read, std::vector<std::string>& problems,
                             std::vector<std::string>& chain) {
    std::vector<Layer> layers;
    std::string from;
    for (std::size_t depth = 0;; ++depth) {
        if (depth >= kMaxExtends) {
            problems.push_back(fmt::format("{}: more than {} policies extend each other", from, kMaxExtends));
            break;
        }
        const BuiltIn* built_in = find_built_in(now);
        if (!built_in && std::ranges::find(chain, now) != chain.end()) {
            problems.push_back(fmt::format("{}: extends \"{}\", which extends it again", from, now));
            break;
        }
        chain.push_back(now);
        Result<std::string> text = built_in ? Result<std::string>(std::string(built_in->text)) : read(now);
        const std::string_view word = layers.empty() ? std::string_view() : std::string_view(layers.front().extends);
        const bool named = !word.empty() && word.find('/') == word.npos && !word.ends_with(".toml");
        if (!text && named) {
            Names known;
            for (const BuiltIn& one : built_in_policies()) known.push_back(one.name);
            problems.push_back(fmt::format("{}: extends: {}", from, unknown_word("policy", word, known)));
            break;
        }
        if (!text) {
            problems.push_back(from.empty() ? text.error().message : fmt::format("{}: {}", from, text.error().message));
            break;
        }
        const std::string source = built_in ? fmt::format("{} (built in)", now) : now;
        const Result<TomlTable> root = parse_toml(*text, source);
        if (!root) {
            problems.push_back(root.error().message);
            break;
        }
        layers.insert(layers.begin(), LayerReader(source, problems, built_in != nullptr).read(*root));
        const std::string extends = layers.front().extends;
        if (extends.empty()) break;
        from = fmt::format("{}:{}", source, layers.front().extends_line);
        now = find_built_in(extends) ? extends : beside(now, extends);
    }
    return layers;
}

void put(Settings& settings, const Given& given) {
    const std::string_view key = given.row->key;
    if (key == "rules.<rule>.<param>") {
        settings.set(fmt::format("{}.{}", given.path[1], given.path[2]), {given.text, given.origin});
    } else if (key == "engine.segment") {
        settings.set("engine.segment", {given.value.text, given.origin});
    } else if (key == "tools.class.<tool>") {
        settings.set("tools.class." + given.path[2], {given.value.text, given.origin});
    } else if (key == "errors.<class>") {
        for (const std::string& one : given.value.texts) settings.set("errors." + given.path[1], {one, given.origin});
    }
}

// A rule is bound once, so it has to see what the most impatient tool sees; the supervisor then holds each finding
// against the thresholds of its own tool. "" stands for all tools without thresholds of their own.
void share_thresholds(RunPolicy& p) {
    for (auto& [rule, by_tool] : p.thresholds) {
        const DetectorSpec* spec = find_detector(rule);
        if (!spec) continue;
        ToolThresholds all;
        for (const ParamDoc& param : spec->params()) {
            if (param.name != "warn" && param.name != "fail") continue;
            const std::string key = fmt::format("{}.{}", rule, param.name);
            const Setting* set = p.settings.find(key);
            const int own = static_cast<int>(std::strtod((set ? set->value : param.default_value).c_str(), nullptr));
            (param.name == "warn" ? all.warn : all.fail) = own;
            int least = own;
            for (const auto& [tool, t] : by_tool) {
                if (const auto& value = param.name == "warn" ? t.warn : t.fail) least = std::min(least, *value);
            }
            if (least < own) p.settings.set(key, {std::to_string(least), set ? set->origin : "per-tool thresholds"});
        }
        for (auto& [tool, t] : by_tool) {
            if (!t.warn) t.warn = all.warn;
            if (!t.fail) t.fail = all.fail;
        }
        by_tool[""] = all;
    }
}

// What makes no sense together, whichever file gave it; what none gave has its default.
void check_stagnation(const Stagnation& rule, const std::map<std::string, const Given*>& given,
                      std::vector<std::string>& problems) {
    const auto distinct = given.find("stagnation.distinct"), window = given.find("stagnation.window");
    if (distinct == given.end() || rule.distinct <= rule.window) return;
    problems.push_back(
        fmt::format("{}: stagnation.distinct = {} is above stagnation.window = {} ({}): every run would stagnate",
                    distinct->second->origin, rule.distinct, rule.window,
                    window == given.end() ? "the default" : window->second->origin));
}

// What another agent's detector says is answered by the ladder alone.
void check_follow(const RunPolicy& policy, const std::map<std::string, const Given*>& given,
                  std::vector<std::string>& problems) {
    const auto follow = given.find("follow"), ladder = given.find("ladder");
    if (follow == given.end() || !policy.ladder.empty() || std::ranges::none_of(policy.follow, find_profile)) return;
    problems.push_back(
        fmt::format("{}: follow: nothing would come of it without a ladder, such as [\"notify\", \"stop\"]",
                    (ladder != given.end() ? ladder : follow)->second->origin));
}

}  // namespace

LoadedPolicy load_policy(const std::string& name_or_file, const FileText& read, std::vector<std::string>& problems) {
    LoadedPolicy out;
    RunPolicy& p = out.policy;
    p.rungs[static_cast<std::size_t>(Action::notify)].on = Severity::warning;
    std::vector<std::string> chain;
    const std::vector<Layer> layers = layers_of(name_or_file, read, problems, chain);

    // The last layer that gives a key wins; keys of the table keep the table's order.
    std::map<std::string, const Given*> last;
    for (const Layer& layer : layers) {
        for (const Given& given : layer.values) last[shown(given.path)] = &given;
    }
    for (const PolicyKey& row : policy_key_table()) {
        bool given_at_all = false;
        for (const auto& [key, given] : last) {
            if (given->row != &row) continue;
            given_at_all = true;
            row.set(p, given->value, given->wild);
            put(p.settings, *given);
            if (row.key != "version" && row.key != "extends") out.values.push_back({key, given->text, given->origin});
        }
        if (!given_at_all && !row.standard.empty() && row.key != "version" && row.key.find('<') == row.key.npos) {
            const bool quote = row.kind == Kind::word;
            out.values.push_back(
                {std::string(row.key), quote ? in_quotes(row.standard) : std::string(row.standard), "default"});
        }
    }
    check_stagnation(p.stagnation, last, problems);
    check_follow(p, last, problems);
    const auto slash = name_or_file.rfind('/');
    p.name = slash == name_or_file.npos ? name_or_file : name_or_file.substr(slash + 1);
    if (p.name.ends_with(".toml")) p.name.resize(p.name.size() - 5);
    const bool offers = std::ranges::any_of(p.tools, [](const auto& t) { return !t.second.substitute.empty(); });
    if (std::ranges::find(p.ladder, Action::substitute_tool) != p.ladder.end() && !offers && problems.empty()) {
        const auto at = last.find("ladder");
        problems.push_back(
            fmt::format("{}: ladder: \"substitute-tool\" can never be taken: no per-tool.<tool>.substitute is given",
                        at == last.end() ? name_or_file : at->second->origin));
    }
    share_thresholds(p);
    return out;
}

// ---- documentation -----------------------------------------------------------------------------------------------

namespace {

std::string schema_of(const PolicyKey& row) {
    const auto words = [&] {
        std::string out;
        for (const std::string_view word : row.known) out += (out.empty() ? "" : ", ") + in_quotes(word);
        return out;
    };
    switch (row.kind) {
        case Kind::whole:
            return fmt::format(R"("type": "integer", "minimum": {}, "maximum": {})", static_cast<std::int64_t>(row.min),
                               static_cast<std::int64_t>(row.max));
        case Kind::number:
            return row.min < row.max
                       ? fmt::format(R"("type": "number", "minimum": {}, "maximum": {})", row.min, row.max)
                       : std::string(R"("type": "number")");
        case Kind::flag: return R"("type": "boolean")";
        case Kind::text: return R"("type": "string")";
        case Kind::word: return fmt::format(R"("enum": [{}])", words());
        case Kind::words:
            return fmt::format(R"("type": "array", "uniqueItems": true, "items": {{"enum": [{}]}})", words());
        case Kind::texts: return R"("anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}])";
    }
    return "";
}

// The schema of a table is that of what stands below it.
struct Node {
    std::string name;
    const PolicyKey* row = nullptr;
    std::vector<Node> children;

    Node& child(std::string_view wanted) {
        const auto known = std::ranges::find(children, wanted, &Node::name);
        if (known != children.end()) return *known;
        return children.emplace_back(Node{std::string(wanted), nullptr, {}});
    }
};

void write(std::string& out, const Node& node, int depth) {
    const std::string pad(static_cast<std::size_t>(depth) * 2, ' ');
    if (node.row) {
        out += fmt::format("{{{}, \"description\": {}}}", schema_of(*node.row), in_quotes(node.row->doc));
        return;
    }
    out += "{\n" + pad + "  \"type\": \"object\",\n" + pad + "  \"additionalProperties\": ";
    const auto wild = std::ranges::find_if(node.children, [](const auto& c) { return is_wild(c.name); });
    const auto literals = std::ranges::count_if(node.children, [](const auto& c) { return !is_wild(c.name); });
    if (wild == node.children.end())
        out += "false";
    else
        write(out, *wild, depth + 1);
    if (literals > 0) {
        out += ",\n" + pad + "  \"properties\": {";
        bool first = true;
        for (const Node& child : node.children) {
            if (is_wild(child.name)) continue;
            out += fmt::format("{}\n{}    \"{}\": ", first ? "" : ",", pad, child.name);
            first = false;
            write(out, child, depth + 2);
        }
        out += "\n" + pad + "  }";
    }
    out += "\n" + pad + "}";
}

}  // namespace

std::vector<KeyDoc> policy_keys() {
    std::vector<KeyDoc> out;
    for (const PolicyKey& row : policy_key_table()) {
        const bool quote = row.kind == Kind::word && !row.standard.empty();
        out.push_back({std::string(row.key), LayerReader::takes(row),
                       quote ? in_quotes(row.standard) : std::string(row.standard), std::string(row.doc),
                       schema_of(row)});
    }
    return out;
}

std::string policy_schema() {
    Node root;
    for (const PolicyKey& row : policy_key_table()) {
        Node* node = &root;
        for (const std::string_view part : parts_of(row.key)) node = &node->child(part);
        node->row = &row;
    }
    std::string body;
    write(body, root, 0);
    std::string out =
        "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n  \"$id\": \"agent-audit/policy/1\",\n"
        "  \"title\": \"Policy file of agent-audit replay --policy\",\n  \"required\": [\"version\"],\n";
    return out + body.substr(2) + "\n";
}

}  // namespace agent_audit::policy
