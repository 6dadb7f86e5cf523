// context_conformance DIR: one line a case, `pass NAME` or what differs first. Exits with 1 when something does.
#include "simulator/conformance.hpp"

#include <cstdio>
#include <filesystem>

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: context_conformance DIR\n");
        return 2;
    }
    const auto verdicts = agent_audit::test::judge_folder(argv[1]);
    if (verdicts.empty()) {
        std::fprintf(stderr, "context_conformance: no cases in %s\n", argv[1]);
        return 2;
    }
    std::size_t failed = 0;
    for (const auto& verdict : verdicts) {
        if (verdict.passed()) {
            std::printf("pass %s\n", verdict.name.c_str());
        } else {
            ++failed;
            std::printf("fail %s %s\n", verdict.name.c_str(), verdict.difference.c_str());
        }
    }
    std::printf("%zu of %zu passed\n", verdicts.size() - failed, verdicts.size());
    return failed == 0 ? 0 : 1;
}
