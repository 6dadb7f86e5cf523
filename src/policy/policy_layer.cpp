#include "policy/policy_layer.hpp"

#include "policy/policy_path.hpp"

#include <agent_audit/detectors/detector.hpp>
#include <agent_audit/profiles/profile.hpp>
#include <agent_audit/support/suggest.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

namespace agent_audit::policy {
namespace {

constexpr std::size_t kMaxProblems = 100;

using Names = std::vector<std::string_view>;

// rules.<rule>.<param>, rules.<rule>.per-tool.<tool>.<param>
std::optional<ParamDoc> param_of(const Path& path) {
    const DetectorSpec* spec = path.size() >= 3 ? find_detector(path[1]) : nullptr;
    if (!spec) return std::nullopt;
    for (ParamDoc& p : spec->params()) {
        if (p.name == path.back()) return std::move(p);
    }
    return std::nullopt;
}

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
            const std::string& rule = path[1];
            const auto params = find_detector(rule)->params();
            std::vector<std::string> names;
            if (path.size() == 2) names.emplace_back("per-tool");
            for (const ParamDoc& p : params) names.push_back(p.name);
            if (std::ranges::find(names, entry.key) != names.end()) return true;
            fail(entry.line,
                 unknown_word(fmt::format("parameter of {}", rule), entry.key, Names(names.begin(), names.end())));
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
        switch (takes_value(row, entry, name, path, given)) {
            case Taken::yes: return true;
            case Taken::told: return false;
            case Taken::no: break;
        }
        fail(entry.line, fmt::format("{}: expected {}", name, takes(row, path)));
        return false;
    }

    enum class Taken : std::uint8_t {
        yes,
        no,
        told,  // and why not was said
    };

    Taken takes_value(const PolicyKey& row, const TomlEntry& entry, const std::string& name, const Path& path,
                      Given& given) {
        const auto& data = entry.value.data;
        const auto* whole = std::get_if<std::int64_t>(&data);
        const auto* flag = std::get_if<bool>(&data);
        const auto* text = std::get_if<std::string>(&data);
        Value& v = given.value;
        switch (row.kind) {
            case Kind::whole:
                if (!whole || static_cast<double>(*whole) < row.min || static_cast<double>(*whole) > row.max)
                    return Taken::no;
                v.whole = *whole;
                given.text = fmt::format("{}", *whole);
                return Taken::yes;
            case Kind::number: return takes_number(row, entry, path, given);
            case Kind::flag:
                if (!flag) return Taken::no;
                v.flag = *flag;
                given.text = *flag ? "true" : "false";
                return Taken::yes;
            case Kind::text:
            case Kind::word:
                if (!text) return Taken::no;
                if (row.kind == Kind::word && !known_word(row, *text, entry.line, name)) return Taken::told;
                v.text = *text;
                given.text = in_quotes(*text);
                return Taken::yes;
            case Kind::words:
            case Kind::texts: return takes_texts(row, entry, name, given);
        }
        return Taken::told;
    }

    static Taken takes_number(const PolicyKey& row, const TomlEntry& entry, const Path& path, Given& given) {
        double number = std::nan("");
        if (const auto* real = std::get_if<double>(&entry.value.data)) number = *real;
        const auto* whole = std::get_if<std::int64_t>(&entry.value.data);
        if (whole) number = static_cast<double>(*whole);
        double min = row.min, max = row.max;
        if (const auto p = row.min < row.max ? std::nullopt : param_of(path)) {
            min = std::strtod(p->min.c_str(), nullptr);
            max = std::strtod(p->max.c_str(), nullptr);
            if (p->integer && !whole) return Taken::no;
        }
        if (!(number >= min && number <= max)) return Taken::no;
        given.value.number = number;
        given.text = fmt::format("{}", number);
        return Taken::yes;
    }

    Taken takes_texts(const PolicyKey& row, const TomlEntry& entry, const std::string& name, Given& given) {
        std::vector<std::string>& texts = given.value.texts;
        const auto* one = std::get_if<std::string>(&entry.value.data);
        const auto* list = std::get_if<TomlArray>(&entry.value.data);
        if (one && row.kind == Kind::texts) {
            texts = {*one};
        } else if (!list) {
            return Taken::no;
        } else {
            for (const TomlValue& item : *list) {
                const auto* text = std::get_if<std::string>(&item.data);
                if (!text) return Taken::no;
                if (row.kind == Kind::words && !known_word(row, *text, entry.line, name)) return Taken::told;
                texts.push_back(*text);
            }
        }
        std::string out;
        for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + in_quotes(text);
        given.text = "[" + out + "]";
        return Taken::yes;
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

}  // namespace

Layer read_layer(const TomlTable& root, const std::string& source, std::vector<std::string>& problems, bool built_in) {
    return LayerReader(source, problems, built_in).read(root);
}

std::string takes(const PolicyKey& row, const Path& path) {
    switch (row.kind) {
        case Kind::whole:
            return row.min == row.max ? fmt::format("{}", static_cast<std::int64_t>(row.min))
                                      : fmt::format("a whole number from {} to {}", static_cast<std::int64_t>(row.min),
                                                    static_cast<std::int64_t>(row.max));
        case Kind::number: {
            if (row.min < row.max) return fmt::format("a number from {} to {}", row.min, row.max);
            if (const auto p = param_of(path)) {
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

}  // namespace agent_audit::policy
