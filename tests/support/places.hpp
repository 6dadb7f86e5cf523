#pragma once

#include <string>

namespace agent_audit::test {

/// Where the project lies.
std::string project_folder();
/// The program that was built with these tests.
std::string program_file();

}  // namespace agent_audit::test
