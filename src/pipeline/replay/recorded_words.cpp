#include "pipeline/replay/recorded_words.hpp"

#include "tokens/stringified.hpp"

#include <agent_audit/tokens/lengths.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>

namespace agent_audit {
namespace {

using simulator::Text;
using simulator::WordsAs;

constexpr std::size_t kForms = 3, kUses = 3;

}  // namespace

class RecordedWords::File {
public:
    explicit File(int fd) : fd_(fd) {}
    ~File() {
        if (fd_ >= 0) ::close(fd_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    /// Bytes as they stand, in `scratch`, which grows where it must.
    std::string_view read(std::uint64_t place, std::uint64_t length, std::string& scratch) const {
        if (scratch.size() < length) scratch = std::string(std::max<std::size_t>(length, 2 * scratch.size()), '\0');
        return fill(scratch.data(), place, length) ? std::string_view(scratch).substr(0, length) : std::string_view();
    }
    /// The same for words that are made of it at once; valid until the next call.
    std::string_view look(std::uint64_t place, std::uint64_t length) {
        constexpr std::size_t kKept = 1u << 20;
        if (buffer_.size() > kKept) buffer_ = {};
        return read(place, length, buffer_);
    }
    bool append(std::string_view bytes) {
        while (fd_ >= 0 && !bytes.empty()) {
            const ssize_t n = ::write(fd_, bytes.data(), bytes.size());
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) return false;
            bytes.remove_prefix(static_cast<std::size_t>(n));
        }
        return fd_ >= 0;
    }

private:
    bool fill(char* to, std::uint64_t place, std::uint64_t length) const {
        std::size_t got = 0;
        while (fd_ >= 0 && got < length) {
            const ssize_t n = ::pread(fd_, to + got, length - got, static_cast<off_t>(place + got));
            if (n < 0 && errno == EINTR) continue;
            if (n <= 0) break;
            got += static_cast<std::size_t>(n);
        }
        return got == length;
    }

    int fd_;
    std::string buffer_;
};

struct RecordedWords::Kinds {
    class Source final : public simulator::TextSource {
    public:
        Source(std::shared_ptr<File> file, TextForm form, WordsAs as) : file_(std::move(file)), form_(form), as_(as) {}
        std::string_view read(std::uint64_t place, std::uint64_t length, std::size_t least,
                              std::string& scratch) const override {
            if (parsed()) return scratch = simulator::words_of({file_->look(place, length), form_}, as_);
            // What is the text as it stands is read to where it is wanted.
            if (form_ != TextForm::json_string)
                return file_->read(place, std::min<std::uint64_t>(length, least), scratch);
            const std::uint64_t likely = std::min(length, mostly_enough(least));
            const std::string_view front = wtf8_into({file_->look(place, likely), form_}, scratch);
            if (likely == length || front.size() >= least + kPair) return front;
            return wtf8_into({file_->look(place, std::min(length, enough(least))), form_}, scratch);
        }

    private:
        bool parsed() const {
            return as_ == WordsAs::arguments || (as_ == WordsAs::content && form_ == TextForm::json_value);
        }
        static constexpr std::size_t kEscape = 6, kPair = 2 * kEscape;  // bytes; a cut one makes no more than it has

        /// Bytes of the recording that make so many of words, wherever an escape is cut.
        static std::uint64_t enough(std::size_t words) {
            constexpr std::size_t kMany = 1u << 30;
            return words > kMany ? UINT64_MAX : kEscape * words + kPair;
        }
        /// The same where one character in eight is a line's end or a quote, as in prose and code.
        static std::uint64_t mostly_enough(std::size_t words) {
            return std::min<std::uint64_t>(enough(words), std::uint64_t{words} + words / 8 + 2 * kPair);
        }

        std::shared_ptr<File> file_;
        TextForm form_;
        WordsAs as_;
    };

    explicit Kinds(int fd) : file(std::make_shared<File>(fd)) {
        for (std::size_t form = 0; form < kForms; ++form) {
            for (std::size_t as = 0; as < kUses; ++as) {
                sources[form][as] =
                    std::make_shared<Source>(file, static_cast<TextForm>(form), static_cast<WordsAs>(as));
            }
        }
    }
    const std::shared_ptr<const Source>& source(TextForm form, WordsAs as) const {
        return sources[static_cast<std::size_t>(form)][static_cast<std::size_t>(as)];
    }

    std::shared_ptr<File> file;
    std::array<std::array<std::shared_ptr<const Source>, kUses>, kForms> sources;
};

RecordedWords::RecordedWords(const std::string& path) {
    const int fd = path == "-" ? -1 : ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    recording_ = std::make_unique<Kinds>(fd);
}
RecordedWords::~RecordedWords() = default;

void RecordedWords::reading(const Record* record) {
    record_ = record;
    if (!record || checked_) return;
    // Offsets are those of the decompressed input: the first record tells whether they are the file's own.
    checked_ = true;
    const std::size_t length = std::min<std::size_t>(record->text.size(), 4096);
    plain_ = length > 0 && recording_->file->look(record->where.offset, length) == record->text.substr(0, length);
}

Text RecordedWords::keep(RawText raw, WordsAs as, const TextTally& counted) {
    if (raw.empty()) return {};
    // What JSON.stringify would only write again is a text like any other.
    if (as == WordsAs::arguments && raw.form == TextForm::json_value && is_stringified(raw.bytes, counted))
        as = WordsAs::text;
    const bool parsed = as == WordsAs::arguments || (as == WordsAs::content && raw.form == TextForm::json_value);
    const bool escaped = !parsed && raw.form == TextForm::json_string && (!counted.sound || counted.escapes > 0);
    // Most texts are never asked for: it is enough to know how long they would be.
    std::optional<simulator::TextSizes> sizes;
    if (!parsed) sizes = raw.form == TextForm::json_value ? counted.sizes_as_written() : counted.sizes();
    if (!sizes && escaped) sizes = simulator::measure_json_string(raw.bytes);
    if (!sizes || sizes->bytes <= kShort) {
        std::string words = parsed || escaped ? simulator::words_of(raw, as) : std::string(raw.bytes);
        if (!sizes) sizes = simulator::measure(words);
        if (words.size() <= kShort) return Text(std::move(words), *sizes);
    }
    const bool as_it_stands = !parsed && raw.bytes.front() != '\\';
    const char first = as_it_stands ? raw.bytes.front() : '\0';
    if (record_ && plain_ && record_->part == RecordPart::whole && !record_->abridged) {
        const std::string_view text = record_->text;
        const std::less_equal<const char*> before;
        if (before(text.data(), raw.bytes.data()) && before(raw.bytes.data() + raw.size(), text.data() + text.size())) {
            const auto offset = static_cast<std::uint64_t>(raw.bytes.data() - text.data());
            return Text(recording_->source(raw.form, as), record_->where.offset + offset, raw.size(), *sizes, first);
        }
    }
    if (!spill_) {
        int fd = -1;
        if (std::FILE* file = std::tmpfile()) {
            fd = ::fcntl(::fileno(file), F_DUPFD_CLOEXEC, 0);
            std::fclose(file);
        }
        spill_ = std::make_unique<Kinds>(fd);
    }
    full_ = full_ || spilled_ + raw.size() > kMaxSpill || !spill_->file->append(raw.bytes);
    if (full_) return Text(nullptr, 0, 0, *sizes);
    const std::uint64_t place = spilled_;
    spilled_ += raw.size();
    return Text(spill_->source(raw.form, as), place, raw.size(), *sizes, first);
}

}  // namespace agent_audit
