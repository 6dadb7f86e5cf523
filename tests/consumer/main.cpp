#include <agent_audit/pipeline/audit.hpp>

#include <cstdio>
#include <string>

bool recipes_work(const std::string& session);  // recipes.cpp

// Audits the recording named on the command line. Ends 0 when something was read and an error was found in it,
// as must be the case for the session the test hands over.
int main(int argc, char** argv) {
    agent_audit::AuditPlan plan;
    plan.inputs.assign(argv + 1, argv + argc);

    const auto report = agent_audit::audit(plan);
    if (!report) {
        std::fprintf(stderr, "%s\n", report.error().message.c_str());
        return 2;
    }
    std::printf("%zu sessions, %llu records, %llu errors\n", report->sessions.size(),
                static_cast<unsigned long long>(report->ingest.records()),
                static_cast<unsigned long long>(report->errors));
    for (const auto& finding : report->findings) std::printf("%s: %s\n", finding.rule.c_str(), finding.message.c_str());
    if (!recipes_work(argc > 1 ? argv[1] : "")) return 3;
    return report->ingest.records() > 0 && report->errors > 0 ? 0 : 1;
}
