#pragma once

#include <agent_audit/model/input_sink.hpp>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace agent_audit {

/// Turns events into the records of another format and writes them as it goes.
class Converter : public InputSink {
public:
    /// All inputs are over: write what was held back.
    virtual void finish() = 0;
    /// The last complaint about something that could not be kept; empty = nothing to complain about.
    virtual std::string problem() const { return {}; }
};

/// How to write, decided by the caller.
struct ConverterOptions {
    std::string_view tool_version = {};
    /// Takes secrets out of a text; empty = everything stays as it was recorded.
    std::function<std::string(std::string_view)> redact;
};

/// Receives the bytes, in order, in pieces of any size. Returning false means that the output is gone.
using ConverterOutput = std::function<bool(std::string_view)>;

/// One format that can be written.
struct ConverterSpec {
    std::string_view id;  ///< value of --to
    std::string_view summary;
    std::unique_ptr<Converter> (*make)(const ConverterOptions& options, const ConverterOutput& out);
};

/// All of them, in the order of help texts.
std::span<const ConverterSpec> all_converters();
/// Null when nothing is called so.
const ConverterSpec* find_converter(std::string_view id);

}  // namespace agent_audit
