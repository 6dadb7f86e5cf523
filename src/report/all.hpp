#pragma once

#include <agent_audit/report/renderer.hpp>

namespace agent_audit::report {

RendererSpec text();
RendererSpec json();
RendererSpec ndjson();
RendererSpec html();

}  // namespace agent_audit::report
