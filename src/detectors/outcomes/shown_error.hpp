#pragma once

#include <agent_audit/model/text.hpp>

#include <cstdint>
#include <string_view>

namespace agent_audit::detectors {

/// What is looked at where somebody looks how a program does.
enum class Shown : std::uint8_t {
    nothing,
    page,       ///< a page or a screen, told in words, perhaps with the lines of its console
    log,        ///< what a program said: only how it ends tells how it does now
    container,  ///< the state of a pod
};

/// By a command: docker logs, kubectl describe, tail app.log, journalctl.
Shown shown_by_command(std::string_view command);

/// Does a command name a log: docker logs, tail app.log, journalctl, dmesg? It may do more than show it.
bool names_log(std::string_view command);

/// What a tool of such a name shows: take_screenshot, browser_console, get_logs.
Shown shown_by_tool(std::string_view raw_name);

/// True for a command that takes a program down, or starts one in place of another: kubectl delete pod, kubectl rollout
/// restart, docker rm -f, docker run, systemctl restart, kill, nohup.
bool starts_anew(std::string_view command);

/// The log that a command names: "/tmp/srv1.log" of "tail -5 /tmp/srv1.log". Empty = none.
std::string_view log_in(std::string_view command);

/// Do two looks speak of one program, though it was given another name since: a pod, a container by its id?
bool look_at_one(std::string_view command, std::string_view other);

/// The error of a program that an answer shows, which is none of the call: `TypeError: total is undefined` in the
/// console below a page that is described in other words each time, the crash with which a log ends that has grown
/// since. As a key for Step::error_key of a step that did not fail, which says no more than that: places and times do
/// not count. A look that shows none has a key as well.
std::uint64_t shown_error(Shown shown, RawText answer);

/// The last error that a text names, up to the end of its line; empty = none. Looks at the end of a long text.
std::string_view last_error_in(RawText text);

/// Where the mark of such a key stands, and the mark.
inline constexpr int kShownMarkAt = 48;
inline constexpr std::uint64_t kShownMark = 0x7368;

/// Is it such a key?
inline bool is_shown(std::uint64_t error_key) { return error_key >> kShownMarkAt == kShownMark; }
/// The same, of a look that shows an error.
inline bool shows_error(std::uint64_t error_key) {
    return is_shown(error_key) && error_key != kShownMark << kShownMarkAt;
}

/// What a look at pods shows of which none was started yet, "0/1 Pending": no error where one waits for it.
inline constexpr std::uint64_t kPodsPending = kShownMark << kShownMarkAt | 0x70656e64;

inline constexpr std::uint64_t kBesideMark = 2;
/// Of a look that shows an error: is it one of a script, which no style sheet can have made, beside a page that shows
/// something all the same?
inline bool stands_beside_page(std::uint64_t error_key) { return (error_key & kBesideMark) != 0; }
/// The error alone, whatever the page shows.
inline std::uint64_t shown_key(std::uint64_t error_key) { return error_key & ~kBesideMark; }

}  // namespace agent_audit::detectors
