#pragma once

#include <agent_audit/remote/endpoint.hpp>
#include <agent_audit/simulator/summary.hpp>

namespace agent_audit::cli {

/// Summaries by a model, and where it gives none, words taken from the history (simulator/summary.hpp). `endpoint` must
/// outlive the writer. Texts are redacted before they are sent.
simulator::SummaryWriter remote_summaries(remote::Endpoint& endpoint);

}  // namespace agent_audit::cli
