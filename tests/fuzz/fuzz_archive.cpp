// Hostile archives: fuzz_archive [libFuzzer options] [corpus…]; --seeds=DIR writes one of each kind there and ends. The
// bytes are a file, and every file in it that looks like a session is opened and read to its end, twice, in both
// directions.
#include "invariants.hpp"
#include "memory_file.hpp"
#include "readers/tar_writer.hpp"

#include <agent_audit/readers/input.hpp>

#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

using namespace agent_audit;

namespace {

constexpr std::string_view kSeeds = "--seeds=";

[[noreturn]] void write_seeds(const std::string& folder) {
    const std::vector<test::TarItem> items{{"a.jsonl", "{\"role\":\"user\",\"content\":\"hello\"}\n"},
                                           {"pax", test::pax_record("path", "long/b.jsonl"), 'x'},
                                           {"b", "{}\n"},
                                           {"longer", "long/name/c.jsonl", 'L', {}, {}, false, true},
                                           {"c", "{}\n", '0', {}, {}, false, true}};
    std::FILE* const file = std::fopen((folder + "/three.tar").c_str(), "wb");
    const std::string tar = test::tar_of(items);
    fuzz::promise(file && std::fwrite(tar.data(), 1, tar.size(), file) == tar.size(), "the seeds can be written");
    std::fclose(file);
    std::exit(0);
}

std::uint64_t read_one(const std::string& path, InputBuffers& buffers, const InputLimits& limits) {
    const auto opened = open_input(path, 0, limits, buffers);
    if (!opened) return 0;
    RecordSource& source = **opened;
    (void)source.peek(3);
    std::uint64_t last_line = 0;
    for (Record record;;) {
        const auto next = source.next(record);
        if (next == RecordSource::Next::end) break;
        fuzz::promise(record.where.line > last_line, "records are numbered upwards");
        last_line = record.where.line;
        if (next == RecordSource::Next::record)
            fuzz::promise(record.text.size() <= limits.max_record_bytes, "no record is longer than the limit");
    }
    return source.bytes();
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
    for (int i = 1; i < *argc; ++i) {
        const std::string_view arg = (*argv)[i];
        if (arg.starts_with(kSeeds)) write_seeds(std::string(arg.substr(kSeeds.size())));
    }
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const fuzz::MemoryFile file({reinterpret_cast<const char*>(data), size});
    const InputList list = expand_inputs({file.path()});
    std::set<std::string_view> paths;
    for (const InputPath& input : list.paths) fuzz::promise(paths.insert(input.path).second, "each path is there once");
    InputLimits limits;
    limits.max_record_bytes = 16u << 10;
    InputBuffers buffers;
    constexpr std::size_t kMost = 32;
    std::vector<std::uint64_t> bytes;
    for (std::size_t i = 0; i < std::min(kMost, list.paths.size()); ++i)
        bytes.push_back(read_one(list.paths[i].path, buffers, limits));
    for (std::size_t i = bytes.size(); i-- > 0;)
        fuzz::promise(read_one(list.paths[i].path, buffers, limits) == bytes[i], "a file is the same in any order");
    return 0;
}
