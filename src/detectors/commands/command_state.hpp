#pragma once

#include <agent_audit/model/text.hpp>

#include <cstdint>
#include <string>

namespace agent_audit::detectors {

/// Does a short answer say that something is still under way: a job that is queued, a stack in CREATE_IN_PROGRESS?
/// Whoever asks for it is waiting.
bool says_unfinished(RawText answer);

/// The same in more words: {"state": "rendering"}, whatever the work is called, and that somebody else holds what is
/// wanted: {"locked_by": "team-b"}, "position 3 in the queue". To be asked where a call is made once more.
bool says_under_way(RawText answer);

/// Is a command made for the figures it prints: a benchmark, `time`, `hyperfine`? Then they are its result, and another
/// figure is another answer.
bool measures(RawText command);

/// Does a command ask under which numbers processes run: `lsof -ti :3000`, `pgrep -f mill`? They are drawn anew with
/// each start. `pgrep -c` counts them.
bool asks_for_processes(RawText command);

/// Does a command fetch something from an address: `curl`, `wget`, `Invoke-WebRequest`?
bool fetches(RawText command);

/// Does a command only show what programs wrote into their logs: `docker logs api 2>&1 | tail`, `journalctl -u api`,
/// `tail app.log`? What that prints was said by others, some time ago. What the line runs besides speaks for itself:
/// `pytest > out.log; tail out.log`.
bool shows_log(RawText command);

/// Does a command sleep for ten seconds or more?
bool pauses_long(RawText command);

/// How long a command sleeps by its own words, in ms: the first pause it names, at most a day. 0 = none, or no number.
std::int64_t named_pause_ms(RawText command);

/// A command without the times for which it sleeps: `sleep 30 && gh run view` and `sleep 60 && gh run view` are the
/// same look. Empty = it sleeps nowhere, or is long.
std::string without_pauses(RawText command);

/// Does a command go to another revision of the repository: `git checkout v1.9 && pytest`, `git switch -d HEAD~3`?
/// Branches that are made, and files that are fetched back, are none. One that does no more than to compile a program
/// is such a visit, too: what runs then is another one than before.
bool visits_revision(RawText command);

/// Is the exit code of a command line that of what stands behind its check: `pytest | tail -3`, `make test || true`,
/// `npm test; echo done`, `npm test > out; cat out`? Not with `pipefail`.
bool hides_exit_code(RawText command);

}  // namespace agent_audit::detectors
