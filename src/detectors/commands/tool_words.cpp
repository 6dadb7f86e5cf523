#include "detectors/commands/tool_words.hpp"

#include "detectors/outcomes/answers.hpp"
#include "detectors/outcomes/crash_line.hpp"
#include "support/ascii.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace agent_audit::detectors {
namespace {

constexpr std::size_t kLooked = 200;  // bytes

constexpr std::string_view kBeginnings[] = {"An error occurred",
                                            "An unexpected error",
                                            "Action failed",
                                            "Command failed",
                                            "Error 4",
                                            "Error 5",
                                            "Error calling",
                                            "Error code",
                                            "Error during",
                                            "Error executing",
                                            "Error invoking",
                                            "Error running",
                                            "Error when",
                                            "Error while",
                                            "Execution failed",
                                            "Failed to ",
                                            "HTTP Error",
                                            "HTTP error",
                                            "Invalid tool",
                                            "MCP error ",
                                            "Operation failed",
                                            "Request failed",
                                            "Tool call failed",
                                            "Tool execution failed",
                                            "Traceback (most recent call last)",
                                            "Unknown tool",
                                            "EACCES: ",
                                            "EADDRINUSE: ",
                                            "EBUSY: ",
                                            "ECONNREFUSED: ",
                                            "ECONNRESET: ",
                                            "EEXIST: ",
                                            "EINVAL: ",
                                            "EISDIR: ",
                                            "EMFILE: ",
                                            "ENOENT: ",
                                            "ENOSPC: ",
                                            "ENOTDIR: ",
                                            "ENOTEMPTY: ",
                                            "EPERM: ",
                                            "EROFS: ",
                                            "ETIMEDOUT: ",
                                            "[Errno ",
                                            "### Error\n",
                                            "1 validation error for ",
                                            "2 validation errors for ",
                                            "3 validation errors for ",
                                            "### Error\\n",
                                            "curl: (",
                                            "Errore: ",
                                            "Erreur : ",
                                            "Erreur: ",
                                            "Erro: ",
                                            "Fehler: ",
                                            "Fehler bei ",
                                            "Ошибка",
                                            "エラー",
                                            "오류",
                                            "錯誤",
                                            "错误",
                                            "发生错误",
                                            "执行失败",
                                            "操作失败",
                                            "调用失败"};
constexpr std::string_view kReasons[] = {"Bad Gateway",
                                         "Bad Request",
                                         "Conflict",
                                         "Forbidden",
                                         "Gateway Time",
                                         "Gone",
                                         "Internal Server Error",
                                         "Method Not Allowed",
                                         "Not Acceptable",
                                         "Not Implemented",
                                         "Payload Too Large",
                                         "Payment Required",
                                         "Request Entity Too Large",
                                         "Service Unavailable",
                                         "Service Temporarily Unavailable",
                                         "Too Many Requests",
                                         "Unauthorized",
                                         "Unprocessable",
                                         "Unsupported Media Type"};

template <std::size_t N>
bool begins_with_any(std::string_view text, const std::string_view (&words)[N]) {
    return std::ranges::any_of(words, [text](std::string_view word) { return text.starts_with(word); });
}

// The first two bytes of all beginnings: most answers begin otherwise.
constexpr std::size_t pair_of(std::string_view text) {
    return (static_cast<unsigned char>(text[0]) * 31u + static_cast<unsigned char>(text[1])) % 256;
}
constexpr auto kPairs = [] {
    std::array<bool, 256> pairs{};
    for (const std::string_view beginning : kBeginnings) pairs[pair_of(beginning)] = true;
    return pairs;
}();

/// "Command write_fix returned: Error: …", perhaps behind "The result of executing that last command is:": AutoGPT and
/// its heirs say so of every command.
std::string_view behind_frame(std::string_view text) {
    constexpr std::string_view kFrames[] = {"The result of executing", "Command "};
    constexpr std::string_view kReturned = " returned: ";
    constexpr std::size_t kLongest = 160;  // bytes
    if (text.empty() || (text.front() != 'T' && text.front() != 'C') || !begins_with_any(text, kFrames)) return text;
    const std::size_t at = text.substr(0, kLongest).find(kReturned);
    return at == text.npos ? text : text.substr(at + kReturned.size());
}

/// The words themselves, without the quote or the block around them.
std::string_view beginning_of(RawText answer) {
    constexpr std::string_view kBlock = "\"text\":";
    std::string_view t = answer.bytes;
    if (answer.form == TextForm::json_value && !t.empty()) {
        const std::size_t block = t.front() == '"' ? 0 : t.substr(0, 80).find(kBlock);
        if (block == t.npos) return {};
        t.remove_prefix(t.front() == '"' ? 0 : block + kBlock.size());
        t.remove_prefix(std::min(t.find('"'), t.size() - 1) + 1);
    }
    t.remove_prefix(std::min(t.find_first_not_of(" \t\r\n"), t.size()));
    return behind_frame(t).substr(0, kLooked);
}

/// "Error: ", "sqlite3.OperationalError: ", "TimeoutException: ".
bool names_an_error(std::string_view text) {
    std::size_t end = 0;
    while (end < text.size() && (is_letter(text[end]) || is_digit(text[end]) || text[end] == '_' || text[end] == '.'))
        ++end;
    if (end == text.size() || text[end] != ':') return false;
    const std::string_view name = text.substr(0, end);
    return name.ends_with("Error") || name.ends_with("Exception") || name == "error" || name == "ERROR";
}

/// "403 Forbidden", "HTTP 403: Forbidden", "HTTP/1.1 403 Forbidden".
bool is_status_line(std::string_view text) {
    if (text.front() == 'H' && text.starts_with("HTTP"))
        text.remove_prefix(std::min(text.find(' '), text.size() - 1) + 1);
    if (text.size() < 6 || (text[0] != '4' && text[0] != '5') || !is_digit(text[1]) || !is_digit(text[2]) ||
        is_digit(text[3]))
        return false;
    const std::size_t reason = text.find_first_not_of(" :-", 3);
    return reason != text.npos && begins_with_any(text.substr(reason), kReasons);
}

/// "503 Service Unavailable", "HTTP/1.1 429 Too Many Requests": of a server that is there and may do so later.
bool is_busy_line(std::string_view text) {
    if (text.starts_with("HTTP")) text.remove_prefix(std::min(text.find(' '), text.size() - 1) + 1);
    return (text.starts_with('5') || text.starts_with("429")) && is_status_line(text);
}

/// The page that a server or a gateway sends in its place.
bool is_busy_page(std::string_view text) {
    constexpr std::string_view kTitle = "<title>";
    if (text.front() != '<') return false;
    const std::size_t title = text.find(kTitle);
    return title != text.npos && is_busy_line(text.substr(title + kTitle.size()));
}

/// "connect ECONNREFUSED 127.0.0.1:9999", "getaddrinfo EAI_AGAIN db", "curl: (7) Failed to connect to db port 80".
bool is_way_barred(std::string_view text) {
    constexpr std::string_view kWays[] = {"Error: ", "connect ", "getaddrinfo ", "read "};
    constexpr std::string_view kBarred[] = {"ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "EHOSTUNREACH", "EAI_AGAIN"};
    bool way = false;
    if (text.starts_with("curl: (")) return true;
    for (const std::string_view word : kWays) {
        if (!text.starts_with(word)) continue;
        text.remove_prefix(word.size());
        way = true;
    }
    return way && begins_with_any(text, kBarred);
}

constexpr std::string_view kComplainers[] = {
    "curl: (", "E: ", "Err:", "wget: ", "ssh: ", "scp: ", "nc: ", "fatal: ", "dpkg: error"};
constexpr std::string_view kComplaints[] = {": Connection refused",
                                            ": Connection timed out",
                                            ": Connection reset by peer",
                                            ": No route to host",
                                            ": Network is unreachable",
                                            ": Name or service not known",
                                            ": Temporary failure in name resolution",
                                            ": Device or resource busy",
                                            ": Operation not permitted",
                                            ": No space left on device",
                                            ": Not a directory",
                                            ": Is a directory",
                                            ": No such file or directory",
                                            ": Permission denied",
                                            ": command not found",
                                            ": not found"};
// The last two bytes of all complaints, and the first two of all programs: most lines have neither.
constexpr auto kComplaintPairs = [] {
    std::array<bool, 256> pairs{};
    for (const std::string_view words : kComplaints) pairs[pair_of(words.substr(words.size() - 2))] = true;
    return pairs;
}();
constexpr auto kComplainerPairs = [] {
    std::array<bool, 256> pairs{};
    for (const std::string_view words : kComplainers) pairs[pair_of(words)] = true;
    return pairs;
}();

/// A quick look at both ends of an output; the first line may also end in a complaint, which is told by its beginning.
bool may_complain(std::string_view text) {
    return text.size() >= 2 &&
           (kComplaintPairs[pair_of(text.substr(text.size() - 2))] || kComplainerPairs[pair_of(text)]);
}

/// A line of a program that did not do its work.
bool complains(std::string_view line) {
    if (line.size() < 4) return false;
    if (kComplainerPairs[pair_of(line)] && begins_with_any(line, kComplainers)) return true;
    if (!kComplaintPairs[pair_of(line.substr(line.size() - 2))]) return false;
    return std::ranges::any_of(kComplaints, [line](std::string_view words) { return line.ends_with(words); });
}

/// With what the word of a server that is busy, or of the way to it, begins.
constexpr auto kBarredBegin = [] {
    std::array<bool, 256> begins{};
    for (const char c : std::string_view("H45<Ecgr")) begins[static_cast<unsigned char>(c)] = true;
    return begins;
}();

/// A rule, the name of the error and "Traceback": as notebooks print it.
bool is_cell_traceback(std::string_view text) {
    return text.front() == '-' && text.starts_with("-----") &&
           text.find("Traceback (most recent call last)") != text.npos;
}

/// "Tool foo does not exist."
bool names_no_tool(std::string_view text) {
    if (text.front() != 'T' && text.front() != 'F') return false;
    if (!text.starts_with("Tool ") && !text.starts_with("Function ")) return false;
    return says_no_tool({text, TextForm::plain});
}

}  // namespace

bool shows_messages(std::string_view tool) {
    constexpr std::string_view kShown[] = {"log",    "Log",   "error", "Error", "console", "Console",
                                           "essage", "trace", "Trace", "event", "Event",   "stderr"};
    return std::ranges::any_of(kShown, [tool](std::string_view word) { return tool.find(word) != tool.npos; });
}

bool says_unavailable(RawText answer) {
    // Most answers are told by their first byte. A JSON value may hold any text, and blanks may stand in front.
    const char first = answer.empty() ? '\0' : answer.bytes.front();
    const bool may = answer.form == TextForm::json_value || static_cast<unsigned char>(first) <= ' ' ||
                     kBarredBegin[static_cast<unsigned char>(first)];
    if (!may) return false;
    const std::string_view text = beginning_of(answer);
    if (text.size() < 6) return false;
    switch (text.front()) {
        case 'H':
        case '4':
        case '5': return is_busy_line(text);
        case '<': return is_busy_page(text);
        case 'E':
        case 'c':
        case 'g':
        case 'r': return is_way_barred(text);
        default: return false;
    }
}

bool ends_in_complaint(RawText printed) {
    constexpr std::size_t kLongest = 1000, kShortest = 4;  // bytes
    std::string_view text = printed.bytes;
    if (text.size() < kShortest || text.size() > kLongest) return false;
    const bool plain = printed.form == TextForm::plain;
    while (text.size() >= kShortest) {
        const char last = text.back();
        if (last == ' ' || last == '\n')
            text.remove_suffix(1);
        else if (!plain && last == 'n' && text[text.size() - 2] == '\\')
            text.remove_suffix(2);
        else
            break;
    }
    if (!may_complain(text)) return false;
    const std::string_view end = plain ? "\n" : "\\n";
    const std::size_t before = text.rfind(end);
    const std::string_view last = before == text.npos ? text : text.substr(before + end.size());
    return complains(last) || (before != text.npos && complains(text.substr(0, text.find(end))));
}

bool begins_with_failure(RawText answer) {
    const std::string_view text = beginning_of(answer);
    if (text.size() < 2) return false;
    return names_an_error(text) || (kPairs[pair_of(text)] && begins_with_any(text, kBeginnings)) ||
           is_status_line(text) || is_cell_traceback(text) || names_no_tool(text);
}

bool shows_crash(RawText answer) { return begins_with_crash(beginning_of(answer)); }

}  // namespace agent_audit::detectors
