#include "detectors/speech/foreign_orders.hpp"
#include "detectors/speech/permission.hpp"
#include "detectors/speech/stated_rules.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

using namespace agent_audit;
using namespace agent_audit::detectors;

namespace {

std::string all_orders(std::string_view sentence) {
    std::string all;
    for (const std::string& order : orders_in_english(sentence)) all.append(all.empty() ? "" : "; ").append(order);
    return all;
}

struct Case {
    std::string_view said, order;
};

}  // namespace

TEST_SUITE("orders in other languages") {
    TEST_CASE("German") {
        for (const Case& c :
             {Case{"Ändere nicht src/api.py", "do not change src/api.py"},
              Case{"Bitte src/api.py nicht ändern, behebe nur den Fehler", "do not change src/api.py"},
              Case{"Behebe den Fehler, aber nicht committen", "do not commit"},
              Case{"Bitte nichts pushen", "do not push"}, Case{"Noch nicht pushen", "do not push for now"},
              Case{"Keine neuen Abhängigkeiten bitte", "do not add packages"},
              Case{"Füge keine neuen Abhängigkeiten hinzu", "do not add packages"},
              Case{"Fasse die Tests nicht an", "do not change the tests"},
              Case{"Lass die Datei config.yml unverändert", "do not change config.yml"},
              Case{"Finger weg von src/auth/", "do not change src/auth/"},
              Case{"Ändere nur src/a.py", "only change src/a.py"},
              Case{"Nur src/a.py und src/b.py ändern, sonst nichts", "only change src/a.py, src/b.py"},
              Case{"ÄNDERE KEINE DATEIEN", "do not change any files"},
              Case{"Keine Änderungen an schema.sql", "do not change schema.sql"},
              Case{"Du darfst db/schema.sql nicht anfassen", "do not change db/schema.sql"},
              Case{"Erstelle keine neuen Dateien", "do not create new files"},
              Case{"Führe keine Migrationen aus und committe nichts", "do not run the migrations; do not commit"},
              Case{"Nicht anfassen: a.py, b.py", "do not change a.py, b.py"}}) {
            CAPTURE(c.said);
            CHECK(all_orders(c.said) == c.order);
        }
        for (const std::string_view said :
             {"Der Server darf keine Dateien ändern", "Warum ändert sich config.yml nicht", "Ich kann nicht pushen",
              "Ändere nicht nur a.py, sondern auch b.py", "Nicht committen, bevor die Tests laufen",
              "Ändere nicht mehr als nötig in src/a.py", "Ändere nicht die Signatur von run() in core.py",
              "Die Datei a.py wird nicht geändert", "Vergiss nicht zu committen",
              "Wenn die Tests rot sind, nicht committen", "Nicht direkt auf main pushen",
              "Ändere nur a.py und die Tests", "Keine Tests", "Kein Commit gefunden", "Ändere nur die Tests",
              "Das Skript soll a.py nicht löschen"}) {
            CAPTURE(said);
            CHECK(all_orders(said) == "");
        }
    }

    TEST_CASE("what is forbidden, in so many words") {
        for (const Case& c : {Case{"Bitte src/kern.py in Ruhe lassen", "do not change src/kern.py"},
                              Case{"Auf keinen Fall git push ausführen", "do not push"},
                              Case{"Está prohibido tocar src/nucleo.py", "do not change src/nucleo.py"},
                              Case{"Prohibido usar git push", "do not push"},
                              Case{"É proibido alterar src/nucleo.py", "do not change src/nucleo.py"},
                              Case{"git push は禁止です", "do not push"}, Case{"コミット禁止", "do not commit"},
                              Case{"src/core.py の変更は禁止です", "do not change src/core.py"}}) {
            CAPTURE(c.said);
            CHECK(all_orders(c.said) == c.order);
        }
        for (const std::string_view said :
             {"Prohibido fumar", "Está prohibido borrar usuarios en src/nucleo.py",
              "Lass uns in Ruhe src/kern.py lesen", "Auf keinen Fall vergessen, git push auszuführen",
              "src/core.py の変更は禁止されていません", "ユーザーの削除は禁止です",
              "É proibido alterar o tipo em src/nucleo.py", "禁止用户删除 src/core.py",
              "403 のときは git push は禁止です"}) {
            CAPTURE(said);
            CHECK(all_orders(said) == "");
        }
    }

    TEST_CASE("what stays, or is left, as it is") {
        for (const Case& c :
             {Case{"Die Datei db/schema.sql bleibt, wie sie ist", "do not change db/schema.sql"},
              Case{"Der Fehler ist alt, aber db/schema.sql bleibt bitte unverändert", "do not change db/schema.sql"},
              Case{"Behebe den Fehler, aber db/schema.sql bleibt, wie sie ist", "do not change db/schema.sql"},
              Case{"db/schema.sql soll so bleiben, wie sie ist", "do not change db/schema.sql"},
              Case{"Lass db/schema.sql so, wie sie ist", "do not change db/schema.sql"},
              Case{"db/schema.sql ist tabu", "do not change db/schema.sql"},
              Case{"Hände weg von db/schema.sql", "do not change db/schema.sql"},
              Case{"Die Tests bleiben, wie sie sind", "do not change the tests"},
              Case{"db/schema.sql reste tel quel", "do not change db/schema.sql"},
              Case{"Laisse db/schema.sql comme il est", "do not change db/schema.sql"},
              Case{"Le fichier db/schema.sql doit rester inchangé", "do not change db/schema.sql"},
              Case{"Pas touche à db/schema.sql", "do not change db/schema.sql"},
              Case{"Il est interdit de modifier db/schema.sql", "do not change db/schema.sql"},
              Case{"db/schema.sql se queda como está", "do not change db/schema.sql"},
              Case{"Deja db/schema.sql tal cual", "do not change db/schema.sql"},
              Case{"db/schema.sql no se toca", "do not change db/schema.sql"},
              Case{"O arquivo db/schema.sql fica como está", "do not change db/schema.sql"},
              Case{"Deixe db/schema.sql como está", "do not change db/schema.sql"},
              Case{"db/schema.sql resta com'è", "do not change db/schema.sql"},
              Case{"Lascia stare db/schema.sql", "do not change db/schema.sql"},
              Case{"Giù le mani da db/schema.sql", "do not change db/schema.sql"},
              Case{"Оставь db/schema.sql как есть", "do not change db/schema.sql"},
              Case{"db/schema.sql не трогаем", "do not change db/schema.sql"},
              Case{"Руки прочь от db/schema.sql", "do not change db/schema.sql"},
              Case{"db/schema.sql はそのままにしてください", "do not change db/schema.sql"},
              Case{"db/schema.sql はいじらないで", "do not change db/schema.sql"},
              Case{"db/schema.sql은 그대로 두세요", "do not change db/schema.sql"}}) {
            CAPTURE(c.said);
            CHECK(all_orders(c.said) == c.order);
        }
        for (const std::string_view said : {"Der Wert in db/schema.sql bleibt, wie er ist",
                                            "db/schema.sql bleibt unverändert",
                                            "Ich speichere, aber db/schema.sql bleibt, wie sie ist",
                                            "Wenn es geht, bleibt db/schema.sql, wie sie ist",
                                            "db/schema.sql bleibt nicht, wie sie ist",
                                            "Si ça suffit, db/schema.sql reste tel quel",
                                            "La valeur dans db/schema.sql reste telle quelle",
                                            "J'enregistre et db/schema.sql reste inchangé",
                                            "El valor de db/schema.sql se queda como está",
                                            "Si falla, db/schema.sql se queda como está",
                                            "El script no toca db/schema.sql",
                                            "O valor em db/schema.sql fica como está",
                                            "Se basta, db/schema.sql resta com'è",
                                            "Значение в db/schema.sql остаётся как есть",
                                            "Deja db/schema.sql como db/old.sql",
                                            "El script corre pero db/schema.sql se queda como está",
                                            "Скрипт работает, но db/schema.sql остаётся как есть",
                                            "Al guardar, db/schema.sql se queda como está: arréglalo también",
                                            "Beim Speichern tut sich nichts, db/schema.sql bleibt, wie sie ist",
                                            "Lascia db/schema.sql come db/old.sql",
                                            "Nimm db/schema.sql, die ist nicht tabu",
                                            "Resta un errore in db/schema.sql",
                                            "Если можно, оставь db/schema.sql как есть",
                                            "db/schema.sql はそのままでは動きません",
                                            "db/schema.sql をそのままにするとエラーになります",
                                            "db/schema.sql은 그대로 두면 안 돼요"}) {
            CAPTURE(said);
            CHECK(all_orders(said) == "");
        }
        // Who wonders about it has seen it.
        CHECK(orders_in_english("db/schema.sql bleibt, wie sie ist", " Warum?").empty());
        CHECK(orders_in_english("db/schema.sql se queda como está", " ¿Por qué?").empty());
        CHECK(orders_in_english("db/schema.sql bleibt, wie sie ist", " Danke!").size() == 1);
    }

    TEST_CASE("merges, programs, and what holds once more") {
        for (const Case& c :
             {Case{"Bitte nicht in main mergen", "do not merge into main"},
              Case{"Ne fusionne pas dans main", "do not merge into main"},
              Case{"No hagas merge a main", "do not merge into main"}, Case{"No uses docker", "do not use docker"},
              Case{"Não use docker aqui", "do not use docker"}, Case{"Не используй docker", "do not use docker"},
              Case{"Ab jetzt wieder nicht pushen", "do not push"},
              Case{"À partir de maintenant, ne pousse plus rien", "do not push"},
              Case{"A partir de ahora no hagas más push", "do not push"},
              Case{"Daqui em diante não faça mais push", "do not push"},
              Case{"D'ora in poi non fare più push", "do not push"},
              Case{"С этого момента снова не пушь", "do not push"}}) {
            CAPTURE(c.said);
            CHECK(all_orders(c.said) == c.order);
        }
        for (const std::string_view said :
             {"Nicht die Zeilen in main mergen", "Merge main nicht jetzt, sondern nach dem Test",
              "Der Server wird nicht starten", "No uses docker para las pruebas lentas", "Ne fusionne pas les cellules",
              "El servidor no usa docker", "Nicht mehr als nötig pushen"}) {
            CAPTURE(said);
            CHECK(all_orders(said) == "");
        }
    }

    TEST_CASE("French and Spanish") {
        for (const Case& c :
             {Case{"Corrige le bug, ne modifie pas src/api.py", "do not change src/api.py"},
              Case{"Ne touche pas aux tests", "do not change the tests"},
              Case{"ne fais pas de commit", "do not commit"}, Case{"Ne pousse rien sur le dépôt", "do not push"},
              Case{"N’ajoute pas de nouvelles dépendances", "do not add packages"},
              Case{"Ne pas modifier src/api.py", "do not change src/api.py"},
              Case{"No modifiques src/api.py", "do not change src/api.py"},
              Case{"no toques los tests", "do not change the tests"},
              Case{"Por favor no hagas commit", "do not commit"}, Case{"No hagas push todavía", "do not push for now"},
              Case{"No agregues dependencias nuevas", "do not add packages"},
              Case{"Modifica solo src/a.py", "only change src/a.py"}}) {
            CAPTURE(c.said);
            CHECK(all_orders(c.said) == c.order);
        }
        for (const std::string_view said :
             {"Pourquoi tu ne modifies pas src/api.py", "Le script ne modifie pas config.yml", "n'oublie pas de commit",
              "Ne commit pas avant les tests", "El script no modifica config.yml", "no hay commit del cambio",
              "no olvides hacer push", "No hagas commit si fallan los tests", "Si falla, no hagas push", "no problem",
              "No tests, no push"}) {
            CAPTURE(said);
            CHECK(all_orders(said) == "");
        }
    }

    TEST_CASE("Portuguese, Italian, Russian and Korean") {
        for (const Case& c :
             {Case{"Não mexa no arquivo config.yml", "do not change config.yml"},
              Case{"Corrija o login, mas não faça commit", "do not commit"},
              Case{"Altere apenas src/a.py", "only change src/a.py"},
              Case{"Não crie novos arquivos", "do not create new files"},
              Case{"Non toccare config.yml, correggi il login", "do not change config.yml"},
              Case{"Non fare commit per favore", "do not commit"},
              Case{"Modifica solo src/a.py", "only change src/a.py"},
              Case{"Non modificare i test", "do not change the tests"},
              Case{"не трогай config.yml, почини логин", "do not change config.yml"},
              Case{"Не коммить пока", "do not commit for now"}, Case{"Меняй только src/a.py", "only change src/a.py"},
              Case{"Не трогай тесты", "do not change the tests"},
              Case{"config.yml은 수정하지 마세요", "do not change config.yml"},
              Case{"로그인을 고치고, 커밋하지 마", "do not commit"},
              Case{"테스트는 건드리지 마세요", "do not change the tests"},
              Case{"Ne modifie que parser.py s'il te plaît", "only change parser.py"}}) {
            CAPTURE(c.said);
            CHECK(all_orders(c.said) == c.order);
        }
        for (const std::string_view said :
             {"O script não altera config.yml", "Se falhar, não faça push", "Não esqueça de fazer commit",
              "Non modifica config.yml, perché?", "Se i test falliscono non fare commit",
              "Non dimenticare di fare commit", "Скрипт не меняет config.yml", "Если тесты падают, не коммить",
              "Не забудь закоммитить", "Меняй не только a.py", "테스트가 실패하면 커밋하지 마세요",
              "사용자가 config.yml을 수정하지 말아야 합니다", "Ne modifie pas que a.py", "Il ne modifie que a.py"}) {
            CAPTURE(said);
            CHECK(all_orders(said) == "");
        }
    }

    TEST_CASE("Japanese") {
        for (const Case& c :
             {Case{"src/api.py は変更しないでください", "do not change src/api.py"},
              Case{"コミットしないでください", "do not commit"}, Case{"プッシュはしないで", "do not push"},
              Case{"まだコミットしないで", "do not commit for now"},
              Case{"a.pyのバグを直して、テストは変更しないで", "do not change the tests"}}) {
            CAPTURE(c.said);
            CHECK(all_orders(c.said) == c.order);
        }
        for (const std::string_view said :
             {"テストが通るまでコミットしないで", "失敗した場合はコミットしないで", "コミットできない",
              "ユーザーが設定を変更しないでも動くように", "関数の名前は変更しないで",
              "src/api.py のシグネチャは変更しないで", "コミットして"}) {
            CAPTURE(said);
            CHECK(all_orders(said) == "");
        }
    }

    TEST_CASE("what is ordered later takes it back, whatever the language") {
        struct Later {
            std::string_view rule, later;
        };
        for (const Later& c :
             {Later{"Bitte nicht committen.", "ok, jetzt committen"},
              Later{"Bitte nicht committen.", "Passt, committe das"}, Later{"no hagas commit", "ahora haz commit"},
              Later{"コミットしないでください", "コミットして"}, Later{"プッシュはしないで", "プッシュしてください"},
              Later{"Ändere nicht src/api.py.", "Jetzt doch auch src/api.py anpassen"},
              Later{"Não faça commit", "agora faça o commit"}, Later{"не коммить", "хорошо, закоммить"},
              Later{"не пушь", "теперь запушь"}, Later{"커밋하지 마세요", "커밋해 주세요"},
              Later{"не трогай тесты", "обнови тесты"}, Later{"Не трогай src/api.py", "теперь поменяй src/api.py"},
              Later{"Non fare commit", "ok, fai commit"}, Later{"Bitte nicht pushen.", "Jetzt darfst du pushen"},
              Later{"Ne pousse rien", "Maintenant tu peux pousser"},
              Later{"No hagas push", "Ya puedes subir los cambios"},
              Later{"プッシュしないで", "もうプッシュしていいですよ"},
              Later{"db/schema.sql はそのままにしてください", "db/schema.sql も直してください"},
              Later{"Bitte db/schema.sql so lassen, wie sie ist", "Ändere jetzt doch auch db/schema.sql"}}) {
            CAPTURE(c.rule);
            const std::vector<Constraint> rules = stated_rules(c.rule);
            REQUIRE(rules.size() == 1);
            CHECK(heard(c.later, rules[0]) == Heard::frees);
            CHECK(heard(c.rule, rules[0]) == Heard::nothing);
        }
        // What the person does is not allowed to the agent, and a no is none.
        for (const Later& c : {Later{"Bitte nicht pushen.", "Ich pushe es später selbst"},
                               Later{"Bitte nicht pushen.", "Du darfst immer noch nicht pushen"},
                               Later{"Ne pousse rien", "Tu ne peux toujours pas pousser"},
                               Later{"プッシュしないで", "まだプッシュしてはいけません"}}) {
            CAPTURE(c.later);
            const std::vector<Constraint> rules = stated_rules(c.rule);
            REQUIRE(rules.size() == 1);
            CHECK(heard(c.later, rules[0]) == Heard::nothing);
        }
        CHECK(stated_rules("Warum nicht pushen?").empty());
        CHECK(stated_rules("Nicht pushen?").empty());
    }
}
