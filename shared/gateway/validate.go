package gateway

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"screentest/shared/strictjson"
)

// MaxBody is the longest request body that is read, in bytes.
const MaxBody = 4 << 20

// Options is what is known of a request beyond its body. The zero Options
// checks the body alone.
type Options struct {
	// Source is the clip that task_id names; nil skips F128–F136.
	Source *Provenance
	// ReferenceSeconds are the measured lengths of the reference videos, in
	// their order; used when there is one for each (F142, F143, G20).
	ReferenceSeconds []float64
	// MotionSeconds is the measured length of the motion clip; 0 is unknown (G22).
	MotionSeconds float64
	// Exact takes the measured lengths as the gateway does, with no tolerance (G21).
	Exact bool
	// StreamOptions: this gateway is set to take stream_options (G9).
	StreamOptions bool
	// KeptImages: an image may be named as [ImageRefs] finds it, because its bytes
	// are put in before the request is sent.
	KeptImages bool
	// Switched: the gateway itself has said that it serves the model at the
	// other text endpoint, whatever the catalogue says (F116).
	Switched bool
	// Now decides whether Source has expired; zero skips that.
	Now time.Time
}

// Validate judges a request body for an endpoint. It never panics, takes time
// in proportion to the body, and reports a bounded number of issues. The
// checks go in the gateway's order: JSON, model, endpoint, fields, source
// (G41); a stage that fails ends them.
func (c *Catalogue) Validate(ep Endpoint, body []byte, o Options) Verdict {
	k := &checker{catalogue: c, endpoint: ep, options: o}
	if k.readJSON(body) && k.findModel() && k.fitEndpoint() {
		k.checkFields()
		k.checkContext(len(body))
		if ep == Video {
			k.checkVideo()
		}
	}
	if slices.ContainsFunc(k.verdict.Errors, func(i Issue) bool { return i.Field == "seconds" }) {
		k.verdict.Price = nil // of other seconds than it must be (F151, F149, G22)
	}
	return k.verdict
}

// checker is one call of Validate.
type checker struct {
	catalogue *Catalogue
	endpoint  Endpoint
	options   Options
	verdict   Verdict

	doc        *strictjson.Document
	model      Model
	mode       Mode
	values     [maxFields]*strictjson.Value // by line of the endpoint's table; nil: absent or null
	nulls      [maxFields]bool              // written as null
	images     int                          // in messages or items so far
	imageBytes int                          // that are within the body
}

// maxFields is the length of the longest table.
const maxFields = 20

// report says that a rule is broken.
func (k *checker) report(r ruleID, field, message string) {
	k.verdict.add(r, Issue{Field: field, Message: message})
}

// reportWith says it with the values that would do and what to do about it.
func (k *checker) reportWith(r ruleID, field, message string, allowed []string, hint string) {
	k.verdict.add(r, Issue{Field: field, Message: message, Allowed: allowed, Hint: hint})
}

// readJSON is the first stage: one object, no key twice, every key as it is
// documented (F115, G42).
func (k *checker) readJSON(body []byte) bool {
	doc, err := strictjson.Parse(body, strictjson.Limits{Bytes: MaxBody, OwnNames: inParameters})
	if err != nil {
		e := err.(*strictjson.Error)
		switch e.Reason {
		case strictjson.TooLarge:
			k.report(rBodySize, "", e.Message)
		case strictjson.TooDeep, strictjson.TooMany, strictjson.NumberTooLong:
			k.report(rJSONLimits, e.Path, e.Error())
		default:
			k.report(rJSON, e.Path, "the body is not usable JSON: "+e.Error())
		}
		return false
	}
	k.doc = doc
	if doc.Root.Kind != strictjson.Object {
		k.report(rObject, "", "the body must be a JSON object, not "+doc.Root.Kind.String())
		return false
	}
	k.checkKeys()
	return k.verdict.OK()
}

// findModel is the second stage (F21, F32, F53, G3).
func (k *checker) findModel() bool {
	missing := rModelVideo
	switch k.endpoint {
	case Chat:
		missing = rModelChat
	case Responses:
		missing = rModelResponses
	}
	v, ok := k.doc.Root.Get("model")
	switch {
	case !ok || v.Kind == strictjson.Null:
		k.report(missing, "model", "model is missing: name the model that should answer")
		return false
	case v.Kind != strictjson.String:
		k.report(missing, "model", "model must be a string, not "+v.Kind.String())
		return false
	case v.Text == "":
		k.report(missing, "model", "model is empty: name the model that should answer")
		return false
	}
	m, known := k.catalogue.Lookup(v.Text)
	if !known {
		k.warnUnknown(m)
	}
	k.model, k.mode = m, m.Mode
	return true
}

func (k *checker) warnUnknown(m Model) {
	like := "as a model of the family " + string(m.Family)
	if m.Family == Unknown {
		like = "with the rules common to all models"
	}
	k.reportWith(rUnknownModel, "model", strconv.Quote(cut(m.ID))+" is not in the catalogue; it is checked "+like,
		nil, "Check the id, or add the model to the catalogue.")
	if m.Family == Unknown && k.endpoint != Video {
		k.report(rPrefix, "model", "the id of a text model is usually <prefix>/<model>")
	}
	if m.Family == Beta && !betaVersion(m.ID) {
		prefix := cut(m.ID[:strings.LastIndexByte(m.ID, '/')+1])
		k.reportWith(rBetaVersion, "model", "beta text models are beta-4.3, beta-4.5 and beta-4.6; it is "+strconv.Quote(cut(m.ID)),
			[]string{prefix + "beta-4.3", prefix + "beta-4.5", prefix + "beta-4.6"}, "")
	}
}

// fitEndpoint is the third stage (F13, F18, F116, G5).
func (k *checker) fitEndpoint() bool {
	if k.model.Family == Unknown && k.endpoint.Path() != "" {
		k.model.Endpoint = k.endpoint
		if k.endpoint == Video {
			k.mode, k.model.Mode = AnyVideo, AnyVideo
		}
		return true
	}
	if k.model.Endpoint == k.endpoint {
		return true
	}
	if k.options.Switched && k.endpoint != Video && k.model.Endpoint != Video {
		k.model.Endpoint = k.endpoint
		return true
	}
	broken := rWrongEndpoint
	if k.endpoint == Chat {
		switch {
		case k.model.Family == Epsilon:
			broken = rEpsilonOnChat
		case k.model.Family == Beta:
			broken = rBetaOnChat
		case k.model.Endpoint == Responses:
			broken = rResponsesOnly
		}
	}
	path := k.model.Endpoint.Path()
	k.reportWith(broken, "model", "use POST "+path+" for "+cut(k.model.ID)+": it is not served by this endpoint",
		[]string{string(k.model.Endpoint)}, "Switch to POST "+path+".")
	return false
}
