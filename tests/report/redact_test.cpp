#include "report/redaction/redact.hpp"
#include "support/places.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>

using agent_audit::Redact;
using agent_audit::report::Redactor;

namespace {

std::string secrets(std::string_view raw) { return Redactor(Redact::secrets).text(raw); }
std::string strict(std::string_view raw) { return Redactor(Redact::strict).text(raw); }

// Made up, and put together here so that no scanner takes this file for a leak.
std::string made(std::string_view prefix, std::size_t n) {
    constexpr std::string_view kLetters = "aB3dE5gH7jK9mN2pQ4rS6tU8vW1xY0z";
    std::string out(prefix);
    for (std::size_t i = 0; i < n; ++i) out += kLetters[i * 7 % kLetters.size()];
    return out;
}
std::string hex(std::string_view prefix, std::size_t n) {
    std::string out(prefix);
    for (std::size_t i = 0; i < n; ++i) out += "0123456789abcdef"[i * 7 % 16];
    return out;
}
std::string upper(std::string_view prefix, std::size_t n) {
    std::string out(prefix);
    for (std::size_t i = 0; i < n; ++i) out += "ABCDEFGH23456789"[i * 5 % 16];
    return out;
}

}  // namespace

TEST_SUITE("redact") {
    TEST_CASE("tokens of known shapes are taken out wherever they stand") {
        const std::string tokens[] = {
            made("sk-ant-api03-", 40),
            made("sk-proj-", 40),
            made("sk-", 48),
            made("sk-or-v1-", 40),
            made("sk_live_", 24),
            made("ghp_", 36),
            made("gho_", 36),
            made("github_pat_", 60),
            made("glpat-", 20),
            made("xoxb-", 40),
            made("npm_", 36),
            made("pypi-", 80),
            upper("AKIA", 16),
            upper("ASIA", 16),
            made("AIza", 35),
            made("ya29.", 60),
            made("GOCSPX-", 28),
            made("hf_", 34),
            made("gsk_", 52),
            made("xai-", 60),
            made("r8_", 37),
            made("pplx-", 48),
            hex("dop_v1_", 64),
            hex("dapi", 32),
            made("SG.", 22) + made(".", 43),
            hex("key-", 32),
            hex("shpat_", 32),
            made("lin_api_", 40),
            made("ntn_", 44),
            made("figd_", 40),
            made("dckr_pat_", 27),
            made("glc_", 40),
            made("glsa_", 32),
            hex("PMAK-", 24) + hex("-", 34),
            made("sntrys_", 60),
            made("ATATT3", 60),
            made("sq0atp-", 22),
            made("dp.pt.", 43),
            made("pscale_tkn_", 32),
            hex("sbp_", 40),
            made("tvly-", 32),
            upper("NRAK-", 27),
            made("hvs.", 40),
            hex("lsv2_pt_", 32) + hex("_", 10),
            made("nvapi-", 64),
            made("pcsk_", 70),
            made("tskey-auth-", 17) + made("-", 32),
            made("", 14) + made(".atlasv1.", 67),
            hex("bkua_", 40),
            made("123456789:AA", 33),
            upper("AGE-SECRET-KEY-1", 58),
            made("eyJ", 20) + made(".eyJ", 40) + made(".", 43),
        };
        for (const std::string& token : tokens) {
            CAPTURE(token);
            for (const std::string& text : {token, "run `x " + token + "` now", "{\"k\":\"" + token + "\"}"}) {
                const std::string out = secrets(text);
                CHECK(out.find(token) == out.npos);
                CHECK(out.find("[redacted ") != out.npos);
            }
        }
    }

    TEST_CASE("a token is one whatever stands before it: a colour, an escape, a name") {
        const std::string before[] = {
            "\x1b[32m", "\x1b[m\x1b[K", R"(\x1b[1;32m)", R"(\u001b[0m)", R"(\033[36m)",
            "[32m",     R"(a\n)",       R"(\t)",         R"(\r\n)",      R"({\u0022k\u0022:\u0022)",
            R"(\x22)",  "t=%3D",        "a%253A",        "x_",           "mcp__x__"};
        for (const std::string& token :
             {made("ghp_", 36), made("sk-ant-api03-", 40), made("sk-", 48), upper("AKIA", 16), made("npm_", 36),
              made("eyJ", 20) + made(".eyJ", 40) + made(".", 43)}) {
            for (const std::string& front : before) {
                CAPTURE(front + token);
                const std::string out = secrets(front + token + "\x1b[0m");
                CHECK(out.find(token.substr(4)) == out.npos);
                CHECK(out.starts_with(front));
            }
        }
        for (const std::string& token :
             {made("ghp_", 36), made("github_pat_", 60), made("glpat-", 20), made("xoxb-", 40)}) {
            CHECK(secrets("tok7" + token).find(token.substr(5)) == std::string::npos);
        }
        CHECK(secrets("/bot" + made("123456789:AA", 33) + "/getMe") == "/bot[redacted telegram token]/getMe");
        CHECK(secrets(R"(\nCookie: sid=0123abcd)") == R"(\nCookie: [redacted cookie])");
        CHECK(secrets("x_https://bob:hunter2@db") == "x_https://bob:[redacted password]@db");
        CHECK(secrets("a\x1b[32mghp_abc\u2026") == "a\x1b[32mghp_[redacted cut secret]\u2026");
        CHECK(secrets("\x1b[34mDB_PASSWORD\x1b[0m=\x1b[32mtiger1\x1b[0m").find("tiger1") == std::string::npos);
    }

    TEST_CASE("a password of several words goes whole, a sentence about passwords stays") {
        CHECK(secrets(R"("password": "two words9")") == R"("password": "[redacted password]")");
        CHECK(secrets(R"({\"db_password\":\"two words9\"})") == R"({\"db_password\":\"[redacted password]\"})");
        CHECK(secrets("passphrase: 'correct horse 4battery staple'") == "passphrase: '[redacted password]'");
        CHECK(secrets("login --password 'two words9' -v") == "login --password '[redacted password]' -v");
        CHECK(secrets(R"(login --password=\"two words\" -v)") == R"(login --password=\"[redacted password]\" -v)");
        for (const char* text : {R"("password": "at least 8 characters")", R"("password": "Enter your password")",
                                 R"("password_hint": "two words9")", R"("password": "$PASS word9")",
                                 R"("password": "longer than what 12chars could ever be, I think")"}) {
            CHECK(secrets(text) == text);
        }
    }

    TEST_CASE("secrets without a shape are known by what stands before them") {
        CHECK(secrets("Authorization: Bearer abcdefghijklmnop") == "Authorization: Bearer [redacted bearer]");
        CHECK(secrets("authorization: basic dXNlcjpwYXNz") == "authorization: basic [redacted authorization]");
        CHECK(secrets("postgres://bob:hunter2@db/x") == "postgres://bob:[redacted password]@db/x");
        CHECK(secrets("Cookie: sid=0123abcd; a=b") == "Cookie: [redacted cookie]");
        CHECK(secrets("redis://:hunter2@db") == "redis://:[redacted password]@db");
        CHECK(secrets("login --password hunter22 -v") == "login --password [redacted password] -v");
        CHECK(secrets("//registry/:_authToken=abcd1234efgh") == "//registry/:_authToken=[redacted npm token]");
        CHECK(secrets("MY_API_KEY=" + made("", 24)) == "MY_API_KEY=[redacted secret]");
        CHECK(secrets(R"("client_secret": ")" + made("", 24) + '"') == R"("client_secret": "[redacted secret]")");
        CHECK(secrets(R"({\"apiKey\":\")" + made("", 24) + R"(\"})") == R"({\"apiKey\":\"[redacted secret]\"})");
        CHECK(secrets("DB_PASSWORD=tiger1") == "DB_PASSWORD=[redacted secret]");
        CHECK(secrets("Passwort: tiger1") == "Passwort: [redacted secret]");
        CHECK(secrets("authorization: `Basic " + made("", 24) + '`') ==
              "authorization: `Basic [redacted authorization]`");
        CHECK(secrets("x-subscription-key: " + hex("", 32)) == "x-subscription-key: [redacted secret]");
        CHECK(secrets("{\"t\":\"" + made("", 3) + "8Q~" + made("", 34) + "\"}") == "{\"t\":\"[redacted azure key]\"}");
    }

    TEST_CASE("passwords of databases and of XML are told by the statement and the tag around them") {
        for (const char* before :
             {"CREATE USER app IDENTIFIED BY '", "alter user app identified with caching_sha2_password by '",
              "CREATE ROLE app WITH PASSWORD '", "ALTER USER app PASSWORD '",
              "GRANT ALL ON *.* TO 'app'@'%' IDENTIFIED BY '", "CREATE USER IF NOT EXISTS 'app'@'%' IDENTIFIED BY '",
              "create user app with encrypted password '", "SET PASSWORD FOR app = '"}) {
            CAPTURE(before);
            CHECK(secrets(std::string(before) + "tiger'; next") == std::string(before) + "[redacted password]'; next");
        }
        CHECK(secrets("<server><password>tiger eyes</password></server>") ==
              "<server><password>[redacted password]</password></server>");
        CHECK(secrets("<ns:dbPassword>tiger</ns:dbPassword>") == "<ns:dbPassword>[redacted password]</ns:dbPassword>");
        for (const char* text :
             {"the user was identified by 'id'; and the password 'x' is asked", "<password></password>",
              "<password>${env.PW}</password>", "users identified by 'name'", "CREATE USER app IDENTIFIED BY '$PW'",
              "label>Password</label>"}) {
            CAPTURE(text);
            CHECK(secrets(text) == text);
        }
    }

    TEST_CASE("what configuration files hold: .netrc, logins of registries, cluster keys, names that end in PASS") {
        CHECK(secrets("machine git.example login bob password hunter2 macdef") ==
              "machine git.example login bob password [redacted password] macdef");
        CHECK(secrets(R"(machine git.example\n  login bob\n  password hunter2\n)") ==
              R"(machine git.example\n  login bob\n  password [redacted password]\n)");
        CHECK(secrets("machine nas\nlogin bob password hunter2") ==
              "machine nas\nlogin bob password [redacted password]");
        CHECK(secrets(R"({"auths":{"reg.example":{"auth":"Ym9iOmh1bnRlcjI="}}})") ==
              R"({"auths":{"reg.example":{"auth":"[redacted registry login]"}}})");
        CHECK(secrets(R"({\"auth\": \"Ym9iOmh1bnRlcjI=\"})") == R"({\"auth\": \"[redacted registry login]\"})");
        CHECK(secrets("    client-key-data: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQpNSUlFcEFJQkFBS0NBUUVB") ==
              "    client-key-data: [redacted private key]");
        CHECK(secrets("client-key-data: Zx81qPw7Lm3nB55tZx81qPw7Lm3nB55t") == "client-key-data: [redacted secret]");
        CHECK(secrets("DB_PASS=tiger1") == "DB_PASS=[redacted password]");
        CHECK(secrets(R"("smtp_pass": "Zx81qPw7Lm3nB55t")") == R"("smtp_pass": "[redacted password]")");
        CHECK(secrets("Authorization: Bot " + made("", 24)) == "Authorization: Bot [redacted authorization]");
        const std::string signature = hex("", 64);
        CHECK(secrets("https://b.example/o?X-Amz-Expires=60&X-Amz-Signature=" + signature + "&x=1") ==
              "https://b.example/o?X-Amz-Expires=60&X-Amz-Signature=[redacted url signature]&x=1");
        for (const char* text :
             {"the machine was set to login and the password is asked", R"("auth": "required")",
              R"("auth":"YW55b25lCg==")", "certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUM",
              "first_pass=optimised2", "user_pass: ${USER_PASS}", "second_pass: v2-final",
              "machine learning login page password reset"}) {
            CAPTURE(text);
            CHECK(secrets(text) == text);
        }
    }

    TEST_CASE("a name is looked at as far as its value, however it is written") {
        Redactor redact(Redact::secrets);
        for (const char* between : {"=", ": ", " \t:\n ", "_2=", ".v1 => ", "\\\": \\\"", "\": \"", "' = '",
                                    " \x1B[1m:", "\\u001b[0m=", "-of-the-day:"}) {
            CAPTURE(between);
            const std::string text = std::string("deploy token and api_key") + between + "Zx81qPw7Lm3nB55t ok";
            CHECK(redact.text(text).find("Zx81qPw7Lm3nB55t") == std::string::npos);
        }
        const std::string long_name = "token" + std::string(200, 'x') + "=Zx81qPw7Lm3nB55t";
        CHECK(redact.text(long_name).find("Zx81qPw7Lm3nB55t") == std::string::npos);
        for (const char* prose :
             {"the token count: 5", "src/token/table.cpp:120", "a key, a secret; and tokens", "token"}) {
            CHECK(redact.text(prose) == prose);
        }
    }

    TEST_CASE("what is cut off is half a secret wherever it begins like one or follows what secrets follow") {
        Redactor redact(Redact::secrets);
        for (const char* text :
             {"curl -H Bearer\tabcdef…", "Authorization: BASIC dXNlcjpw…", "--password hunter…", "password = \"hunter…",
              "api_key: 'abcdef…", "url redis://user:hunter…", "use x_sk-abcdef…", "eyJhbGciOi…", "token=abcdef…"}) {
            CAPTURE(text);
            CHECK(redact.text(text).find("[redacted") != std::string::npos);
        }
        for (const char* text : {"and the rest of the sentence…", "see src/report/text.cpp…",
                                 "a char8_t or MSG.id of napi_create_object…", "…"}) {
            CHECK(redact.text(text) == text);
        }
    }

    TEST_CASE("half a secret that was cut off is still a secret") {
        CHECK(secrets("export T=ghp_abc\u2026`") == "export T=ghp_[redacted cut secret]\u2026`");
        CHECK(secrets("Bearer abc1\u2026") == "Bearer [redacted cut secret]\u2026");
        CHECK(secrets("https://bob:hunt\u2026") == "https://bob:[redacted cut secret]\u2026");
        CHECK(secrets("API_KEY=a1b2\u2026") == "API_KEY=[redacted cut secret]\u2026");
        CHECK(secrets("http://localhost:8080\u2026") == "http://localhost:8080\u2026");
        CHECK(secrets("and so on\u2026") == "and so on\u2026");
    }

    TEST_CASE("what a program takes for a password is one, however weak, and nothing else of its command is") {
        const auto around = [](const std::string& before, const std::string& after) {
            for (const std::string& word :
                 {std::string("Tr0ub4dor-xyz9"), std::string("hunter"), std::string("123456")}) {
                CAPTURE(before + word + after);
                CHECK(secrets(before + word + after) == before + "[redacted password]" + after);
                const std::string quoted = "Bash {\"command\":\"" + before;
                CHECK(secrets(quoted + word + after + "\"}") == quoted + "[redacted password]" + after + "\"}");
            }
        };
        around("curl -u admin:", " https://x.example/a");
        around("curl -sSfLu admin:", " https://x.example/a");
        around("curl -H 'Accept: text/html;q=0.9' --user 'admin:", "' https://x.example/a?b=1&c=2");
        around("curl -X POST \\\n  -u ci:", " https://x.example");
        around("docker login -u me -p ", " reg.io");
        around("podman login --username me -p'", "' reg.io");
        around("helm registry login reg.io -u me -p ", "");
        around("az login --service-principal -u id -p ", " --tenant t");
        around("mysql -u root -p", " shop < a.sql");
        around("docker exec -i db mysqldump -h 127.0.0.1 -uroot -p'", "' shop");
        around("sshpass -p ", " ssh root@10.0.0.1 true");
        around("redis-cli -h cache -a ", " ping");
        around("openssl enc -aes-256-cbc -pass pass:", " -in a");
        around("keytool -list -storepass ", " -keystore k");
        around("gpg --batch --passphrase ", " -d a.gpg");
        around("echo ", " | docker login -u me --password-stdin reg.io");
        around("printf '%s' '", "' | docker login -u me --password-stdin");
        around("echo ", " | sudo -S apt-get update");
        for (const char* text : {"curl -u \"$USER:$TOKEN\" https://x.example",
                                 "curl -u admin:${PASS} https://x.example",
                                 "curl -s http://localhost:8080/a:b",
                                 "curl -A 'a: b' -o out http://x.example",
                                 "curl x.example; docker run -u 1000:1000 img",
                                 "curl x | sudo -u www:data sh",
                                 "curl --user-agent a:b http://x",
                                 "docker login -u me -p $REG_PASS reg.io",
                                 "docker run -p 8080:80 login-service",
                                 "the login page -p 3",
                                 "docker run --name mysql -u 1000 -p3306:3306 mysql:8",
                                 "mysql -u root -p shop",
                                 "find . -name mysql -print",
                                 "mysql -h db --protocol=tcp",
                                 "mysql -u root -p$PASS shop",
                                 "sshpass -e ssh -p 2222 host",
                                 "redis-cli -h cache ping",
                                 "pass: 10 fail: 0",
                                 "openssl enc -pass env:P -in a",
                                 "echo $PASS | docker login --password-stdin",
                                 "echo done | sudo tee /etc/x",
                                 "cat key | docker login -u me --password-stdin",
                                 "a login with -p and a curl of -u users: all"}) {
            CAPTURE(text);
            CHECK(secrets(text) == text);
        }
    }

    TEST_CASE(
        "what is handed to a program stands close before its name, and is found behind any number of such names") {
        std::string log;
        for (int i = 0; i < 50'000; ++i) log += "sudo apt-get install ";
        CHECK(secrets(log) == log);
        CHECK(secrets(log + "echo hunter | sudo -S true") == log + "echo [redacted password] | sudo -S true");
        CHECK(secrets("echo hunter | docker login " + std::string(500, 'x') + " --password-stdin") ==
              "echo [redacted password] | docker login " + std::string(500, 'x') + " --password-stdin");
    }

    TEST_CASE("a private key goes whole, even when it was cut off") {
        const std::string begin =
            "-----BEGIN RSA PRIVATE"
            " KEY-----\nMIIEabc\ndef\n";
        CHECK(secrets("a " + begin +
                      "-----END RSA PRIVATE"
                      " KEY----- b") == "a [redacted private key] b");
        CHECK(secrets("a " + begin) == "a [redacted private key]");
    }

    TEST_CASE("ordinary text that only looks the part stays") {
        for (const char* text : {"max_tokens=4096",
                                 "Bearer authentication",
                                 "bearer capabilities are checked",
                                 "token = getToken()",
                                 "const secret = process.env.SECRET",
                                 "API_KEY=$API_KEY",
                                 "password: ${PASSWORD}",
                                 "the token budget is spent",
                                 "tokens: 1234567890123",
                                 "skip-this-and-that-for-a-while",
                                 "secret_key: string",
                                 "http://example.com:8080/a@b",
                                 "git@github.com:a/b.git",
                                 "keyboard: qwertyuiop",
                                 "access_token_url: https",
                                 "commit 3f2a1b9c8d7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a",
                                 "-----BEGIN CERTIFICATE-----",
                                 "branch.secrets-2026.merge=refs/heads/2026-secrets",
                                 "token-usage.base=origin/victor/add-token-usage-by-hand",
                                 "headers: { Cookie: auth.cookie }, signal",
                                 "let auth: { cookie: string; crumb: string };",
                                 "a task-list-of-more-than-twenty-letters",
                                 R"(C:\ask-user-question-about-that)",
                                 "[msk-region-of-more-than-twenty-letters]",
                                 "highs_abcdefghijklmnopqrstuvwxyz",
                                 "cache_key-0123456789abcdef0123456789abcdef",
                                 "fluxapp-deployment-of-today",
                                 "sha512-ghcioAbCdEfGhIjKlMnOpQrStUvWxYz0123456789",
                                 "disk-ant-colony-optimisation-run",
                                 "50%task-ant-and-so-on-and-on-and-on"}) {
            CHECK(secrets(text) == text);
        }
        for (const char* text : {"go test ./pkg/export/...", "src/net/http", R"(/^#\\b/gm)", "a/mnt/c/users",
                                 R"("file_path":"D:\\posh\\website")"}) {
            CHECK(strict(text) == text);
        }
    }

    TEST_CASE("the home directory is ~, in either spelling, and only where it is one") {
        CHECK(secrets("cd /home/alice/src") == "cd ~/src");
        CHECK(secrets("/Users/alice") == "~");
        CHECK(secrets("/root/.ssh /rootless") == "~/.ssh /rootless");
        CHECK(secrets(R"(C:\Users\alice\src)") == R"(~\src)");
        CHECK(secrets(R"("C:\\Users\\alice\\src")") == R"("~\\src")");
        CHECK(secrets("/srv/home/alice /var/root") == "/srv/home/alice /var/root");
        CHECK(secrets("/home/ and /home") == "/home/ and /home");
        CHECK(secrets("a:/home/x:/home/y") == "a:~:~");
        CHECK(secrets("\x1b[35m/home/kim/src") == "\x1b[35m~/src");
        CHECK(secrets(R"(a\n/home/kim/x)") == R"(a\n~/x)");
        CHECK(secrets("35m/home/kim/src") == "35m~/src");
        CHECK(secrets(R"(\u0022/Users/kim/x %20/home/kim [32m/home/kim)") == R"(\u0022~/x %20~ [32m~)");
        CHECK(secrets("/c/Users/kim/app /mnt/c/users/kim /cygdrive/d/Users/kim") == "~/app ~ ~");
        CHECK(secrets("/var/home/kim/app /usr/home/kim") == "~/app ~");
        CHECK(secrets("file:///home/kim/a") == "file://~/a");
        for (const char* text : {"mysql://root@h/db", "http://home/kim", "https://Users/kim", "src/pages/home/index",
                                 "/r/users/kim", "a/c/Users/kim"}) {
            CHECK(secrets(text) == text);
        }
        CHECK(secrets("mysql://root:hunter2@h") == "mysql://root:[redacted password]@h");
    }

    TEST_CASE("strict also takes out who it was") {
        CHECK(secrets("mail bob@example.com") == "mail bob@example.com");
        CHECK(strict("mail bob@example.com") == "mail [redacted e-mail]");
        CHECK(strict("\x1b[35m/media/bob/disk /nfs/home/bob/x") ==
              "\x1b[35m/media/[redacted user]/disk /nfs/home/[redacted user]/x");
        CHECK(strict("uri=file%3A%2F%2F%2Fhome%2Fbob%2Fa") == "uri=file%3A%2F%2F%2Fhome%2F[redacted user]%2Fa");
        CHECK(strict("uri=pages%2Fhome%2Findex") == "uri=pages%2Fhome%2Findex");
        CHECK(strict("/media/bob/disk") == "/media/[redacted user]/disk");
        CHECK(strict("at \"/export/home/bob/x\"") == "at \"/export/home/[redacted user]/x\"");
        CHECK(strict("/Volumes/data/home/bob/x /Volumes/Old/Users/bob/y") ==
              "/Volumes/data/home/[redacted user]/x /Volumes/Old/Users/[redacted user]/y");
        CHECK(strict(R"(open \\wsl$\Ubuntu\home\bob\a.c)") == R"(open \\wsl$\Ubuntu\home\[redacted user]\a.c)");
        CHECK(strict(R"(open \\wsl$\Ubuntu\usr\bob)") == R"(open \\wsl$\Ubuntu\usr\bob)");
        CHECK(strict(R"(\\wsl.localhost\Debian\home\bob\a.c)").find("bob") == std::string::npos);
        CHECK(strict("~/.claude/projects/-home-bob-src") == "~/.claude/projects/-home-[redacted user]-src");
        CHECK(Redactor(Redact::strict).input("/home/bob/a.jsonl") == "~/a.jsonl");
        CHECK(Redactor(Redact::secrets).input("/home/bob/a.jsonl") == "/home/bob/a.jsonl");
    }

    TEST_CASE("paths that name nobody stay, as the reference says") {
        for (const char* path : {"/srv/build/acme/x.cfg", "/opt/acme/bin/run"}) {
            CHECK(strict(path) == path);
            CHECK(Redactor(Redact::strict).input(path) == path);
        }
        std::ifstream page(agent_audit::test::project_folder() + "/docs/reference/redaction.md");
        const std::string text{std::istreambuf_iterator<char>(page), {}};
        CHECK(text.find("other absolute paths stay") != text.npos);
    }

    TEST_CASE("none changes nothing") {
        const std::string text = made("ghp_", 36) + " /home/alice";
        CHECK(Redactor(Redact::none).text(text) == text);
    }

    TEST_CASE("every rule compiles: a broken one would withhold the text") {
        // All marks at once make every rule run.
        const std::string all =
            "-----BEGIN sk-ant- sk-or- sk- sk_ ghp_ glpat- xoxb hooks.slack.com /api/webhooks/ npm_ _authToken pypi- "
            "rubygems_ cio AKIA AIza ya29. GOCSPX- AccountKey= hf_ gsk_ xai- r8_ pplx- dop_v1_ dapi SG. key- shpat_ "
            "lin_api_ \u2026 ntn_ figd_ dckr_pat_ hvs. AGE-SECRET-KEY- :AA eyJ bearer authorization cookie :// "
            "--password key @ "
            "-home- /media wsl$ glc_ passw %2fhome%2f /home/ ls0tls1crudjti auth\" x-amz-signature machine "
            "_pass=abcdef1";
        CHECK(strict(all).find("withheld") == std::string::npos);
    }

    TEST_CASE("a password in an address goes whole, whatever is in it, and a port with a path stays") {
        for (const char* password : {"p@ss9", "aB3/dE5+gH7jK9=", "aB3/d@E5", "12ab/cd"}) {
            CAPTURE(password);
            CHECK(secrets(std::string("postgres://bob:") + password + "@db.example/app") ==
                  "postgres://bob:[redacted password]@db.example/app");
            CHECK(secrets(std::string("{\"url\":\"redis://:") + password + "@db\",\"to\":\"a@b\"}") ==
                  "{\"url\":\"redis://:[redacted password]@db\",\"to\":\"a@b\"}");
        }
        for (const char* text : {"http://localhost:4873/@scope/pkg", "http://h.example:8080/u/joe2@x",
                                 "http://h:$PORT/a/b@c", "http://h:${PORT}/a/b@c", "http://h:PORT/@vite/client",
                                 "ssh://git@h.example:22/a/b.git", "http://h:80/a b@c"}) {
            CHECK(secrets(text) == text);
        }
    }

    TEST_CASE("a word that was taken out of a text shows no more than the text does") {
        const std::string key = made("", 10) + "/" + made("", 10) + "/" + made("", 18);
        const auto word = [](std::string_view raw, std::string_view said) {
            return Redactor(Redact::secrets).word(raw, said);
        };
        CHECK(word("ab/cd/efgh1", "login --password ab/cd/efgh1 and edit src/a.c") == "[redacted secret]");
        CHECK(word("src/a.c", "login --password ab/cd/efgh1 and edit src/a.c") == "src/a.c");
        CHECK(word("/home/kim/a.c", "edit /home/kim/a.c") == "~/a.c");
        CHECK(word(key, "the text was cut before it") == "[redacted secret]");
        CHECK(Redactor(Redact::none).word(key, key) == key);
        for (const char* path : {"src/components/Button2/Icon", "packages/ReactNative2/src/ComponentFoo",
                                 "docs/2026/Q1/ReportForTheBoard", "src/v2/HTTPServer/TLS13Handshake"}) {
            CHECK(word(path, "") == path);
        }
    }

    TEST_CASE("broken UTF-8 around a secret does not save it") {
        const std::string token = made("ghp_", 36);
        CHECK(secrets("\xff\xfe" + token + "\xc3").find(token) == std::string::npos);
    }
}
