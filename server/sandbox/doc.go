// Package sandbox is a whole model gateway that costs nothing: text by chat
// completions and responses, video as tasks that are polled, keys, a balance,
// charges and returns, strict to the letter of the contract, so that a program
// that works against it works against a real one.
//
// Start with [New]; the [Server] is an http.Handler and needs nothing beside
// it. It judges bodies with gateway.Catalogue.Validate, like the playground,
// and by itself all that depends on what it has stored or measured: sources of
// actions, the balance, reference and motion clips.
//
// # The script
//
// Words in double square brackets in a prompt steer it, so that every state
// can be shown and tested. They are read from the last user message (of a
// responses input: its last "User:" turn, or all of it where there is none).
// An unknown word, or one whose argument is out of bounds, is plain text.
//
// For text:
//
//	[[fail: reason]]    half the answer, then response.failed; on chat an error
//	                    object and [DONE]; without stream HTTP 500, or on
//	                    responses a body of status "failed"
//	[[error]]           half the answer, then an error event and response.failed;
//	                    on chat an error object and no [DONE]; without stream 500
//	[[incomplete]]      half the answer, ended by the model's limit
//	[[drop]]            half the answer, then the connection breaks
//	[[truncate]]        half the answer, then a clean end without an end mark
//	[[silent]]          half the answer, then nothing for ten minutes, or until
//	                    the client leaves; then the connection breaks
//	[[slow]]            ten times slower
//	[[pace: N]]         N tokens a second, 1 to 1000000
//	[[repeat: N]]       an answer of N words, 1 to 1000000
//	[[markdown]]        an answer with every Markdown feature; with repeat, over
//	                    and over until it has N words
//	[[echo]]            the prompt itself as the answer, for hostile Markdown
//	[[reasoning]]       reasoning before the answer, from any model; epsilon
//	                    reasons without being asked to
//	[[call: name]]      a call of that function, if it is offered
//	[[json]]            a JSON reply though a stream was asked for
//	[[no-usage]]        no usage figure
//
// For video:
//
//	[[fail: reason]]    the task fails, and its charge is returned
//	[[expire]]          the result is expired as soon as it is done
//	[[slow]]            ten times slower
//	[[poll: N]]         the first poll of the task is answered with status N
//
// For both:
//
//	[[status: N]]       HTTP status N, 400 to 599, once for the same body within
//	                    ten minutes, then normal. 502 and 504 are HTML, as a
//	                    proxy sends them; "N html" and "N empty" choose the body
//
// # What the catalogue tells
//
// A model that the catalogue tells to take them heeds max_tokens and its like
// (the answer ends with length), stop, response_format (JSON by the schema),
// reasoning_effort and seed. Other models ignore them.
//
// # Functions
//
// Functions that are offered are called: those that the prompt names; the one
// whose name and description fit it best; else, once in a conversation, the
// first, where something is to be found out or done. Arguments are made by the
// schema, from the prompt where it holds something that fits. A prompt that
// says not to, a greeting, a poem or code, and a script that says what the
// answer is, get text. With the results the answer is text, so that a round of
// calls is always the last.
//
// # Endpoints of its own
//
// Three endpoints beyond the contract are for tests and take the same key:
// GET /sandbox/account, GET /sandbox/requests and POST /sandbox/clock. Each
// key has an account and tasks of its own (F2), and sees the record of its own
// requests, bodies included, and of those without a right key; the clock is one
// for all keys.
//
// # What things cost, and when
//
// A token is white space and up to eight other characters after it: of the
// messages or the input for what goes in, of answer, reasoning and arguments
// for what comes out. A call is charged when it ends, for what was sent until
// then: a client that leaves, or a connection that [[drop]] breaks, has paid
// for half an answer. A call that the gateway itself fails costs nothing. A
// video is charged when it is made (F109) and paid back when it fails (F112).
package sandbox
