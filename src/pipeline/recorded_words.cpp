#include "pipeline/recorded_words.hpp"

#include "tokens/stringified.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
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

    std::string read(std::uint64_t place, std::uint64_t length) const {
        std::string out(length, '\0');
        if (!fill(out.data(), place, length)) out.clear();
        return out;
    }
    /// The same for words that are made of it at once; valid until the next call.
    std::string_view look(std::uint64_t place, std::uint64_t length) {
        constexpr std::size_t kKept = 1u << 20;
        if (buffer_.size() < length || buffer_.size() > kKept) buffer_ = std::string(std::max<std::size_t>(length, kFirst), '\0');
        return fill(buffer_.data(), place, length) ? std::string_view(buffer_).substr(0, length) : std::string_view();
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
    static constexpr std::size_t kFirst = 16u << 10;

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
        std::string read(std::uint64_t place, std::uint64_t length) const override {
            // What is the text as it stands is read to where it is wanted.
            if (as_ == WordsAs::text && form_ != TextForm::json_string) return file_->read(place, length);
            return simulator::words_of({file_->look(place, length), form_}, as_);
        }

    private:
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
    plain_ = length > 0 && recording_->file->read(record->where.offset, length) == record->text.substr(0, length);
}

Text RecordedWords::keep(RawText raw, WordsAs as, const TextTally& counted) {
    if (raw.empty()) return {};
    // What JSON.stringify would only write again is a text like any other.
    if (as == WordsAs::arguments && raw.form == TextForm::json_value && is_stringified(raw.bytes, counted)) as = WordsAs::text;
    const bool parsed = as == WordsAs::arguments || (as == WordsAs::content && raw.form == TextForm::json_value);
    const bool escaped = !parsed && raw.form == TextForm::json_string && (!counted.sound || counted.escapes > 0);
    // Most texts are never asked for: it is enough to know how long they would be.
    std::optional<simulator::TextSizes> sizes;
    if (!parsed) sizes = raw.form == TextForm::json_value ? counted.sizes_as_written() : counted.sizes();
    if (!sizes && escaped) sizes = simulator::measure_json_string(raw.bytes);
    if (!sizes || sizes->bytes <= kShort) {
        const std::string decoded = parsed || escaped ? simulator::words_of(raw, as) : std::string();
        const std::string_view words = parsed || escaped ? std::string_view(decoded) : raw.bytes;
        if (words.size() <= kShort) return Text(std::string(words));
        sizes = simulator::measure(words);
    }
    if (record_ && plain_ && record_->part == RecordPart::whole && !record_->abridged) {
        const std::string_view text = record_->text;
        const std::less_equal<const char*> before;
        if (before(text.data(), raw.bytes.data()) &&
            before(raw.bytes.data() + raw.size(), text.data() + text.size())) {
            const auto offset = static_cast<std::uint64_t>(raw.bytes.data() - text.data());
            return Text(recording_->source(raw.form, as), record_->where.offset + offset, raw.size(), *sizes);
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
    return Text(spill_->source(raw.form, as), place, raw.size(), *sizes);
}

}  // namespace agent_audit
