#pragma once

#include <cstddef>
#include <string_view>

namespace agent_audit::detectors {

/// Whether two answers to one call say the same but for ids that somebody drew at random for each of them: of requests
/// and traces (4bf92f3577b34da6, req_011CWk…, a ULID), seconds since 1970, ports of a connection, numbers of threads,
/// the number of the case or the reference under which it was filed. An answer that is nothing but such an id is
/// another answer: it takes three equal words beside it. Raw texts, either escaped both or neither.
bool same_but_ids(std::string_view a, std::string_view b);

/// Letters and digits in no order, as they are drawn for a request. Names have one number in them, or two.
bool is_opaque_id(std::string_view word);
inline constexpr std::size_t kShortestOpaqueId = 12;

/// Whether two commands differ in nothing but names that were drawn for them: the number of a trace or a request that
/// is handed over (`TRACE_ID=4d98eb0f`, `X-Request-Id: …`), and the name of a file under /tmp that is written.
bool same_but_drawn_names(std::string_view a, std::string_view b);

/// What a notebook shows of a value, without the number of the cell that counts on: Out[7]: …
std::string_view without_cell_number_of(std::string_view text);
inline std::string_view without_cell_number(std::string_view text) {
    return text.size() > 4 && text[0] == 'O' && text[3] == '[' ? without_cell_number_of(text) : text;
}

/// Do two answers of `git stash pop` differ in nothing but the commit that git drops at their end, "Dropped
/// refs/stash@{0} (1f0c…)"? It holds the time at which the work was laid aside.
bool same_but_stash(std::string_view a, std::string_view b);

}  // namespace agent_audit::detectors
