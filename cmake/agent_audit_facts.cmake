# generated/build_facts.cpp: what --version and --licenses say of a build. Nothing of the day or the machine's paths is in
# it, so that one commit built twice with one compiler gives the same bytes.
set(AGENT_AUDIT_COMMIT "" CACHE STRING "Commit that is built, for --version; empty = ask git, in Release builds")

# A version from a header: what the first match of the regular expression holds in its brackets.
function(agent_audit_header_version out header regex)
  set(${out} "" PARENT_SCOPE)
  string(MAKE_C_IDENTIFIER "AGENT_AUDIT_FACT_${header}" found)
  find_file(${found} NAMES ${header} HINTS ${ARGN})
  mark_as_advanced(${found})
  if(${found})
    file(STRINGS ${${found}} lines REGEX "${regex}")
    set(parts "")
    foreach(line IN LISTS lines)
      string(REGEX MATCH "${regex}" matched "${line}")
      list(APPEND parts "${CMAKE_MATCH_1}")
    endforeach()
    list(JOIN parts "." version)
    set(${out} "${version}" PARENT_SCOPE)
  endif()
endfunction()

agent_audit_header_version(zlib_version zlib.h "^#define ZLIB_VERSION \"([0-9.]+)" ${AGENT_AUDIT_zlib_INCLUDE_DIR})
agent_audit_header_version(sqlite_version sqlite3.h "^#define SQLITE_VERSION +\"([0-9.]+)" ${AGENT_AUDIT_sqlite3_INCLUDE_DIR})
agent_audit_header_version(pugixml_version pugixml.hpp "define PUGIXML_VERSION ([0-9]+)" ${AGENT_AUDIT_pugixml_INCLUDE_DIR})

# Headers that give their version in parts.
function(agent_audit_part_version out header prefix)
  set(version "")
  find_file(AGENT_AUDIT_FACT_${header} NAMES ${header} HINTS ${ARGN})
  mark_as_advanced(AGENT_AUDIT_FACT_${header})
  if(AGENT_AUDIT_FACT_${header})
    foreach(part IN ITEMS MAJOR MINOR RELEASE)
      file(STRINGS ${AGENT_AUDIT_FACT_${header}} line REGEX "^#define ${prefix}_VERSION_${part} +[0-9]+")
      string(REGEX MATCH "${part} +([0-9]+)" matched "${line}")
      list(APPEND version ${CMAKE_MATCH_1})
    endforeach()
    list(JOIN version "." version)
  endif()
  set(${out} "${version}" PARENT_SCOPE)
endfunction()
agent_audit_part_version(zstd_version zstd.h ZSTD ${AGENT_AUDIT_zstd_INCLUDE_DIR})
agent_audit_part_version(xxhash_version xxhash.h XXH ${AGENT_AUDIT_xxhash_INCLUDE_DIR})
if(pugixml_version MATCHES "^([0-9])([0-9]+)0$")
  set(pugixml_version "${CMAKE_MATCH_1}.${CMAKE_MATCH_2}")
endif()
set(dygraphs_version "")
if(AGENT_AUDIT_CHART)
  file(STRINGS "${AGENT_AUDIT_CHART_JS}" line REGEX "VERSION *= *\"[0-9.]+\"" LIMIT_COUNT 1)
  string(REGEX MATCH "VERSION *= *\"([0-9.]+)\"" matched "${line}")
  set(dygraphs_version "${CMAKE_MATCH_1}")
endif()

