#include "config/json_place.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>

namespace agent_audit {
namespace {

// Takes in everything and keeps nothing: only how far it came counts.
class Probe final : public nlohmann::json_sax<nlohmann::json> {
public:
    std::size_t broke_at() const { return at_; }

    bool null() override { return true; }
    bool boolean(bool) override { return true; }
    bool number_integer(number_integer_t) override { return true; }
    bool number_unsigned(number_unsigned_t) override { return true; }
    bool number_float(number_float_t, const string_t&) override { return true; }
    bool string(string_t&) override { return true; }
    bool binary(binary_t&) override { return true; }
    bool start_object(std::size_t) override { return true; }
    bool key(string_t&) override { return true; }
    bool end_object() override { return true; }
    bool start_array(std::size_t) override { return true; }
    bool end_array() override { return true; }
    bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
        at_ = position;
        return false;
    }

private:
    std::size_t at_ = 0;
};

}  // namespace

std::string not_json(std::string_view source, std::string_view text, std::string_view reason) {
    Probe probe;
    const bool whole = nlohmann::json::sax_parse(text, &probe);
    if (whole || text.empty()) return fmt::format("{}: not JSON: {}", source, reason);
    const auto read = static_cast<std::ptrdiff_t>(std::min(probe.broke_at(), text.size()));
    const auto line = 1 + std::count(text.begin(), text.begin() + std::max<std::ptrdiff_t>(read - 1, 0), '\n');
    return fmt::format("{}:{}: not JSON: {}", source, line, reason);
}

std::string other_version(std::string_view schema, std::string_view known) {
    const auto name = [](std::string_view s) { return s.substr(0, s.rfind('/')); };
    if (schema == known || schema.rfind('/') == schema.npos || name(schema) != name(known)) return {};
    return fmt::format("written by another version of agent-audit: {}, and this one reads {}", schema, known);
}

}  // namespace agent_audit
