#pragma once

#include <agent_audit/report/renderer.hpp>

namespace agent_audit::report {

RendererSpec text();
RendererSpec compact();
RendererSpec json();
RendererSpec ndjson();
RendererSpec sarif();
RendererSpec junit();
RendererSpec tap();
RendererSpec github();
RendererSpec gitlab();
RendererSpec markdown();
RendererSpec csv();
RendererSpec html();

}  // namespace agent_audit::report
