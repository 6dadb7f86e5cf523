#include "detectors/speech/correction_tongues.hpp"

#include "detectors/speech/spoken_words.hpp"
#include "detectors/words/phrases.hpp"

namespace agent_audit::detectors {
namespace {

// The word, with an end or one of these behind it: 停止 and not 停止按钮.
bool is_said(std::string_view text, std::string_view word, Words behind) {
    if (!text.starts_with(word)) return false;
    const std::string_view rest = text.substr(word.size());
    return ends_here(rest) || starts_with_any(rest, behind);
}

// 不对, 这样不对; and not 不对称.
bool is_not_right(std::string_view text) {
    static constexpr std::string_view kThis[] = {"这个", "这样", "这里", "这", "那"};
    static constexpr std::string_view kSoft[] = {"啊", "吧", "了", "的", "呀", "哦", "不对"};
    take_word(text, kThis);
    return is_said(text, "不对", kSoft);
}

}  // namespace

bool is_chinese(std::string_view text) {
    static constexpr std::string_view kStarts[] = {
        "不是让你",   "不是叫你",  "不是这",     "我说的",     "我要的是",   "我要的不是", "我想要的是", "我想要的不是",
        "我是说",     "我是要",    "我指的",     "我让你",     "我是让你",   "我要你",     "错了",       "停下",
        "停一下",     "停手",      "你理解错",   "你搞错",     "你弄错",     "理解有误",   "跑题",       "跑偏",
        "偏题",       "偏了",      "别改",       "别动",       "别再",       "别乱",       "不要乱",     "谁让你",
        "为什么你",   "你为什么",  "为什么要改", "为什么要动", "为什么要删", "为什么要加", "我只是问",   "我只让你",
        "我只要",     "你删了我",  "你删掉了",   "你把我的",   "不要再",     "没按",       "没有按",     "你没按",
        "你没有按",   "说了不要",  "说了别",     "说过不要",   "我说过",     "我的要求是", "你在干什么", "你在干嘛",
        "你在做什么", "完全不对",  "都不对",     "方向不对",   "方向错",     "改回来",     "改回去",     "恢复原样",
        "恢复原来",   "没让你",    "没有让你",   "没叫你",     "没要求",     "没有要求",   "重新看我",   "重新读",
        "再读一遍",   "再看一遍我"};
    static constexpr std::string_view kSoft[] = {"啊", "吧", "了", "的", "呀", "哦"};
    static constexpr std::string_view kWork[] = {"刚",   "你", "这", "那",   "上", "所有", "全部", "改动",
                                                 "修改", "到", "吧", "一下", "掉", "之前", "回",   "操作"};
    static constexpr std::string_view kHalt[] = {"修改", "编辑", "操作", "现在", "这", "当前", "吧", "改"};
    // 我搞错了 is the speaker's own mistake.
    static constexpr std::string_view kMistakes[] = {"改错", "弄错", "搞错", "做错",  "写错",
                                                     "删错", "找错", "看错", "理解错"};
    static constexpr std::string_view kWhose[] = {"你", "又", "全", "都"};
    if (text.empty() || static_cast<unsigned char>(text.front()) < 0x80) return false;
    // 停一下，我去开会: the turn passes to the human.
    static constexpr std::string_view kHalts[] = {"停一下", "停下"},
                                      kMyTurn[] = {"我去", "我先", "我有事", "开会", "等我"};
    if (starts_with_any(text, kHalts) && contains_any(text, kMyTurn)) return false;
    if (starts_with_any(text, kStarts)) return true;
    if (is_said(text, "停", kSoft) || is_said(text, "停止", kHalt) || is_not_right(text) ||
        is_said(text, "不是", kSoft))
        return true;
    for (const std::string_view word : {"撤销", "撤回", "回退", "回滚", "还原"}) {
        if (is_said(text, word, kWork)) return true;
    }
    std::string_view rest = text;
    while (take_word(rest, kWhose)) {
    }
    if (starts_with_any(rest, kMistakes)) return true;
    static constexpr std::string_view kNoGood[] = {"不行"};
    rest = text;
    return take_word(rest, kNoGood) && ends_here(rest) && starts_with_any(without_marks(rest), kStarts);
}

// ---- Korean ------------------------------------------------------------------------------------------------------

bool is_korean(std::string_view text) {
    static constexpr std::string_view kStarts[] = {"아니 그게 아니", "아니, 그게 아니", "그게 아니라", "그게 아니고",
                                                   "그거 말고",      "그것 말고",       "다시 되돌려", "되돌려줘",
                                                   "되돌려 줘",      "원래대로 되돌려", "잘못됐",      "잘못 이해했"};
    // "Besides that": more is wanted.
    static constexpr std::string_view kBesides[] = {"그거 말고도", "그것 말고도", "그거 말고 또"};
    if (text.empty() || static_cast<unsigned char>(text.front()) < 0x80 || !starts_with_any(text, kStarts))
        return false;
    const std::string_view sentence = text.substr(0, text.find_first_of(".!?\n"));
    const bool asks = text.substr(sentence.size()).starts_with('?');
    return !asks && !starts_with_any(text, kBesides);
}

// ---- German, French, Portuguese, Spanish, Japanese ---------------------------------------------------------------

bool is_in_other_language(std::string_view text) {
    static constexpr std::string_view kNo[] = {"nein", "nö", "non", "não"};
    static constexpr std::string_view kWrong[] = {
        "ich meinte",   "ich wollte",      "ich habe gesagt", "das ist falsch", "das war falsch", "das war nicht",
        "das sollte",   "so nicht",        "nicht so",        "nicht das",      "falsch",         "je voulais",
        "j'ai demandé", "je t'ai demandé", "je parlais",      "ce n'est pas",   "pas ça",         "pas comme ça",
        "eu queria",    "eu pedi",         "não era",         "não foi isso"};
    // Alone, or at the beginning.
    static constexpr std::string_view kVerdicts[] = {
        "falsch",     "das ist falsch", "das war falsch", "falsche datei", "falscher ordner", "annule ça",
        "deshaz eso", "te equivocaste", "違います",       "違う",          "違うよ"};
    static constexpr std::string_view kStarts[] = {"das habe ich nicht",
                                                   "das wollte ich nicht",
                                                   "das meinte ich nicht",
                                                   "so war das nicht gemeint",
                                                   "das war nicht gemeint",
                                                   "so hatte ich das nicht",
                                                   "mach das rückgängig",
                                                   "mach das wieder rückgängig",
                                                   "nimm das zurück",
                                                   "ce n'est pas ce que j",
                                                   "c'est pas ce que j",
                                                   "ce n'était pas ce que j",
                                                   "no es lo que pedí",
                                                   "eso no es lo que pedí",
                                                   "não foi isso que eu pedi",
                                                   "そうじゃな",
                                                   "そうではな",
                                                   "元に戻して"};
    // Told by the first two letters: few English words begin so.
    static constexpr std::string_view kBegins[] = {"ne", "no", "ni", "fa", "da", "de", "an",
                                                   "te", "so", "ma", "ce", "c'", "es"};
    if (text.size() < 2) return false;
    const bool ascii = static_cast<unsigned char>(text[0]) < 0x80 && static_cast<unsigned char>(text[1]) < 0x80;
    if (ascii && !starts_with_any(text, kBegins)) return false;
    const std::string_view sentence = text.substr(0, text.find_first_of(".!?\n"));
    if (text.substr(sentence.size()).starts_with('?')) return false;
    std::string_view rest = text;
    if (take_word(rest, kNo) && ends_here(rest) && begins_word(without_marks(rest), kWrong)) return true;
    rest = text;
    // The whole of the sentence: "… sondern noch viel besser" is content.
    static constexpr std::string_view kNotWanted[] = {"das war nicht das, was ich wollte",
                                                      "das ist nicht das, was ich wollte",
                                                      "das war nicht, was ich wollte",
                                                      "das ist nicht, was ich wollte",
                                                      "no es lo que quería",
                                                      "eso no es lo que quería",
                                                      "non è quello che volevo",
                                                      "non era quello che volevo",
                                                      "non è quello che ho chiesto"};
    std::string_view wanted = text;
    if (take_word(wanted, kNotWanted) && (wanted.empty() || std::string_view(".!\n").find(wanted[0]) != wanted.npos))
        return true;
    return (take_word(rest, kVerdicts) && ends_here(rest)) || starts_with_any(text, kStarts);
}

}  // namespace agent_audit::detectors
