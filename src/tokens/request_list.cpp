#include <agent_audit/tokens/request_list.hpp>

#include <algorithm>
#include <cstring>

namespace agent_audit {
namespace {

// What a request has that most have not, and what it shares with the one before it in its block.
enum Flag : unsigned char {
    kSidechain = 1,
    kSameLane = 2,
    kSameModel = 4,
    kHasMessage = 8,
    kHasReasoning = 16,
    kHasHour = 32,  // cache_write_1h
};

constexpr std::size_t kMessageBytes = 8, kRequestBytes = 3;
constexpr std::size_t kLongestNumber = 5;
constexpr std::size_t kLongest = 1 + kMessageBytes + kRequestBytes + 8 * kLongestNumber;

// Seven bits a byte, the lowest first (LEB128).
unsigned char* put(unsigned char* out, std::uint32_t number) {
    for (; number >= 0x80; number >>= 7) *out++ = static_cast<unsigned char>(number | 0x80);
    *out++ = static_cast<unsigned char>(number);
    return out;
}

std::uint32_t take(const unsigned char*& in) {
    std::uint32_t number = *in & 0x7f;
    for (unsigned shift = 7; (*in++ & 0x80) != 0; shift += 7) number |= static_cast<std::uint32_t>(*in & 0x7f) << shift;
    return number;
}

unsigned char* write_packed(unsigned char* out, const RequestRecord& r, const RequestRecord& before) {
    unsigned flags = 0;
    if (r.sidechain) flags |= kSidechain;
    if (r.lane == before.lane) flags |= kSameLane;
    if (r.model == before.model) flags |= kSameModel;
    if (r.message_key != 0) flags |= kHasMessage;
    if (r.reasoning != 0) flags |= kHasReasoning;
    if (r.cache_write_1h != 0) flags |= kHasHour;
    *out++ = static_cast<unsigned char>(flags);
    if (flags & kHasMessage) {
        std::memcpy(out, &r.message_key, kMessageBytes);
        out += kMessageBytes;
    }
    for (unsigned byte = 0; byte < kRequestBytes; ++byte)
        *out++ = static_cast<unsigned char>(r.request_key >> 8 * byte);
    if (!(flags & kSameLane)) out = put(out, r.lane);
    if (!(flags & kSameModel)) out = put(out, r.model);
    for (const std::uint32_t count : {r.input, r.cache_write, r.cache_read, r.output}) out = put(out, count);
    if (flags & kHasReasoning) out = put(out, r.reasoning);
    if (flags & kHasHour) out = put(out, r.cache_write_1h);
    return out;
}

// `r` holds the request before it.
void read_packed(const unsigned char*& in, RequestRecord& r) {
    const unsigned flags = *in++;
    r.sidechain = (flags & kSidechain) != 0;
    r.message_key = 0;
    if (flags & kHasMessage) {
        std::memcpy(&r.message_key, in, kMessageBytes);
        in += kMessageBytes;
    }
    r.request_key = 0;
    for (unsigned byte = 0; byte < kRequestBytes; ++byte)
        r.request_key |= static_cast<std::uint32_t>(*in++) << 8 * byte;
    if (!(flags & kSameLane)) r.lane = take(in);
    if (!(flags & kSameModel)) r.model = take(in);
    for (std::uint32_t* count : {&r.input, &r.cache_write, &r.cache_read, &r.output}) *count = take(in);
    r.reasoning = flags & kHasReasoning ? take(in) : 0;
    r.cache_write_1h = flags & kHasHour ? take(in) : 0;
}

}  // namespace

RequestRecord& RequestList::push_back(const RequestRecord& request) {
    RequestRecord& place = open_[size_ % kOpen];
    if (size_ >= kOpen) pack(place);
    ++size_;
    return place = request;
}

// `request` is the first one that is not packed.
void RequestList::pack(const RequestRecord& request) {
    const std::size_t number = size_ - kOpen;
    if (number % kBlock == 0 && number > 0) {
        auto block = std::make_shared<unsigned char[]>(tail_.size());
        std::memcpy(block.get(), tail_.data(), tail_.size());
        blocks_.push_back(std::move(block));
        tail_.clear();
    }
    if (number % kBlock == 0) before_ = {};
    unsigned char bytes[kLongest];
    const unsigned char* end = write_packed(bytes, request, before_);
    tail_.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(end - bytes));
    before_ = request;
}

void RequestList::rename_model(std::uint32_t model, std::uint32_t name) {
    while (names_.size() <= model) names_.push_back(static_cast<std::uint32_t>(names_.size()));
    names_[model] = name;
}

void RequestList::drop_before(std::size_t number) {
    for (; dropped_ < std::min(number / kBlock, blocks_.size()); ++dropped_) blocks_[dropped_].reset();
}

RequestList::Iterator::Iterator(const RequestList& list, std::size_t number) : list_(&list), number_(number) {
    if (number >= list.size_) return;
    if (number < list.packed()) {
        number_ = number - number % kBlock;
        for (load(); number_ < number;) ++*this;
    } else {
        load();
    }
}

RequestList::Iterator& RequestList::Iterator::operator++() {
    if (++number_ < list_->size_) load();
    return *this;
}

void RequestList::Iterator::load() {
    if (number_ >= list_->packed()) {
        now_ = list_->open_[number_ % kOpen];
    } else {
        if (number_ % kBlock == 0) {
            const std::size_t block = number_ / kBlock;
            at_ = block < list_->blocks_.size() ? list_->blocks_[block].get()
                                                : reinterpret_cast<const unsigned char*>(list_->tail_.data());
            now_ = {};
        }
        read_packed(at_, now_);
    }
    if (now_.model < list_->names_.size()) now_.model = list_->names_[now_.model];
}

}  // namespace agent_audit
