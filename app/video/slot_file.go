package video

import "screentest/shared/wire"

// transfer is a file of the browser's, from when it is put into a slot until
// nothing of it is needed any more. A change of the mode copies slots, so it
// belongs to all that have its id.
type transfer struct {
	shown     string // File.Shown
	cancel    func() // gives the upload up; nil once it has ended
	measuring bool
}

// Attach uploads a file into a slot. It is checked and measured first.
func (f *Form) Attach(field string, i int, file File) {
	s, p := f.slot(field, i), refuse(field, file)
	if p != nil && !s.Empty() && s.Stage != StageFailed { // what was good there can be had again
		f.fill(&filled{field, i, f.Mode}, file.Name+" replaced", " It can't be used.")
	}
	*s = Slot{ID: f.d.o.NewID(), Name: file.Name, Preview: file.Shown, Stage: StageUploading}
	s.Type, s.Bytes = file.Type, file.Size
	f.draft.References = 0
	if p != nil {
		s.Stage, s.Problem, s.Preview = StageFailed, p, ""
		f.d.o.Files.Release(file.Shown)
		f.changed()
		return
	}
	id, t, over := s.ID, &transfer{shown: file.Shown, measuring: true}, false
	f.files[id] = t
	f.d.o.Files.Measure(file, func(m wire.Measured) {
		t.measuring = false
		f.update(id, func(s *Slot) {
			if s.Seconds == 0 && m.Width > 0 {
				s.Seconds, s.Width, s.Height = m.Seconds, m.Width, m.Height
			}
		})
	})
	cancel := f.d.o.Files.Upload(file, func(sent int64) {
		for _, s := range f.copies(id) {
			s.Sent = sent
		}
		f.d.o.Changed(PartForm)
	}, func(u wire.Upload, p *wire.Problem) {
		t.cancel, over = nil, true
		f.update(id, func(s *Slot) {
			if p != nil {
				s.Stage, s.Problem = StageFailed, p
				return
			}
			s.Stage, s.URL, s.Path, s.Unreachable = StageReady, u.URL, u.Path, u.Unreachable
			if u.Width > 0 {
				s.Measured = u.Measured
			}
			if u.Path != "" {
				s.Preview = ""
			}
		})
	})
	if !over {
		t.cancel = cancel
	}
	f.changed()
}

// copies are the slots with an id in all drafts, and in what Undo would bring
// back.
func (f *Form) copies(id string) (list []*Slot) {
	drafts := make([]*Draft, 0, len(f.drafts)+1)
	for _, d := range f.drafts {
		drafts = append(drafts, d)
	}
	if f.Fitted != nil {
		drafts = append(drafts, f.Fitted.before)
	}
	for _, d := range drafts {
		for _, slots := range [][]Slot{d.Images, d.Videos} {
			for i := range slots {
				if slots[i].ID == id {
					list = append(list, &slots[i])
				}
			}
		}
	}
	return list
}

// dropUnused gives up the uploads that no slot waits for any more, and lets go of the
// files that none shows.
func (f *Form) dropUnused() {
	for id, t := range f.files {
		copies := f.copies(id)
		if len(copies) == 0 && t.cancel != nil {
			t.cancel()
			t.cancel = nil
		}
		needed := t.cancel != nil || len(copies) > 0 && t.measuring
		for _, s := range copies {
			needed = needed || s.Preview != ""
		}
		if !needed {
			f.d.o.Files.Release(t.shown)
			delete(f.files, id)
		}
	}
}
