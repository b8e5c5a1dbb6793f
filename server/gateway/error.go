package gateway

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"strings"
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
	why, _ := unreachableBecause(err)
	return why
}

// unreachableBecause says also what to do.
func unreachableBecause(err error) (why, hint string) {
	var dns *net.DNSError
	var unknown x509.UnknownAuthorityError
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var record tls.RecordHeaderError
	var late net.Error
	switch {
	case errors.As(err, &dns):
		return "The name of its host is not known.", "Check the spelling of the host, and whether this server can look up names."
	case errors.Is(err, syscall.ECONNREFUSED):
		return "Nothing answers at its address and port.", "See whether the gateway runs, and check the port. In a container, localhost is the container itself."
	case errors.As(err, &unknown):
		return "Its certificate is not accepted.", "It is signed by nobody whom this server trusts: add the authority to the system’s, or use one that is known."
	case errors.As(err, &host):
		return "Its certificate is not accepted.", "It is for another name: use the name that it is for."
	case errors.As(err, &invalid):
		return "Its certificate is not accepted.", "It may have expired: see the certificate, and this machine’s clock."
	case errors.As(err, &record), err != nil && strings.Contains(err.Error(), "HTTP response to HTTPS client"): // which is no type
		return "It does not speak https there; perhaps http is meant.", "Begin the address with http://."
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "No way leads to its address.", "Check the network of this server, and its VPN if there is one."
	case errors.As(err, &late) && late.Timeout():
		return "Connecting took too long.", "Check the host and the port, and whether a firewall is in between."
	}
	return "", ""
}
