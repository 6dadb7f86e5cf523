#pragma once

#include <agent_audit/remote/endpoint.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::remote {

using Vector = std::vector<float>;

/// Vectors of one answer, in the order of the texts; nothing: `problem` says why. All have the same length, are finite
/// and not zero.
std::optional<std::vector<Vector>> read_embeddings(std::string_view body, std::size_t texts, AnswerUsage& usage,
                                                   std::string& problem);

/// Asks for vectors in batches of at most 64 texts.
class Embeddings {
public:
    static constexpr std::size_t kBatch = 64, kMostDimensions = 16'384;

    explicit Embeddings(Endpoint& endpoint) : endpoint_(endpoint) {}
    /// Nothing: at least one batch has no usable answer, or lengths differ from those of earlier answers.
    std::optional<std::vector<Vector>> embed(std::span<const std::string> texts);

private:
    Endpoint& endpoint_;
    std::size_t dimensions_ = 0;
};

/// -1 to 1; 0 when a vector is zero or lengths differ.
double cosine(std::span<const float> a, std::span<const float> b);

}  // namespace agent_audit::remote
