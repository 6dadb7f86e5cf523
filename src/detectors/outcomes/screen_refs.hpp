#pragma once

#include <string>
#include <string_view>

namespace agent_audit::detectors {

/// A page as a browser server tells it, without the numbers it gives the elements: `button "Save" [ref=e12]`. They are
/// handed out anew with each look, and say nothing of the page. Nor does what its address asks for: what the page
/// shows tells whether it was got (`Page URL: https://shop.example/login?next=/orders/17`); nor the ids that a page
/// draws which wants proof of a human. Empty where the text has nothing of it.
std::string without_element_refs(std::string_view page);

/// The arguments of a call that acts on an element, without such a number, where they also say in words which element
/// is meant: {"element": "Save button", "ref": "e12"}. Empty where they do not.
std::string without_ref_argument(std::string_view args);

}  // namespace agent_audit::detectors
