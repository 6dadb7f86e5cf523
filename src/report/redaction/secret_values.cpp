#include "report/redaction/secret_values.hpp"

#include "support/ascii.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

namespace agent_audit::report {
namespace {

double entropy_bits(std::string_view text) {
    std::array<unsigned, 256> counts{};
    for (const char c : text) ++counts[static_cast<unsigned char>(c)];
    double bits = 0;
    for (const unsigned n : counts) {
        if (n == 0) continue;
        const double share = static_cast<double>(n) / static_cast<double>(text.size());
        bits -= share * std::log2(share);
    }
    return bits;
}

// Branches, refs and routes: words with / between them. A key that has a / in it mixes cases and digits as well.
bool reads_as_path(std::string_view value) {
    if (value.find('/') == value.npos) return false;
    char kind = 0;  // of the part we are in: d digits, l letters
    for (const char c : value) {
        const char next = c >= '0' && c <= '9' ? 'd' : c >= 'a' && c <= 'z' ? 'l' : 0;
        if (next == 0 && std::string_view("/-_.:").find(c) == std::string_view::npos) return false;
        if (next != 0 && kind != 0 && next != kind) return false;
        kind = next;
    }
    return true;
}

// Names, types and placeholders are assigned to key-like names all day; keys are long and look random.
bool looks_random(std::string_view value) {
    if (value.size() < 10 || value.front() == '$' || value.front() == '%' || value.front() == '*') return false;
    bool digit = false, letter = false;
    for (const char c : value) {
        digit |= c >= '0' && c <= '9';
        letter |= is_letter(c);
    }
    if (!letter || reads_as_path(value)) return false;  // a number, a row of marks, a path
    const bool dotted = value.find('.') != value.npos;
    if (!digit) return value.size() >= 24 && !dotted && entropy_bits(value) >= 4.0;  // not process.env.API_KEY
    return entropy_bits(value) >= 2.9;
}

// A word in front of the value that says "password" makes even a weak value a secret, unless it is a reference.
bool is_named_password(std::string_view match, std::string_view value) {
    std::string name(match.substr(0, match.size() - value.size()));
    std::transform(name.begin(), name.end(), name.begin(), lower);
    const bool named = name.find("passw") != name.npos || name.find("passphrase") != name.npos ||
                       name.find("_pass") != name.npos || name.find("dbpass") != name.npos;
    const bool reference =
        value.find('$') != value.npos || value.find('.') != value.npos || value.find('*') != value.npos;
    const bool digit = std::any_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
    return named && digit && !reference;
}

// A password of several words has a digit within a word; where digits stand alone, it is a sentence ("at least 8
// characters").
bool is_phrase(std::string_view value) {
    bool digit = false, letter = false;
    for (const char c : value) {
        if (c == ' ') digit = letter = false;
        digit |= c >= '0' && c <= '9';
        letter |= is_letter(c);
        if (digit && letter) return true;
    }
    return false;
}

// What base64 says, or nothing where it is none.
std::string from_base64(std::string_view text) {
    constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char c : text) {
        const std::size_t digit = kDigits.find(c);
        if (digit == kDigits.npos) return c == '=' ? out : std::string();
        bits = (bits << 6) | static_cast<std::uint32_t>(digit);
        count += 6;
        if (count >= 8) out += static_cast<char>((bits >> (count -= 8)) & 0xFF);
    }
    return out;
}

}  // namespace

bool is_password(std::string_view match, std::string_view value) {
    if (value.find(' ') != value.npos) return is_phrase(value);
    return looks_random(value) || is_named_password(match, value);
}

bool is_login(std::string_view value) {
    const std::string said = from_base64(value);
    const std::size_t colon = said.find(':');
    return colon != said.npos && colon > 0 && colon + 1 < said.size() &&
           std::ranges::all_of(said, [](char c) { return c >= ' ' && c < 0x7F; });
}

bool is_key_like_a_path(std::string_view value) {
    constexpr std::size_t kShortest = 20;
    if (value.size() < kShortest || value.front() == '/') return false;
    std::size_t pairs = 0, changes = 0;
    std::array<bool, 3> met{};
    int before = -1;  // the kind of the character before, where it is one
    for (const char c : value) {
        const int kind = c >= '0' && c <= '9' ? 0 : c >= 'a' && c <= 'z' ? 1 : c >= 'A' && c <= 'Z' ? 2 : -1;
        if (kind < 0 && std::string_view("/+=").find(c) == std::string_view::npos) return false;
        if (kind >= 0) met[static_cast<std::size_t>(kind)] = true;
        if (kind >= 0 && before >= 0) {
            ++pairs;
            changes += kind != before;
        }
        before = kind;
    }
    return met[0] && met[1] && met[2] && changes * 5 >= pairs * 2;
}

}  // namespace agent_audit::report
