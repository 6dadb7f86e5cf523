#pragma once

#include <agent_audit/model/report.hpp>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace agent_audit {

enum class Redact : std::uint8_t { none, secrets, strict };

/// How to draw, decided by the caller: renderers look at no terminal, clock or environment.
struct RenderOptions {
    int width = 80;  ///< columns of the text form; 0 = do not wrap
    bool color = false;
    bool unicode = true;    ///< symbols beyond ASCII
    bool guard_ci = false;  ///< break what a CI runner would take for a workflow command
    int verbosity = 0;      ///< -1 quiet, 0, 1 verbose
    Redact redact = Redact::secrets;
    std::string_view tool_version = {};
};

/// Receives the bytes, in order, in pieces of any size. Returning false stops the renderer (output is gone).
using ByteSink = std::function<bool(std::string_view)>;

/// One output format. Same report, same options, same bytes.
struct RendererSpec {
    std::string_view id;  ///< value of --format
    std::string_view summary;
    void (*render)(const Report& report, const RenderOptions& options, const ByteSink& out);
};

std::span<const RendererSpec> all_renderers();
const RendererSpec* find_renderer(std::string_view id);

}  // namespace agent_audit
