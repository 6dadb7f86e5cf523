#pragma once

#include "cli/arguments/arguments.hpp"
#include "cli/arguments/offers.hpp"

#include <agent_audit/model/report.hpp>

#include <map>
#include <span>
#include <string>
#include <vector>

namespace agent_audit::cli {

/// Commands that read many inputs share these two.
inline constexpr FlagSpec kFilesFromFlag{
    "--files-from", "FILE",
    "read the inputs that FILE names too, one a line, each a file or a folder; - for standard input; repeatable", false,
    kOfferFile};
inline constexpr FlagSpec kNullFlag{"-0,--null", "",
                                    "with --files-from: a NUL byte ends a name and not a line (find -print0)", false};

/// Inputs that stand in lists. A list that cannot be read, and a line that leads nowhere, is a problem and not the end:
/// everything else is read.
struct InputLists {
    bool given = false;
    std::vector<std::string> paths{};             ///< as they stand there; each exists
    std::vector<std::string> problems{};          ///< "list.txt:3: logs/x.jsonl: No such file or directory"
    std::map<std::string, std::string> places{};  ///< path -> "list.txt:3"
};

/// Reads the lists and adds what they name to the inputs. An Error: the words make no sense together, as when standard
/// input would be read twice.
Result<InputLists> read_input_lists(std::span<const FlagValue> files_from, bool null, std::vector<std::string>& inputs);

/// Problems first, and where the name of an input that could not be read stands.
void place_problems(const InputLists& lists, std::vector<std::string>& problems, std::vector<InputReport>& inputs);

}  // namespace agent_audit::cli
