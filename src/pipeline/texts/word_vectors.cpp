#include "support/ascii.hpp"

#include <agent_audit/pipeline/similarity.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <fstream>

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

}  // namespace

Result<WordVectors> WordVectors::read(const std::string& path, const std::unordered_set<std::string>& wanted) {
    std::ifstream in(path, std::ios::binary);
    if (!in) return Error{fmt::format("{}: cannot be read", path)};
    WordVectors out;
    std::vector<float> values;
    std::string line;
    std::uint64_t number = 0, vectors = 0;
    const auto wrong = [&](const std::string& what) { return Error{fmt::format("{}:{}: {}", path, number, what)}; };
    // Lines are read in pieces: a file without line breaks is not held as a whole.
    const auto next_line = [&](bool& too_long) {
        line.clear();
        too_long = false;
        for (int c = in.get(); c != std::char_traits<char>::eof(); c = in.get()) {
            if (c == '\n') return true;
            if (line.size() >= kMostLine) {
                too_long = true;
                return true;
            }
            line += static_cast<char>(c);
        }
        return !line.empty();
    };
    for (bool too_long = false; next_line(too_long);) {
        ++number;
        if (too_long) return wrong(fmt::format("longer than {} bytes: this is no file of word vectors", kMostLine));
        if (!line.empty() && line.back() == '\r') line.pop_back();
        std::string_view rest = line;
        if (number == 1 && is_header(line)) continue;
        const std::string_view word = field(rest);
        if (word.empty()) continue;
        const std::string key = lowered(word);
        const bool keep = wanted.contains(key) && !out.at_.contains(key) && out.at_.size() < kMostWords;
        // Of lines that are not kept the numbers are looked at, not read: files have millions of them.
        if (!keep && vectors > 0) {
            std::size_t numbers = 0;
            for (std::string_view text = field(rest); !text.empty(); text = field(rest), ++numbers) {
                if (text.find_first_not_of("0123456789+-.eE") != text.npos)
                    return wrong(fmt::format("\"{}\" is no number", shown(text)));
            }
            if (numbers != out.dimensions_)
                return wrong(fmt::format("{} numbers, the lines before have {}", numbers, out.dimensions_));
            ++vectors;
            continue;
        }
        values.clear();
        double length = 0;
        for (std::string_view text = field(rest); !text.empty(); text = field(rest)) {
            float value = 0;
            const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
                return wrong(fmt::format("\"{}\" is no number", shown(text)));
            values.push_back(value);
            length += static_cast<double>(value) * value;
            if (values.size() > kMostDimensions) return wrong(fmt::format("more than {} numbers", kMostDimensions));
        }
        if (values.empty()) return wrong(fmt::format("no numbers behind \"{}\"", shown(word)));
        if (out.dimensions_ == 0) out.dimensions_ = values.size();
        if (values.size() != out.dimensions_)
            return wrong(fmt::format("{} numbers, the lines before have {}", values.size(), out.dimensions_));
        ++vectors;
        if (!keep || length == 0) continue;
        out.at_.emplace(key, out.values_.size());
        for (const float value : values) out.values_.push_back(static_cast<float>(value / std::sqrt(length)));
    }
    if (vectors == 0) return Error{fmt::format("{}: holds no word vectors", path)};
    return out;
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
