#pragma once

namespace agent_audit {

/// Behind the digits that begin at `at`; `at` where none does.
inline const char* digits_end(const char* at, const char* end) {
    while (at < end && *at >= '0' && *at <= '9') ++at;
    return at;
}

/// Behind the number as JSON spells it (RFC 8259, section 6) that begins at `at`; null where none does.
inline const char* json_number_end(const char* at, const char* end) {
    if (at < end && *at == '-') ++at;
    const char* const whole = at;
    at = digits_end(whole, end);
    if (at == whole || (*whole == '0' && at - whole > 1)) return nullptr;
    if (at < end && *at == '.') {
        const char* const fraction = at + 1;
        at = digits_end(fraction, end);
        if (at == fraction) return nullptr;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        ++at;
        if (at < end && (*at == '+' || *at == '-')) ++at;
        const char* const exponent = at;
        at = digits_end(exponent, end);
        if (at == exponent) return nullptr;
    }
    return at;
}

}  // namespace agent_audit
