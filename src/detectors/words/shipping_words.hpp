#pragma once

#include <agent_audit/detectors/step.hpp>

#include <string_view>

namespace agent_audit::detectors {

/// A command that sends work out, by the words it begins with. A `*` is any one word (kubectl -n x apply).
struct ShippingCommand {
    std::string_view words;
    Shipping how;
};
inline constexpr ShippingCommand kShippingCommands[] = {
    {"git push", Shipping::push},
    {"docker push", Shipping::push},
    {"podman push", Shipping::push},
    {"npm publish", Shipping::publish},
    {"pnpm publish", Shipping::publish},
    {"yarn publish", Shipping::publish},
    {"cargo publish", Shipping::publish},
    {"twine upload", Shipping::publish},
    {"gem push", Shipping::publish},
    {"make publish", Shipping::publish},
    {"gradle publish", Shipping::publish},
    {"poetry publish", Shipping::publish},
    {"uv publish", Shipping::publish},
    {"dotnet nuget push", Shipping::publish},
    {"gh release create", Shipping::release},
    {"make release", Shipping::release},
    {"gh pr create", Shipping::request},
    {"glab mr create", Shipping::request},
    {"gh pr merge", Shipping::merge},
    {"kubectl apply", Shipping::deploy},
    {"kubectl * apply", Shipping::deploy},
    {"kubectl rollout restart", Shipping::deploy},
    {"helm install", Shipping::deploy},
    {"helm upgrade", Shipping::deploy},
    {"terraform apply", Shipping::deploy},
    {"tofu apply", Shipping::deploy},
    {"pulumi up", Shipping::deploy},
    {"fly deploy", Shipping::deploy},
    {"flyctl deploy", Shipping::deploy},
    {"vercel deploy", Shipping::deploy},
    {"vercel --prod", Shipping::deploy},
    {"netlify deploy", Shipping::deploy},
    {"firebase deploy", Shipping::deploy},
    {"wrangler deploy", Shipping::deploy},
    {"cdk deploy", Shipping::deploy},
    {"sam deploy", Shipping::deploy},
    {"serverless deploy", Shipping::deploy},
    {"eb deploy", Shipping::deploy},
    {"gcloud app deploy", Shipping::deploy},
    {"gcloud run deploy", Shipping::deploy},
    {"make deploy", Shipping::deploy},
    {"npm run deploy", Shipping::deploy},
    {"yarn deploy", Shipping::deploy},
    {"pnpm deploy", Shipping::deploy},
    {"ansible-playbook", Shipping::deploy},
    {"mvn deploy", Shipping::deploy},
    {"yarn run deploy", Shipping::deploy},
    {"pnpm run deploy", Shipping::deploy},
    {"cap production deploy", Shipping::deploy},
};

/// Commands that change the schema of a database, by the words they begin with.
inline constexpr std::string_view kMigrators[] = {"python manage.py migrate",
                                                  "python3 manage.py migrate",
                                                  "./manage.py migrate",
                                                  "alembic upgrade",
                                                  "flask db upgrade",
                                                  "prisma migrate deploy",
                                                  "prisma migrate dev",
                                                  "rails db:migrate",
                                                  "bin/rails db:migrate",
                                                  "rake db:migrate",
                                                  "php artisan migrate",
                                                  "knex migrate:latest",
                                                  "sequelize db:migrate",
                                                  "typeorm migration:run",
                                                  "drizzle-kit migrate",
                                                  "diesel migration run",
                                                  "sqlx migrate run",
                                                  "dotnet ef database update",
                                                  "npm run migrate",
                                                  "make migrate",
                                                  "npx prisma migrate deploy",
                                                  "npx prisma migrate dev",
                                                  "bundle exec rails db:migrate",
                                                  "npx knex migrate:latest",
                                                  "npx sequelize db:migrate",
                                                  "npm run db:migrate",
                                                  "yarn migrate",
                                                  "pnpm migrate",
                                                  "goose up",
                                                  "flyway migrate"};

}  // namespace agent_audit::detectors
