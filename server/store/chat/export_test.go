package chat

import (
	"context"

	"screentest/server/store/engine"
)

// What the tests look at.
const (
	KeepFrom       = keepFrom
	MaxPageText    = maxPageText
	MaxParamsDepth = maxParamsDepth
	PieceSize      = pieceSize
	WireStep       = wireStep
)

// PrepareLog is what FinishRun makes ready before it writes, and how many
// stretches of it and how many bytes stay as they are.
func (c *Chat) PrepareLog(ctx context.Context, owner int64, id, log, times []byte) (w whole, count, bytes int64, err error) {
	w, err = c.prepareLog(ctx, owner, id, log, times)
	return w, w.kept.count, w.kept.end, err
}

// StoreLog stores what was made ready.
func (c *Chat) StoreLog(w *engine.Tx, owner, run int64, log whole) error {
	var stored extent
	if err := w.Scan("SELECT "+selectExtent+" FROM runs r WHERE n = ?", []any{run}, &stored.count, &stored.end); err != nil {
		return err
	}
	return storeLog(w, owner, run, stored, log, c.packer)
}
