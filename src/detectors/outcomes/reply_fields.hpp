#pragma once

#include <string>
#include <string_view>

namespace agent_audit::detectors {

/// Do two answers differ in nothing but volatile parts and fields that speak of the answer itself: "took_ms": 12, a
/// "request_id", a "timestamp", the "execution_count" of a notebook, what a sub-agent used, an "uptime" that grew, an
/// "x-request-id: 4f2a" among headers, "(x3 over 9m)" of an event in a cluster? Raw texts, spelled alike; long ones
/// have more to say.
bool same_but_reply_fields(std::string_view before, std::string_view now);

/// A short answer that tells that a machine got nowhere ("bumper: blocked, x=0.75, batt=95%"), without what it has used
/// up meanwhile and its clock, which run on whatever it does. Empty = it is none, or has no such field.
std::string without_run_down(std::string_view answer);

/// May two answers be the same but for such fields, as far as their sizes tell?
bool are_near_in_size(std::string_view before, std::string_view now);

/// The same of answers to two calls of one tool, whose arguments differ, each of them settled (retry_names.hpp): does
/// one say what the other said, at another moment? Who compares one answer with many settles it once.
bool same_but_moment(std::string_view before, std::string_view now);

/// The same of two pages of a list: nor where this page stands and how to ask for the next one ("page": 3,
/// "next_cursor", "offset", a link). What is on them is the same.
bool same_but_page_fields(std::string_view before, std::string_view now);

/// Do the arguments of a call, as JSON, name a page, an offset or a cursor?
bool asks_for_page(std::string_view arguments);
/// The same of the name of one argument: "page", "pageToken", "next_cursor".
bool names_page(std::string_view argument);

/// Do two arguments, all of a call's and with one that names a page, ask for different pages of one list:
/// {"kind":"rye","page":3} and 4? Of another list, another month or another kind is asked for something else.
bool ask_for_pages_of_one(std::string_view before, std::string_view now);

}  // namespace agent_audit::detectors
