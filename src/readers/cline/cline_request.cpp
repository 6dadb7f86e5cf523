#include "readers/cline/cline_request.hpp"

#include "readers/json/format_util.hpp"

#include <agent_audit/support/unescape.hpp>

namespace agent_audit::readers {
namespace {

constexpr std::size_t kLongest = 4u << 20;

}  // namespace

bool ClineText::parse(std::string_view text, json::object& object) {
    padded_ = decode_json_string(text, kLongest);
    const std::size_t size = padded_.size();
    padded_.append(kRecordPadding, ' ');
    document_ = json::document{};
    return !parser_.iterate(padded_.data(), size, padded_.size()).get(document_) && !document_.get_object().get(object);
}

bool ClineText::read(std::string_view text, ClineRequest& request) {
    json::object object;
    return parse(text, object) && each_field(object, [&request](const char* key, json::value& v) {
               if (key_is(key, "tokensIn"))
                   request.tokens.input = as_uint(v);
               else if (key_is(key, "tokensOut"))
                   request.tokens.output = as_uint(v);
               else if (key_is(key, "cacheReads"))
                   request.tokens.cache_read = as_uint(v);
               else if (key_is(key, "cacheWrites"))
                   request.tokens.cache_write = as_uint(v);
               else if (key_is(key, "cost"))
                   request.cost_microusd = microusd(number_or(v, 0));
               else if (key_is(key, "cancelReason"))
                   request.cancelled = !raw_string(v).empty();
               return true;
           });
}

}  // namespace agent_audit::readers
