#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace agent_audit::readers {

/// Walks over the fields of a JSON object that arrives piece by piece and keeps as much of it as fits: long strings are
/// cut, long fields end early. What is kept is JSON whenever the object is, and bounded whatever comes.
///
/// It looks at quotes, brackets and commas only. On the way it stops inside arrays at the top of the object, or of an
/// object in it, whose elements someone else reads.
class JsonExcerpt {
public:
    struct Limits {
        std::size_t all = 4u << 20;
        std::size_t field = 1u << 20;
        std::size_t string = 512u << 10;
    };

    explicit JsonExcerpt(const Limits& limits) : limits_(limits) {}

    enum class Stop : std::uint8_t {
        none,   ///< all of the piece was seen
        array,  ///< the `[` of such an array was seen: name() tells which
        end,    ///< the `}` of the object was seen
    };
    /// Walks over `piece`, which begins with the `{` of the object or where the last call ended. `used` says how far.
    Stop walk(std::string_view piece, std::size_t& used);

    /// Of the array that walk() stopped in: its key, or "outer.inner" where it stands in an object.
    std::string_view name() const { return array_; }
    /// The array's elements are not to be walked: the excerpt has it empty, and goes on behind its `]`. What stands
    /// beside an array in an object is left out from there on.
    void leave_array();

    /// The excerpt so far with its brackets closed, and room behind it. Begins a new one with what follows.
    std::string take(std::size_t padding);
    bool abridged() const { return abridged_; }

private:
    static constexpr std::size_t kDeepest = 64;  // openers remembered; below them everything is left out
    static constexpr std::size_t kLongestName = 64;

    bool keeps() const { return !cutting_ && !full_; }
    void keep(std::string_view bytes);
    void keep_of_string(std::string_view bytes);
    void open(char c);
    void close();
    void end_field();
    void cut_field();
    void close_field();
    void end_string();
    void mark_safe();
    void add_to_name(std::string_view bytes);
    bool in_inner_object() const { return depth_ == 2 && openers_ == "{{"; }

    Limits limits_;
    std::string out_;
    std::string openers_;
    std::string name_, inner_name_;  // of the last strings at the top, and in an object there
    std::string array_;
    std::size_t depth_ = 0;
    std::size_t field_start_ = 0;   // in out_
    std::size_t string_start_ = 0;  // in out_
    std::size_t safe_end_ = 0;      // out_ up to here can be closed,
    std::size_t safe_depth_ = 0;    // by so many closers
    bool in_string_ = false;
    bool escaped_ = false;
    bool cutting_ = false;     // the rest of this field is left out
    bool cut_string_ = false;  // the rest of this string is
    bool full_ = false;        // everything else is
    bool abridged_ = false;
};

}  // namespace agent_audit::readers
