#pragma once

#include <agent_audit/detectors/step.hpp>

#include <cstdint>

namespace agent_audit::detectors {

/// Whether two commands run the same: `pytest -q tests`, `python -m pytest -x tests` and `timeout 60 pytest tests -k a`
/// do, and so do `./d.sh`, `sh -c ./d.sh` and `./d.sh staging`. How much is told, how many work on it and what leads to
/// the program does not matter; what is run, or what it is given, does: two tests, two packages, two stages. False
/// where one of them was cut.
bool run_the_same(const Step& a, const Step& b);

/// Whether each of two commands is given something that the other is not: `pytest -q tests/a.py`, `pytest tests/b.py`.
/// False where one of them was cut, and where they differ in numbers alone.
bool run_other_things(const Step& a, const Step& b);

/// What a command runs, as one number: without its flags and what leads to it. 0 = it is not known, it was cut.
std::uint64_t identity_of_run(RawText command);

/// Does the outcome name what both commands run or are given? "bash: ./d.sh: Permission denied".
bool names_what_runs(const Step& a, const Step& b);

}  // namespace agent_audit::detectors
