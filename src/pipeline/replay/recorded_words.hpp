#pragma once

#include <agent_audit/readers/reader.hpp>
#include <agent_audit/simulator/session.hpp>

#include <cstdint>
#include <memory>
#include <string>

namespace agent_audit {

/// Remembers where the words of a recording stand instead of the words. Where a text is part of a record of a plain
/// file, its place in that file; else (standard input, compressed, databases, texts a reader put together) a copy in an
/// unnamed temporary file, up to kMaxSpill bytes; short ones stay in memory.
class RecordedWords final : public simulator::WordKeeper {
public:
    explicit RecordedWords(const std::string& path);
    ~RecordedWords() override;

    /// The record whose events come next; null between records.
    void reading(const Record* record);
    using simulator::WordKeeper::keep;
    simulator::Text keep(RawText raw, simulator::WordsAs as, const TextTally& counted) override;

private:
    static constexpr std::size_t kShort = 512;
    static constexpr std::uint64_t kMaxSpill = 8ull << 30;
    class File;
    struct Kinds;  // one source for each way of reading

    std::unique_ptr<Kinds> recording_, spill_;
    const Record* record_ = nullptr;
    bool checked_ = false, plain_ = false;
    std::uint64_t spilled_ = 0;
    bool full_ = false;
};

/// A reader whose records tell `words` where they stand.
class WordedReader final : public RecordReader {
public:
    WordedReader(RecordReader& reader, RecordedWords& words) : reader_(reader), words_(words) {}

    LineFate read(const Record& record, EventSink& sink) override {
        words_.reading(&record);
        const LineFate fate = reader_.read(record, sink);
        words_.reading(nullptr);
        for (const Omission& one : reader_.take_omissions()) omit(one.line, one.what);
        return fate;
    }
    void finish(EventSink& sink) override { reader_.finish(sink); }

private:
    RecordReader& reader_;
    RecordedWords& words_;
};

}  // namespace agent_audit
