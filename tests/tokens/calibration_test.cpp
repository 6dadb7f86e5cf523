#include <agent_audit/tokens/calibration.hpp>
#include <agent_audit/tokens/estimate.hpp>

#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <string>

using namespace agent_audit;

namespace {

constexpr std::size_t at(Feature feature) { return static_cast<std::size_t>(feature); }

// A conversation in which the truth is known: what is unseen, and what each thing weighs.
struct Truth {
    FeatureVector weights{1.3, 1.1, 1.5, 0.9, 0.8, 1.0, 1.2, 0.4, 1200, 6, 35};
    double unseen = 18'000;
    std::mt19937 random{11};
    FeatureVector sent{};

    double below(double limit) { return static_cast<double>(random() % 10'000) / 10'000 * limit; }
    void grow() {
        sent[at(Feature::letters)] += below(800);
        sent[at(Feature::digits)] += below(150);
        sent[at(Feature::punctuation)] += below(300);
        sent[at(Feature::newlines)] += below(100);
        sent[at(Feature::blanks)] += below(80);
        sent[at(Feature::messages)] += 1;
        sent[at(Feature::calls)] += static_cast<double>(random() % 3);
    }
    double prompt() const {
        double sum = unseen;
        for (std::size_t i = 0; i < kFeatures; ++i) sum += weights[i] * sent[i];
        return std::round(sum);
    }
};

Event event(EventBody body, std::uint64_t line, IdHash response = 0) {
    Event out;
    out.head.where.line = line;
    out.head.response = response;
    out.body = std::move(body);
    return out;
}
RawText plain(std::string_view text) { return {text, TextForm::plain}; }
Message message(Role role, std::string_view text) {
    Message out;
    out.role = role;
    out.text = plain(text);
    return out;
}
Usage billed(std::uint64_t prompt) {
    Usage out;
    out.tokens.input = prompt;
    return out;
}
ToolCall call(std::string_view args) {
    ToolCall out;
    out.args = plain(args);
    return out;
}
ToolResult result(std::string_view text) {
    ToolResult out;
    out.text = plain(text);
    return out;
}

}  // namespace

TEST_SUITE("tokens: calibration") {
    TEST_CASE("features add up to the run estimate of the same text") {
        const std::string text = "Hello  world 12345, HttpServer();\n\n\xE4\xBD\xA0\xE5\xA5\xBD caf\xC3\xA9";
        TextFeatures features;
        features.add(plain(text));
        double sum = 0;
        for (const double f : vector_of(features)) sum += f;
        CHECK(std::ceil(sum) == static_cast<double>(estimate_tokens(plain(text))));
        CHECK(features.hundredths[at(Feature::cjk)] == 160);
        CHECK(features.hundredths[at(Feature::digits)] == 200);
        CHECK(features.hundredths[at(Feature::other)] == 130);
        CHECK(features.chars == 42);
    }

    TEST_CASE("the truth is found from the prompts, and what is unseen with it") {
        Truth truth;
        Calibration calibration;
        for (int k = 0; k < 120; ++k) {
            truth.grow();
            calibration.observe(truth.sent, truth.prompt());
        }
        for (int k = 0; k < 40; ++k) truth.grow();
        CHECK(std::fabs(calibration.predict(truth.sent) / truth.prompt() - 1) < 0.01);
        CHECK(std::fabs(calibration.unseen() - truth.unseen) < 1000);
        CHECK(std::fabs(calibration.weights()[at(Feature::letters)] - 1.3) < 0.05);
        CHECK(calibration.samples() > 100);
        CHECK(calibration.median_error() < 0.002);
    }

    TEST_CASE("few samples give one factor for all weights") {
        Truth truth;
        Calibration calibration;
        for (int k = 0; k < 3; ++k) {
            truth.grow();
            calibration.observe(truth.sent, truth.prompt());
        }
        const FeatureVector weights = calibration.weights();
        const double factor = weights[0] / kFeatureDocs[0].weight;
        CHECK(factor > 1.05);
        for (std::size_t i = 0; i < kFeatures; ++i)
            CHECK(weights[i] == doctest::Approx(factor * kFeatureDocs[i].weight));
    }

    TEST_CASE("nothing observed is the estimate itself") {
        FeatureVector sent{};
        sent[at(Feature::letters)] = 500;
        CHECK(Calibration().predict(sent) == 500);
    }

    TEST_CASE("differences that cannot be believed are not learnt from") {
        Truth truth;
        Calibration calibration;
        for (int k = 0; k < 60; ++k) {
            truth.grow();
            // Every tenth prompt holds something that is not recorded, for good.
            if (k % 10 == 9) truth.unseen += 9000;
            calibration.observe(truth.sent, truth.prompt());
        }
        CHECK(calibration.rejected() >= 5);
        CHECK(std::fabs(calibration.weights()[at(Feature::letters)] - 1.3) < 0.1);
    }

    TEST_CASE("a compaction starts anew and keeps the weights") {
        Truth truth;
        Calibration calibration;
        for (int k = 0; k < 60; ++k) {
            truth.grow();
            calibration.observe(truth.sent, truth.prompt());
        }
        truth.unseen -= 20'000;
        SUBCASE("told") {
            calibration.restart();
            truth.grow();
            calibration.observe(truth.sent, truth.prompt());
        }
        SUBCASE("seen from a prompt that shrank") {
            truth.unseen = truth.unseen - truth.prompt() / 2;
            truth.grow();
            calibration.observe(truth.sent, truth.prompt());
        }
        CHECK(calibration.restarts() == 1);
        CHECK(std::fabs(calibration.first_unseen() - 18'000) < 1000);
        truth.grow();
        CHECK(std::fabs(calibration.predict(truth.sent) / truth.prompt() - 1) < 0.02);
    }

    TEST_CASE("what is dropped without a word is gone after a few requests, and was there at first") {
        Truth truth;
        Calibration calibration;
        for (int k = 0; k < 80; ++k) {
            truth.grow();
            if (k % 20 == 19) truth.unseen -= truth.prompt() / 10;
            calibration.observe(truth.sent, truth.prompt());
        }
        for (int k = 0; k < 4; ++k) {
            truth.grow();
            calibration.observe(truth.sent, truth.prompt());
        }
        CHECK(calibration.restarts() == 0);
        truth.grow();
        CHECK(std::fabs(calibration.predict(truth.sent) / truth.prompt() - 1) < 0.01);
        CHECK(std::fabs(calibration.first_unseen() - 18'000) < 1000);
    }

    TEST_CASE("models that take turns are each compared with themselves") {
        Truth truth;
        Calibration calibration;
        for (int k = 0; k < 60; ++k) {
            truth.grow();
            const bool other = k % 2 == 1;  // it has 7,000 tokens of tools more
            calibration.use_model(other ? 2 : 1);
            calibration.observe(truth.sent, truth.prompt() + (other ? 7'000 : 0));
        }
        CHECK(calibration.samples() >= 50);
        CHECK(std::fabs(calibration.weights()[at(Feature::letters)] - 1.3) < 0.1);
        truth.grow();
        calibration.use_model(1);
        CHECK(std::fabs(calibration.predict(truth.sent) / truth.prompt() - 1) < 0.02);
        calibration.use_model(2);
        CHECK(std::fabs(calibration.predict(truth.sent) / (truth.prompt() + 7'000) - 1) < 0.02);
    }

    TEST_CASE("what is known of one feature sets the others right, and is learnt no more") {
        // Words and reasoning always came together: which of them weighed what could not be told.
        const auto at = [](double times) {
            FeatureVector sent{};
            sent[static_cast<std::size_t>(Feature::letters)] = 300 * times;
            sent[static_cast<std::size_t>(Feature::reasoning)] = 1'600 * times;
            return sent;
        };
        Calibration calibration;
        for (int i = 1; i <= 20; ++i) calibration.observe(at(i), 5'000 + 1'100.0 * i);  // 1 and 0.5
        FeatureVector weights = calibration.weights();
        CHECK(300 * weights[0] + 1'600 * weights[static_cast<std::size_t>(Feature::reasoning)] ==
              doctest::Approx(1'100).epsilon(0.01));
        calibration.fix(Feature::reasoning, 0.4);
        weights = calibration.weights();
        CHECK(weights[static_cast<std::size_t>(Feature::reasoning)] == 0.4);
        CHECK(weights[0] == doctest::Approx((1'100 - 640) / 300.0).epsilon(0.1));
        for (int i = 21; i <= 30; ++i) calibration.observe(at(i), 5'000 + 1'100.0 * i);
        CHECK(calibration.weights()[static_cast<std::size_t>(Feature::reasoning)] == 0.4);
        calibration.fix(Feature::reasoning, 0.7);  // once is enough
        CHECK(calibration.weights()[static_cast<std::size_t>(Feature::reasoning)] == 0.4);
    }

    TEST_CASE("two runs give the same numbers") {
        const auto learn = [] {
            Truth truth;
            Calibration calibration;
            for (int k = 0; k < 50; ++k) {
                truth.grow();
                calibration.observe(truth.sent, truth.prompt());
            }
            return calibration.predict(truth.sent);
        };
        CHECK(learn() == learn());
    }

    TEST_CASE("a request is what was sent before the model began to answer") {
        RequestFeatures features;
        features.on_event(event(message(Role::user, "one two"), 1));
        features.on_event(event(message(Role::assistant, "three"), 2, 7));
        features.on_event(event(billed(100), 2, 7));
        features.on_event(event(call("four"), 3, 7));  // the same response goes on
        features.on_event(event(billed(100), 3, 7));
        features.on_event(event(result("five six seven"), 4));
        features.on_event(event(message(Role::assistant, "eight"), 5, 8));
        features.on_event(event(billed(150), 5, 8));
        const auto requests = features.finish();
        REQUIRE(requests.size() == 2);
        CHECK(requests[0].prompt == 100);
        CHECK(requests[0].line == 2);
        CHECK(requests[0].sent[at(Feature::letters)] == 2);
        CHECK(requests[0].sent[at(Feature::calls)] == 0);
        CHECK(requests[1].prompt == 150);
        CHECK(requests[1].sent[at(Feature::letters)] == 7);
        CHECK(requests[1].sent[at(Feature::calls)] == 1);
        CHECK(requests[1].sent[at(Feature::messages)] == 2);
    }

    TEST_CASE("running totals give differences, and none where several responses are in one") {
        RequestFeatures features;
        const auto total = [](std::uint64_t prompt) {
            Usage usage = billed(prompt);
            usage.mode = UsageMode::cumulative;
            usage.scope = UsageScope::session;
            return usage;
        };
        const auto answer = [&](std::uint64_t line) {
            features.on_event(event(message(Role::user, "ask"), line));
            features.on_event(event(message(Role::assistant, "answer"), line + 1));
        };
        answer(1);
        features.on_event(event(total(100), 3));
        answer(4);
        answer(6);
        features.on_event(event(total(400), 8));
        answer(9);
        features.on_event(event(total(620), 11));
        const auto requests = features.finish();
        REQUIRE(requests.size() == 2);
        CHECK(requests[0].prompt == 100);
        CHECK(requests[1].prompt == 220);
    }

    TEST_CASE("a compaction or another model marks the next request") {
        RequestFeatures features;
        const auto request = [&](std::uint64_t line, std::string_view model) {
            features.on_event(event(message(Role::user, "ask"), line));
            features.on_event(event(message(Role::assistant, "answer"), line));
            Usage usage = billed(100);
            usage.model = plain(model);
            features.on_event(event(usage, line));
        };
        request(1, "a");
        request(2, "a");
        features.on_event(event(Compaction{}, 3));
        request(4, "a");
        request(5, "b");
        const auto requests = features.finish();
        REQUIRE(requests.size() == 4);
        CHECK(!requests[1].restart);
        CHECK(requests[2].restart);
        CHECK(requests[3].restart);
    }
}
