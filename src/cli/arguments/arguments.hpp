#pragma once

#include <agent_audit/support/result.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::cli {

/// What can stand in a place of the command line, for shells that complete it.
struct Offer {
    enum class Kind : std::uint8_t {
        nothing,  ///< numbers, free text
        file,
        folder,
        word,  ///< one of words()
        list,  ///< some of words(), comma separated
    };
    Kind kind = Kind::nothing;
    std::span<const std::string_view> fixed = {};       ///< the words, where they are few and known here
    std::vector<std::string_view> (*made)() = nullptr;  ///< the words of a table; they outlive the call
    bool or_file = false;                               ///< a file will do as well as a word

    std::vector<std::string_view> words() const {
        return made ? made() : std::vector<std::string_view>(fixed.begin(), fixed.end());
    }
};

inline constexpr Offer kOfferFile{Offer::Kind::file};
inline constexpr Offer kOfferFolder{Offer::Kind::folder};

constexpr Offer offer_one_of(std::span<const std::string_view> words) { return {Offer::Kind::word, words}; }

inline constexpr std::string_view kTextOrJson[] = {"text", "json"};
inline constexpr Offer kOfferTextOrJson = offer_one_of(kTextOrJson);

/// One flag, said once: the parser, the help, the reference page, completions and the environment all read this.
struct FlagSpec {
    std::string_view names;  ///< "-f,--format" or "--exit-zero"
    std::string_view value;  ///< what stands for the value in help; empty = a switch
    std::string_view doc;
    bool environment = true;  ///< may be given as AGENT_AUDIT_<NAME>
    Offer offer = {};

    std::string_view long_name() const { return names.substr(names.find("--")); }
    bool is_switch() const { return value.empty(); }
    /// "[N]": the flag also stands alone, and takes the next word only when that is a number.
    bool value_is_optional() const { return value.starts_with('['); }
};

/// What every command takes besides its own flags.
inline constexpr FlagSpec kCommonFlags[] = {
    {"-h,--help", "", "this text", false},
    {"-V,--version", "", "the version and how it was built", false},
    {"--licenses", "", "the licences of this program and of what is in it", false},
    {"--no-pager", "", "long texts straight to the terminal, not through $PAGER"},
};

/// The variable that gives a flag its value: --fail-on is AGENT_AUDIT_FAIL_ON.
std::string environment_name(const FlagSpec& flag);

struct FlagValue {
    std::string text;
    std::string origin;  ///< "--fail-on" or "AGENT_AUDIT_FAIL_ON"
};

struct Arguments {
    std::vector<std::vector<FlagValue>> flags;  ///< by position in the table; a switch has one entry each time
    std::vector<std::string> operands;
    bool help = false;
    bool version = false;
    bool licenses = false;
    bool no_pager = false;
};

/// Reads what follows the command. GNU rules: options anywhere, --name=value, -- ends options. A flag that is
/// not on the command line is looked up in the environment.
Result<Arguments> parse_arguments(std::span<const FlagSpec> flags, std::vector<std::string> words);

}  // namespace agent_audit::cli
