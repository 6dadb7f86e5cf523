#include "model/unmeasured.hpp"

#include <string_view>

namespace agent_audit {
namespace {

struct Lack {
    Signals what;
    std::string_view name;
    std::string_view words;
};
constexpr Lack kLacks[] = {
    {unmeasured::kPrice, "price", "no price known of some requests (--prices)"},
    {unmeasured::kWindow, "window", "no context window known of some requests (--prices)"},
    {unmeasured::kLimit, "limit", "no limit is set"},
};

Signals of_recording(Signals missing) {
    for (const Lack& lack : kLacks) missing = missing.without(lack.what);
    return missing;
}

void append(std::string& list, std::string_view more) {
    if (!list.empty()) list += ", ";
    list += more;
}

}  // namespace

std::string missing_names(Signals missing) {
    std::string out;
    if (const Signals told = of_recording(missing); told.bits != 0) out = describe(told);
    for (const Lack& lack : kLacks) {
        if ((missing & lack.what).bits != 0) append(out, lack.name);
    }
    return out;
}

Signals missing_named(std::string_view names) {
    const std::string list = ", " + std::string(names) + ",";
    const auto holds = [&](std::string_view name) { return list.find(", " + std::string(name) + ",") != list.npos; };
    Signals out;
    for (const SignalInfo& signal : kSignals) {
        if (holds(signal.name)) out = out | signal.signal;
    }
    for (const Lack& lack : kLacks) {
        if (holds(lack.name)) out = out | lack.what;
    }
    return out;
}

std::string missing_words(Signals missing, SkipReason reason) {
    std::string out;
    if (const Signals told = of_recording(missing); told.bits != 0) {
        out = "no " + describe(told) + (reason == SkipReason::format ? " in the format" : " in the recording");
    }
    for (const Lack& lack : kLacks) {
        if ((missing & lack.what).bits != 0) append(out, lack.words);
    }
    return out;
}

}  // namespace agent_audit
