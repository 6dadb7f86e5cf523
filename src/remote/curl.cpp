#include <agent_audit/remote/curl_status.hpp>
#include <agent_audit/remote/http.hpp>

#ifdef AGENT_AUDIT_HAVE_CURL

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <memory>

namespace agent_audit::remote {
namespace {

// libcurl and its thirty libraries cost more time to load than many a scan takes, and nearly every run has no use for
// them: they are loaded by hand.
class Curl {
public:
    static const Curl& loaded() {
        static const Curl curl;
        return curl;
    }
    bool complete() const { return getinfo != nullptr; }

    decltype(&::curl_global_init) global_init = nullptr;
    decltype(&::curl_easy_init) init = nullptr;
    decltype(&::curl_easy_cleanup) cleanup = nullptr;
    decltype(&::curl_easy_setopt) setopt = nullptr;
    decltype(&::curl_easy_perform) perform = nullptr;
    decltype(&::curl_easy_strerror) strerror = nullptr;
    decltype(&::curl_slist_append) append = nullptr;
    decltype(&::curl_slist_free_all) free_list = nullptr;
    decltype(&::curl_easy_getinfo) getinfo = nullptr;

private:
    Curl() {
        void* library = nullptr;
        for (const char* name : {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.4.dylib", "libcurl.dylib"}) {
            library = ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
            if (library != nullptr) break;
        }
        if (library == nullptr) return;
        const bool all = find(library, "curl_global_init", global_init) && find(library, "curl_easy_init", init) &&
                         find(library, "curl_easy_cleanup", cleanup) && find(library, "curl_easy_setopt", setopt) &&
                         find(library, "curl_easy_perform", perform) && find(library, "curl_easy_strerror", strerror) &&
                         find(library, "curl_slist_append", append) &&
                         find(library, "curl_slist_free_all", free_list) && find(library, "curl_easy_getinfo", getinfo);
        if (!all || global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) getinfo = nullptr;
    }
    template <class Function>
    static bool find(void* library, const char* name, Function& out) {
        out = reinterpret_cast<Function>(::dlsym(library, name));
        return out != nullptr;
    }
};

struct Receiving {
    HttpAnswer& answer;
    std::size_t most;
    bool too_long = false;
};

// Never throws into C: what does not fit into memory is an answer that is too long.
std::size_t receive(char* bytes, std::size_t size, std::size_t count, void* user) {
    auto& to = *static_cast<Receiving*>(user);
    const std::size_t length = size * count;
    if (to.answer.body.size() + length > to.most) {
        to.too_long = true;
        return 0;
    }
    to.answer.body.append(bytes, length);
    return length;
}

std::size_t read_header(char* bytes, std::size_t size, std::size_t count, void* user) {
    auto& to = *static_cast<Receiving*>(user);
    std::string_view line(bytes, size * count);
    constexpr std::string_view kName = "retry-after:";
    if (line.size() > kName.size() && std::equal(kName.begin(), kName.end(), line.begin(),
                                                 [](char a, char b) { return a == (b | 0x20) || a == b; })) {
        line.remove_prefix(kName.size());
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        std::uint32_t seconds = 0;  // a date is not taken: no clock decides here
        const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), seconds);
        if (error == std::errc{} && end != line.data()) to.answer.retry_after = std::chrono::seconds(seconds);
    }
    return size * count;
}

HttpAnswer post(const HttpRequest& request) {
    HttpAnswer answer;
    const Curl& curl = Curl::loaded();
    if (!curl.complete()) {
        answer.problem = "libcurl is not installed on this machine (Debian: libcurl4)";
        return answer;
    }
    const std::unique_ptr<CURL, decltype(curl.cleanup)> handle(curl.init(), curl.cleanup);
    if (!handle) {
        answer.problem = "libcurl does not start";
        return answer;
    }
    curl_slist* list = nullptr;
    const auto add = [&](const std::string& header) { list = curl.append(list, header.c_str()); };
    add("Content-Type: application/json");
    add("Accept: application/json");
    add("Expect:");
    if (!request.key.empty()) add("Authorization: Bearer " + request.key);
    const std::unique_ptr<curl_slist, decltype(curl.free_list)> headers(list, curl.free_list);

    Receiving receiving{answer, request.max_answer};
    CURL* const h = handle.get();
    bool set = true;
    const auto option = [&](CURLoption which, auto value) { set = curl.setopt(h, which, value) == CURLE_OK && set; };
    option(CURLOPT_URL, request.url.c_str());
    option(CURLOPT_PROTOCOLS_STR, "http,https");
    option(CURLOPT_FOLLOWLOCATION, 0L);
    option(CURLOPT_NOSIGNAL, 1L);
    if (is_this_machine(request.url)) option(CURLOPT_NOPROXY, "*");  // a proxy has no business in between
    option(CURLOPT_TIMEOUT_MS, static_cast<long>(request.timeout.count()));
    option(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(std::min<std::int64_t>(request.timeout.count(), 10'000)));
    option(CURLOPT_POST, 1L);
    option(CURLOPT_POSTFIELDS, request.body.data());
    option(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
    option(CURLOPT_HTTPHEADER, headers.get());
    option(CURLOPT_USERAGENT, "agent-audit");
    option(CURLOPT_WRITEFUNCTION, &receive);
    option(CURLOPT_WRITEDATA, static_cast<void*>(&receiving));
    option(CURLOPT_HEADERFUNCTION, &read_header);
    option(CURLOPT_HEADERDATA, static_cast<void*>(&receiving));
    if (!set) {
        answer.problem = "libcurl on this machine is too old (7.85 is needed)";
        return answer;
    }
    const CURLcode code = curl.perform(h);
    long status = 0;
    curl.getinfo(h, CURLINFO_RESPONSE_CODE, &status);
    if (code == CURLE_OK) {
        answer.status = static_cast<int>(status);
        return answer;
    }
    answer.body.clear();
    answer.problem = receiving.too_long ? "the answer is longer than " + std::to_string(request.max_answer) + " bytes"
                     : code == CURLE_OPERATION_TIMEDOUT
                         ? "no answer within " + std::to_string(request.timeout.count()) + " ms"
                         : std::string(curl.strerror(code));
    return answer;
}

}  // namespace

Transport curl_transport() { return post; }

CurlStatus curl_status() { return Curl::loaded().complete() ? CurlStatus::usable : CurlStatus::not_found; }

}  // namespace agent_audit::remote

#else

namespace agent_audit::remote {

CurlStatus curl_status() { return CurlStatus::not_built_in; }

Transport curl_transport() {
    return [](const HttpRequest&) {
        HttpAnswer answer;
        answer.problem = "this agent-audit was built without libcurl";
        return answer;
    };
}

}  // namespace agent_audit::remote

#endif
