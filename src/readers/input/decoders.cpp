#include "readers/input/decoders.hpp"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

namespace agent_audit::readers {

struct Decoders::Impl {
    std::unique_ptr<char[]> input;
    std::optional<z_stream> zlib;  // for gzip
    std::optional<z_stream> raw;   // for deflate without a frame
    ZSTD_DCtx* zstd = nullptr;

    ~Impl() {
        if (zlib) ::inflateEnd(&*zlib);
        if (raw) ::inflateEnd(&*raw);
        ::ZSTD_freeDCtx(zstd);
    }

    char* input_buffer() {
        if (!input) input = std::make_unique<char[]>(kDecoderInput);
        return input.get();
    }

    static constexpr int kGzipOnly = 15 + 16, kNoFrame = -15;

    static bool reset_stream(std::optional<z_stream>& stream, int window_bits) {
        if (stream) return ::inflateReset(&*stream) == Z_OK;
        stream.emplace();  // zlib keeps a pointer to it: it must not move from here on
        if (::inflateInit2(&*stream, window_bits) == Z_OK) return true;
        stream.reset();
        return false;
    }

    bool reset(Compression how) {
        switch (how) {
            case Compression::gzip: return reset_stream(zlib, kGzipOnly);
            case Compression::deflate: return reset_stream(raw, kNoFrame);
            default: return reset_zstd();
        }
    }

    bool reset_zstd() {
        if (!zstd) zstd = ::ZSTD_createDCtx();
        return zstd && !::ZSTD_isError(::ZSTD_DCtx_reset(zstd, ZSTD_reset_session_only));
    }

    /// A stream with a large window leaves megabytes behind that no other stream may need.
    void slim_zstd() {
        constexpr std::size_t kKeep = 4u << 20;
        if (!zstd || ::ZSTD_sizeof_DCtx(zstd) <= kKeep) return;
        ::ZSTD_freeDCtx(zstd);
        zstd = nullptr;
    }
};

Decoders::Decoders() : impl_(std::make_unique<Impl>()) {}
Decoders::~Decoders() = default;

namespace {

/// What gzip and zstd have in common: the input buffer, the totals and the watch for bombs.
class DecodedBytes : public ByteSource {
public:
    DecodedBytes(std::string_view name, std::unique_ptr<ByteSource> compressed, std::string_view first,
                 const InputLimits& limits, char* input)
        : name_(name), compressed_(std::move(compressed)), limits_(limits), input_(input), have_(first.size()) {
        if (!first.empty()) std::memcpy(input_, first.data(), first.size());
    }

    std::size_t read(char* into, std::size_t size) final {
        std::size_t done = 0;
        while (done == 0 && !over_) {
            // A full output may have left more behind in the decoder: ask for that before reading on.
            if (used_ == have_ && !full_ && !more_input()) break;
            done = decode(into, size);
            full_ = done == size;
            total_out_ += done;
            if (is_bomb()) {
                stop(fmt::format("looks like a decompression bomb: {} bytes came out of {}", total_out_, total_in_));
            }
        }
        return done;
    }

protected:
    /// Decodes pending input into `into`; 0 is fine as long as input was used.
    virtual std::size_t decode(char* into, std::size_t size) = 0;
    /// True when the input may end here.
    virtual bool complete() const = 0;

    std::string_view pending() const { return {input_ + used_, have_ - used_}; }
    void use(std::size_t bytes) {
        used_ += bytes;
        total_in_ += bytes;
    }
    /// Appends to the pending input; false at the end of it.
    bool more_input() {
        if (used_ == have_) used_ = have_ = 0;
        if (used_ > 0) {
            std::memmove(input_, input_ + used_, have_ - used_);
            have_ -= used_;
            used_ = 0;
        }
        const std::size_t got = compressed_->read(input_ + have_, kDecoderInput - have_);
        have_ += got;
        if (got > 0) return true;
        if (compressed_->error()) {
            stop(*compressed_->error());
        } else if (!complete()) {
            stop(fmt::format("the {} stream is cut off after {} decompressed bytes", name_, total_out_));
        }
        over_ = true;
        return false;
    }
    void damaged(std::string_view why) {
        stop(fmt::format("the {} stream is damaged after {} decompressed bytes: {}", name_, total_out_, why));
    }
    void finish() { over_ = true; }

private:
    void stop(std::string why) {
        fail(std::move(why));
        over_ = true;
    }
    bool is_bomb() const {
        return total_out_ > limits_.bomb_bytes && total_out_ / std::max(limits_.bomb_ratio, 1u) > total_in_;
    }

    std::string_view name_;
    std::unique_ptr<ByteSource> compressed_;
    InputLimits limits_;
    char* input_;
    std::size_t used_ = 0;
    std::size_t have_ = 0;
    std::uint64_t total_in_ = 0;
    std::uint64_t total_out_ = 0;
    bool full_ = false;
    bool over_ = false;
};

class GzipBytes final : public DecodedBytes {
public:
    GzipBytes(std::unique_ptr<ByteSource> compressed, std::string_view first, const InputLimits& limits,
              Decoders::Impl& decoders)
        : DecodedBytes("gzip", std::move(compressed), first, limits, decoders.input_buffer()), zlib_(*decoders.zlib) {}

private:
    std::size_t decode(char* into, std::size_t size) override {
        if (between_members_ && !next_member()) return 0;
        const std::string_view in = pending();
        // zlib does not write to its input; its interface is older than const.
        zlib_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
        zlib_.avail_in = static_cast<uInt>(in.size());
        zlib_.next_out = reinterpret_cast<Bytef*>(into);
        zlib_.avail_out = static_cast<uInt>(size);
        const int status = ::inflate(&zlib_, Z_NO_FLUSH);
        use(in.size() - zlib_.avail_in);
        if (status == Z_STREAM_END) {
            between_members_ = true;
        } else if (status != Z_OK && status != Z_BUF_ERROR) {
            damaged(zlib_.msg ? zlib_.msg : "not readable");
        }
        return size - zlib_.avail_out;
    }

