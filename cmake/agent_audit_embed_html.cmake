# Writes OUT, a C++ file with the contents of INPUTS (a list of NAME=FILE) for src/report/html/html_assets.hpp, and for each
# script the hash by which a page's security policy allows it and no other.
#
#   cmake -DINPUTS=STYLE=a.css;SCRIPT=b.js… -DOUT=html_assets.cpp -P agent_audit_embed_html.cmake

set(base64_digits "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")

# The base64 form of 32 bytes that are given in hexadecimal.
function(to_base64 hex out)
  set(text "")
  string(APPEND hex "00")  # to a multiple of three bytes; the last digit of it is the padding
  foreach(at RANGE 0 60 6)
    string(SUBSTRING ${hex} ${at} 6 six)
    foreach(shift IN ITEMS 18 12 6 0)
      math(EXPR digit "(0x${six} >> ${shift}) & 63")
      string(SUBSTRING ${base64_digits} ${digit} 1 letter)
      string(APPEND text ${letter})
    endforeach()
  endforeach()
  string(REGEX REPLACE ".$" "=" text ${text})
  set(${out} ${text} PARENT_SCOPE)
endfunction()

get_filename_component(folder ${OUT} DIRECTORY)
file(MAKE_DIRECTORY ${folder})

foreach(name IN ITEMS STYLE SCRIPT CHART_JS CHART_CSS CHART_LICENCE)
  set(bytes_${name} "0")
  set(size_${name} 0)
  set(hash_${name} "")
endforeach()

foreach(input IN LISTS INPUTS)
  string(REGEX MATCH "^([A-Z_]+)=(.*)$" matched "${input}")
  set(name ${CMAKE_MATCH_1})
  set(file ${CMAKE_MATCH_2})
  file(READ "${file}" text)
  if(name MATCHES "JS|CSS")
    # Neither the pointer to a source map, which browsers would look for, nor the pointer to a licence elsewhere, which
    # the report carries in full.
    string(REGEX REPLACE "(//[#@]|/\\*#) *sourceMappingURL=[^\n*]*(\\*/)?" "" text "${text}")
    string(REGEX REPLACE "^/\\*[!*] @license [^*]*\\*/\n?" "" text "${text}")
  endif()
  if(name STREQUAL "CHART_LICENCE")
    string(REPLACE "--" "- -" text "${text}")  # it stands in a comment
  elseif(text MATCHES "</[sS][ctCT]|<!--")
    message(FATAL_ERROR "${file} holds what would end the element around it")
  endif()
  set(kept ${folder}/html_${name})
  file(WRITE ${kept} "${text}")
  file(SIZE ${kept} size_${name})
  file(READ ${kept} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes_${name} "${hex}")
  string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)"
                       "\\1\n" bytes_${name} "${bytes_${name}}")
  if(name MATCHES "SCRIPT|JS")
    file(SHA256 ${kept} hash)
    to_base64(${hash} hash_${name})
  endif()
endforeach()

set(code "// Written by agent_audit_embed_html.cmake.\n#include \"report/html/html_assets.hpp\"\n\nnamespace agent_audit::report {\nnamespace {\n\n")
foreach(name IN ITEMS STYLE SCRIPT CHART_JS CHART_CSS CHART_LICENCE)
  string(APPEND code "constexpr unsigned char k${name}[] = {\n${bytes_${name}}};\n")
endforeach()
string(APPEND code "
template <std::size_t N>
std::string_view text(const unsigned char (&bytes)[N], std::size_t size) {
    return {reinterpret_cast<const char*>(bytes), size};
}

}  // namespace

const HtmlAssets& html_assets() {
    static const HtmlAssets assets{
        text(kSTYLE, ${size_STYLE}),
        {text(kSCRIPT, ${size_SCRIPT}), \"${hash_SCRIPT}\"},
        text(kCHART_CSS, ${size_CHART_CSS}),
        {text(kCHART_JS, ${size_CHART_JS}), \"${hash_CHART_JS}\"},
        text(kCHART_LICENCE, ${size_CHART_LICENCE}),
    };
    return assets;
}

}  // namespace agent_audit::report
")
file(WRITE ${OUT} "${code}")
