#include "detectors/outcomes/finds.hpp"

#include <agent_audit/model/tool_name.hpp>

#include <algorithm>
#include <string>

namespace agent_audit::detectors {
namespace {

struct Row {
    std::string_view name;
    Finds finds;
};

// Names in lower case without anything between their words, sorted.
constexpr Row kRows[] = {
    {"bingsearch", Finds::documents},
    {"bravewebsearch", Finds::documents},
    {"browserback", Finds::pages},
    {"browserclick", Finds::pages},
    {"browsergoback", Finds::pages},
    {"browserhover", Finds::pages},
    {"browsernavigateback", Finds::pages},
    {"browserpresskey", Finds::pages},
    {"browserselectoption", Finds::pages},
    {"browsertype", Finds::pages},
    {"click", Finds::pages},
    {"clickelement", Finds::pages},
    {"clickelementbyindex", Finds::pages},
    {"duckduckgosearch", Finds::documents},
    {"exasearch", Finds::documents},
    {"goback", Finds::pages},
    {"googlesearch", Finds::documents},
    {"googlewebsearch", Finds::documents},
    {"historyback", Finds::pages},
    {"hover", Finds::pages},
    {"inputtext", Finds::pages},
    {"kbsearch", Finds::documents},
    {"knowledgebasesearch", Finds::documents},
    {"knowledgesearch", Finds::documents},
    {"navigateback", Finds::pages},
    {"presskey", Finds::pages},
    {"querykb", Finds::documents},
    {"queryknowledgebase", Finds::documents},
    {"retrieval", Finds::documents},
    {"retrieve", Finds::documents},
    {"retrievedocuments", Finds::documents},
    {"retriever", Finds::documents},
    {"search", Finds::documents},
    {"searcharticles", Finds::documents},
    {"searchdocs", Finds::documents},
    {"searchdocuments", Finds::documents},
    {"searchengine", Finds::documents},
    {"searchgoogle", Finds::documents},
    {"searchhelpcenter", Finds::documents},
    {"searchkb", Finds::documents},
    {"searchknowledge", Finds::documents},
    {"searchknowledgebase", Finds::documents},
    {"searchquery", Finds::documents},
    {"searchweb", Finds::documents},
    {"searchwikipedia", Finds::documents},
    {"selectoption", Finds::pages},
    {"semanticsearch", Finds::documents},
    {"tavilysearch", Finds::documents},
    {"typetext", Finds::pages},
    {"vectorsearch", Finds::documents},
    {"visiturl", Finds::pages},
    {"websearch", Finds::documents},
    {"wikipedia", Finds::documents},
    {"wikipediasearch", Finds::documents},
};
static_assert(std::ranges::is_sorted(kRows, {}, &Row::name));

}  // namespace

Finds finds_of(std::string_view raw_name) {
    raw_name = bare_tool_name(raw_name);
    std::string key;
    for (const char c : raw_name.substr(0, 64)) {
        if (c >= 'A' && c <= 'Z')
            key += static_cast<char>(c | 0x20);
        else if (c != '_' && c != '-' && c != '.' && c != ' ')
            key += c;
    }
    const auto found = std::ranges::lower_bound(kRows, std::string_view(key), {}, &Row::name);
    return found != std::end(kRows) && found->name == key ? found->finds : Finds::nothing;
}

}  // namespace agent_audit::detectors
