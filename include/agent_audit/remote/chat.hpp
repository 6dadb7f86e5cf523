#pragma once

#include <agent_audit/remote/endpoint.hpp>

#include <cstddef>
#include <string>
#include <string_view>

/// Questions and answers of an OpenAI-compatible chat endpoint.
namespace agent_audit::remote {

/// Two messages, and the form that the answer is to have.
struct ChatQuestion {
    std::string system, user;
    std::string schema_name;  ///< empty: an answer in words
    std::string schema;       ///< JSON schema that the answer is to follow
};
/// The body of the request. What is no UTF-8 is replaced; the same question has the same bytes.
std::string chat_body(std::string_view model, const ChatQuestion& question);

/// The first choice of an answer.
struct ChatAnswer {
    std::string content;  ///< of the first choice; empty only with a problem
    std::string problem;
    AnswerUsage usage;
};
/// Reads the body of a response; one that is no answer is a problem.
ChatAnswer read_chat(std::string_view body);

/// A part of a transcript as data: between two lines that it cannot hold itself, because they are made from its hash.
std::string fenced(std::string_view title, std::string_view data);

/// The first `head` and the last bytes of a text that is longer than `most`; a mark between them says how much is gone.
std::string shortened(std::string_view text, std::size_t most);

}  // namespace agent_audit::remote
