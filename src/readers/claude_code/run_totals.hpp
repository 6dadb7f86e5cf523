#pragma once

#include "readers/json/json_util.hpp"

#include <agent_audit/model/event.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace agent_audit::readers {

/// What the responses of a run told, against the totals that its result tells (Claude Code's stream-json). Responses
/// are often written with the figures of their beginning only, and those of helpers not at all: the result tells all of
/// a run. Totals run on through the results of one stream, and through the runs of a session that is resumed; newer
/// versions tell beside them what is new.
class RunTotals {
public:
    static constexpr std::size_t kMaxModels = 64;

    /// A response told `usage` for `model`; again for each of its records, of which the best counts. `main`: it is of
    /// the conversation itself and of none of its helpers.
    void told(const Usage& usage, std::string_view model, bool main);

    /// The totals of a result begin: nothing is known of them yet. `alone`: they hold what came since the last result
    /// and nothing of before; false: they run on.
    void begin(bool alone) {
        totals_.clear();
        alone_ = alone;
    }
    /// Where to write the total of a model; `model` lives until rest(). Null: no more models are kept.
    TokenCounts* total_of(std::string_view model);
    /// The totals tell the window of a model, too.
    void window_is(std::string_view model, std::uint64_t tokens);
    /// Of the model that the conversation was with last. Where the totals do not use its name: the one that all models
    /// have, or 0.
    std::uint64_t window() const;

    /// What a result tells beyond the responses.
    struct More {
        std::string_view model;  ///< empty: whichever it was, or that of the response
        TokenCounts tokens;      ///< with `of`: all of that response, as it is now known
        struct Response {
            std::uint64_t message = 0, request = 0;  ///< as in Usage
        };
        std::optional<Response>
            of;  ///< the last response of the model, which stands for all of them; none: a request more
    };
    /// The result is read and tells the totals above, or `all` only. The next run begins.
    std::vector<More> rest(const std::optional<TokenCounts>& all);

private:
    struct Model {
        IdHash name = 0;
        TokenCounts since, total;  // told since the last result; its running total then
        bool matched = false;
        std::uint64_t window = 0;  // 0: not told
    };
    struct Response {
        std::uint64_t message = 0, request = 0;
        IdHash model = 0;
        TokenCounts tokens;
    };

    Model* model_of(IdHash name);
    std::optional<More> rest_of(std::string_view model, const TokenCounts& total, TokenCounts& elsewhere,
                                bool may_join);
    const Response* last_of(IdHash model) const;
    const Response* last_unmatched() const;

    std::vector<std::pair<std::string_view, TokenCounts>> totals_;  // of the result being read
    bool alone_ = false;                                            // they are no running ones
    std::vector<Model> models_;
    IdHash main_ = 0;                      // the model that the conversation was with last
    std::array<Response, 4> responses_{};  // the last ones; who adds up remembers eight
    std::size_t next_ = 0;
};

}  // namespace agent_audit::readers
