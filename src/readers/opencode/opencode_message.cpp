#include "readers/opencode/opencode_message.hpp"

namespace agent_audit::readers {
namespace {

bool collect_tokens(json::value& v, OpencodeTokens& tokens) {
    tokens.seen = is_object(v);
    return each_field(v, [&](const char* key, json::value& n) {
        if (key_is(key, "input"))
            tokens.input = as_uint(n);
        else if (key_is(key, "output"))
            tokens.output = as_uint(n);
        else if (key_is(key, "reasoning"))
            tokens.reasoning = as_uint(n);
        else if (key_is(key, "total"))
            tokens.total = as_uint(n);
        else if (key_is(key, "cache"))
            return each_field(n, [&](const char* k, json::value& w) {
                if (key_is(k, "read")) tokens.read = as_uint(w);
                if (key_is(k, "write")) tokens.write = as_uint(w);
                return true;
            });
        return true;
    });
}

bool collect_time(json::value& v, OpencodePart& part) {
    return each_field(v, [&](const char* key, json::value& w) {
        if (key_is(key, "start") || key_is(key, "created") || key_is(key, "ran")) part.begun_ms = unix_time(w);
        if (key_is(key, "end") || key_is(key, "completed")) part.ended_ms = unix_time(w);
        return true;
    });
}

// A text, or an object that has one.
bool collect_output(json::value& v, RawText& text) {
    if (!is_object(v)) {
        text = any_text(v);
        return true;
    }
    return each_field(v, [&](const char* key, json::value& w) {
        if (is_string(w) && (key_is(key, "text") || key_is(key, "output"))) text = text_of(raw_string(w));
        return true;
    });
}

}  // namespace

bool OpencodeCollector::collect_info(const char* key, json::value& v) {
    if (key_is(key, "id"))
        info_.id = raw_string(v);
    else if (key_is(key, "role"))
        info_.role = raw_string(v);
    else if (key_is(key, "parentID"))
        info_.parent = raw_string(v);
    else if (key_is(key, "directory"))
        info_.directory = raw_string(v);
    else if (key_is(key, "version"))
        info_.version = raw_string(v);
    else if (key_is(key, "modelID"))
        info_.model = raw_string(v);
    else if (key_is(key, "cost"))
        info_.cost = number_or(v, 0);
    else if (key_is(key, "summary"))
        info_.is_summary = is_true(v);
    else if (key_is(key, "time_created"))
        info_.time_ms = unix_time(v);
    else if (key_is(key, "time"))
        return each_field(v, [this](const char* k, json::value& w) {
            if (key_is(k, "created")) info_.time_ms = unix_time(w);
            if (key_is(k, "completed")) info_.completed_ms = unix_time(w);
            return true;
        });
    else if (key_is(key, "tokens"))
        return collect_tokens(v, info_.tokens);
    else if (key_is(key, "error"))
        return collect_error(v, &info_.error, info_.error_text);
    return true;
}

bool OpencodeCollector::collect_parts(json::value& v) { return collect_list(v, &OpencodeCollector::collect_part); }

bool OpencodeCollector::collect_error(json::value& v, std::string_view* name, RawText& text) {
    if (is_string(v)) text = text_of(raw_string(v));
    return each_field(v, [&](const char* key, json::value& w) {
        if ((key_is(key, "name") || key_is(key, "type")) && name)
            *name = raw_string(w);
        else if (key_is(key, "message"))
            text = any_text(w);
        else if (key_is(key, "data"))
            return each_field(w, [&](const char* k, json::value& x) {
                if (key_is(k, "message")) text = any_text(x);
                return true;
            });
        return true;
    });
}

// The parts of a message, by what collects a field of one.
bool OpencodeCollector::collect_list(json::value& v, CollectField collect) {
    return each_element(v, [&](json::value& part) {
        OpencodePart* next = is_object(part) ? parts_.next() : nullptr;
        return !next || each_field(part, [&](const char* k, json::value& w) { return (this->*collect)(k, w, *next); });
    });
}

bool OpencodeCollector::collect_part(const char* key, json::value& v, OpencodePart& part) {
    if (key_is(key, "id"))
        part.id = raw_string(v);
    else if (key_is(key, "type"))
        part.type = raw_string(v);
    else if (key_is(key, "messageID"))
        part.message_id = raw_string(v);
    else if (key_is(key, "text"))
        part.text = text_of(raw_string(v));
    else if (key_is(key, "synthetic"))
        part.synthetic = is_true(v);
    else if (key_is(key, "ignored"))
        part.ignored = is_true(v);
    else if (key_is(key, "auto"))
        part.automatic = is_true(v);
    else if (key_is(key, "attempt"))
        part.attempt = as_uint(v);
    else if (key_is(key, "callID"))
        part.call_id = raw_string(v);
    else if (key_is(key, "tool"))
        part.tool = raw_string(v);
    else if (key_is(key, "command"))
        part.command = raw_string(v);
    else if (key_is(key, "cost"))
        part.cost = number_or(v, 0);
    else if (key_is(key, "tokens"))
        return collect_tokens(v, part.tokens);
    else if (key_is(key, "error"))
        return collect_error(v, nullptr, part.error);
    else if (key_is(key, "time"))
        return collect_time(v, part);
    else if (key_is(key, "state"))
        return each_field(v, [&](const char* k, json::value& w) { return collect_state(k, w, part); });
    else if (key_is(key, "metadata"))
        return each_field(v, [&](const char* k, json::value& w) {
            part.compacted |= key_is(k, "compaction_continue") && is_true(w);
            return true;
        });
    return true;
}

bool OpencodeCollector::collect_state(const char* key, json::value& v, OpencodePart& part) {
    if (key_is(key, "status"))
        part.status = raw_string(v);
    else if (key_is(key, "input")) {
        if (!is_null(v)) part.args = args_.digest_value({}, v);
    } else if (key_is(key, "output"))
        part.output = any_text(v);
    else if (key_is(key, "error"))
        part.error = any_text(v);
    else if (key_is(key, "attachments"))
        return collect_attachments(v, part);
    else if (key_is(key, "time"))
        return collect_time(v, part);
    else if (key_is(key, "metadata"))
        return each_field(v, [&](const char* k, json::value& w) {
            if (!key_is(k, "exit")) return true;
            part.exit_code = small_int(w);
            part.no_exit_code = is_null(w);
            return true;
        });
    return true;
}

// Version 2 may tell of the same files among the blocks of the content.
bool OpencodeCollector::collect_attachments(json::value& v, OpencodePart& part) {
    std::uint32_t media = 0;
    std::uint64_t hash = 0;
    const bool whole = each_element(v, [&](json::value& file) {
        std::string_view mime, url;
        const bool good = each_field(file, [&](const char* key, json::value& w) {
            if (key_is(key, "mime")) mime = raw_string(w);
            if (key_is(key, "url")) url = raw_string(w);
            return true;
        });
        if (mime.empty() || mime.starts_with("text/")) return good;
        ++media;
        hash = with_media(hash, url);
        return good;
    });
    part.media = std::max(part.media, media);
    if (part.media_hash == 0) part.media_hash = hash;
    return whole;
}

bool OpencodeCollector::collect_entry(const char* key, json::value& v) {
    if (key_is(key, "type"))
        entry_.type = raw_string(v);
    else if (key_is(key, "text"))
        entry_.text = text_of(raw_string(v));
    else if (key_is(key, "status"))
        entry_.status = raw_string(v);
    else if (key_is(key, "reason"))
        entry_.reason = raw_string(v);
    else if (key_is(key, "outcome"))
        entry_.outcome = raw_string(v);
    else if (key_is(key, "summary"))
        entry_.summary = text_of(raw_string(v));
    else if (key_is(key, "command"))
        entry_.command = args_.digest_text("bash", text_of(raw_string(v)));
    else if (key_is(key, "output"))
        return collect_output(v, entry_.output);
    else if (key_is(key, "exit"))
        entry_.exit_code = small_int(v);
    else if (key_is(key, "files"))
        return each_element(v, [this](json::value&) { return ++entry_.files > 0; });
    else if (key_is(key, "model"))
        return each_field(v, [this](const char* k, json::value& w) {
            if (key_is(k, "id")) info_.model = raw_string(w);
            return true;
        });
    else if (key_is(key, "content"))
        return collect_list(v, &OpencodeCollector::collect_content);
    else if (key_is(key, "retry")) {
        OpencodePart* next = is_object(v) ? parts_.next() : nullptr;
        if (!next) return true;
        next->type = "retry";
        return each_field(v, [&](const char* k, json::value& w) { return collect_part(k, w, *next); });
    } else
        return collect_info(key, v);
    return true;
}

bool OpencodeCollector::collect_content(const char* key, json::value& v, OpencodePart& part) {
    if (key_is(key, "id"))
        part.id = part.call_id = raw_string(v);
    else if (key_is(key, "name"))
        part.tool = raw_string(v);
    else if (key_is(key, "state"))
        return each_field(v, [&](const char* k, json::value& w) {
            if (key_is(k, "content")) {
                const Content content = read_content(w);
                part.output = content.text;
                part.media = std::max(part.media, content.media);
                if (content.media_hash != 0) part.media_hash = content.media_hash;
                return true;
            }
            if (key_is(k, "error")) return collect_error(w, nullptr, part.error);
            // While it is streamed it is a text that ends anywhere.
            return (key_is(k, "input") && !is_object(w)) || collect_state(k, w, part);
        });
    else
        return collect_part(key, v, part);
    return true;
}

}  // namespace agent_audit::readers
