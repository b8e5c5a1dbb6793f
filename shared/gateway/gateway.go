// Package gateway is the contract of a model gateway as code, compiled into
// the browser, the server and the sandbox alike.
//
// Start with a [Catalogue]: [SampleCatalogue] or [ParseCatalogue]. Build a
// request ([Model.TextBody], [VideoRequest]), judge it with
// [Catalogue.Validate], and send exactly the bytes that were judged. What a
// form may ask is in [Model.Fields], what a finished clip can become in
// [Actions], what a call costs in [Model.TextPrice] and [Model.VideoPrice].
//
// Numbers such as F58 and G20 name the facts of the gateway's document and
// our decisions where it is silent; every rule carries its number, and [Rules]
// lists them. These decisions are about what a catalogue tells beyond it:
//
//   - G43: an ordinary model takes what the catalogue's takes says; the other
//     families take what their document says and nothing more.
//   - G44: content is an array of parts where the model takes images: text, and
//     image_url in a user's message; on responses input_image, in items.
//   - G45: an image is a data: URL of PNG, JPEG, WebP or GIF in base64, or an
//     absolute http(s) link; one of this machine or network is a warning.
//   - G46: a request has at most 16 images. They are billed as the gateway
//     reports them; a price per image only serves the figure before sending.
//   - G47 to G53: the fields that takes can name have the forms that most
//     gateways give them. Told of a model they are fields like others; else they
//     are passed on with a warning (G11).
//   - G54: a body of more than four bytes for each token that the model reads, or
//     that leaves no room for the answer asked for, is a warning. Images don't
//     count: nobody but the gateway knows what they take.
package gateway

// Endpoint is one of the three calls that make something.
type Endpoint string

// The endpoints.
const (
	Chat      Endpoint = "chat"      // F3
	Responses Endpoint = "responses" // F4
	Video     Endpoint = "video"     // F5
)

// Path is where the endpoint is below the gateway's base URL (F3–F5, F170).
// It is empty for an endpoint that does not exist.
func (e Endpoint) Path() string {
	switch e {
	case Chat:
		return "/v1/chat/completions"
	case Responses:
		return "/v1/responses"
	case Video:
		return "/v1/video/generations"
	}
	return ""
}

// Family is a group of models under the same rules.
type Family string

// The families.
const (
	Ordinary  Family = "ordinary"   // text, chat (F11)
	Epsilon   Family = "epsilon"    // text, responses, stream required (F12–F16)
	Beta      Family = "beta"       // text, responses (F17–F19)
	Zeta      Family = "zeta"       // text, chat, tools (F20)
	Alpha     Family = "alpha"      // video, by tier
	BetaVideo Family = "beta-video" // video, by resolution
	Gamma     Family = "gamma"      // video, frames and references
	Delta     Family = "delta"      // video, multi-shot and motion control
	// Unknown is the family of a model that no entry of the catalogue and no
	// pattern knows: only the rules common to all models hold (G3).
	Unknown Family = "unknown"
)

// Text says whether the family answers with text.
func (f Family) Text() bool {
	return f == Ordinary || f == Epsilon || f == Beta || f == Zeta
}

// Mode is a kind of task, as a form offers it. A model has one of its own, and
// delta's generating models take MultiShot besides.
type Mode string

// The modes. TextMode is that of every text model.
const (
	TextMode       Mode = "text"
	TextToVideo    Mode = "text-to-video"
	ImageToVideo   Mode = "image-to-video"
	FirstLastFrame Mode = "first-last-frame" // gamma image-to-video (F137)
	Reference      Mode = "reference-video"  // F142–F149
	MultiShot      Mode = "multi-shot"       // F150–F152
	Motion         Mode = "motion-control"   // F153–F158
	Extend         Mode = "extend"
	Upscale        Mode = "upscale"
	// AnyVideo is the mode of an Unknown model on the video endpoint.
	AnyVideo Mode = "video"
)

// Generates says whether the mode makes a clip that is not an action's result.
func (m Mode) Generates() bool {
	switch m {
	case TextToVideo, ImageToVideo, FirstLastFrame, Reference, MultiShot, Motion, AnyVideo:
		return true
	}
	return false
}
