package sandbox

import (
	"cmp"
	"net/http"
	"time"

	"screentest/server/sandbox/clip"
	"screentest/shared/gateway"
)

// refuseSource is the refusal of a source. The message says what to do: the
// shape has no other place for it.
func refuseSource(code, message string) *refusal {
	return &refusal{status: http.StatusBadRequest, code: code, param: "task_id", message: message}
}

// findSource finds the clip that an action starts from and decides whether it
// may (F128–F136, G14–G19). It reads nothing but what this sandbox has stored,
// and shares no rule with the validator. The lock is held.
func (s *Server) findSource(a *account, v video, now time.Time) (*task, error) {
	t := s.tasks.byUUID[v.source]
	if t == nil || t.Account != a.name {
		// Another's task and no task look the same (G2).
		return nil, refuseSource(gateway.CodeTaskNotExist, "task_id names no task of this account: take data.data.id from the status of a finished task")
	}
	if t.expired(now) {
		return nil, refuseSource(gateway.CodeResultExpired, "the source is older than 14 days, its files are deleted: generate it again")
	}
	if t.status(now) != gateway.StatusSuccess {
		return nil, refuseSource(gateway.CodeSourceNotReady, "the source has not finished well: wait until its status is SUCCESS")
	}
	if v.model.Family == gateway.BetaVideo {
		return t, s.fitsBeta(v, t)
	}
	return t, s.fitsAlpha(v.model, t)
}

// fitsAlpha: an extend keeps the tier (F128, G14), an upscale needs an original
// that is smaller (F129, F130, G17).
func (s *Server) fitsAlpha(m gateway.Model, t *task) error {
	if m.Mode == gateway.Extend {
		switch {
		case t.Family != gateway.Alpha:
			return refuseSource(gateway.CodeSourceModeMismatch, "the source was not made by an alpha model; only alpha clips can be extended by "+m.ID)
		case t.Tier != m.Tier:
			return refuseSource(gateway.CodeSourceModeMismatch, "the source is of the tier "+t.Tier+"; use "+s.alphaExtend(t.Tier))
		}
		return nil
	}
	switch {
	case t.Family != gateway.Alpha:
		return refuseSource(gateway.CodeUpstreamRejected, "the source was not made by an alpha model; only original alpha generations can be upscaled by "+m.ID)
	case !t.Mode.Generates():
		return refuseSource(gateway.CodeUpstreamRejected, "the source is the result of an action; only an original generation can be upscaled")
	case clip.Lines(t.Resolution) >= clip.Lines(m.Resolution):
		return refuseSource(gateway.CodeUpstreamRejected, "the source is "+t.Resolution+" already; choose a larger target, or a smaller source")
	}
	return nil
}

// fitsBeta: the model is chosen by the source's resolution, for an upscale
// with the target's (F131–F136); the hint names the one to use.
func (s *Server) fitsBeta(v video, t *task) error {
	m := v.model
	switch {
	case t.Family != gateway.BetaVideo:
		return refuseSource(gateway.CodeSourceMismatch, "the source was not made by a beta video model; use a clip of beta-video")
	case m.Mode == gateway.Extend && t.Resolution != m.Resolution:
		return refuseSource(gateway.CodeSourceMismatch, "source is "+t.Resolution+"; use "+s.betaModel(gateway.Extend, "", t.Resolution))
	case m.Mode == gateway.Upscale && !t.Mode.Generates():
		return refuseSource(gateway.CodeSourceMismatch, "the source is the result of an action; only an original generation can be upscaled: use that one's task_id")
	case m.Mode == gateway.Upscale && t.Resolution != m.From:
		return refuseSource(gateway.CodeSourceMismatch, "source is "+t.Resolution+"; use "+s.betaModel(gateway.Upscale, t.Resolution, m.Resolution))
	}
	return nil
}

// betaModel is the id of the beta action model that would do: of the
// catalogue, or none.
func (s *Server) betaModel(mode gateway.Mode, from, to string) string {
	var other string
	for _, m := range s.catalogue.Load().Models {
		if m.Family != gateway.BetaVideo || m.Mode != mode || m.From != from {
			continue
		}
		if m.Resolution == to {
			return m.ID
		}
		if mode == gateway.Upscale { // to another target
			other = m.ID
		}
	}
	return cmp.Or(other, noModel)
}

// noModel stands in a hint where the catalogue has no model that would do.
const noModel = "another clip: there is no model for it"

// alphaExtend is the id of the alpha extend of a tier.
func (s *Server) alphaExtend(tier string) string {
	for _, m := range s.catalogue.Load().Models {
		if m.Family == gateway.Alpha && m.Mode == gateway.Extend && m.Tier == tier {
			return m.ID
		}
	}
	return noModel
}
