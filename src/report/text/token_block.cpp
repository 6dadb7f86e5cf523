#include "report/text/token_block.hpp"

#include "report/text/context_block.hpp"
#include "report/words/finding_place.hpp"
#include "report/words/human.hpp"
#include "report/words/line_words.hpp"
#include "report/words/list_price.hpp"
#include "report/words/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_audit::report {
namespace {

constexpr std::size_t kSessionRows = 10;  // unless -v asks for everything

class TokenBlock {
public:
    TokenBlock(Page& page, const Report& report, TextWords& words, bool all)
        : page_(page), report_(report), words_(words), all_(all) {}

    void draw() {
        const TokenLedgerTotals& all = report_.tokens;
        if (report_.sessions.empty()) return;
        page_.blank();
        if (all.source == TokensSource::none) {
            page_.heading({{"Tokens", Style::bold}, {"not recorded", Style::dim}});
            return;
        }
        const char* how = all.source != TokensSource::reported ? "estimated, each text once: no figures are recorded"
                          : all.total.lacks_prompt() ? "as recorded: of the answers alone, prompts are not told"
                                                     : "as recorded, each request once";
        page_.heading({{"Tokens", Style::bold}, {how, Style::dim}});
        if (report_.sessions.size() > 1) session_table();
        if (report_.sessions.size() == 1 || all.by_model.size() > 1) model_table();
        token_facts();
    }

private:
    // Without a recorded request there is nothing that could have a price.
    bool shows_cost() const {
        const RequestCost& cost = report_.tokens.cost;
        return cost.priced_requests + cost.unpriced_requests > 0;
    }

    // What is estimated is no sum of requests.
    bool shows_requests() const { return report_.tokens.requests > 0; }

    // The parts of a sum stay together, as far as there are any: where not all fit beside it, the sum goes. A page that
    // is too narrow for the parts shows the sum instead, and so does one on which the figures leave no room for all of
    // them.
    static constexpr int kParts = 3;  // the first of the parts to go
    std::vector<Column> token_columns(std::string first, bool parts) const {
        const TokenCounts& all = report_.tokens.total;
        std::vector<Column> columns{{std::move(first), 0, false, true}};
        if (shows_requests()) columns.push_back({"requests", 5});
        if (!all.lacks_prompt()) columns.push_back({"input", kParts});
        if (all.cache_write > 0) columns.push_back({"cache write", parts ? 2 : 4});
        if (all.cache_read > 0) columns.push_back({"cache read", 2});
        columns.push_back({"output", 1});
        columns.push_back({"total", parts ? 4 : 0});
        if (shows_cost()) columns.push_back({"cost", 1});
        return columns;
    }

    std::vector<std::string> token_row(std::string first, const TokenCounts& t, std::uint64_t requests,
                                       const RequestCost& cost, std::string_view mark = {}) const {
        const TokenCounts& all = report_.tokens.total;
        std::vector<std::string> cells{std::move(first)};
        if (shows_requests()) cells.push_back(thousands(requests));
        const auto figure = [&](std::uint64_t tokens) { return std::string(mark) + thousands(tokens); };
        if (!all.lacks_prompt()) cells.push_back(figure(t.input));
        if (all.cache_write > 0) cells.push_back(thousands(t.cache_write));
        if (all.cache_read > 0) cells.push_back(thousands(t.cache_read));
        cells.push_back(figure(t.output));
        cells.push_back(figure(t.total()));
        if (shows_cost()) cells.push_back(list_price(cost));
        return cells;
    }

    Table token_table(std::string first) const {
        constexpr int kRoomForParts = 76;  // columns
        const int width = page_.options().width;
        return Table(token_columns(std::move(first), width == 0 || width >= kRoomForParts));
    }

    void draw_table(Table& table, std::string first) {
        if (!table.fits(page_, 2, kParts)) table.rank(token_columns(std::move(first), false));
        table.draw(page_, 2);
    }

    void session_table() {
        std::vector<std::pair<std::uint64_t, std::size_t>> sorted;  // by tokens
        std::uint64_t guesses = 0;
        for (std::size_t i = 0; i < report_.sessions.size(); ++i) {
            const SessionReport session = report_.sessions[i];
            sorted.emplace_back(session.tokens.total.total(), i);
            guesses += is_guess(session.tokens);
        }
        std::ranges::stable_sort(sorted, std::greater<>{}, [](const auto& entry) { return entry.first; });
        const std::size_t shown = all_ ? sorted.size() : std::min(sorted.size(), kSessionRows);
        Table table = token_table("session");
        for (std::size_t i = 0; i < shown; ++i) {
            const SessionReport session = report_.sessions[sorted[i].second];
            const std::string_view mark = is_guess(session.tokens) ? "~" : "";
            table.row(token_row(words_.session(session), session.tokens.total, session.tokens.requests,
                                session.tokens.cost, mark));
        }
        table.row(token_row("all sessions", report_.tokens.total, report_.tokens.requests, report_.tokens.cost));
        draw_table(table, "session");
        if (shown < sorted.size()) {
            page_.paragraph(2,
                            fmt::format("the {} largest of {} sessions (all with -v)", shown, thousands(sorted.size())),
                            Style::dim);
        }
        if (guesses > 0)
            page_.paragraph(2, "~ estimated, and not in the sum: " + count_of(guesses, "session"), Style::dim);
    }

    // Beside figures that are recorded; where none is, the heading says it of all.
    bool is_guess(const TokenLedgerTotals& of_session) const {
        return of_session.source == TokensSource::estimated && report_.tokens.source == TokensSource::reported;
    }

