#pragma once

#include <agent_audit/report/renderer.hpp>

namespace agent_audit::report {

RendererSpec text();
RendererSpec json();
RendererSpec ndjson();

}  // namespace agent_audit::report
