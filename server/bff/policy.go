package bff

import (
	"net/http"
	"strings"
)

// contentPolicy is the page's content security policy: what is not named here
// does not load, run or connect.
var contentPolicy = strings.Join([]string{
	// Nothing, unless a line below allows it.
	"default-src 'none'",
	// Our own scripts, and compiling our own WebAssembly. No inline script, no
	// eval: an injected <script> does nothing.
	"script-src 'self' 'wasm-unsafe-eval'",
	// Our own style sheets, by class only: an injected style= does nothing.
	"style-src 'self'",
	// Icons, posters and clips all come through this server: an answer cannot
	// make the browser call another host. A blob is a file that the person
	// chose a moment ago, shown and measured while it is being uploaded.
	"img-src 'self' blob:",
	"media-src 'self' blob:",
	// The program, /api and the socket: what a script finds it can send nowhere
	// else. Browsers count ws: and wss: of the same host as 'self'.
	"connect-src 'self'",
	"manifest-src 'self'",
	"worker-src 'self'",
	// No <base>: relative addresses stay ours.
	"base-uri 'none'",
	// No form is ever submitted.
	"form-action 'none'",
	// Nobody may frame the page and have a person click in it unawares.
	"frame-ancestors 'none'",
}, "; ")

// permissions turns off what the page never asks for, so that nothing in it
// can. (Reading the clipboard too; writing it is for the copy buttons.)
const permissions = "camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), " +
	"midi=(), display-capture=(), clipboard-read=(), clipboard-write=(self), fullscreen=(self)"

// withPolicy puts the security headers on every answer, errors included.
func (s *Server) withPolicy(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", contentPolicy)
		// What we call text is not to be guessed to be a script.
		h.Set("X-Content-Type-Options", "nosniff")
		// Another site's window keeps no handle on ours, and its pages cannot
		// load our files into theirs.
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		// A link in an answer does not tell its host which conversation it is in.
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Permissions-Policy", permissions)
		// frame-ancestors, for browsers that do not know it.
		h.Set("X-Frame-Options", "DENY")
		if s.secure() {
			// Who was here by https comes by nothing else for a year, whatever a
			// link or somebody on the way says. Browsers heed it from https only,
			// so localhost, without it, stays as it is.
			h.Set("Strict-Transport-Security", "max-age=31536000")
		}
		next.ServeHTTP(w, r)
	})
}
