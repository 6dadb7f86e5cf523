#include "support/ascii.hpp"
#include "support/open_error.hpp"

#include <agent_audit/pipeline/similarity.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

namespace agent_audit {
namespace {

// One field of a line; empty at its end.
std::string_view field(std::string_view& rest) {
    while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\t')) rest.remove_prefix(1);
    std::size_t end = 0;
    while (end < rest.size() && rest[end] != ' ' && rest[end] != '\t') ++end;
    const std::string_view out = rest.substr(0, end);
    rest.remove_prefix(end);
    return out;
}

bool is_count(std::string_view text) {
    return !text.empty() && text.size() < 12 && text.find_first_not_of("0123456789") == text.npos;
}

bool is_header(std::string_view line) {
    const std::string_view count = field(line), dimensions = field(line);
    return is_count(count) && is_count(dimensions) && field(line).empty();
}

std::string shown(std::string_view text) {
    std::string out;
    for (const char c : text.substr(0, 24)) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    return out;
}

// Reads lines in pieces: a file without line breaks is not held as a whole.
class Lines {
public:
    explicit Lines(const std::string& path) : path_(path), in_(path, std::ios::binary) {}

    bool opened() const { return static_cast<bool>(in_); }
    /// False behind the last.
    bool next() {
        line_.clear();
        too_long_ = false;
        for (int c = in_.get(); c != std::char_traits<char>::eof(); c = in_.get()) {
            too_long_ = c != '\n' && line_.size() >= WordVectors::kMostLine;
            if (c == '\n' || too_long_) return begun();
            line_ += static_cast<char>(c);
        }
        return !line_.empty() && begun();
    }
    bool too_long() const { return too_long_; }
    std::uint64_t number() const { return number_; }
    std::string_view line() const { return line_; }
    Error wrong(const std::string& what) const { return Error{fmt::format("{}:{}: {}", path_, number_, what)}; }

private:
    bool begun() {
        ++number_;
        if (!too_long_ && line_.ends_with('\r')) line_.pop_back();
        return true;
    }

    const std::string& path_;
    std::ifstream in_;
    std::string line_;
    std::uint64_t number_ = 0;
    bool too_long_ = false;
};

std::string no_number(std::string_view text) { return fmt::format("\"{}\" is no number", shown(text)); }

std::string other_count(std::size_t numbers, std::size_t before) {
    return fmt::format("{} numbers, the lines before have {}", numbers, before);
}

// The numbers of a line that is not kept are looked at, not read: files have millions of them.
std::optional<std::string> skip_numbers(std::string_view rest, std::size_t dimensions) {
    std::size_t numbers = 0;
    for (std::string_view text = field(rest); !text.empty(); text = field(rest), ++numbers) {
        if (text.find_first_not_of("0123456789+-.eE") != text.npos) return no_number(text);
    }
    return numbers == dimensions ? std::nullopt : std::optional(other_count(numbers, dimensions));
}

std::optional<std::string> read_numbers(std::string_view rest, std::vector<float>& values) {
    values.clear();
    for (std::string_view text = field(rest); !text.empty(); text = field(rest)) {
        float value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return no_number(text);
        values.push_back(value);
        if (values.size() > WordVectors::kMostDimensions)
            return fmt::format("more than {} numbers", WordVectors::kMostDimensions);
    }
    return std::nullopt;
}

}  // namespace

Result<WordVectors> WordVectors::read(const std::string& path, const std::unordered_set<std::string>& wanted) {
    Lines lines(path);
    if (!lines.opened()) return cannot_open(path, errno);
    WordVectors out;
    std::vector<float> values;
    while (lines.next()) {
        if (lines.too_long())
            return lines.wrong(fmt::format("longer than {} bytes: this is no file of word vectors", kMostLine));
        std::string_view rest = lines.line();
        if (lines.number() == 1 && is_header(rest)) continue;
        const std::string_view word = field(rest);
        if (word.empty()) continue;
        const std::string key = lowered(word);
        const bool keep = wanted.contains(key) && !out.at_.contains(key) && out.at_.size() < kMostWords;
        if (!keep && out.dimensions_ > 0) {
            if (const auto problem = skip_numbers(rest, out.dimensions_)) return lines.wrong(*problem);
            continue;
        }
        if (const auto problem = read_numbers(rest, values)) return lines.wrong(*problem);
        if (values.empty()) return lines.wrong(fmt::format("no numbers behind \"{}\"", shown(word)));
        if (out.dimensions_ == 0) out.dimensions_ = values.size();
        if (values.size() != out.dimensions_) return lines.wrong(other_count(values.size(), out.dimensions_));
        if (keep) out.keep(key, values);
    }
    if (out.dimensions_ == 0) return Error{fmt::format("{}: holds no word vectors", path)};
    return out;
}

// A vector of length 0 points nowhere.
void WordVectors::keep(const std::string& word, const std::vector<float>& values) {
    double length = 0;
    for (const float value : values) length += static_cast<double>(value) * value;
    if (length == 0) return;
    at_.emplace(word, values_.size());
    for (const float value : values) values_.push_back(static_cast<float>(value / std::sqrt(length)));
}

const float* WordVectors::find(const std::string& word) const {
    const auto known = at_.find(word);
    return known == at_.end() ? nullptr : values_.data() + known->second;
}

std::vector<float> WordVectors::mean_of(std::string_view text) const {
    std::vector<float> sum;
    for (const std::string& word : similarity::plain_words(text)) {
        const float* vector = find(word);
        if (vector == nullptr) continue;
        if (sum.empty()) sum.resize(dimensions_);
        for (std::size_t i = 0; i < dimensions_; ++i) sum[i] += vector[i];
    }
    return sum;
}

}  // namespace agent_audit
