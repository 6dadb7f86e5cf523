#pragma once

namespace agent_audit::test {

/// Where the project lies.
const char* project_folder();
/// The program that was built with these tests.
const char* program_file();

}  // namespace agent_audit::test
