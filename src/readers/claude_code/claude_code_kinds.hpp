#pragma once

#include <agent_audit/readers/reader.hpp>

#include <span>
#include <string_view>

/// Kinds of records that Claude Code writes, among them those beside the conversation: known, and of no effect on what
/// a model sees.
namespace agent_audit::readers {

/// The `type` of a record that is kept for the program itself, or for whoever drives it through its stream.
bool claude_code_bookkeeping(std::string_view type);

/// The `subtype` of a system record about what the program does meanwhile, told to its screen or its stream.
bool claude_code_aside(std::string_view subtype);

/// The `type` of an attachment of which the model is sent nothing.
bool claude_code_never_sent(std::string_view attachment);

/// Whether the model is sent what a hook of this event says when it succeeds. Of other hooks it hears when they object.
bool claude_code_heard_hook(std::string_view event);

/// What becomes of each kind of record, for the reference.
std::span<const RecordKindDoc> claude_code_kind_docs();

}  // namespace agent_audit::readers
