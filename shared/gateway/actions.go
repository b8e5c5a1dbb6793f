package gateway

import "time"

// Action is something that can be made of a finished clip.
type Action struct {
	Kind    Mode     // Extend or Upscale
	Model   string   // the action model; "" where none fits, with Reason
	Target  string   // resolution of the result
	Seconds []string // allowed values, the first is the usual one
	Enabled bool
	Reason  string // why it can't be, for the disabled button
	Warning string // what is not sure about it
}

// Actions returns what the clip can become (table A): every action model of
// the catalogue that fits, or for a kind without one a disabled entry with the
// reason. A model is offered, that is Enabled, exactly when a gateway takes
// the clip for it. Of a pasted UUID nothing is known: everything is offered
// with a warning, and the gateway judges.
func Actions(p Provenance, now time.Time, c *Catalogue) []Action {
	reason := unusable(p, now)
	var list []Action
	for _, kind := range actions {
		before := len(list)
		for _, m := range c.Models {
			if m.Mode != kind || !p.Pasted && !takesSource(m, p) {
				continue
			}
			a := Action{Kind: kind, Model: m.ID, Target: NewProvenance(m, kind, &p).Resolution,
				Seconds: m.Seconds.List(), Enabled: reason == "", Reason: reason}
			switch {
			case p.Family == Alpha && p.Tier == "" && kind == Extend:
				a.Warning = "The tier of this clip is not known; the gateway decides whether the model fits."
			case p.Pasted:
				a.Warning = "This clip was not made here; the gateway decides whether the model fits."
			}
			list = append(list, a)
		}
		if len(list) == before {
			why := reason
			if why == "" {
				why = noModel(kind, p)
			}
			list = append(list, Action{Kind: kind, Reason: why})
		}
	}
	return list
}

// unusable says why nothing at all can be made of the clip; "" if something
// may be.
func unusable(p Provenance, now time.Time) string {
	switch {
	case !isUUID(p.TaskID) && p.Pasted:
		return "This is not an internal task id: a UUID is needed, data.data.id of the task's status."
	case !isUUID(p.TaskID):
		return "The gateway has not told the internal id of this clip yet."
	case p.Pasted:
		return ""
	case p.Expired || Expired(p.FinishedAt, now):
		return "The clip is older than 14 days, and the gateway has deleted it."
	case !p.Succeeded():
		return "Only a clip that has finished well can be used."
	case p.Family == "":
		return "It is not known which model made this clip."
	}
	return ""
}

// noModel says why no model of a kind fits a clip.
func noModel(kind Mode, p Provenance) string {
	switch {
	case p.Family != Alpha && p.Family != BetaVideo:
		return "There are no models that extend or upscale clips of this family."
	case kind == Upscale && p.Mode == Extend:
		return "An extend can't be upscaled, only an original generation can."
	case kind == Upscale && p.Mode == Upscale:
		return "An upscale can't be upscaled again."
	case kind == Upscale:
		return "No model makes this clip larger than " + orUnknown(p.Resolution) + "."
	}
	return "No model in the catalogue extends this clip."
}
