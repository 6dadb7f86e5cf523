#include "detectors/speech/eastern_orders.hpp"

#include "detectors/speech/sentence_parts.hpp"
#include "detectors/words/path_words.hpp"
#include "detectors/words/phrases.hpp"
#include "support/among.hpp"

#include <algorithm>
#include <vector>

namespace agent_audit::detectors {

namespace {

/// "src/api.py はそのままにしておいてください", "config.yml은 그대로 두세요": names, and how they are to be left.
std::string left_in_the_east(std::string_view sentence) {
    struct Form {
        std::string_view state;
        std::vector<std::string_view> tails;  ///< what stands behind it, to the end
        std::vector<std::string_view> words;  ///< beside the names
    };
    static const Form kForms[] = {
        {"そのまま",
         {"にしてください", "にしておいてください", "でお願いします", "にして", "にしておいて", "で", "残してください",
          "で残してください", "にしておくこと", "にしておいて下さい", "にしてくれ"},
         {"は", "を", "も", "と", "や", "、", "ファイル", "テスト", "の", "`", " "}},
        {"그대로",
         {"두세요", "둬", "두고", "둬 주세요", "놔두세요", "두십시오", "유지하세요", "유지해 주세요"},
         {"은", "는", "을", "를", "도", "와", "과", "파일", "테스트", ",", "`", " "}}};
    for (const Form& form : kForms) {
        const std::size_t at = sentence.find(form.state);
        if (at == sentence.npos) continue;
        const std::string_view tail = trimmed(sentence.substr(at + form.state.size()));
        if (std::ranges::find(form.tails, tail) == form.tails.end()) return {};
        std::string_view head = sentence.substr(0, at);
        if (const std::size_t comma = head.rfind("、"); comma != head.npos)
            head.remove_prefix(comma + std::string_view("、").size());
        const std::vector<std::string> places = paths_in(head, 4);
        std::string rest(head), order = "do not change";
        const auto drop = [&](std::string_view word) {
            for (std::size_t found = rest.find(word); found != rest.npos; found = rest.find(word))
                rest.erase(found, word.size());
        };
        for (const std::string& place : places) {
            drop(place);
            order.append(order.ends_with("change") ? " " : ", ").append(place);
        }
        const bool tests = rest.find("テスト") != rest.npos || rest.find("테스트") != rest.npos;
        for (const std::string_view word : form.words) drop(word);
        if (!rest.empty() || tests == !places.empty()) return {};
        return tests ? "do not change the tests" : order;
    }
    return {};
}

}  // namespace

std::string order_in_japanese(std::string_view sentence) {
    if (std::string left = left_in_the_east(sentence); !left.empty()) return left;
    constexpr std::string_view kNots[] = {"しないで", "しないこと", "らないで",   "らないこと", "えないで",
                                          "わないで", "わないこと", "じらないで", "禁止",       "不可"},
                               kBanned[] = {"禁止", "不可"},
                               kBehindBan[] = {"です", "だ", "で", "と", "。", "！", "、", " ", ",", "!"},
                               kConditions[] = {"場合", "まで", "なら", "たら", "れば", "前に",    "とき",
                                                "時は", "以外", "限り", "だけ", "のみ", "ユーザー"};
    constexpr std::pair<std::string_view, std::string_view> kVerbs[] = {{"git commit", "commit"},
                                                                        {"git push", "push"},
                                                                        {"コミット", "commit"},
                                                                        {"プッシュ", "push"},
                                                                        {"変更", "change"},
                                                                        {"編集", "change"},
                                                                        {"修正", "change"},
                                                                        {"削除", "delete"},
                                                                        {"触", "change"},
                                                                        {"変", "change"},
                                                                        {"インストール", "install"},
                                                                        {"い", "change"},
                                                                        {"いじ", "change"},
                                                                        {"使", "use"},
                                                                        {"使用", "use"}};
    constexpr std::string_view kParticles[] = {"は", "を", "も", "に", "へ", "の", "で"},
                               kWords[] = {"まだ", "絶対に", "勝手に", "リモート",     "ファイル", "コード", "変更",
                                           "この", "テスト", "ここ",   "プロジェクト", "これから", "また",   " "};
    std::size_t at = sentence.npos;
    for (const std::string_view no : kNots) at = std::min(at, sentence.find(no));
    if (at == sentence.npos || contains_any(sentence, kConditions)) return {};
    std::string_view head = sentence.substr(0, at);
    if (starts_with_any(sentence.substr(at), kBanned)) {  // 変更禁止です, and not 禁止されていません
        const std::string_view behind = sentence.substr(at + kBanned[0].size());
        if (!behind.empty() && !starts_with_any(behind, kBehindBan)) return {};
        head = trimmed(head);
    }
    if (const std::size_t comma = head.rfind("、"); comma != head.npos)
        head.remove_prefix(comma + std::string_view("、").size());
    const auto ends_off = [&](std::string_view word) {
        if (!head.ends_with(word)) return false;
        head.remove_suffix(word.size());
        return true;
    };
    for (const std::string_view particle : {"は", "を"}) ends_off(particle);  // プッシュはしないで
    head = trimmed(head);
    const auto verb = std::ranges::find_if(kVerbs, [&](const auto& pair) { return ends_off(pair.first); });
    if (verb == std::end(kVerbs)) return {};
    head = trimmed(head);
    const bool now = head.find("まだ") != head.npos, tests = head.find("テスト") != head.npos;
    const std::vector<std::string> places = paths_in(head, 4);
    // Nothing else may stand there.
    std::string rest(head);
    const auto drop = [&](std::string_view word) {
        for (std::size_t found = rest.find(word); found != rest.npos; found = rest.find(word))
            rest.erase(found, word.size());
    };
    for (const std::string& place : places) drop(place);
    for (const std::string_view word : kWords) drop(word);
    for (const std::string_view particle : kParticles) drop(particle);
    for (const std::string_view mark : {"`", "と", "や", "、", "/"}) drop(mark);
    constexpr std::string_view kUse = "use";
    if (verb->second == kUse) return among(lowered(rest), kPrograms) ? "do not use " + rest : std::string();
    if (!rest.empty()) return {};
    std::string order = "do not " + std::string(verb->second);
    const bool ships = verb->second == "commit" || verb->second == "push";
    if (ships != places.empty() && !tests) return {};
    if (tests)
        order += ships ? "" : " the tests";
    else
        for (std::size_t i = 0; i < places.size(); ++i) order.append(i == 0 ? " " : ", ").append(places[i]);
    if (tests && ships) return {};
    return order + (now ? " for now" : "");
}

std::string order_in_korean(std::string_view sentence) {
    constexpr std::string_view kNots[] = {"지 마", "지 말"}, kConditions[] = {"면 ",  "까지", "전에", "때 ",    "없이",
                                                                              "외에", "제외", "만 ",  "사용자", "왜 "};
    constexpr std::pair<std::string_view, std::string_view> kVerbs[] = {
        {"수정하", "change"}, {"변경하", "change"}, {"건드리", "change"}, {"고치", "change"}, {"편집하", "change"},
        {"삭제하", "delete"}, {"지우", "delete"},   {"커밋하", "commit"}, {"푸시하", "push"}};
    constexpr std::string_view kWords[] = {"절대", "아직", "제발", "파일", "코드", "테스트", "은", "는",
                                           "을",   "를",   "도",   "와",   "과",   ",",      "`",  " "};
    std::size_t at = sentence.npos;
    for (const std::string_view no : kNots) at = std::min(at, sentence.find(no));
    if (at == sentence.npos || contains_any(sentence, kConditions)) return {};
    std::string_view head = sentence.substr(0, at);
    if (const std::size_t comma = head.rfind(", "); comma != head.npos) head.remove_prefix(comma + 2);
    const auto verb = std::ranges::find_if(kVerbs, [&](const auto& pair) { return head.ends_with(pair.first); });
    if (verb == std::end(kVerbs)) return {};
    head.remove_suffix(verb->first.size());
    const std::vector<std::string> places = paths_in(head, 4);
    const bool tests = head.find("테스트") != head.npos, ships = verb->second == "commit" || verb->second == "push";
    // Nothing else may stand there.
    std::string rest(head);
    const auto drop = [&](std::string_view word) {
        for (std::size_t found = rest.find(word); found != rest.npos; found = rest.find(word))
            rest.erase(found, word.size());
    };
    for (const std::string& place : places) drop(place);
    for (const std::string_view word : kWords) drop(word);
    if (!rest.empty() || ships != (places.empty() && !tests)) return {};
    std::string order = "do not " + std::string(verb->second);
    if (places.empty() && tests) order += " the tests";
    for (std::size_t i = 0; i < places.size(); ++i) order.append(i == 0 ? " " : ", ").append(places[i]);
    return order + (head.find("아직") != head.npos ? " for now" : "");
}

}  // namespace agent_audit::detectors
