#include <agent_audit/remote/embeddings.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace agent_audit::remote {
namespace {

using Json = nlohmann::json;

std::optional<Vector> read_vector(const Json& entry) {
    if (!entry.is_object()) return std::nullopt;
    const auto values = entry.find("embedding");
    if (values == entry.end() || !values->is_array() || values->empty() ||
        values->size() > Embeddings::kMostDimensions) {
        return std::nullopt;
    }
    Vector out;
    out.reserve(values->size());
    bool zero = true;
    for (const Json& value : *values) {
        if (!value.is_number()) return std::nullopt;
        const auto number = static_cast<float>(value.get<double>());
        if (!std::isfinite(number)) return std::nullopt;
        zero = zero && number == 0.0F;
        out.push_back(number);
    }
    if (zero) return std::nullopt;
    return out;
}

}  // namespace

std::optional<std::vector<Vector>> read_embeddings(std::string_view body, std::size_t texts, AnswerUsage& usage,
                                                   std::string& problem) {
    const Json json = Json::parse(body, nullptr, false);
    problem = "the answer holds no embeddings";
    if (!json.is_object()) return std::nullopt;
    if (const auto said = json.find("usage"); said != json.end() && said->is_object()) {
        const auto tokens = said->find("prompt_tokens");
        if (tokens != said->end() && tokens->is_number_unsigned()) usage.prompt_tokens = tokens->get<std::uint64_t>();
    }
    const auto data = json.find("data");
    if (data == json.end() || !data->is_array()) return std::nullopt;
    if (data->size() != texts) {
        problem =
            "the answer holds " + std::to_string(data->size()) + " embeddings for " + std::to_string(texts) + " texts";
        return std::nullopt;
    }
    std::vector<Vector> out(texts);
    for (std::size_t i = 0; i < texts; ++i) {
        auto vector = read_vector((*data)[i]);
        if (!vector) return std::nullopt;
        std::size_t place = i;
        if (const auto index = (*data)[i].find("index"); index != (*data)[i].end()) {
            if (!index->is_number_unsigned()) return std::nullopt;
            place = index->get<std::size_t>();
        }
        if (place >= texts || !out[place].empty()) return std::nullopt;
        out[place] = std::move(*vector);
    }
    const bool same = std::ranges::all_of(out, [&](const Vector& v) { return v.size() == out[0].size(); });
    if (!same) {
        problem = "embeddings of different lengths";
        return std::nullopt;
    }
    problem.clear();
    return out;
}

std::optional<std::vector<Vector>> Embeddings::embed(std::span<const std::string> texts) {
    std::vector<Vector> out;
    for (std::size_t at = 0; at < texts.size(); at += kBatch) {
        const auto batch = texts.subspan(at, std::min(kBatch, texts.size() - at));
        Json body;
        body["model"] = endpoint_.settings().model;
        body["input"] = Json::array();
        for (const std::string& text : batch) body["input"].push_back(text.empty() ? std::string(" ") : text);
        const std::string question = body.dump(-1, ' ', false, Json::error_handler_t::replace);
        const auto answer = endpoint_.ask(question, [&](std::string_view bytes, AnswerUsage& usage) {
            std::string problem;
            const auto read = read_embeddings(bytes, batch.size(), usage, problem);
            if (read && dimensions_ != 0 && (*read)[0].size() != dimensions_)
                return std::string("embeddings of another length than before");
            if (read) dimensions_ = (*read)[0].size();
            return problem;
        });
        if (answer.body.empty()) return std::nullopt;
        AnswerUsage usage;
        std::string problem;
        auto read = read_embeddings(answer.body, batch.size(), usage, problem);
        if (!read) return std::nullopt;
        std::ranges::move(*read, std::back_inserter(out));
    }
    return out;
}

double cosine(std::span<const float> a, std::span<const float> b) {
    if (a.size() != b.size()) return 0;
    double dot = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        dot += double{a[i]} * double{b[i]};
        aa += double{a[i]} * double{a[i]};
        bb += double{b[i]} * double{b[i]};
    }
    if (aa <= 0 || bb <= 0) return 0;
    return std::clamp(dot / std::sqrt(aa) / std::sqrt(bb), -1.0, 1.0);
}

}  // namespace agent_audit::remote
