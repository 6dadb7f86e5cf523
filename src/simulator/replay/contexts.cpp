#include <agent_audit/simulator/replay.hpp>

#include <algorithm>

namespace agent_audit::simulator {
namespace {

std::vector<Context> make_table() {
    std::vector<Context> table{
        {"hindsight", "bound: sends nothing that is never used again; knows the future", Context::Kind::hindsight,
         nullptr},
        {"never-forget", "bound: sends everything, however large", Context::Kind::never_forget, nullptr},
        {"recorded", "what the session's own agent did, as far as it is recorded", Context::Kind::recorded, nullptr},
    };
    for (const Policy& policy : all_policies())
        table.push_back({policy.name, policy.doc, Context::Kind::policy, &policy});
    std::ranges::sort(table, {}, &Context::name);
    return table;
}

const std::vector<Context>& table() {
    static const std::vector<Context> contexts = make_table();
    return contexts;
}

}  // namespace

std::span<const Context> all_contexts() { return table(); }

const Context* find_context(std::string_view name) {
    const auto found = std::ranges::lower_bound(table(), name, {}, &Context::name);
    return found != table().end() && found->name == name ? &*found : nullptr;
}

}  // namespace agent_audit::simulator