    void model_table() {
        Table table = token_table("model");
        for (const ModelTokens& m : report_.tokens.by_model) {
            const std::string model = m.model.empty() ? "(not recorded)" : words_.text(m.model);
            table.row(token_row(end_of(model, TextWords::kNameColumns, page_.symbol("\u2026", "..")), m.tokens,
                                m.requests, m.cost));
        }
        const bool one_row = report_.tokens.by_model.size() == 1;
        if (!one_row)
            table.row(token_row("all models", report_.tokens.total, report_.tokens.requests, report_.tokens.cost));
        draw_table(table, "model");
    }

    void token_facts() {
        const TokenLedgerTotals& all = report_.tokens;
        std::vector<std::string> facts;
        if (all.total.reasoning) facts.push_back(thousands(all.total.reasoning) + " of the output is reasoning");
        if (all.total.cache_write_1h) {
            facts.push_back(thousands(all.total.cache_write_1h) + " of the cache writes are for an hour");
        }
        if (all.cost_microusd) facts.push_back(money(*all.cost_microusd) + " as recorded");
        if (all.total.lacks_prompt()) {
            facts.push_back("without the prompts there is no price");
        } else if (all.cost.unpriced_requests) {
            facts.push_back("the price of " + count_of(all.cost.unpriced_requests, "request") +
                            " is not known (--prices)");
        }
        if (all.copied_requests) {
            facts.push_back(count_of(all.copied_requests, "request") + " copied from elsewhere, not counted again");
        }
        if (all.peak_context) facts.push_back(peak(all));
        if (!facts.empty()) page_.paragraph(2, join(facts, page_.dot()));
        const std::vector<std::string> paid = cost_parts(all.cost_parts);
        if (!paid.empty()) page_.labelled(2, 14, "paid for", join(paid, page_.dot()));
        if (all_)
            turn_rows();
        else
            dear_turns();
    }

    // Who sees that one session cost so much asks at once where it went.
    void dear_turns() {
        constexpr std::uint64_t kAsked = 1'000'000;  // micro-dollars
        constexpr std::size_t kShown = 3;
        if (report_.sessions.size() != 1) return;
        for (const SessionReport& session : report_.sessions) {
            const std::vector<TurnTokens>& turns = session.tokens.top_turns;
            if (session.tokens.cost.micro_dollars() < kAsked) return;
            const LineWords lines(session);
            for (std::size_t i = 0; i < std::min(turns.size(), kShown) && turns.size() > 1; ++i) {
                page_.labelled(2, 14, fmt::format("turn {}", turns[i].turn),
                               fmt::format("{}from {}{}", turn_words(turns[i]), lines.one(turns[i].first_line),
                                           lane_words(session, turns[i])));
            }
            if (turns.size() > kShown)
                page_.paragraph(
                    2,
                    fmt::format("the {}; more with -v",
                                session.tokens.turns_by_cost ? "dearest turns" : "turns with the most tokens"),
                    Style::dim);
            if (!session.context.dearest.empty())
                page_.labelled(2, 14, "request",
                               "the dearest: " + dear_request_words(session.context.dearest.front(), lines));
        }
    }

    std::string lane_words(const SessionReport& session, const TurnTokens& turn) {
        return turn.lane ? fmt::format(", sub-agent {}", words_.lane(session, turn.lane)) : "";
    }

    static std::string turn_words(const TurnTokens& turn) {
        return fmt::format("{} tokens, {}, {}", thousands(turn.tokens.total()), count_of(turn.requests, "request"),
                           turn.cost.priced_requests > 0 ? list_price(turn.cost) + ", " : "");
    }

    std::string peak(const TokenLedgerTotals& all) const {
        std::string words = "fullest context " + thousands(all.peak_context) + " tokens";
        if (all.window_tokens) {
            const double share = static_cast<double>(all.peak_context) / static_cast<double>(all.window_tokens);
            words += fmt::format(" ({} of the window)", percent(share));
        }
        if (all.peak_context_line && report_.sessions.size() == 1)
            words += " at " + LineWords(report_.sessions[0]).one(all.peak_context_line);
        return words;
    }

    std::string where(const SessionReport& session, std::uint64_t line) {
        const std::string path = words_.path_of(session.input);
        if (session.input >= report_.inputs.size()) return fmt::format("{}:{}", path, line);
        return line_place(path, line, report_.inputs[session.input]);
    }

    // The turns of every session that took most, and its sub-agents.
    void turn_rows() {
        for (const SessionReport& session : report_.sessions) {
            if (page_.gone()) return;
            for (const TurnTokens& turn : session.tokens.top_turns) {
                if (report_.sessions.size() == 1) {
                    page_.labelled(2, 14, fmt::format("turn {}", turn.turn),
                                   fmt::format("{}from {}{}", turn_words(turn), LineWords(session).one(turn.first_line),
                                               lane_words(session, turn)));
                    continue;
                }
                page_.labelled_name(2, 14, fmt::format("turn {}", turn.turn), turn_words(turn),
                                    where(session, turn.first_line), lane_words(session, turn));
            }
            for (const LaneTokens& lane : session.tokens.by_lane) {
                if (lane.lane == 0) continue;
                page_.labelled(
                    2, 14, "sub-agent",
                    join({fmt::format("{}: {} tokens", words_.lane(session, lane.lane), thousands(lane.tokens.total())),
                          count_of(lane.requests, "request"),
                          lane.cost.priced_requests > 0 ? list_price(lane.cost) : ""},
                         ", "));
            }
        }
    }

    Page& page_;
    const Report& report_;
    TextWords& words_;
    bool all_;
};

}  // namespace

void draw_tokens(Page& page, const Report& report, TextWords& words, bool all) {
    TokenBlock(page, report, words, all).draw();
}

}  // namespace agent_audit::report
