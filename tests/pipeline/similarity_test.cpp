#include <agent_audit/pipeline/similarity.hpp>

#include <doctest/doctest.h>

#include <unistd.h>
#include <filesystem>
#include <fstream>
#include <string>
#include <unordered_set>
#include <vector>

using namespace agent_audit;

namespace {

class VectorFile {
public:
    explicit VectorFile(const std::string& text) {
        static int number = 0;
        path_ = (std::filesystem::temp_directory_path() /
                 ("agent-audit-vectors-" + std::to_string(::getpid()) + "-" + std::to_string(++number)))
                    .string();
        std::ofstream(path_, std::ios::binary) << text;
    }
    ~VectorFile() { std::filesystem::remove(path_); }
    Result<WordVectors> read(const std::unordered_set<std::string>& wanted = {"cat", "dog", "ship", "猫"}) const {
        return WordVectors::read(path_, wanted);
    }
    std::string problem() const {
        const auto read_it = read();
        return read_it ? "" : read_it.error().message.substr(path_.size());
    }

private:
    std::string path_;
};

Conversation talk_of(const std::string& goal, const std::vector<std::string>& messages) {
    Conversation talk;
    talk.goal_line = 1;
    talk.goal = goal;
    for (std::size_t i = 0; i < messages.size(); ++i) {
        const bool human = messages[i].starts_with("human: ");
        talk.messages.push_back({i + 2, human ? messages[i].substr(7) : messages[i], human});
    }
    return talk;
}

const std::vector<std::string> kLeavesIt{"I look for herring trawlers in the harbour museum",
                                         "The harbour museum has one restored herring trawler",
                                         "Another museum restored a trawler for herring in winter",
                                         "The herring harbour museum opens in winter",
                                         "Overnight sleeper trains leave Vienna for Bucharest",
                                         "The sleeper compartment to Bucharest needs a reservation",
                                         "Vienna station has lockers beside the sleeper platform",
                                         "The Bucharest sleeper serves breakfast after Vienna"};

}  // namespace

