#include "readers/input/zip_directory.hpp"

#include <agent_audit/support/hash.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>

namespace agent_audit::readers {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kEndBytes = 22, kLocatorBytes = 20, kEnd64Bytes = 56, kListedBytes = 46;
constexpr std::size_t kLongestComment = 0xffff;
/// The directory is read through a window that holds any one of its entries.
constexpr std::size_t kWindow = 256u << 10;
/// More entries than anybody's evaluation has samples; what is kept of each is a hundred bytes.
constexpr std::uint64_t kMostListed = 1'000'000;
constexpr std::size_t kMostWanted = 200'000;

std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t size) {
    std::uint64_t value = 0;
    for (std::size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

std::string bytes_at(const RandomBytes& archive, std::uint64_t offset, std::size_t size) {
    std::string bytes(size, '\0');
    bytes.resize(archive.read_at(offset, bytes.data(), size));
    return bytes;
}

struct Directory {
    std::uint64_t offset = 0, size = 0, entries = 0;
};

/// Archives beyond 4 GiB or 65,535 entries say so in a second record before the last one.
std::optional<Directory> directory64(const RandomBytes& archive, std::uint64_t end_record) {
    if (end_record < kLocatorBytes) return std::nullopt;
    const std::string locator = bytes_at(archive, end_record - kLocatorBytes, kLocatorBytes);
    if (locator.size() < kLocatorBytes || !locator.starts_with("PK\x06\x07"sv)) return std::nullopt;
    const std::string end64 = bytes_at(archive, number(locator, 8, 8), kEnd64Bytes);
    if (end64.size() < kEnd64Bytes || !end64.starts_with("PK\x06\x06"sv)) return std::nullopt;
    return Directory{number(end64, 48, 8), number(end64, 40, 8), number(end64, 32, 8)};
}

std::optional<Directory> find_directory(const RandomBytes& archive) {
    const std::uint64_t size = archive.size();
    const std::uint64_t look = std::min<std::uint64_t>(size, kEndBytes + kLongestComment);
    const std::string tail = bytes_at(archive, size - look, static_cast<std::size_t>(look));
    for (std::size_t at = tail.rfind("PK\x05\x06"sv); at != tail.npos; at = tail.rfind("PK\x05\x06"sv, at - 1)) {
        if (tail.size() - at >= kEndBytes && at + kEndBytes + number(tail, at + 20, 2) <= tail.size()) {
            const std::uint64_t end_record = size - look + at;
            Directory found{number(tail, at + 16, 4), number(tail, at + 12, 4), number(tail, at + 10, 2)};
            const bool full = found.offset == 0xffffffff || found.size == 0xffffffff || found.entries == 0xffff;
            if (const auto large = full ? directory64(archive, end_record) : std::nullopt) found = *large;
            if (found.offset <= end_record && found.size <= end_record - found.offset) return found;
        }
        if (at == 0) break;
    }
    return std::nullopt;
}

enum class Wanted : std::uint8_t { no, head, draft, session };

Wanted wanted(std::string_view name) {
    if (name == "header.json") return Wanted::head;
    if (name == "_journal/start.json") return Wanted::draft;
    return name.starts_with("samples/") && name.ends_with(".json") ? Wanted::session : Wanted::no;
}

Wanted wanted_of_files(std::string_view name) {
    const Wanted of_evaluation = wanted(name);
    if (of_evaluation == Wanted::head || of_evaluation == Wanted::draft) return of_evaluation;
    return name.empty() || name.ends_with('/') ? Wanted::no : Wanted::session;
}

/// Sizes and places that do not fit into 32 bits stand in an extra field, in this order, those that are needed only.
void read_extra(std::string_view extra, ZipEntry& entry) {
    while (extra.size() >= 4) {
        const std::uint64_t id = number(extra, 0, 2), size = number(extra, 2, 2);
        extra.remove_prefix(4);
        std::string_view field = extra.substr(0, size);
        extra.remove_prefix(field.size());
        if (id != 1) continue;
        for (std::uint64_t* value : {&entry.size, &entry.packed, &entry.header}) {
            if (*value != 0xffffffff || field.size() < 8) continue;
            *value = number(field, 0, 8);
            field.remove_prefix(8);
        }
    }
}

class Lister {
public:
    enum class Of : bool { evaluation, files };
    Lister(const RandomBytes& archive, const Directory& directory, Of what)
        : archive_(archive), directory_(directory), of_files_(what == Of::files) {}

    bool is_evaluation() const { return head_ || draft_; }

    ZipListing list() {
        std::uint64_t at = directory_.offset;
        const std::uint64_t end = directory_.offset + directory_.size;
        for (std::uint64_t listed = 0; at < end; ++listed) {
            if (listed == kMostListed || sessions_.size() >= kMostWanted) {
                problem(fmt::format("the ZIP archive lists more entries than the {} that are read", listed));
                break;
            }
            const std::size_t used = entry_at(at, end);
            if (used == 0) {
                problem(fmt::format("the directory of the ZIP archive is damaged after {} entries", listed));
                break;
            }
            at += used;
        }
        keep_last_of_each_name();
        leave_out_overlaps();
        ZipListing out;
        if (!head_) head_ = draft_;
        if (head_) out.entries.push_back(*head_);
        out.entries.insert(out.entries.end(), sessions_.begin(), sessions_.end());
        out.problems = std::move(problems_);
        return out;
    }

private:
    void problem(std::string words) { problems_.push_back(std::move(words)); }

    /// Reads one entry of the directory; the bytes it takes, or 0 when it is none.
    std::size_t entry_at(std::uint64_t at, std::uint64_t end) {
        std::string_view bytes = window(at, end);
        if (bytes.size() < kListedBytes || !bytes.starts_with("PK\x01\x02"sv)) return 0;
        const auto name_size = static_cast<std::size_t>(number(bytes, 28, 2));
        const auto extra_size = static_cast<std::size_t>(number(bytes, 30, 2));
        const std::size_t used = kListedBytes + name_size + extra_size + static_cast<std::size_t>(number(bytes, 32, 2));
        if (bytes.size() < used) return 0;
        const std::string_view name = bytes.substr(kListedBytes, name_size);
        const Wanted kind = of_files_ ? wanted_of_files(name) : wanted(name);
        if (kind == Wanted::no) return used;
        ZipEntry entry;
        entry.encrypted = (number(bytes, 8, 2) & 1) != 0;
        entry.method = static_cast<std::uint16_t>(number(bytes, 10, 2));
        entry.crc = static_cast<std::uint32_t>(number(bytes, 16, 4));
        entry.packed = number(bytes, 20, 4);
        entry.size = number(bytes, 24, 4);
        entry.header = number(bytes, 42, 4);
        entry.listed_at = at;
        entry.name_hash = stable_hash(name);
        if (of_files_) entry.name = name;
        read_extra(bytes.substr(kListedBytes + name_size, extra_size), entry);
        if (kind == Wanted::head)
            head_ = entry;
        else if (kind == Wanted::draft)
            draft_ = entry;
        else
            sessions_.push_back(entry);
        return used;
    }

    std::string_view window(std::uint64_t at, std::uint64_t end) {
        constexpr std::size_t kLongestEntry = kListedBytes + 3 * 0xffff;
        const bool inside = at >= window_at_ && at - window_at_ <= window_.size();
        if (!inside || (window_.size() - (at - window_at_) < kLongestEntry && window_at_ + window_.size() < end)) {
            window_ = bytes_at(archive_, at, static_cast<std::size_t>(std::min<std::uint64_t>(kWindow, end - at)));
            window_at_ = at;
        }
        return std::string_view(window_).substr(static_cast<std::size_t>(at - window_at_));
    }

    /// An archive that was written to again lists an entry again: the last one counts.
    void keep_last_of_each_name() {
        std::unordered_map<std::uint64_t, std::uint64_t> last;
        for (const ZipEntry& entry : sessions_) last[entry.name_hash] = entry.listed_at;
        std::erase_if(sessions_, [&](const ZipEntry& entry) { return last[entry.name_hash] != entry.listed_at; });
    }

    void leave_out_overlaps() {
        std::ranges::sort(sessions_, {}, [](const ZipEntry& e) { return std::pair(e.header, e.listed_at); });
        const std::size_t before = sessions_.size();
        std::uint64_t free_from = 0;
        std::erase_if(sessions_, [&](const ZipEntry& entry) {
            if (entry.header < free_from || entry.header >= directory_.offset ||
                entry.packed > directory_.offset - entry.header)
                return true;
            free_from = entry.header + 30 + entry.packed;
            return false;
        });
        if (sessions_.size() < before) {
            problem(fmt::format("{} of the entries of the ZIP archive overlap others or reach beyond it: left out",
                                before - sessions_.size()));
        }
        for (std::size_t i = 0; i < sessions_.size(); ++i)
            sessions_[i].end = i + 1 < sessions_.size() ? sessions_[i + 1].header : directory_.offset;
        for (auto* entry : {&head_, &draft_}) {
            if (*entry) (*entry)->end = directory_.offset;
        }
    }

    const RandomBytes& archive_;
    Directory directory_;
    bool of_files_;
    std::string window_;
    std::uint64_t window_at_ = 0;
    std::optional<ZipEntry> head_, draft_;
    std::vector<ZipEntry> sessions_;
    std::vector<std::string> problems_;
};

}  // namespace

namespace {
constexpr std::string_view kNoDirectory = "the ZIP archive is cut off or damaged: it has no directory at its end";
}  // namespace

bool is_zip(std::string_view first_bytes) {
    return first_bytes.starts_with("PK\x03\x04"sv) || first_bytes.starts_with("PK\x05\x06"sv);
}

Result<ZipListing> list_evaluation(const RandomBytes& archive) {
    const auto directory = find_directory(archive);
    if (!directory) return Error{std::string(kNoDirectory)};
    ZipListing listing = Lister(archive, *directory, Lister::Of::evaluation).list();
    if (listing.entries.empty() && listing.problems.empty()) {
        return Error{
            fmt::format("a ZIP archive without an evaluation log (no header.json, no samples/*.json); a file in it "
                        "is named as in {}",
                        kFileInArchive)};
    }
    return listing;
}

Result<ZipListing> list_files(const RandomBytes& archive) {
    const auto directory = find_directory(archive);
    if (!directory) return Error{std::string(kNoDirectory)};
    Lister lister(archive, *directory, Lister::Of::files);
    ZipListing listing = lister.list();
    if (lister.is_evaluation()) return ZipListing{};
    return listing;
}

std::string zip_entry_name(const RandomBytes& archive, const ZipEntry& entry) {
    constexpr std::size_t kShown = 80;
    const std::string listed = bytes_at(archive, entry.listed_at, kListedBytes + kShown);
    if (listed.size() < kListedBytes) return "?";
    const auto size = std::min(static_cast<std::size_t>(number(listed, 28, 2)), kShown);
    std::string name = listed.substr(kListedBytes, size);
    for (char& c : name) {
        if (c < ' ' || c > '~') c = '?';
    }
    return name;
}

}  // namespace agent_audit::readers
