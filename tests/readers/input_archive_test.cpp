#include "readers/input/archive.hpp"
#include "readers/input/tar.hpp"
#include "readers/input_support.hpp"
#include "readers/tar_writer.hpp"
#include "readers/zip_writer.hpp"

#include <doctest/doctest.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace agent_audit;
using namespace agent_audit::readers;
using agent_audit::test::octal;
using agent_audit::test::pax_record;
using agent_audit::test::tar_of;
using agent_audit::test::TarItem;
using agent_audit::test::TempDir;
using agent_audit::test::zip_of;
using agent_audit::test::ZipItem;
using PathNames = std::vector<std::string>;
using TarItems = std::vector<TarItem>;

namespace {

std::string gzipped(std::string_view text) {
    z_stream stream{};
    REQUIRE(::deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
    std::string out(::deflateBound(&stream, static_cast<uLong>(text.size())) + 32, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    REQUIRE(::deflate(&stream, Z_FINISH) == Z_STREAM_END);
    out.resize(stream.total_out);
    ::deflateEnd(&stream);
    return out;
}

std::string zstandard(std::string_view text) {
    std::string out(::ZSTD_compressBound(text.size()), '\0');
    out.resize(::ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
    return out;
}

/// Paths below `dir`, without it.
PathNames names_in(const TempDir& dir, const InputList& list) {
    PathNames names;
    for (const InputPath& input : list.paths) names.push_back(input.path.substr(dir.str().size() + 1));
    return names;
}

/// The text of one input, read by its path; or why it cannot be.
std::string text_of(const std::string& path, InputBuffers& buffers) {
    auto source = open_input(path, 0, InputLimits{}, buffers);
    if (!source) return source.error().message;
    std::string out;
    for (const auto& piece : test::drain(**source)) out += piece.text + "\n";
    return out + (*source)->error().value_or("");
}

const TarItems kThree{
    {"run/b.jsonl", "{\"b\":1}\n{\"b\":2}\n"}, {"run/notes.txt", "no session"}, {"a.jsonl", "{\"a\":1}\n"}};

}  // namespace

TEST_SUITE("input: archives") {
    TEST_CASE("of an archive that is named the sessions in it are read, in its order and by paths of their own") {
        const std::string tar = tar_of(kThree);
        std::vector<ZipItem> zipped;
        for (const TarItem& item : kThree) zipped.push_back({item.name, item.text});
        const TempDir dir;
        dir.write("t.tar", tar);
        dir.write("t.tar.gz", gzipped(tar));
        dir.write("t.tzst", zstandard(tar));
        dir.write("t.zip", zip_of(zipped));
        dir.write("oddly-named", gzipped(tar));
        for (const std::string archive : {"t.tar", "t.tar.gz", "t.tzst", "t.zip", "oddly-named"}) {
            CAPTURE(archive);
            const InputList list = expand_inputs({dir / archive});
            CHECK(list.problems.empty());
            REQUIRE(names_in(dir, list) == PathNames{archive + "/run/b.jsonl", archive + "/a.jsonl"});
            CHECK(list.paths[0].size == 16);
            CHECK_FALSE(list.paths[0].named);
            CHECK((list.paths[0].in_order != 0) == (archive != "t.tar" && archive != "t.zip"));
            InputBuffers buffers;
            for (int round = 0; round < 2; ++round) {  // forward, and back to the beginning
                CHECK(text_of(list.paths[0].path, buffers) == "{\"b\":1}\n{\"b\":2}\n");
                CHECK(text_of(list.paths[1].path, buffers) == "{\"a\":1}\n");
            }
            CHECK(text_of(dir / (archive + "/c.jsonl"), buffers).find("no file 'c.jsonl'") != std::string::npos);
            CHECK(text_of(list.paths[1].path, buffers) == "{\"a\":1}\n");
        }
        // Two archives in turn: each is opened again, and none is mistaken for the other.
        InputBuffers buffers;
        dir.write("other.tar", tar_of(TarItems{{"a.jsonl", "{\"other\":1}\n"}}));
        for (int round = 0; round < 3; ++round) {
            CHECK(text_of(dir / "t.tar/a.jsonl", buffers) == "{\"a\":1}\n");
            CHECK(text_of(dir / "other.tar/a.jsonl", buffers) == "{\"other\":1}\n");
        }
    }

    TEST_CASE("a path may go on into an archive, to a file of any name or to a folder") {
        const TempDir dir;
        dir.write("t.tgz", gzipped(tar_of(kThree)));
        CHECK(names_in(dir, expand_inputs({dir / "t.tgz/a.jsonl"})) == PathNames{"t.tgz/a.jsonl"});
        CHECK(expand_inputs({dir / "t.tgz/a.jsonl"}).paths[0].named);
        CHECK(names_in(dir, expand_inputs({dir / "t.tgz/run/notes.txt"})) == PathNames{"t.tgz/run/notes.txt"});
        CHECK(names_in(dir, expand_inputs({dir / "t.tgz/run"})) == PathNames{"t.tgz/run/b.jsonl"});
        CHECK(names_in(dir, expand_inputs({dir / "t.tgz/a.jsonl", dir / "t.tgz"})) ==
              PathNames{"t.tgz/run/b.jsonl", "t.tgz/a.jsonl"});
        CHECK(expand_inputs({dir / "t.tgz/none.jsonl", dir / "t.tgz"}).problems.size() == 1);
        CHECK(expand_inputs({dir / "t.tgz/ru"}).problems.size() == 1);
        // In a folder an archive may be anything.
        CHECK(expand_inputs({dir.str()}).paths.empty());
        CHECK(names_in(dir, expand_inputs({dir / "*.tgz"})) == PathNames{"t.tgz/run/b.jsonl", "t.tgz/a.jsonl"});
    }

    TEST_CASE("copies, other files and what has to be unpacked first are left out") {
        const TempDir dir;
        dir.write("t.tar", tar_of(TarItems{{"s/x.jsonl", "{}"},
                                           {"s/x.jsonl.gz", "{}"},
                                           {"node_modules/p/y.json", "{}"},
                                           {"__MACOSX/s/x.jsonl", "{}"},
                                           {"s/._z.jsonl", "{}"},
                                           {"s/store.db", "SQLite format 3"},
                                           {"agent/trajectory.json", "{}"},
                                           {"agent/sessions/u.jsonl", "{}"},
                                           {"events/1.json", "{}"},
                                           {"events/2.json", "{}"}}));
        const InputList list = expand_inputs({dir / "t.tar"});
        CHECK(names_in(dir, list) == PathNames{"t.tar/s/x.jsonl", "t.tar/agent/sessions/u.jsonl", "t.tar/events"});
        REQUIRE(list.problems.size() == 1);
        CHECK(list.problems[0].find("databases are not read in an archive: unpack it") != std::string::npos);
        dir.write("empty.tar", std::string(10240, '\0'));
        dir.write("sources.tar", tar_of(TarItems{{"main.cpp", "int main;"}}));
        CHECK(expand_inputs({dir / "sources.tar"}).problems.size() == 1);
        CHECK(names_in(dir, expand_inputs({dir / "empty.tar"})) == PathNames{"empty.tar"});  // a file like any other
    }

    TEST_CASE("a session with a file for each event is read in the order of their numbers") {
        const TempDir dir;
        const auto event = [](int id) { return "{\"id\":" + std::to_string(id) + "}"; };
        const auto text = [](RecordSource& source) {
            std::string all;
            for (const auto& piece : test::drain(source)) all += piece.text;
            return all;
        };
        const TarItems items{{"run/base_state.json", "{\"state\":1}"},
                             {"run/events/10.json", event(10)},
                             {"run/events/2.json", event(2)},
                             {"run/events/1.json", event(1)},
                             {"other/events/0.json", event(0)}};
        dir.write("t.tar", tar_of(items));
        dir.write("t.tgz", gzipped(tar_of(items)));
        dir.write("t.zip", zip_of({ZipItem{"run/base_state.json", "{\"state\":1}"},
                                   ZipItem{"run/events/10.json", event(10)}, ZipItem{"run/events/2.json", event(2)},
                                   ZipItem{"run/events/1.json", event(1)}, ZipItem{"other/events/0.json", event(0)}}));
        for (const std::string archive : {"t.tar", "t.zip"}) {
            CAPTURE(archive);
            const InputList list = expand_inputs({dir / archive});
            CHECK(list.problems.empty());
            CHECK(names_in(dir, list) == PathNames{archive + "/run/events", archive + "/other/events"});
            CHECK(names_in(dir, expand_inputs({dir / (archive + "/run/events")})) ==
                  PathNames{archive + "/run/events"});
            InputBuffers buffers;
            auto records = open_input(list.paths[0].path, 0, {}, buffers);
            REQUIRE(records);
            CHECK(text(**records) == event(1) + event(2) + event(10));
            records = open_input(list.paths[0].path, 0, {}, buffers);
            REQUIRE(records);
            CHECK((*records)->peek(1).size() == 1);
            (*records)->read_as("openhands");  // which keeps what it knows of the session beside its events
            CHECK(text(**records) == "{\"state\":1}" + event(1) + event(2) + event(10));
        }
        const InputList packed = expand_inputs({dir / "t.tgz"});
        REQUIRE(!packed.problems.empty());
        CHECK(packed.problems[0].find("unpack it") != std::string::npos);
    }

    TEST_CASE("compressed sessions in archives are decompressed as well, and a stream says how to name a file") {
        const TempDir dir;
        const std::string line = "{\"a\":1}\n";
        dir.write("t.tgz", gzipped(tar_of(TarItems{{"a.jsonl.gz", gzipped(line)}, {"b.jsonl.zst", zstandard(line)}})));
        dir.write("t.zip", zip_of({ZipItem{"a.jsonl.gz", gzipped(line)}, ZipItem{"b.jsonl.zst", zstandard(line), 93}}));
        InputBuffers buffers;
        for (const std::string archive : {"t.tgz", "t.zip"}) {
            CHECK(text_of(dir / (archive + "/a.jsonl.gz"), buffers) == line);
            CHECK(text_of(dir / (archive + "/b.jsonl.zst"), buffers) == line);
        }
        CHECK(test::read_memory(tar_of(kThree)).error.find("a tar archive") == 0);
        CHECK(test::read_memory(gzipped(tar_of(kThree))).error.find("a tar archive") == 0);
        CHECK(test::read_memory(tar_of(kThree)).pieces.empty());
    }

    TEST_CASE("long names, large sizes and links are told as POSIX and GNU tar do") {
        const std::string deep = std::string(150, 'd') + "/" + std::string(150, 'f') + ".jsonl";
        const std::string large = "\x80" + std::string(10, '\0') + std::string(1, '\x08');
        const TempDir dir;
        dir.write("t.tar",
                  tar_of(TarItems{{"pax", pax_record("path", "p/" + deep) + pax_record("mtime", "1600000000.25"), 'x'},
                                  {"short", "{\"p\":1}\n"},
                                  {"././@LongLink", "g/" + deep + std::string(1, '\0'), 'L', {}, {}, false, true},
                                  {"short", "{\"g\":1}\n", '0', {}, {}, false, true},
                                  {"u.jsonl", "{\"u\":1}\n", '0', {}, "prefix/of/it"},
                                  {"./n.jsonl", "{\"n\":1}\n", '0', large},
                                  {"link.jsonl", "", '2'},
                                  {"folder.jsonl/", "", '5'},
                                  {"pax", pax_record("GNU.sparse.major", "1"), 'x'},
                                  {"sparse.jsonl", "{\"s\":1}\n"},
                                  {"last.jsonl", "{\"l\":1}\n", '7'}}));
        const InputList list = expand_inputs({dir / "t.tar"});
        CHECK(names_in(dir, list) == PathNames{"t.tar/p/" + deep, "t.tar/g/" + deep, "t.tar/prefix/of/it/u.jsonl",
                                               "t.tar/n.jsonl", "t.tar/last.jsonl"});
        CHECK(list.paths[0].modified_ms == 1'600'000'000'000);
        CHECK(list.paths[2].modified_ms == 1'700'000'000'000);
        InputBuffers buffers;
        CHECK(text_of(list.paths[1].path, buffers) == "{\"g\":1}\n");
        CHECK(text_of(list.paths[3].path, buffers) == "{\"n\":1}\n");
        CHECK(text_of(list.paths[4].path, buffers) == "{\"l\":1}\n");
    }

    TEST_CASE("what is cut off or damaged costs what stands behind it, and is told") {
        const std::string tar = tar_of(kThree);
        const auto listed = [](const std::string& bytes) {
            const TempDir dir;
            dir.write("t.tar", bytes);
            InputList list = expand_inputs({dir / "t.tar"});
            return std::pair(list.paths.size(), list.problems.empty() ? std::string() : list.problems[0]);
        };
        CHECK(listed(tar.substr(0, 1024)).first == 1);  // without its end
        CHECK(listed(tar.substr(0, 1024)).second.empty());
        CHECK(listed(tar.substr(0, 1030)).second.find("cut off") != std::string::npos);
        CHECK(listed(tar.substr(0, 600)).second.find("cut off") != std::string::npos);
        TarItems damaged = kThree;
        damaged[2].wrong_sum = true;
        CHECK(listed(tar_of(damaged)).first == 1);
        CHECK(listed(tar_of(damaged)).second.find("damaged at byte") != std::string::npos);
        TarItems huge = kThree;
        huge[1].size_field = "777777777777";
        CHECK(listed(tar_of(huge)).second.find("cut off") != std::string::npos);
        TarItems header{{"x", "p", 'x', "777777777777"}, {"a.jsonl", "{}"}};
        CHECK(listed(tar_of(header)).second.find("a header of") != std::string::npos);
        TarItems twice{{"a.jsonl", "{\"first\":1}"}, {"a.jsonl", "{\"second\":1}"}};
        CHECK(listed(tar_of(twice)).first == 1);
        CHECK(listed(tar_of(twice)).second.find("1 file again") != std::string::npos);

        // A session that is cut off with its archive is read as far as it goes.
        const TempDir dir;
        InputBuffers buffers;
        dir.write("cut.tar", tar.substr(0, 512 + 9));
        std::string lines;
        for (unsigned i = 1; i < 9000; ++i) lines += "{\"b\":" + std::to_string(i * 2654435761u) + "}\n";
        const std::string packed = gzipped(tar_of(TarItems{{"run/b.jsonl", lines}}));
        dir.write("cut.tgz", packed.substr(0, packed.size() / 2));
        CHECK(text_of(dir / "cut.tar/run/b.jsonl", buffers).find("{\"b\":1}\n") == 0);
        CHECK(text_of(dir / "cut.tar/run/b.jsonl", buffers).find("cut off") != std::string::npos);
        CHECK(text_of(dir / "cut.tgz/run/b.jsonl", buffers).find(lines.substr(0, 1000)) == 0);
        CHECK(text_of(dir / "cut.tgz/run/b.jsonl", buffers).find("cut off") != std::string::npos);
    }

    TEST_CASE("an archive that claims too much of itself is not unpacked to its end") {
        const TempDir dir;
        dir.write("bomb.tgz",
                  gzipped(tar_of(TarItems{{"zeros.bin", std::string(40u << 20, '\0')}, {"a.jsonl", "{}"}})));
        InputLimits limits;
        limits.bomb_bytes = 1u << 20;
        const auto files = files_in_archive(dir / "bomb.tgz", limits);
        REQUIRE(files);
        CHECK(files->files.size() == 1);
        REQUIRE(files->problems.size() == 1);
        CHECK(files->problems[0].find("decompression bomb") != std::string::npos);
    }

    TEST_CASE("what is packed in a way that is not read says what to do") {
        const TempDir dir;
        dir.write("a.xz", std::string("\xfd\x37zXZ\0\0\4", 8) + std::string(100, '\1'));
        dir.write("a.jsonl.bz2", "BZh91AY&SY" + std::string(100, '\2'));
        dir.write("a.parquet", "PAR1" + std::string(100, '\3'));
        for (const char* name : {"a.xz", "a.jsonl.bz2", "a.parquet"}) {
            CAPTURE(name);
            InputBuffers buffers;
            auto source = open_input(dir / name, 0, InputLimits{}, buffers);
            REQUIRE(source);
            CHECK((*source)->binary_kind().find("not read") != std::string_view::npos);
        }
        InputBuffers buffers;
        CHECK(memory_input("{\"a\":1}\n", 0, InputLimits{}, buffers, 99)->binary_kind().empty());
    }

    TEST_CASE("an archive that was written anew is read anew") {
        const TempDir dir;
        InputBuffers buffers;
        dir.write("t.tar", tar_of(TarItems{{"a.jsonl", "{\"a\":1}\n"}}));
        CHECK(text_of(dir / "t.tar/a.jsonl", buffers) == "{\"a\":1}\n");
        dir.write("t.tar", tar_of(TarItems{{"x.jsonl", "{}"}, {"a.jsonl", "{\"a\":22}\n"}, {"y.jsonl", "{}"}}));
        CHECK(text_of(dir / "t.tar/a.jsonl", buffers) == "{\"a\":22}\n");
    }

    TEST_CASE("an evaluation log stays one input, whatever it is called") {
        const TempDir dir;
        dir.write("log.zip", zip_of({ZipItem{"header.json", "{}"}, ZipItem{"samples/1_epoch_1.json", "{}"}}));
        CHECK(names_in(dir, expand_inputs({dir / "log.zip"})) == PathNames{"log.zip"});
    }
}
