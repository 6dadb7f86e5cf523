#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace agent_audit::test {

/// One entry of a tar archive, as honest or dishonest as a test wants it.
struct TarItem {
    std::string name, text;
    char type = '0';
    std::string size_field = {};  ///< twelve bytes instead of the octal size
    std::string prefix = {};
    bool wrong_sum = false;
    bool gnu = false;  ///< GNU's own magic
};

inline std::string octal(std::uint64_t value, int digits) {
    char text[32];
    std::snprintf(text, sizeof text, "%0*llo", digits, static_cast<unsigned long long>(value));
    return text;
}

inline std::string tar_entry(const TarItem& item) {
    std::string header(512, '\0');
    const auto put = [&](std::size_t at, std::string_view words) { header.replace(at, words.size(), words); };
    put(0, std::string_view(item.name).substr(0, 100));
    put(100, "0000644");
    put(124, item.size_field.empty() ? octal(item.text.size(), 11) : item.size_field);
    put(136, octal(1'700'000'000, 11));
    header[156] = item.type;
    put(257, item.gnu ? std::string_view("ustar  \0", 8) : std::string_view("ustar\00000", 8));
    put(345, item.prefix);
    put(148, "        ");
    std::uint64_t sum = item.wrong_sum ? 1 : 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    put(148, octal(sum, 6) + std::string(1, '\0') + " ");
    return header + item.text + std::string((512 - item.text.size() % 512) % 512, '\0');
}

/// Entries one after the other, and the two empty blocks of the end.
template <class Items>
std::string tar_of(const Items& items) {
    std::string out;
    for (const TarItem& item : items) out += tar_entry(item);
    return out + std::string(1024, '\0');
}

/// A record of an extended header, whose length counts its own digits.
inline std::string pax_record(std::string_view key, std::string_view value) {
    const std::string rest = " " + std::string(key) + "=" + std::string(value) + "\n";
    std::size_t length = rest.size() + 1;
    while (std::to_string(length).size() + rest.size() != length) ++length;
    return std::to_string(length) + rest;
}

}  // namespace agent_audit::test
