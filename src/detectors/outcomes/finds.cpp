#include "detectors/outcomes/finds.hpp"

#include <agent_audit/model/tool_name.hpp>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

namespace agent_audit::detectors {
namespace {

struct Row {
    std::string_view name;
    Finds finds;
};

// Names in lower case without anything between their words, sorted.
constexpr Row kRows[] = {
    {"arxiv", Finds::documents},
    {"bingsearch", Finds::documents},
    {"bravesearch", Finds::documents},
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
    {"duckduckgo", Finds::documents},
    {"duckduckgosearch", Finds::documents},
    {"exasearch", Finds::documents},
    {"exawebsearch", Finds::documents},
    {"firecrawlsearch", Finds::documents},
    {"goback", Finds::pages},
    {"googlescholar", Finds::documents},
    {"googlesearch", Finds::documents},
    {"googleserper", Finds::documents},
    {"googlewebsearch", Finds::documents},
    {"historyback", Finds::pages},
    {"hover", Finds::pages},
    {"inputtext", Finds::pages},
    {"jinasearch", Finds::documents},
    {"kagisearch", Finds::documents},
    {"kbsearch", Finds::documents},
    {"knowledgebasesearch", Finds::documents},
    {"knowledgesearch", Finds::documents},
    {"linkupsearch", Finds::documents},
    {"navigateback", Finds::pages},
    {"perplexitysearch", Finds::documents},
    {"presskey", Finds::pages},
    {"pubmed", Finds::documents},
    {"pubmedsearch", Finds::documents},
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
    {"searxngsearch", Finds::documents},
    {"searxsearch", Finds::documents},
    {"selectoption", Finds::pages},
    {"semanticsearch", Finds::documents},
    {"serpapi", Finds::documents},
    {"serpapisearch", Finds::documents},
    {"serper", Finds::documents},
    {"serpersearch", Finds::documents},
    {"tavilysearch", Finds::documents},
    {"typetext", Finds::pages},
    {"vectorsearch", Finds::documents},
    {"visiturl", Finds::pages},
    {"websearch", Finds::documents},
    {"websearchexa", Finds::documents},
    {"websearchpreview", Finds::documents},
    {"wikipedia", Finds::documents},
    {"wikipediasearch", Finds::documents},
    {"yousearch", Finds::documents},
};
static_assert(std::ranges::is_sorted(kRows, {}, &Row::name));

// tavily_search_results_json: what the answer comes as is no part of the name.
std::string_view without_form(std::string_view name) {
    constexpr std::string_view kForms[] = {"_json", "_results", "_result", "_tool", "_api", "_run"};
    for (std::size_t i = 0; i < std::size(kForms);) {
        const bool cut = name.ends_with(kForms[i]);
        if (cut) name.remove_suffix(kForms[i].size());
        i = cut ? 0 : i + 1;
    }
    return name;
}

}  // namespace

Finds finds_of(std::string_view raw_name) {
    raw_name = without_form(bare_tool_name(raw_name));
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
