#pragma once

#include <string>
#include <string_view>

/// Sentences that say that something stays as it is, as the order that they mean ("do not change …"); empty = it is
/// none of that form. `lower` = the sentence in lower case.
namespace agent_audit::detectors {

/// "Keep src/api as it is."
std::string kept_as_is(std::string_view sentence, std::string_view lower);
/// "src/api stays as it is", "the lock file must remain unmodified", "prod.yml is read-only for you".
std::string left_as_it_is(std::string_view sentence, std::string_view lower);
/// "src/core/money.py is read-only.", "treat src/legacy as read-only".
std::string read_only(std::string_view sentence, std::string_view lower);
/// "package-lock.json should not be part of this change"
std::string not_part_of_it(std::string_view sentence, std::string_view lower);
/// "schema.prisma: hands off"
std::string hands_off(std::string_view sentence, std::string_view lower);
/// 别改 core.py; 保持 core.py 不变, core.py 保持不变.
std::string chinese_rule(std::string_view sentence);

/// What is said of files that cannot be written ("it fails: a.yml is read-only") is a fault to be mended where the rest
/// of the message speaks of such faults.
bool tells_of_file_modes(std::string_view sentence, std::string_view text);

}  // namespace agent_audit::detectors
