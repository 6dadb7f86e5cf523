#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::detectors {

/// The files of a project that shell commands change for certain: `rm`, `git rm`, `unlink`, `mv` and `sed -i`, `perl
/// -i` of names that a shell need not work out. What commands before made, scratch files, products of a build and data
/// that programs write are left out: taking them away changes nothing that was there.
class ShellFiles {
public:
    /// Commands of a lane in their order; the names are valid until the next call. Paths are relative where nobody says
    /// to what.
    const std::vector<std::string>& changed_by(std::string_view line);
    /// The files that the last of these commands made, by their names without folders.
    const std::vector<std::string>& just_made() const { return just_made_; }
    void clear();

private:
    static constexpr std::size_t kMostMade = 64;

    void made(std::string_view path);
    bool is_own(std::string_view path) const;

    std::vector<std::string> made_;  // names without folders
    std::vector<std::string> changed_, just_made_;
    bool astray_ = false;  // a command went where relative paths mean something else
};

}  // namespace agent_audit::detectors
