#pragma once

#include <agent_audit/model/text.hpp>

#include <cstdint>
#include <string_view>

/// How a person answers what an agent said, where correction_in() is too strict: these are asked only where the agent
/// says the same again. Of a message its beginning counts.
namespace agent_audit::detectors {

/// Was the reply not what the person wanted: "still wrong", "that is the same code", "non, …"? `asked`: the reply was a
/// question, so that "no" is an answer.
bool objects(RawText said, bool asked);

/// "TOGGLE", of a person who wrote it in small letters before. What is always written so ("JSON", "LHR JFK") is no
/// shout.
bool shouts(std::string_view text, std::string_view before);

/// Says in more than a word that something is not so: "there is none here", "ce bouton n'existe pas", "not on Tuesday".
bool denies(RawText said);

/// What a person says of a change that was made for them.
enum class Complaint : std::uint8_t {
    none,     ///< something else
    unclear,  ///< at length, or with a question: nobody knows how far it came
    same,     ///< "still not centered", "doesn't work", "nope, same as before": it is as it was
};
/// Of a short message. "Still a bit too low" and "closer, but still red" come nearer: none.
Complaint complaint_in(RawText said);

/// "Sí, confirmo": an answer to a question, and not more of one than two or three words.
bool affirms(RawText said);

/// "Again!", "say it once more", "repeat": a wish to hear the same.
bool wishes_again(RawText said);

/// "Good, now the next one."
bool approves(RawText said);

/// "And now?": whoever asks tells nothing.
bool asks(RawText said);

/// Of a reply: "please describe what happened next". What is answered then is no verdict on the reply.
bool wants_input(RawText said);

/// Of a reply: "Sorry, I didn't get that", and what else an agent says that did not understand.
bool has_not_understood(RawText said);

/// Of a short reply: "I'll start with the conversion now", "one moment please": it says that work begins, and asks
/// nothing.
bool announces_work(RawText said);

/// Of a reply: "Is there anything else I can help you with?", which asks for nothing.
bool asks_only_for_more(RawText said);

/// Of a reply: "I can't help with that". It may have to, however often it is asked.
bool declines_to_help(RawText said);

}  // namespace agent_audit::detectors