TEST_SUITE("similarity") {
    TEST_CASE(
        "every measure is 1 for the same text, 0 for one without anything in common, and between them for a part") {
        const std::string goal = "restored herring trawler in a harbour museum";
        const std::string part = "the museum shows a restored cutter";
        const std::string other = "sleeper compartments between Vienna und Bukarest";
        similarity::Collection all;
        for (const std::string& text : {goal, part, other}) all.add(similarity::terms_of(text));
        const auto by =
            [&](double (*measure)(const similarity::Terms&, const similarity::Terms&, const similarity::Collection&),
                const std::string& text) {
                return measure(similarity::terms_of(goal), similarity::terms_of(text), all);
            };
        for (const auto measure : {similarity::tf_idf, similarity::bm25}) {
            CHECK(by(measure, goal) > 0.9);
            CHECK(by(measure, other) == 0);
            CHECK(by(measure, part) > 0.1);
            CHECK(by(measure, part) < 0.8);
        }
        CHECK(similarity::char_ngrams(goal, goal) > 0.999);
        CHECK(similarity::char_ngrams(goal, part) > similarity::char_ngrams(goal, other));
        CHECK(similarity::char_ngrams(goal, "12345 67890") == 0);
        CHECK(similarity::char_ngrams("", "") == 0);
    }

    TEST_CASE("n-grams see what a word has in common with another form of it, words do not") {
        const std::string goal = "normalisation", text = "denormalised";
        CHECK(similarity::char_ngrams(goal, text) > 0.2);
        similarity::Collection all;
        all.add(similarity::terms_of(goal));
        CHECK(similarity::tf_idf(similarity::terms_of(goal), similarity::terms_of(text), all) == 0);
    }

    TEST_CASE("BM25 does not reward a word for being said again and again") {
        const similarity::Terms goal = similarity::terms_of("herring trawler museum");
        const similarity::Terms balanced = similarity::terms_of("herring trawler museum winter");
        const similarity::Terms chant = similarity::terms_of("herring herring herring herring");
        similarity::Collection all;
        for (const auto& terms : {goal, balanced, chant}) all.add(terms);
        CHECK(similarity::bm25(goal, balanced, all) > similarity::bm25(goal, chant, all));
    }

    TEST_CASE("a rare word weighs more than one that every message has") {
        similarity::Collection all;
        for (int i = 0; i < 9; ++i) all.add(similarity::terms_of("harbour number"));
        all.add(similarity::terms_of("trawler"));
        CHECK(all.idf(similarity::terms_of("trawler").at(0)) > all.idf(similarity::terms_of("harbour").at(0)));
    }

    TEST_CASE("Chinese counts by pairs of characters in every measure") {
        const auto terms = similarity::terms_of("杭州茶园路线");
        CHECK(terms.size() == 5);
        CHECK(similarity::char_ngrams("杭州茶园路线", "茶园路线长度") >
              similarity::char_ngrams("杭州茶园路线", "摩托车保险"));
        CHECK(similarity::plain_words("猫ab狗狗") == std::vector<std::string>{"猫", "ab", "狗", "狗", "狗狗"});
    }

    TEST_CASE("a conversation that leaves its goal falls for good where it leaves, by every measure") {
        const Conversation talk =
            talk_of("Which harbour museums show a restored herring trawler in winter?", kLeavesIt);
        for (const SimilarityMeasure measure :
             {SimilarityMeasure::tf_idf, SimilarityMeasure::bm25, SimilarityMeasure::char_ngrams}) {
            CAPTURE(name(measure));
            const auto turns = similarity_of(measure, talk, nullptr);
            REQUIRE(turns.size() == 8);
            const SimilaritySeries series = similarity_series(std::string(name(measure)), "", 1, turns);
            CHECK(series.drop.line == 6);
            CHECK(series.drop.after < 0.4 * series.drop.before);
        }
    }

    TEST_CASE("what a human asks for belongs to the goal from there on") {
        std::vector<std::string> messages = kLeavesIt;
        messages.insert(messages.begin() + 4, "human: Now find overnight sleeper trains from Vienna to Bucharest");
        const Conversation talk = talk_of("Which harbour museums show a restored herring trawler in winter?", messages);
        const auto turns = similarity_of(SimilarityMeasure::tf_idf, talk, nullptr);
        REQUIRE(turns.size() == 8);
        CHECK(turns[4].value > 0.1);
        CHECK(similarity_series("tf-idf", "", 1, turns).drop.line == 0);
    }

    TEST_CASE("a steady conversation does not fall, and short ones are not judged") {
        std::vector<SimilarityPoint> steady, few{{1, 0.9}, {2, 0.9}, {3, 0.0}, {4, 0.0}};
        for (std::uint64_t i = 0; i < 40; ++i) steady.push_back({i + 1, i % 2 == 0 ? 0.3 : 0.5});
        CHECK(similarity_series("bm25", "", 1, steady).drop.line == 0);
        CHECK(similarity_series("bm25", "", 1, few).drop.line == 0);
        CHECK(similarity_series("bm25", "", 1, {}).points.empty());
    }

    TEST_CASE("the points of a long series are bounded and keep the lowest value") {
        std::vector<SimilarityPoint> turns;
        for (std::uint64_t i = 0; i < 10'000; ++i) turns.push_back({i + 1, i == 7'777 ? 0.01 : 0.5});
        const SimilaritySeries series = similarity_series("bm25", "", 1, turns);
        CHECK(series.points.size() <= SimilaritySeries::kMostPoints);
        CHECK(series.lowest_line == 7'778);
        bool kept = false;
        for (const SimilarityPoint& point : series.points) kept = kept || point.value < 0.1;
        CHECK(kept);
    }

    TEST_CASE("a finding is told the mean before it and within it") {
        Finding finding;
        finding.first_line = 10;
        finding.last_line = 20;
        const std::vector<SimilarityPoint> turns{{2, 0.4}, {4, 0.6}, {10, 0.1}, {12, 0.1}, {30, 0.9}};
        cite_similarity(finding, "bm25", turns);
        REQUIRE(finding.because.size() == 1);
        CHECK(finding.because[0].name == "similarity_bm25");
        CHECK(finding.because[0].value == "0.50 before, 0.10 within");
    }

    TEST_CASE("words of the goal that were said and are gone make a switch surer, words that were never said do not") {
        const auto sure = [](double before, double within) {
            Finding finding;
            finding.rule = "drift/topic-switch";
            finding.severity = Severity::warning;
            finding.confidence = 0.75;
            finding.first_line = 10;
            finding.last_line = 20;
            cite_similarity(finding, "tf-idf",
                            std::vector<SimilarityPoint>{{2, before}, {4, before}, {10, within}, {12, within}});
            cite_similarity(finding, "bm25",
                            std::vector<SimilarityPoint>{{2, before}, {4, before}, {10, within}, {12, within}});
            CHECK(finding.severity == Severity::warning);
            return finding.confidence;
        };
        CHECK(sure(0.4, 0.0) == doctest::Approx(0.85));
        CHECK(sure(0.02, 0.0) == doctest::Approx(0.60));
        CHECK(sure(0.4, 0.3) == doctest::Approx(0.60));
        CHECK(sure(0.4, 0.1) == doctest::Approx(0.75));
    }
}

