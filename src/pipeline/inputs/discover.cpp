#include <agent_audit/pipeline/discover.hpp>

#include "pipeline/inputs/inputs.hpp"
#include "pipeline/inputs/session_files.hpp"
#include "pipeline/inputs/session_head.hpp"
#include "readers/input/find_files.hpp"

#include <agent_audit/readers/reader.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace agent_audit {
namespace {

std::string folder(std::string base, std::string_view below) {
    while (base.size() > 1 && base.ends_with('/')) base.pop_back();
    if (!below.empty()) base.append(base.ends_with('/') ? "" : "/").append(below);
    return base;
}

bool wanted(const DiscoverPlan& plan, const Location& location) {
    if (plan.readable_only && location.format.empty()) return false;
    return plan.agents.empty() || std::ranges::find(plan.agents, location.agent) != plan.agents.end();
}

struct Match {
    const Location* where = nullptr;
    std::string path;
    std::uint64_t size = 0;
    std::int64_t modified_ms = 0;
    dev_t device = 0;
    ino_t inode = 0;
    std::size_t below = 0;  // how long the part of the path is that the location says
};

// One entry a file: a row for sub-agents wins over the row of the agent's sessions, and of several paths that lead to
// one file the first stays.
void drop_repeats(std::vector<Match>& matches) {
    std::ranges::sort(matches, {}, [](const Match& m) {
        return std::tuple(m.device, m.inode, m.where->kind != LocationKind::sub_agent, std::string_view(m.path),
                          m.where);
    });
    const auto same_file = [](const Match& a, const Match& b) { return a.device == b.device && a.inode == b.inode; };
    matches.erase(std::unique(matches.begin(), matches.end(), same_file), matches.end());
}

std::vector<Match> search(const DiscoverPlan& plan, Discovery& out) {
    readers::FileSearch files(plan.limits.entries);
    std::vector<Match> matches;
    std::vector<readers::FoundFile> found;
    for (const Location& location : all_locations()) {
        if (!wanted(plan, location)) continue;
        for (const std::string& root : roots_of(location, plan.variable)) {
            found.clear();
            files.find(root, location.glob, location.kind == LocationKind::folder, found);
            for (readers::FoundFile& file : found) {
                matches.push_back({&location, std::move(file.path), file.size, file.modified_ms, file.device,
                                   file.inode, root.size()});
            }
        }
    }
    drop_repeats(matches);
    out.problems = files.problems();
    return matches;
}

// Reads heads only as far as they are needed: for what is listed, or for all when they decide what is listed.
class Heads {
public:
    explicit Heads(std::size_t most) : left_(most), most_(most) {}

    SessionHead of(const Match& match) {
        const Location& where = *match.where;
        if (where.kind == LocationKind::store || where.kind == LocationKind::folder) return {};
        if (left_ == 0) {
            stopped_ = true;
            return {};
        }
        --left_;
        return read_head(match.path, where.format.empty() ? nullptr : find_reader(where.format), kHeadBytes, buffers_);
    }
    void report(std::vector<std::string>& problems) const {
        if (!stopped_) return;
        problems.push_back(
            fmt::format("only the newest {} files were opened: the projects of older ones are unknown", most_));
    }

private:
    InputBuffers buffers_;
    std::size_t left_;
    std::size_t most_;
    bool stopped_ = false;
};

void count(Discovery& out, std::map<std::string_view, AgentTotals>& agents, const Match& match) {
    ++out.found;
    AgentTotals& totals = agents[match.where->agent];
    ++totals.sessions;
    totals.bytes += match.size;
}

FoundSession entry(Match& match, SessionHead head) {
    FoundSession session;
    session.where = match.where;
    session.path = match.path;
    session.size = match.size;
    session.modified_ms = match.modified_ms;
    session.id = std::move(head.id);
    session.project = std::move(head.project);
    return session;
}

void attach_sub_agents(Discovery& out, const std::vector<Match>& matches) {
    const SessionFolders folders(out.sessions);
    std::map<std::string_view, FoundSession*> by_path;
    for (FoundSession& session : out.sessions) by_path[session.path] = &session;
    for (const Match& match : matches) {
        if (match.where->kind != LocationKind::sub_agent) continue;
        const auto owner = by_path.find(folders.owner(match.path));
        if (owner != by_path.end()) owner->second->sub_agents.push_back(match.path);
    }
    for (FoundSession& session : out.sessions) std::ranges::sort(session.sub_agents);
}

}  // namespace

std::vector<std::string> roots_of(const Location& location,
                                  const std::function<std::string(std::string_view)>& variable) {
    std::vector<std::string> roots;
    for (const RootPath& root : location.roots) {
        if (root.variable.empty()) continue;
        if (std::string value = variable(root.variable); !value.empty()) return {folder(std::move(value), root.below)};
    }
    const std::string home = variable("HOME");
    if (home.empty()) return roots;
    for (const RootPath& root : location.roots) {
        if (root.variable.empty()) roots.push_back(folder(home, root.below));
    }
    return roots;
}

Discovery discover(const DiscoverPlan& plan) {
    Discovery out;
    std::vector<Match> matches = search(plan, out);
    std::erase_if(matches, [&](const Match& m) { return is_left_out(m.path, m.below, plan.filter.exclude); });
    std::ranges::sort(matches, [](const Match& a, const Match& b) {
        return std::tuple(b.modified_ms, std::string_view(a.path)) <
               std::tuple(a.modified_ms, std::string_view(b.path));
    });
    Heads heads(plan.limits.heads);
    std::map<std::string_view, AgentTotals> agents;
    for (Match& match : matches) {
        const bool part = match.where->kind == LocationKind::sub_agent;
        out.sub_agents += part;
        if (!plan.filter.in_time(match.modified_ms) || (part && !plan.sub_agents)) continue;
        const bool room = plan.filter.latest == 0 || out.sessions.size() < plan.filter.latest;
        SessionHead head;
        if (room || !plan.filter.projects.empty()) head = heads.of(match);
        if (!plan.filter.in_project(head.project)) continue;
        count(out, agents, match);
        if (room) out.sessions.push_back(entry(match, std::move(head)));
    }
    attach_sub_agents(out, matches);
    heads.report(out.problems);
    for (auto& [agent, totals] : agents) {
        totals.agent = agent;
        out.agents.push_back(std::move(totals));
    }
    return out;
}

std::string_view recorded_format(const std::string& path) {
    InputBuffers buffers;
    const OpenedInput opened = open_session(path, 0, nullptr, {}, buffers);
    return opened.reader ? std::string_view(opened.reader->id) : std::string_view{};
}

}  // namespace agent_audit