    bool complete() const override { return between_members_; }

    /// Behind a member comes another one, or zeros up to the end of a block, or what does not belong there.
    bool next_member() {
        while (!pending().empty() && pending()[0] == '\0') use(1);
        if (pending().empty()) return false;
        const bool whole_magic = pending().size() >= 2 || more_input();
        if (!whole_magic || compression_of(pending()) != Compression::gzip || ::inflateReset(&zlib_) != Z_OK) {
            damaged("what follows is not gzip");
            return false;
        }
        between_members_ = false;
        return true;
    }

    z_stream& zlib_;
    bool between_members_ = false;
};

class ZstdBytes final : public DecodedBytes {
public:
    ZstdBytes(std::unique_ptr<ByteSource> compressed, std::string_view first, const InputLimits& limits,
              Decoders::Impl& decoders)
        : DecodedBytes("zstd", std::move(compressed), first, limits, decoders.input_buffer()), decoders_(decoders) {}
    ~ZstdBytes() override { decoders_.slim_zstd(); }

private:
    std::size_t decode(char* into, std::size_t size) override {
        if (frame_done_ && pending().empty()) return 0;
        ZSTD_inBuffer in{pending().data(), pending().size(), 0};
        ZSTD_outBuffer out{into, size, 0};
        const std::size_t status = ::ZSTD_decompressStream(decoders_.zstd, &out, &in);
        use(in.pos);
        if (::ZSTD_isError(status)) {
            damaged(::ZSTD_getErrorName(status));
            return out.pos;
        }
        frame_done_ = status == 0;
        return out.pos;
    }

    bool complete() const override { return frame_done_; }

    Decoders::Impl& decoders_;
    bool frame_done_ = false;
};

class DeflateBytes final : public DecodedBytes {
public:
    DeflateBytes(std::unique_ptr<ByteSource> compressed, const InputLimits& limits, Decoders::Impl& decoders)
        : DecodedBytes("deflate", std::move(compressed), {}, limits, decoders.input_buffer()), raw_(*decoders.raw) {}

private:
    std::size_t decode(char* into, std::size_t size) override {
        const std::string_view in = pending();
        raw_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
        raw_.avail_in = static_cast<uInt>(in.size());
        raw_.next_out = reinterpret_cast<Bytef*>(into);
        raw_.avail_out = static_cast<uInt>(size);
        const int status = ::inflate(&raw_, Z_NO_FLUSH);
        use(in.size() - raw_.avail_in);
        if (status == Z_STREAM_END) {
            complete_ = true;
            finish();
        } else if (status != Z_OK && status != Z_BUF_ERROR) {
            damaged(raw_.msg ? raw_.msg : "not readable");
        }
        return size - raw_.avail_out;
    }

    bool complete() const override { return complete_; }

    z_stream& raw_;
    bool complete_ = false;
};

/// Stands for a stream that could not even be begun.
class NoBytes final : public ByteSource {
public:
    explicit NoBytes(std::string why) { fail(std::move(why)); }
    std::size_t read(char*, std::size_t) override { return 0; }
};

}  // namespace

Compression compression_of(std::string_view first_bytes) {
    using namespace std::string_view_literals;
    if (first_bytes.starts_with("\x1f\x8b"sv)) return Compression::gzip;
    if (first_bytes.starts_with("\x28\xb5\x2f\xfd"sv)) return Compression::zstd;
    // A frame to be skipped: parallel and seekable compressors begin with one.
    const bool skippable = first_bytes.size() >= 4 && (static_cast<unsigned char>(first_bytes[0]) & 0xf0u) == 0x50 &&
                           first_bytes.substr(1, 3) == "\x2a\x4d\x18"sv;
    return skippable ? Compression::zstd : Compression::none;
}

std::unique_ptr<ByteSource> decoded_bytes(Compression how, std::unique_ptr<ByteSource> compressed,
                                          std::string_view first, const InputLimits& limits, Decoders& decoders) {
    Decoders::Impl& impl = decoders.impl();
    if (how == Compression::none) return compressed;
    if (!impl.reset(how)) return std::make_unique<NoBytes>("not enough memory to decompress");
    if (how == Compression::deflate) return std::make_unique<DeflateBytes>(std::move(compressed), limits, impl);
    if (how == Compression::gzip) return std::make_unique<GzipBytes>(std::move(compressed), first, limits, impl);
    return std::make_unique<ZstdBytes>(std::move(compressed), first, limits, impl);
}

std::string decoded_text(std::string bytes, std::size_t most) {
    const Compression how = bytes.size() > kMagicBytes ? compression_of(bytes) : Compression::none;
    if (how == Compression::none) return bytes;
    const std::string_view first(bytes.data(), kMagicBytes);
    const InputLimits limits;
    Decoders decoders;
    const auto source = decoded_bytes(how, memory_bytes(std::string_view(bytes).substr(kMagicBytes), kDecoderInput),
                                      first, limits, decoders);
    constexpr std::size_t kPiece = 64u << 10;
    std::string text;
    for (std::size_t got = 1; got > 0 && text.size() < most;) {
        const std::size_t before = text.size();
        text.resize(before + kPiece);
        got = source->read(text.data() + before, kPiece);
        text.resize(before + got);
    }
    return text;
}

}  // namespace agent_audit::readers
