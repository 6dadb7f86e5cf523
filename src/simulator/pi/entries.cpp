#include <agent_audit/simulator/pi.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <unordered_map>
#include <utility>

namespace agent_audit::simulator::pi {
namespace {

using JsonPtr = std::shared_ptr<const JsValue>;
using Kind = Entry::Kind;

struct KindName {
    std::string_view name;
    Kind kind;
};
constexpr std::array kKinds{
    KindName{"message", Kind::message},
    KindName{"custom_message", Kind::custom_message},
    KindName{"branch_summary", Kind::branch_summary},
    KindName{"compaction", Kind::compaction},
    KindName{"context_edit", Kind::context_edit},
    KindName{"reset", Kind::reset},
};

Kind kind_of(const JsValue& type) {
    for (const KindName& known : kKinds) {
        if (type.string() && *type.string() == known.name) return known.kind;
    }
    return Kind::note;
}

/// The message that an entry other than a message stands for.
JsValue made_message(Kind kind, const JsValue& entry) {
    JsValue out{JsValue::Object{}};
    const auto copy = [&](std::string_view field) { out.set(field, entry[field]); };
    if (kind == Kind::custom_message) {
        out.set("role", "custom");
        for (const char* field : {"customType", "content", "display", "details"}) copy(field);
    } else if (kind == Kind::branch_summary) {
        out.set("role", "branchSummary");
        for (const char* field : {"summary", "fromId"}) copy(field);
    } else {
        out.set("role", "compactionSummary");
        for (const char* field : {"summary", "tokensBefore"}) copy(field);
    }
    copy("timestamp");
    return out;
}

std::string string_or_nothing(const JsValue& value) { return value.string() ? *value.string() : std::string(); }

std::vector<std::string> strings(const JsValue& list) {
    std::vector<std::string> out;
    if (!list.array()) return out;
    for (const JsValue& item : *list.array()) {
        if (item.string()) out.push_back(*item.string());
    }
    return out;
}

bool all_strings(const JsValue& list) {
    const auto* items = list.array();
    return items && std::all_of(items->begin(), items->end(), [](const JsValue& item) { return item.string(); });
}

/// The files that an earlier summary knew of. OpenClaw believes its details as a whole or not at all.
void take_details(const JsValue& details, Release release, Entry& entry) {
    const JsValue &read = details["readFiles"], &modified = details["modifiedFiles"];
    if (release == Release::openclaw_2026_9 && !(all_strings(read) && all_strings(modified))) return;
    entry.read_files = strings(read);
    entry.modified_files = strings(modified);
}

/// The message with the content that an edit gives it. Answers and results have blocks.
MsgPtr with_content(const Msg& message, const JsValue& content) {
    JsValue json = json_of(message);
    const bool blocks = message.role == Role::assistant || message.role == Role::tool_result;
    if (blocks && content.string()) {
        json.set("content", JsValue::Array{JsValue::object({{"type", "text"}, {"text", *content.string()}})});
    } else {
        json.set("content", content);
    }
    return message_of(std::make_shared<const JsValue>(std::move(json)), message.source_index);
}

/// Which lines lead to the last one, by the ids of their parents. Of lines with one id the last counts.
std::vector<bool> branch_of(const JsValue::Array& lines) {
    std::vector<bool> taken(lines.size(), false);
    std::unordered_map<std::string_view, std::size_t> place;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (const auto* id = lines[i]["id"].string()) place[*id] = i;
    }
    for (std::size_t at = lines.size() - 1; !taken[at];) {
        taken[at] = true;
        const auto* parent = lines[at]["parentId"].string();
        const auto found = parent && !parent->empty() ? place.find(*parent) : place.end();
        if (found != place.end()) at = found->second;
    }
    return taken;
}

/// Which entries the context is made of: the last compaction, what it keeps, and what comes after it.
std::vector<bool> in_context(const Entries& entries) {
    std::vector<bool> sent(entries.size(), true);
    std::size_t compaction = entries.size();
    while (compaction > 0 && entries[compaction - 1].kind != Kind::compaction) --compaction;
    if (compaction-- == 0) return sent;
    for (std::size_t i = 0; i < compaction && entries[i].id != entries[compaction].first_kept_id; ++i) sent[i] = false;
    return sent;
}

void apply_edit(const JsValue& replacement, Entry& entry) {
    const Role role = entry.message->role;
    if (replacement.is_null()) {
        entry.omitted = true;
        entry.omitted_answer = entry.kind == Kind::message && role == Role::assistant;
        entry.message = nullptr;
    } else if (replacement.is_object() &&
               (role == Role::user || role == Role::assistant || role == Role::tool_result || role == Role::custom)) {
        entry.message = with_content(*entry.message, replacement["content"]);
    }
}

/// `lines[i]` is what `entries[i]` was read from.
void apply_edits(const std::vector<const JsValue*>& lines, Entries& entries) {
    std::unordered_map<std::string_view, std::size_t> last;
    const std::vector<bool> sent = in_context(entries);
    for (std::size_t i = 0; i < entries.size(); ++i) {
        if (sent[i] && entries[i].kind == Kind::context_edit) last[entries[i].target_id] = i;
    }
    if (last.empty()) return;
    for (Entry& entry : entries) {
        const auto found = last.find(entry.id);
        if (found != last.end() && entry.message) apply_edit((*lines[found->second])["replacement"], entry);
    }
}

}  // namespace

