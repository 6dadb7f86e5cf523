#include "report/text/context_block.hpp"

#include "report/words/context_part.hpp"
#include "report/words/human.hpp"
#include "report/words/share.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace agent_audit::report {
namespace {

constexpr int kLabel = 10;
constexpr std::size_t kShownUsers = 3;
constexpr std::size_t kNameColumns = 40;

class Block {
public:
    Block(Page& page, TextWords& words, bool all) : page_(page), words_(words), all_(all) {}

    void lane(const SessionReport& session, const LaneContext& lane, bool named) {
        page_.labelled(2, kLabel, "fullest", fullest(session, lane, named));
        page_.labelled(2, kLabel, "filled by", filled_by(lane));
        row("tools", users(lane, lane.tools, &TextWords::text));
        row("files", users(lane, lane.files, &TextWords::path));
        row("again", again(lane));
        row("compacted", compacted(lane));
        row("cache", cache(lane));
        if (all_) page_.labelled(2, kLabel, "course", course(lane));
    }

    void dearest(const SessionReport& session) {
        for (const DearRequest& request : session.context.dearest) {
            page_.labelled(2, kLabel, "dearest", dear_request_words(request, LineWords(session)));
        }
    }

private:
    void row(std::string_view label, const std::string& text) {
        if (!text.empty()) page_.labelled(2, kLabel, label, text);
    }

    std::string fullest(const SessionReport& session, const LaneContext& lane, bool named) const {
        std::string text = thousands(lane.peak);
        if (lane.window > 0) {
            text +=
                fmt::format(" of {} tokens ({})", thousands(lane.window), percent(share_of(lane.peak, lane.window)));
        } else {
            text += " tokens";
        }
        text += " at " + LineWords(session).one(lane.peak_line);
        if (named) text += " of " + words_.session(session);
        if (lane.lane != 0) text += fmt::format(", sub-agent {}", lane.lane);
        text += fmt::format("; {}", count_of(lane.requests, "request"));
        if (lane.requests > 1) text += fmt::format(", +{} each", thousands(lane.grown / (lane.requests - 1)));
        return text;
    }

    std::string filled_by(const LaneContext& lane) const {
        std::vector<std::pair<std::uint64_t, std::string_view>> parts;
        for (std::size_t i = 0; i < kContextParts; ++i)
            parts.emplace_back(lane.parts[i], words_of(static_cast<ContextPart>(i), lane));
        std::ranges::stable_sort(parts, std::greater<>{}, [](const auto& part) { return part.first; });
        std::string text;
        for (const auto& [tokens, what] : parts) {
            if (tokens * 200 < lane.peak) continue;  // less than half a percent
            text += fmt::format("{}{} {}", text.empty() ? "" : ", ", what, percent(share_of(tokens, lane.peak)));
        }
        return text;
    }

    std::string users(const LaneContext& lane, const std::vector<ContextUser>& list,
                      std::string (TextWords::*show)(std::string_view)) const {
        std::string text;
        for (std::size_t i = 0; i < list.size() && (all_ || i < kShownUsers); ++i) {
            if (list[i].tokens * 100 < lane.peak) break;  // less than one percent
            std::string name = (words_.*show)(list[i].name);
            if (name.size() >
                kNameColumns) {  // visible() leaves no control; the end of a path tells more than its beginning
                std::size_t from = name.size() - kNameColumns;
                while (from < name.size() && (static_cast<unsigned char>(name[from]) & 0xc0) == 0x80) ++from;
                name = std::string(page_.symbol("\u2026", "..")) + name.substr(from);
            }
            text +=
                fmt::format("{}{} {}", text.empty() ? "" : ", ", name, percent(share_of(list[i].tokens, lane.peak)));
        }
        return text;
    }

    static std::string again(const LaneContext& lane) {
        if (lane.rereads == 0) return {};
        return fmt::format("{} brought what the window held already, about {} tokens",
                           count_of(lane.rereads, "reading"), short_count(lane.reread_tokens));
    }

