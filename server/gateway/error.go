package gateway

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"syscall"

	"screentest/server/upstream"
	"screentest/shared/reply"
)

// Why a call was cancelled by this package and not by its caller.
var (
	errSilent = errors.New("nothing came before the time-out")
	errSlow   = errors.New("the body did not end before the time-out")
)

// callError is the error of a call that got no reply, or lost it: ctx is the
// call's own context, whose cause tells a time-out from a caller who gave up.
func callError(ctx context.Context, doing, code string, err error, sent bool) error {
	cause := context.Cause(ctx)
	switch {
	case cause == nil:
	case errors.Is(cause, errSilent), errors.Is(cause, errSlow):
		code, err = reply.CodeSilent, cause
	default: // the caller ended it
		code, err = reply.CodeStopped, cause
	}
	said := ""
	if code == reply.CodeUnreachable {
		said = unreachable(err)
	}
	p := reply.NewProblem(code, "")
	if said != "" {
		p.Message += " " + said
	}
	return &upstream.Error{Problem: p, Uncertain: sent, Err: fmt.Errorf("%s: %w", doing, err)}
}

// unreachable says for people why there is no connection; "" where nothing
// can be said that helps.
func unreachable(err error) string {
	var dns *net.DNSError
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	var late net.Error
	switch {
	case errors.As(err, &dns):
		return "The name of its host is not known."
	case errors.Is(err, syscall.ECONNREFUSED):
		return "Nothing answers at its address and port."
	case errors.As(err, &unknown), errors.As(err, &host), errors.As(err, &invalid):
		return "Its certificate is not accepted."
	case errors.As(err, &record):
		return "It does not speak https there; perhaps http is meant."
	case errors.As(err, &late) && late.Timeout():
		return "Connecting took too long."
	}
	return ""
}
