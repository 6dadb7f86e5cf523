#pragma once

#include <agent_audit/report/schema.hpp>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace agent_audit::test {

// The part of JSON Schema our own schemas use, the strict way: a property a schema does not name is an error,
// because then the schema is not the description of the output it claims to be.
class SchemaValidator {
public:
    explicit SchemaValidator(std::string_view name) : root_(nlohmann::json::parse(find_schema(name)->text())) {}

    std::vector<std::string> errors(const nlohmann::json& value) {
        errors_.clear();
        check(root_, value, "$");
        return errors_;
    }

private:
    void check(const nlohmann::json& schema, const nlohmann::json& value, const std::string& where) {
        if (schema.contains("$ref")) {
            const std::string ref = schema["$ref"];
            check(root_.at(nlohmann::json::json_pointer(ref.substr(1))), value, where);
        }
        if (schema.contains("oneOf")) one_of(schema["oneOf"], value, where);
        if (schema.contains("const") && schema["const"] != value) fail(where, "is not " + schema["const"].dump());
        if (schema.contains("enum")) {
            const nlohmann::json& all = schema["enum"];
            if (std::find(all.begin(), all.end(), value) == all.end()) fail(where, "is not one of " + all.dump());
        }
        if (schema.contains("type")) type(schema["type"], value, where);
        if (schema.contains("minimum") && value.is_number() && value.get<double>() < schema["minimum"].get<double>())
            fail(where, "too small");
        if (schema.contains("maximum") && value.is_number() && value.get<double>() > schema["maximum"].get<double>())
            fail(where, "too large");
        if (schema.contains("items") && value.is_array()) {
            for (std::size_t i = 0; i < value.size(); ++i)
                check(schema["items"], value[i], where + "[" + std::to_string(i) + "]");
        }
        if (value.is_object() && schema.contains("properties")) object(schema, value, where);
    }

    void object(const nlohmann::json& schema, const nlohmann::json& value, const std::string& where) {
        for (const auto& [key, member] : value.items()) {
            if (schema["properties"].contains(key))
                check(schema["properties"][key], member, where + "." + key);
            else
                fail(where, "has the undescribed field " + key);
        }
        for (const nlohmann::json& key : schema.value("required", nlohmann::json::array())) {
            if (!value.contains(key.get<std::string>())) fail(where, "lacks " + key.dump());
        }
    }

    void one_of(const nlohmann::json& choices, const nlohmann::json& value, const std::string& where) {
        int fitting = 0;
        const std::vector<std::string> before = std::move(errors_);
        for (const nlohmann::json& choice : choices) {
            errors_.clear();
            check(choice, value, where);
            fitting += errors_.empty();
        }
        errors_ = before;
        if (fitting != 1) fail(where, std::to_string(fitting) + " kinds fit " + value.dump());
    }

    void type(const std::string& name, const nlohmann::json& value, const std::string& where) {
        const bool fits = (name == "object" && value.is_object()) || (name == "array" && value.is_array()) ||
                          (name == "string" && value.is_string()) || (name == "integer" && value.is_number_integer()) ||
                          (name == "number" && value.is_number()) || (name == "boolean" && value.is_boolean());
        if (!fits) fail(where, "is not of type " + name);
    }

    void fail(const std::string& where, const std::string& what) { errors_.push_back(where + " " + what); }

    nlohmann::json root_;
    std::vector<std::string> errors_;
};

}  // namespace agent_audit::test
