#include "support/home_folder.hpp"

#include <doctest/doctest.h>

#include <string_view>

using agent_audit::home_length;

TEST_SUITE("homes") {
    TEST_CASE("those of the systems agents work on") {
        for (const std::string_view home :
             {"/home/ada", "/Users/ada", "/root", "/var/home/ada", "/usr/home/a.b", "/c/Users/ada", "/mnt/c/users/ada",
              "/cygdrive/d/Users/ada", R"(C:\Users\ada)", R"(c:\\users\\ada)", "C:/Users/ada"}) {
            CAPTURE(home);
            CHECK(home_length(home) == home.size());
        }
        CHECK(home_length("/home/ada/.ssh/id_rsa") == 9);
        CHECK(home_length("/root/x") == 5);
    }
    TEST_CASE("not the folder of all homes, a route or a name that begins alike") {
        for (const std::string_view path : {"", "/", "/home/", "/home", "/homes/ada", "/rooted/x", "/r/users/7",
                                            "C:\\Users\\", "C:Users", "home/ada", "~/x", "/etc/home/ada"}) {
            CAPTURE(path);
            CHECK(home_length(path) == 0);
        }
    }
}