Entries entries_of(const View& view) {
    Entries entries;
    entries.reserve(view.size());
    for (const MsgPtr& message : view) {
        Entry entry;
        if (message && message->injected) entry.kind = Kind::custom_message;
        entry.id = "m" + std::to_string(entries.size());
        entry.message = message;
        entries.push_back(std::move(entry));
    }
    return entries;
}

Entries raw_entries_of(const JsValue& array, Release release) {
    Entries entries;
    if (!array.array()) return entries;
    for (const JsValue& json : *array.array()) {
        Entry entry;
        entry.kind = kind_of(json["type"]);
        entry.id = string_or_nothing(json["id"]);
        if (entry.kind == Kind::context_edit && release != Release::v0_87) entry.kind = Kind::note;
        if (entry.kind == Kind::reset && release != Release::openclaw_2026_9) entry.kind = Kind::note;
        if (entry.kind == Kind::context_edit) {
            entry.target_id = string_or_nothing(json["targetId"]);
            entry.replaces = !json["replacement"].is_nullish();
        } else if (entry.kind == Kind::message) {
            entry.message = message_of(std::make_shared<const JsValue>(json["message"]), entries.size());
        } else if (entry.kind != Kind::note && entry.kind != Kind::reset) {
            entry.message = message_of(std::make_shared<const JsValue>(made_message(entry.kind, json)), entries.size());
        }
        if (entry.kind == Kind::compaction || entry.kind == Kind::reset)
            entry.first_kept_id = string_or_nothing(json["firstKeptEntryId"]);
        if (entry.kind == Kind::compaction) {
            if (release == Release::v0_87)
                entry.system = message_of(std::make_shared<const JsValue>(json["systemMessage"]), entries.size());
            entry.from_hook = json["fromHook"].truthy();
            if (!entry.from_hook) take_details(json["details"], release, entry);
        }
        entries.push_back(std::move(entry));
    }
    return entries;
}

Entries entries_of(const JsValue& array, Release release) {
    Entries entries = raw_entries_of(array, release);
    if (entries.empty() || release == Release::openclaw_2026_9) return entries;
    const JsValue::Array& lines = *array.array();
    const std::vector<bool> branch = branch_of(lines);
    for (std::size_t i = 0; i < entries.size(); ++i) entries[i].left = !branch[i];
    if (release == Release::v0_73) return entries;
    std::vector<const JsValue*> kept;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (branch[i]) kept.push_back(&lines[i]);
    }
    std::erase_if(entries, [](const Entry& entry) { return entry.left; });
    apply_edits(kept, entries);
    return entries;
}

}  // namespace agent_audit::simulator::pi
