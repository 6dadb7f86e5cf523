#include "detectors/speech/wants_looks.hpp"

#include "detectors/words/phrases.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace agent_audit::detectors {
namespace {

constexpr std::string_view kLooks[] = {
    "style",      "styling",    "css",      "design",    "layout",     "spacing",    "padding",      "margin",
    "colour",     "color",      "font",     "typograph", "mockup",     "mock-up",    "figma",        "look like",
    "looks like", "prettier",   "nicer",    "polish",    "responsive", "theme",      "dark mode",    "rounded",
    "animation",  "cramped",    "more air", "hübsch",    "schöner",    "abstand",    "abstände",     "farbe",
    "schrift",    "gestalt",    "aussehen", "entwurf",   "couleur",    "espacement", "mise en page", "joli",
    "maquette",   "estilo",     "diseño",   "espaciado", "bonit",      "maqueta",    "样式",         "颜色",
    "布局",       "间距",       "美化",     "好看",      "设计稿",     "スタイル",   "余白",         "見た目",
    "デザイン",   "レイアウト", "配色",     "стил",      "цвет",       "отступ",     "красив"};
// Then it is that which the page is looked at for.
constexpr std::string_view kFaults[] = {
    "error",          "bug",          "exception",   "crash",   "throw",     "broken",     "fail",
    "blank",          "white screen", "white page",  "console", "n't work",  "not work",   "stopped work",
    "undefined",      "null",         "overlay",     "fehler",  "kaputt",    "geht nicht", "funktioniert nicht",
    "abstürz",        "leere seite",  "konsole",     "erreur",  "ne marche", "plante",     "cassé",
    "fonctionne pas", "no funciona",  "roto",        "falla",   "consola",   "错误",       "报错",
    "崩溃",           "白屏",         "控制台",      "エラー",  "動かない",  "コンソール", "落ちる",
    "真っ白",         "ошибк",        "не работает", "консол"};

constexpr std::size_t kRead = 256;  // bytes

}  // namespace

bool wants_better_looks(RawText request) {
    const std::string words = lowered(decoded(request, kRead));
    return contains_any(words, kLooks) && !contains_any(words, kFaults);
}

bool tells_of_fault(RawText request) { return contains_any(lowered(decoded(request, kRead)), kFaults); }

}  // namespace agent_audit::detectors