TEST_SUITE("word vectors") {
    TEST_CASE("files with and without a first line of figures are read, words in any case") {
        for (const char* text : {"3 2\ncat 1 0\nDog 0.5 0.5\nship 0 -1\n", "cat 1 0\nDog 0.5 0.5\nship 0 -1",
                                 "cat 1 0 \r\nDog .5 .5\r\nship 0 -1e0\r\n"}) {
            CAPTURE(text);
            const auto read = VectorFile(text).read();
            REQUIRE(read.has_value());
            CHECK(read->dimensions() == 2);
            CHECK(read->size() == 3);
            REQUIRE(read->find("dog") != nullptr);
            CHECK(read->find("dog")[0] == doctest::Approx(0.7071));
        }
    }

    TEST_CASE("only words that are wanted are kept") {
        const auto read = VectorFile("cat 1 0\nzebra 0 1\nship 1 1\n").read();
        REQUIRE(read.has_value());
        CHECK(read->size() == 2);
        CHECK(read->find("zebra") == nullptr);
    }

    TEST_CASE("what is wrong with a file is said with its line") {
        CHECK(VectorFile("").problem() == ": holds no word vectors");
        CHECK(VectorFile("3 2\n").problem() == ": holds no word vectors");
        CHECK(VectorFile("cat 1 0\nship 1\n").problem() == ":2: 1 numbers, the lines before have 2");
        CHECK(VectorFile("cat 1 0\nzebra 1 2 3\n").problem() == ":2: 3 numbers, the lines before have 2");
        CHECK(VectorFile("cat 1 x\n").problem() == ":1: \"x\" is no number");
        CHECK(VectorFile("cat 1 nan\n").problem() == ":1: \"nan\" is no number");
        CHECK(VectorFile("cat\n").problem() == ":1: no numbers behind \"cat\"");
        CHECK(VectorFile(std::string(100'000, 'x')).problem().find(":1: longer than") == 0);
        CHECK_FALSE(WordVectors::read("/nowhere/at/all", {}).has_value());
    }

    TEST_CASE("texts about the same thing in other words are nearer than texts about another thing") {
        const auto read = VectorFile("cat 1 0.1\ndog 0.9 0.2\nship -0.2 1\n").read({"cat", "dog", "ship"});
        REQUIRE(read.has_value());
        const Conversation talk = talk_of("cat cat", {"the dog and the dog barks loudly", "the ship sails over water"});
        const auto turns = similarity_of(SimilarityMeasure::word_vectors, talk, &*read);
        REQUIRE(turns.size() == 2);
        CHECK(turns[0].value > turns[1].value);
    }
}
