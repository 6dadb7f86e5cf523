#pragma once

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::test {

/// What a page consists of, as the strictest of readers sees it. Our pages quote every attribute, close every element
/// and escape every special character, so anything else is a problem: it shows where a text became markup.
struct HtmlFacts {
    std::vector<std::string> problems;
    std::string policy;                  ///< Content-Security-Policy
    std::vector<std::string> scripts;    ///< contents of those that run
    std::vector<std::string> data;       ///< contents of those that do not
    std::vector<std::string> links_out;  ///< of src, href and their like: what is neither #anchor nor an empty data:
    std::vector<std::string> handlers;   ///< attributes that would run a script
    std::vector<std::string> dangling_anchors;
    std::map<std::string, std::size_t> elements;
    std::vector<std::string> fingerprints;  ///< data-fingerprint, in the order of the page
    std::string text;                       ///< of the body, entities resolved
};

class HtmlChecker {
public:
    explicit HtmlChecker(std::string_view page) : page_(page) {}

    HtmlFacts check() {
        if (!eat("<!DOCTYPE html>")) problem("no doctype");
        while (at_ < page_.size()) {
            if (page_[at_] != '<')
                text();
            else if (page_.substr(at_).starts_with("<!--"))
                comment();
            else if (page_.substr(at_).starts_with("</"))
                close();
            else
                open();
            if (facts_.problems.size() > 20) break;
        }
        if (!open_.empty()) problem("never closed: " + open_.back());
        for (const std::string& anchor : anchors_) {
            if (!ids_.contains(anchor)) facts_.dangling_anchors.push_back(anchor);
        }
        return std::move(facts_);
    }

private:
    static bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-'; }

    bool eat(std::string_view words) {
        if (!page_.substr(at_).starts_with(words)) return false;
        at_ += words.size();
        return true;
    }
    void problem(const std::string& what) {
        facts_.problems.push_back(what + " at byte " + std::to_string(at_) + ": " + std::string(page_.substr(at_, 60)));
    }
    std::string word() {
        const std::size_t begin = at_;
        while (at_ < page_.size() && (is_name(page_[at_]) || (page_[at_] >= 'A' && page_[at_] <= 'Z'))) ++at_;
        return std::string(page_.substr(begin, at_ - begin));
    }

    // Resolves the entities that we write; any other ampersand is a problem, and so is a raw < or a control.
    std::string resolved(std::string_view raw) {
        static constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kEntities{{{"&amp;", "&"},
                                                                                                 {"&lt;", "<"},
                                                                                                 {"&gt;", ">"},
                                                                                                 {"&quot;", "\""},
                                                                                                 {"&#39;", "'"},
                                                                                                 {"&#91;", "["},
                                                                                                 {"&#10;", "\n"}}};
        std::string out;
        for (std::size_t i = 0; i < raw.size();) {
            const auto c = static_cast<unsigned char>(raw[i]);
            if (c == '&') {
                const auto entity =
                    std::ranges::find_if(kEntities, [&](const auto& e) { return raw.substr(i).starts_with(e.first); });
                if (entity == kEntities.end()) {
                    problem("bare ampersand: " + std::string(raw.substr(i, 20)));
                    return out;
                }
                out += entity->second;
                i += entity->first.size();
                continue;
            }
            if (c == '<' || c == '>' || (c < 0x20 && c != '\n') || c == 0x7F) problem("raw special character");
            out += raw[i++];
        }
        return out;
    }

    void text() {
        const std::size_t end = std::min(page_.find('<', at_), page_.size());
        const std::string words = resolved(page_.substr(at_, end - at_));
        at_ = end;
        if (std::ranges::find(open_, "body") != open_.end()) facts_.text += words;
    }

    void comment() {
        const std::size_t end = page_.find("--", at_ + 4);
        if (end == page_.npos || !page_.substr(end).starts_with("-->")) problem("comment with -- in it");
        at_ = end == page_.npos ? page_.size() : end + 3;
    }

    void close() {
        at_ += 2;
        const std::string name = word();
        if (!eat(">")) problem("odd end tag");
        if (open_.empty() || open_.back() != name)
            problem("</" + name + "> closes " + (open_.empty() ? std::string("nothing") : open_.back()));
        else
            open_.pop_back();
        // A space where the words of neighbours would run together.
        facts_.text += ' ';
    }

    void open() {
        static const std::set<std::string> kVoid{"meta", "link", "br"};
        static const std::set<std::string> kKnown{
            "html",   "head",       "title", "style",  "body", "main", "header", "footer",  "section", "article",
            "figure", "figcaption", "h1",    "h2",     "h3",   "h4",   "p",      "ul",      "ol",      "li",
            "dl",     "dt",         "dd",    "div",    "span", "b",    "strong", "code",    "pre",     "a",
            "table",  "caption",    "thead", "tbody",  "tr",   "th",   "td",     "details", "summary", "svg",
            "path",   "line",       "rect",  "script", "meta", "link"};
        ++at_;
        const std::string name = word();
        if (!kKnown.contains(name)) problem("unknown element " + name);
        ++facts_.elements[name];
        std::map<std::string, std::string> attributes;
        while (eat(" ")) attribute(attributes);
        const bool closed = eat("/");
        if (!eat(">")) {
            problem("odd tag " + name);
            at_ = std::min(page_.find('>', at_), page_.size());
        }
        note(name, attributes);
        if (name == "script" || name == "style") return raw(name, attributes);
        if (!closed && !kVoid.contains(name)) open_.push_back(name);
    }

    void attribute(std::map<std::string, std::string>& attributes) {
        const std::string name = word();
        if (name.empty()) return problem("odd attribute");
        std::string value;
        if (eat("=\"")) {
            const std::size_t end = page_.find('"', at_);
            value = resolved(page_.substr(at_, end == page_.npos ? end : end - at_));
            at_ = end == page_.npos ? page_.size() : end + 1;
        } else if (name != "open") {
            problem("attribute without a quoted value: " + name);
        }
        if (!attributes.emplace(name, value).second) problem("attribute twice: " + name);
    }

    void note(const std::string& name, const std::map<std::string, std::string>& attributes) {
        for (const auto& [key, value] : attributes) {
            if (key.starts_with("on")) facts_.handlers.push_back(key);
            if (key == "id" && !ids_.insert(value).second) problem("id twice: " + value);
            if (key == "data-fingerprint") facts_.fingerprints.push_back(value);
            if (key == "http-equiv" && value == "Content-Security-Policy") facts_.policy = attributes.at("content");
            if (key == "style" && value.find_first_not_of("abcdefghijklmnopqrstuvwxyz:;.%-0123456789") != value.npos)
                problem("odd style " + value);
            static const std::set<std::string> kAddresses{"href", "src",    "srcset",     "action", "formaction",
                                                          "data", "poster", "xlink:href", "ping",   "background"};
            if (!kAddresses.contains(key)) continue;
            if (value.starts_with("#"))
                anchors_.insert(value.substr(1));
            else if (!(name == "link" && value == "data:,"))
                facts_.links_out.push_back(value);
        }
    }

    void raw(const std::string& name, const std::map<std::string, std::string>& attributes) {
        const std::string end_tag = "</" + name + ">";
        const std::size_t end = page_.find("</" + name, at_);
        if (end == page_.npos || !page_.substr(end).starts_with(end_tag)) {
            problem(name + " never ends");
            at_ = page_.size();
            return;
        }
        const std::string content(page_.substr(at_, end - at_));
        if (name == "script") (attributes.contains("type") ? facts_.data : facts_.scripts).push_back(content);
        at_ = end + end_tag.size();
    }

    std::string_view page_;
    std::size_t at_ = 0;
    HtmlFacts facts_;
    std::vector<std::string> open_;
    std::set<std::string> ids_, anchors_;
};

inline HtmlFacts check_html(std::string_view page) { return HtmlChecker(page).check(); }

}  // namespace agent_audit::test