    static std::string compacted(const LaneContext& lane) {
        if (lane.compactions == 0) return {};
        std::string text = lane.compactions == 1 ? "once" : thousands(lane.compactions) + " times";
        if (lane.freed > 0) text += fmt::format(", {} tokens freed", thousands(lane.freed));
        return text.append(unheld_words(lane));
    }

    std::string cache(const LaneContext& lane) const {
        if (lane.cache_read == 0) return {};
        std::string text = percent(share_of(lane.cache_read, lane.prompt)) + " of all prompts read from it";
        std::uint64_t requests = 0, tokens = 0;
        std::string reasons;
        for (std::size_t i = 1; i < kCacheMisses; ++i) {
            if (lane.misses[i] == 0) continue;
            requests += lane.misses[i];
            tokens += lane.missed_tokens[i];
            reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", name(static_cast<CacheMiss>(i)),
                                   thousands(lane.misses[i]));
        }
        if (requests > 0) {
            text += fmt::format("{}{} sent {} tokens again ({})", page_.dot(), count_of(requests, "miss", "misses"),
                                short_count(tokens), reasons);
        }
        return text;
    }

    // One mark a few requests, from empty to full; without such marks the figures in thousands.
    std::string course(const LaneContext& lane) const {
        constexpr std::array<std::string_view, 8> kMarks{"\u2581", "\u2582", "\u2583", "\u2584",
                                                         "\u2585", "\u2586", "\u2587", "\u2588"};
        const std::uint64_t full = std::max<std::uint64_t>({lane.window, lane.peak, 1});
        std::string marks;
        for (const std::uint64_t tokens : lane.course) {
            if (page_.options().unicode) {
                marks += kMarks[std::min<std::uint64_t>(7, tokens * 8 / full)];
            } else {
                marks += fmt::format("{}{}", marks.empty() ? "" : " ", (tokens + 500) / 1000);
            }
        }
        return marks + fmt::format("{} first {}, last {} tokens", page_.options().unicode ? "" : " thousand;",
                                   thousands(lane.first), thousands(lane.last));
    }

    Page& page_;
    TextWords& words_;
    bool all_;
};

// How close to the end of its window; where no window is known, its length, far behind all others.
double fullness(const LaneContext& lane) {
    return lane.window > 0 ? 1 + share_of(lane.peak, lane.window) : share_of(lane.peak, std::uint64_t{1} << 40);
}

}  // namespace

std::string dear_request_words(const DearRequest& request, const LineWords& lines) {
    std::string where = lines.one(request.line);
    if (request.lane != 0) where += fmt::format(", sub-agent {}", request.lane);
    return fmt::format("{} at {}: {} tokens in, {} out", money(request.cost.micro_dollars()), where,
                       thousands(request.tokens.prompt()), thousands(request.tokens.output));
}

void draw_context(Page& page, const Report& report, TextWords& words, bool all) {
    std::size_t lanes = 0;
    std::optional<std::pair<SessionReport, LaneContext>> fullest;
    for (const SessionReport& session : report.sessions) {
        if (session.housekeeping) continue;  // a summariser's only prompt is the whole history
        for (const LaneContext& lane : session.context.lanes) {
            ++lanes;
            if (!fullest || fullness(fullest->second) < fullness(lane)) fullest.emplace(session, lane);
        }
    }
    if (!fullest) return;
    page.blank();
    page.heading({{"Context", Style::bold}, {"what filled the prompts; shares are estimated from sizes", Style::dim}});
    Block block(page, words, all);
    const bool named = report.sessions.size() > 1;
    if (!all) {
        block.lane(fullest->first, fullest->second, named);
        if (lanes > 1) {
            page.paragraph(2, fmt::format("the fullest of {} conversations (all with -v)", thousands(lanes)),
                           Style::dim);
        }
        return;
    }
    for (const SessionReport& session : report.sessions) {
        if (session.housekeeping) continue;
        for (const LaneContext& lane : session.context.lanes) {
            if (page.gone()) return;
            block.lane(session, lane, named);
        }
        block.dearest(session);
    }
}

}  // namespace agent_audit::report
