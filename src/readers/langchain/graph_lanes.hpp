#pragma once

#include <algorithm>
#include <string>
#include <string_view>

// Which agent of a graph speaks. What LangGraph writes beside a message names the task that made it, behind those of
// the graphs around it: "agent:UUID", "tools:UUID|model:UUID", and "tools:UUID|1|model:UUID" for the second graph that
// one task runs.

namespace agent_audit::readers {

/// The graph in which a task runs; empty: the outermost one.
inline std::string_view graph_of(std::string_view task) {
    const auto bar = task.rfind('|');
    return bar == task.npos ? std::string_view{} : task.substr(0, bar);
}

/// The name of the node that runs a graph: "tools" of "tools:UUID|1".
inline std::string_view node_of(std::string_view graph) {
    while (!graph.empty()) {
        const std::string_view last = graph.substr(graph.rfind('|') + 1);  // npos + 1 is 0
        const auto colon = last.find(':');
        if (colon != last.npos) return last.substr(0, colon);
        graph = graph_of(graph);
    }
    return {};
}

/// The graph around the node that runs a graph: "agent:UUID" of "agent:UUID|tools:UUID|1".
inline std::string_view graph_around(std::string_view graph) {
    while (!graph.empty() && graph.find(':', graph.rfind('|') + 1) == graph.npos) graph = graph_of(graph);
    return graph_of(graph);
}

/// The outermost graph is the agent of the session, and graphs in its nodes are others; but where the first that speaks
/// is such a graph, the outer one is only a wrapper, and it is the agent, each time that its node runs.
class MainGraph {
public:
    /// Whether the graph is the session's agent. Ask in the order in which they speak.
    bool is(std::string_view graph) {
        const std::string path = names(graph);
        if (!known_) {
            known_ = true;
            if (!path.starts_with("tools")) path_ = path;  // what a tool runs is never the session's agent
        }
        return graph.empty() || path == path_;
    }

private:
    static std::string names(std::string_view graph) {
        std::string path;
        for (bool in_id = false; const char c : graph.substr(0, kLongest)) {
            in_id = c == ':' || (in_id && c != '|');
            if (!in_id) path += c;
        }
        return path;
    }
    static constexpr std::size_t kLongest = 1000;  // characters

    std::string path_;
    bool known_ = false;
};

}  // namespace agent_audit::readers
