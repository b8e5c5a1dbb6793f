package blob

import (
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	"github.com/minio/minio-go/v7"

	"screentest/shared/wire"
)

// An Error says what went wrong twice: Problem for the person, Err for the log and
// for errors.Is.
type Error struct {
	Problem wire.Problem
	Err     error
}

func (e *Error) Error() string {
	return strings.TrimSuffix(e.Problem.Message, ".") + " (" + e.Err.Error() + ")"
}

// Is says whether the store is away, for errors.Is.
func (e *Error) Is(target error) bool { return target == ErrAway && e.Problem.Code == codeAway }

// Unwrap lets errors.As find the *wire.Problem, and errors.Is the cause.
func (e *Error) Unwrap() []error {
	p := e.Problem
	return []error{&p, e.Err}
}

// ErrAway says that the store can't be reached, or is too busy: it is to be tried
// again.
var ErrAway = errors.New("the object store is away")

// codeAway is the code of what a person reads then.
const codeAway = "files_away"

// retryAfterMS is how long to wait before what needs a store that is away is asked
// for again.
const retryAfterMS = 5000

// said turns what the store said, or the way there, into an error of this package.
func (b *Bucket) said(ctx context.Context, err error) error {
	var known *Error
	var r minio.ErrorResponse
	switch {
	case err == nil || errors.As(err, &known) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission):
		return err
	case errors.Is(ctx.Err(), context.Canceled):
		return ctx.Err()
	case !errors.As(err, &r):
		return b.away(err)
	}
	p := wire.Problem{Status: http.StatusBadGateway}
	switch r.Code {
	case minio.NoSuchKey, minio.NoSuchUpload:
		return fs.ErrNotExist
	case minio.NoSuchBucket:
		p.Code, p.Message, p.Hint = "files_missing", "The bucket "+b.at.Bucket+" of -files isn't there.", "Make it, or give another one."
	case "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "InvalidTokenId", "ExpiredToken", "XAdminUserNotFound":
		p.Code, p.Message, p.Hint = "files_keys", "The object store of -files refuses the keys.", "Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; and region= in the address, if the store has regions."
	case "AuthorizationHeaderMalformed", "InvalidRegion":
		p.Code, p.Message, p.Hint = "files_region", "The object store of -files is of another region.", "Say which with region= in the address."
	case "RequestTimeTooSkewed":
		p.Code, p.Message, p.Hint = "files_clock", "The clock of this machine and that of the object store of -files differ too much.", "Set both by a time server."
	case "QuotaExceeded", "XMinioStorageFull", "XMinioAdminBucketQuotaExceeded":
		p.Code, p.Message, p.Hint, p.Status = "disk_full", "The object store of -files is full.", "Give it more room, or delete clips.", http.StatusInsufficientStorage
		err = errors.Join(syscall.ENOSPC, err)
	default:
		switch {
		case r.StatusCode == http.StatusForbidden || r.StatusCode == http.StatusUnauthorized:
			p.Code, p.Message, p.Hint = "files_rights", "The keys may not do this in the bucket "+b.at.Bucket+" of -files.", "They need to list the bucket, and to read, write and delete objects below "+b.at.Bucket+"/"+b.at.Prefix+"."
		case r.StatusCode >= 500 || isClash(err) || r.StatusCode == http.StatusTooManyRequests || r.StatusCode == http.StatusRequestTimeout:
			return b.away(err)
		default:
			p.Code, p.Message, p.Hint = "files_refused", "The object store of -files refused this: "+r.Code+".", "The server's log has the details."
		}
	}
	return &Error{Problem: p, Err: err}
}

// away is the error of a store that can't be reached.
func (b *Bucket) away(err error) error {
	var call *url.Error
	if errors.As(err, &call) {
		err = call.Err // without the address of the call
	}
	return &Error{Problem: wire.Problem{Code: codeAway, Message: "The store of clips and uploads at " + b.at.Endpoint + " can't be reached.",
		Hint: "Try again in a moment. Nothing that is in it is lost.", Status: http.StatusServiceUnavailable, RetryAfterMS: retryAfterMS}, Err: err}
}

// isClash tells whether a write was refused because of another one at the same moment.
func isClash(err error) bool {
	var r minio.ErrorResponse
	return errors.As(err, &r) && r.StatusCode == http.StatusConflict
}

// isAlready tells whether the store refused to write over an object that is there.
func isAlready(err error) bool {
	var r minio.ErrorResponse
	return errors.As(err, &r) && (r.Code == "PreconditionFailed" || r.StatusCode == http.StatusPreconditionFailed)
}
