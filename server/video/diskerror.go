package video

import (
	"errors"
	"io/fs"
	"net/http"
	"syscall"

	"screentest/shared/wire"
)

// diskError makes a full disk a want of room.
func diskError(err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return errors.Join(errFull, err)
	}
	return err
}

// notKept says what our own disk said about a file that somebody gave: then
// trying again does not help. Other errors are given back as they are.
func (s *Service) notKept(err error) error {
	var told *wire.Problem
	if err == nil || errors.As(err, &told) {
		return err
	}
	var p wire.Problem
	switch {
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		p = wire.Problem{Code: "disk_full", Message: "The disk of the server is full, so the file was not kept.",
			Hint: "Free some space there, or have old clips removed in the settings, under Archive of clips; then choose the file again.", Status: http.StatusInsufficientStorage}
	case errors.Is(err, syscall.EROFS), errors.Is(err, fs.ErrPermission):
		p = wire.Problem{Code: "data_read_only", Message: "The data folder of the server cannot be written to, so the file was not kept.",
			Hint: "Check the folder's permissions and that its disk is not mounted read-only.", Status: http.StatusInternalServerError}
	case errors.Is(err, syscall.EIO):
		p = wire.Problem{Code: "disk_error", Message: "The disk of the server reported an error, so the file was not kept.",
			Hint: "Check the disk. Nothing that was saved before was changed.", Status: http.StatusInternalServerError}
	default:
		return err
	}
	s.Logger.Error("a file was not kept", "err", err)
	return &p
}
