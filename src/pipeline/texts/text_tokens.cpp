#include <agent_audit/pipeline/text_tokens.hpp>

#include "support/open_error.hpp"

#include <agent_audit/support/suggest.hpp>
#include <agent_audit/tokens/estimators.hpp>
#include <agent_audit/tokens/lengths.hpp>

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <memory>

namespace agent_audit {
namespace {

struct CloseFile {
    void operator()(std::FILE* file) const {
        if (file != stdin) std::fclose(file);
    }
};

Result<std::vector<const Estimator*>> chosen_estimators(const std::vector<std::string>& names) {
    std::vector<const Estimator*> chosen;
    if (names.empty()) {
        for (const Estimator& e : all_estimators()) chosen.push_back(&e);
    }
    for (const std::string& wanted : names) {
        const Estimator* found = find_estimator(wanted);
        if (!found) {
            std::vector<std::string_view> known;
            std::string all;
            for (const Estimator& e : all_estimators()) {
                known.push_back(e.name);
                all += (all.empty() ? "" : ", ") + std::string(e.name);
            }
            const std::string_view near = nearest(wanted, known);
            return Error{fmt::format("unknown estimator '{}'; {}", wanted,
                                     near.empty() ? "there are " + all : fmt::format("did you mean '{}'?", near))};
        }
        chosen.push_back(found);
    }
    return chosen;
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::uint64_t max_bytes) {
    const std::string name = path == "-" ? "standard input" : path;
    const std::unique_ptr<std::FILE, CloseFile> file(path == "-" ? stdin : std::fopen(path.c_str(), "rb"));
    if (!file) return cannot_open(name, errno);
    std::string text;
    std::vector<char> piece(1u << 18);
    for (;;) {
        const std::size_t got = std::fread(piece.data(), 1, piece.size(), file.get());
        text.append(piece.data(), got);
        if (text.size() > max_bytes) return Error{fmt::format("{}: larger than {} bytes", name, max_bytes)};
        if (got < piece.size()) break;
    }
    if (std::ferror(file.get()) != 0) return cannot_open(name, errno);
    return text;
}

Result<Vocabulary> load_vocabulary(const std::string& path) {
    const Result<std::string> text = read_file(path);
    if (!text) return text.error();
    return Vocabulary::parse(*text, path);
}

Result<ModelTable> load_models(const std::string& price_file) {
    constexpr std::uint64_t kMost = 64u << 20;
    ModelTable models = ModelTable::shipped();
    if (price_file.empty()) return models;
    const Result<std::string> text = read_file(price_file, kMost);
    if (!text) return text.error();
    const auto entries = parse_price_file(*text, price_file);
    if (!entries) return entries.error();
    models.overlay(*entries);
    return models;
}

Result<TextTokens> count_text_tokens(std::string_view text, const TextTokensPlan& plan) {
    const auto estimators = chosen_estimators(plan.estimators);
    if (!estimators) return estimators.error();
    TextTokens counted;
    counted.bytes = text.size();
    counted.utf16 = utf16_length(text);
    counted.code_points = code_points(text);
    for (const Estimator* e : *estimators) {
        counted.estimates.push_back({std::string(e->name), std::string(e->doc), e->tokens(text)});
    }
    if (plan.vocabulary.empty()) return counted;
    const Result<Vocabulary> vocabulary = load_vocabulary(plan.vocabulary);
    if (!vocabulary) return vocabulary.error();
    const PreTokeniser kind = plan.pre_tokeniser.value_or(vocabulary->pre_tokeniser());
    counted.exact = BpeCounter(*vocabulary, kind).count(text);
    counted.vocabulary = fmt::format("{} tokens, cut as {}_base", vocabulary->size(), name(kind));
    return counted;
}

}  // namespace agent_audit
