#include "support/ascii.hpp"

#include <agent_audit/remote/http.hpp>

#include <algorithm>

namespace agent_audit::remote {
namespace {

constexpr std::size_t kLongestUrl = 2'000;

struct Parts {
    std::string_view scheme, host, path, query;  // host with its port; query with its mark
};

std::optional<Parts> parts_of(std::string_view url) {
    Parts out;
    const std::size_t mark = url.find("://");
    if (mark == url.npos) return std::nullopt;
    out.scheme = url.substr(0, mark);
    std::string_view rest = url.substr(mark + 3);
    const std::size_t query = std::min(rest.find('?'), rest.size());
    out.query = rest.substr(query);
    rest = rest.substr(0, query);
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    out.host = rest.substr(0, slash);
    out.path = rest.substr(slash);
    while (out.path.ends_with('/')) out.path.remove_suffix(1);
    return out;
}

bool same_letters(std::string_view a, std::string_view b) { return std::ranges::equal(a, b, {}, lower, lower); }

// v1, v1beta …
bool is_version(std::string_view segment) {
    return segment.size() >= 2 && segment[0] == 'v' && segment[1] >= '0' && segment[1] <= '9';
}

}  // namespace

Result<std::string> operation_url(std::string_view url, std::string_view operation) {
    const auto plain = [](char c) { return c > ' ' && c < 0x7F; };
    if (url.empty() || url.size() > kLongestUrl || !std::ranges::all_of(url, plain)) {
        return Error{"expected an address such as http://127.0.0.1:8000/v1"};
    }
    const auto parts = parts_of(url);
    if (!parts || parts->host.empty() ||
        !(same_letters(parts->scheme, "http") || same_letters(parts->scheme, "https"))) {
        return Error{"expected an address that starts with http:// or https://"};
    }
    if (parts->host.find('@') != parts->host.npos) {
        return Error{"a password in an address is seen by others; name an environment variable that holds the key"};
    }
    if (url.find('#') != url.npos) return Error{"expected an address without #"};
    std::string out = std::string(parts->scheme) + "://" + std::string(parts->host) + std::string(parts->path);
    const std::string_view last = parts->path.substr(std::min(parts->path.rfind('/') + 1, parts->path.size()));
    if (!parts->path.ends_with("/" + std::string(operation))) {
        out += is_version(last) ? "/" : "/v1/";
        out += operation;
    }
    return out += parts->query;
}

std::string shown_url(std::string_view url) { return std::string(url.substr(0, url.find('?'))); }

bool is_this_machine(std::string_view url) {
    const auto parts = parts_of(url);
    if (!parts) return false;
    std::string_view host = parts->host;
    if (host.starts_with('[')) return host.starts_with("[::1]");
    host = host.substr(0, host.find(':'));
    constexpr std::string_view kLoopback = "127.";
    return host == "localhost" || (host.starts_with(kLoopback) && host.find_first_not_of("0123456789.") == host.npos);
}

bool is_open_to_others(std::string_view url) {
    const auto parts = parts_of(url);
    return parts && same_letters(parts->scheme, "http") && !is_this_machine(url);
}

}  // namespace agent_audit::remote
