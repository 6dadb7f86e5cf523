#pragma once

#include <string>
#include <string_view>

namespace agent_audit::detectors {

/// The ban of a sentence in Japanese as the English order that it means, as orders_in_english() has it: "src/api.py
/// は変更しないでください", コミットしないで. Empty = it states none, or has a word that is not known.
std::string order_in_japanese(std::string_view sentence);

/// The same in Korean: "config.yml은 수정하지 마세요", 커밋하지 마
std::string order_in_korean(std::string_view sentence);

}  // namespace agent_audit::detectors
