#pragma once

#include <agent_audit/support/result.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

/// One POST, and what came of it. The only place of the program that opens a connection.
namespace agent_audit::remote {

/// One POST of JSON.
struct HttpRequest {
    std::string url;
    std::string body;
    std::string key;  ///< sent as "Authorization: Bearer …"; empty: not sent
    std::chrono::milliseconds timeout{60'000};
    std::size_t max_answer = 4u << 20;  ///< bytes; a longer answer is an error
};

/// What came back, or why nothing did.
struct HttpAnswer {
    int status = 0;  ///< 0: there was no answer, and `problem` says why
    std::string body;
    std::string problem;
    std::optional<std::chrono::milliseconds> retry_after;  ///< as the server asks for, unlimited
};

/// Sends a request and waits for what comes of it. Never throws: trouble is in HttpAnswer::problem.
using Transport = std::function<HttpAnswer(const HttpRequest&)>;

/// Through libcurl, which is loaded when the first request is made: a run that makes none does not pay for it. http and
/// https only, no redirects, certificates are checked, proxies as the environment says.
Transport curl_transport();

/// The address of an operation ("chat/completions"): `url` may be the server, its /v1, or the address itself. An Error
/// says what is wrong with `url`: another scheme, a password in it, white space.
Result<std::string> operation_url(std::string_view url, std::string_view operation);

/// `url` as it may be shown: without what stands behind a question mark.
std::string shown_url(std::string_view url);

/// Whether an address is one of this machine: localhost, 127.…, [::1].
bool is_this_machine(std::string_view url);
/// Whether what is sent can be read on its way: http to another machine.
bool is_open_to_others(std::string_view url);

}  // namespace agent_audit::remote
