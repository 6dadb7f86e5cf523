#pragma once

#include <string>
#include <string_view>

namespace agent_audit::detectors {

/// A sentence that says what cannot or may not be used or touched, as the order that it means: "we can't use docker
/// here", "hier darf kein npm benutzt werden" are "do not use …", "no se puede tocar a.py" is "do not change a.py".
/// `behind` is what the person goes on with. Empty = no such form, or one that tells of a fault: "we can't use docker
/// here, it says permission denied".
std::string ruled_out_use(std::string_view sentence, std::string_view behind);

/// Does a text tell of something that does not work, or ask what is wrong with it? So does every mention of `thing`,
/// where that is not empty.
bool tells_of_trouble(std::string_view text, std::string_view thing);

}  // namespace agent_audit::detectors