set(commit "${AGENT_AUDIT_COMMIT}")
if(NOT commit AND CMAKE_BUILD_TYPE STREQUAL "Release" AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
  find_program(AGENT_AUDIT_GIT git)
  mark_as_advanced(AGENT_AUDIT_GIT)
  if(AGENT_AUDIT_GIT)
    execute_process(COMMAND ${AGENT_AUDIT_GIT} -C ${PROJECT_SOURCE_DIR} describe --always --dirty --abbrev=12 --exclude=*
                    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()

# name, version, licence, homepage, Debian package whose copyright file has the text
set(facts_guests
  "fmt|${fmt_VERSION}|MIT|https://fmt.dev|libfmt-dev"
  "simdjson|${simdjson_VERSION}|Apache-2.0|https://simdjson.org|libsimdjson-dev"
  "CLI11|${CLI11_VERSION}|BSD-3-Clause|https://github.com/CLIUtils/CLI11|libcli11-dev"
  "nlohmann-json|${nlohmann_json_VERSION}|MIT|https://json.nlohmann.me|nlohmann-json3-dev"
  "toml++|${tomlplusplus_VERSION}|MIT|https://marzer.github.io/tomlplusplus|libtomlplusplus-dev"
  "RE2||BSD-3-Clause|https://github.com/google/re2|libre2-dev"
  "SQLite|${sqlite_version}|blessing (public domain)|https://sqlite.org|libsqlite3-dev"
  "zlib|${zlib_version}|Zlib|https://zlib.net|zlib1g-dev"
  "zstd|${zstd_version}|BSD-3-Clause|https://facebook.github.io/zstd|libzstd-dev"
  "xxHash|${xxhash_version}|BSD-2-Clause|https://xxhash.com|libxxhash-dev"
  "pugixml|${pugixml_version}|MIT|https://pugixml.org|libpugixml-dev")
if(AGENT_AUDIT_CHART)
  list(APPEND facts_guests "dygraphs|${dygraphs_version}|MIT|https://dygraphs.com|libjs-dygraphs")
endif()

# Bytes as a C++ array. Text in quotes would meet the limits of compilers, and characters that mean something to CMake.
function(agent_audit_bytes out file)
  file(READ "${file}" hex HEX)
  string(REGEX REPLACE "(..)" "0x\\1," bytes "${hex}")
  string(REPEAT "0x..," 24 line)
  string(REGEX REPLACE "(${line})" "\\1\n" bytes "${bytes}")
  set(${out} "${bytes}" PARENT_SCOPE)
endfunction()

agent_audit_bytes(facts_licence ${PROJECT_SOURCE_DIR}/LICENSE)
set(facts_texts "constexpr unsigned char kLicense[] = {\n${facts_licence}};\n")
set(facts_rows "")
foreach(guest IN LISTS facts_guests)
  string(REPLACE "|" ";" fields "${guest}")
  list(GET fields 0 name)
  list(GET fields 1 version)
  list(GET fields 2 licence)
  list(GET fields 3 homepage)
  list(GET fields 4 package)
  set(text "{}")
  set(copyright /usr/share/doc/${package}/copyright)
  if(name STREQUAL "dygraphs")
    set(copyright "${AGENT_AUDIT_CHART_LICENCE}")
  endif()
  if(EXISTS "${copyright}")
    string(MAKE_C_IDENTIFIER "k_${name}" variable)
    agent_audit_bytes(bytes "${copyright}")
    string(APPEND facts_texts "constexpr unsigned char ${variable}[] = {\n${bytes}};\n")
    set(text "text(${variable})")
  endif()
  string(APPEND facts_rows "    {\"${name}\", \"${version}\", \"${licence}\", \"${homepage}\", ${text}},\n")
endforeach()

file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/build_facts.cpp @ONLY CONTENT
"// Written by agent_audit_facts.cmake.
#include \"cli/build_facts.hpp\"

namespace agent_audit::cli {
namespace {

@facts_texts@
template <std::size_t N>
std::string_view text(const unsigned char (&bytes)[N]) {
    return {reinterpret_cast<const char*>(bytes), N};
}

const Guest kGuests[] = {
@facts_rows@};

}  // namespace

const BuildFacts& build_facts() {
    static const BuildFacts facts{\"@CMAKE_CXX_COMPILER_ID@ @CMAKE_CXX_COMPILER_VERSION@\", \"@CMAKE_BUILD_TYPE@\", \"@commit@\",
                                  \"@CMAKE_SYSTEM_NAME@ @CMAKE_SYSTEM_PROCESSOR@\", text(kLicense), kGuests};
    return facts;
}

}  // namespace agent_audit::cli
")
target_sources(agent-audit PRIVATE ${PROJECT_BINARY_DIR}/generated/build_facts.cpp)
