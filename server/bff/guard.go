package bff

import (
	"maps"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"screentest/shared/wire"
)

// maxBody bounds the body of a posted request, in bytes.
const maxBody = 16 << 10

// routes is every address there is.
func (s *Server) routes() http.Handler {
	d := &doors{s, map[string]methods{}}
	for _, path := range []string{"/{$}", "/c/{id}", "/settings", "/settings/{name}", "/video", "/video/{id}", "/spend"} {
		d.show(path, s.showPage)
	}
	if s.People.Team {
		for _, path := range []string{"/review/{id}", "/ranking", "/shared", "/notices"} {
			d.show(path, s.showPage)
		}
		for _, path := range []string{"/signin", "/setup", "/join", "/reset"} {
			d.show(path, s.Page.ServeDoor)
		}
	}
	d.open("GET "+wire.Path, s.handleSocket)
	d.open("POST /api/key", own(s.handleSetKey))
	d.open("DELETE /api/key", own(s.handleForgetKey))
	d.open("GET "+wire.ExportPath+"{file}", own(s.handleExport))
	d.open("GET "+wire.ExportAllPath, own(s.handleExportAll))
	d.open("POST "+wire.ImportPath, own(s.handleImport))
	d.open("GET "+wire.LedgerCSV, own(s.handleLedgerCSV))
	d.open("GET "+wire.LedgerJSON, own(s.handleLedgerJSON))
	d.show("/healthz", handleHealth)
	// A private program: nothing of it is to be indexed. These addresses are
	// also why go-app's own handler is not asked: it would fetch them from the
	// host that the request names.
	d.show("/robots.txt", handleRobots)
	for _, path := range s.Page.Paths() {
		d.show(path, s.Page.ServeFile)
	}
	s.openVideos(d)
	for address, h := range s.API {
		d.open(address, h)
	}

	mux := http.NewServeMux()
	for path, m := range d.paths {
		mux.Handle(path, m)
		for method := range m {
			s.addresses = append(s.addresses, method+" "+path)
		}
	}
	mux.HandleFunc("/sitemap.xml", handleNotFound)
	mux.HandleFunc("/ads.txt", handleNotFound)
	mux.HandleFunc("/", s.handleElsewhere)

	// A request that changes something must come from our own page. Browsers
	// say where it comes from (Sec-Fetch-Site, Origin); what is no browser
	// carries no cookie that it could abuse.
	cross := http.NewCrossOriginProtection()
	refused := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		problem(w, wire.Problem{Code: "cross_origin", Message: "The request came from another site."})
	})
	cross.SetDenyHandler(refused)
	for _, origin := range s.origins() {
		if err := cross.AddTrustedOrigin(origin); err != nil {
			s.Logger.Error("the public address is not taken for ours", "origin", origin, "err", err)
		}
	}
	return s.withPolicy(withoutDawdling(s.onlyOurNames(s.onlyOurScheme(refused, cross.Handler(onlyOurPages(cross, refused, s.asking(mux)))))))
}

// showPage answers with the page. Its program asks who is there; until it has come,
// nobody who is signed out or may not send is shown where one writes.
func (s *Server) showPage(w http.ResponseWriter, r *http.Request) {
	serve := s.Page.Serve
	if s.People.Team {
		switch who, err := s.People.Asking(r); {
		case err != nil || !who.SignedIn():
			serve = s.Page.ServeDoor
		case who.Role() == wire.RoleGuest:
			serve = s.Page.ServeReader
		}
	}
	serve(w, r)
}

// signedInElsewhere is where a provider's page leads back to: the one address of
// the API that another site's page may lead to. What comes along guards it.
const signedInElsewhere = "/api/oidc/callback"

// onlyOurPages refuses what another site's page asks for of the addresses that
// hold something of a person's, though it could not read the answer: it must
// not start a download of theirs either, nor have the server work for it. The
// socket is among them, and a handshake from elsewhere gets no session.
func onlyOurPages(cross *http.CrossOriginProtection, refused, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isOwn(r.URL.Path) && r.URL.Path != signedInElsewhere && !isLedTo(r) {
			asked := r.WithContext(r.Context()) // a copy
			asked.Method = http.MethodPost      // the protection lets reading pass
			if r.URL.Path == wire.Path && r.Header.Get("Origin") != "" {
				// All browsers send this with a handshake; of Sec-Fetch-Site
				// some have their own view there.
				asked.Header = http.Header{"Origin": r.Header["Origin"]}
			}
			if cross.Check(asked) != nil {
				refused.ServeHTTP(w, r)
				return
			}
		}
		next.ServeHTTP(w, r)
	})
}

// onlyOurScheme refuses a page that came by plain http where ours come by
// https: whoever is on the way may have written it. Of an origin the protection
// compares only the host, when a browser doesn't say more.
func (s *Server) onlyOurScheme(refused, next http.Handler) http.Handler {
	if !s.secure() {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// By itself the server speaks nothing but https; behind a proxy this
		// machine's own names are reached by plain http.
		ours := hostname(r.Host)
		if !s.TLS {
			ours = strings.ToLower(s.PublicURL.Hostname())
		}
		if from, err := url.Parse(r.Header.Get("Origin")); err == nil && from.Scheme == "http" && hostname(from.Host) == ours {
			refused.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// methods are the handlers of one address. (The mux itself would answer another
// method as an address that is not there.)
type methods map[string]http.HandlerFunc

func (m methods) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if h, ok := m[r.Method]; ok {
		h(w, r)
		return
	}
	w.Header().Set("Allow", strings.Join(slices.Sorted(maps.Keys(m)), ", "))
	problem(w, wire.Problem{Code: "method_not_allowed", Message: "This address does not take the method " + strconv.Quote(wire.Cut(r.Method, wire.MaxEchoed)) + "."})
}

// onlyOurNames refuses a request by a name that is not ours. Otherwise a page
// of any site could point its own name at this machine (DNS rebinding), be of
// the same origin then, and use the server as the person does.
func (s *Server) onlyOurNames(next http.Handler) http.Handler {
	names := s.names()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := hostname(r.Host)
		if !slices.Contains(names, host) && (s.Knows == nil || !s.Knows(host)) {
			problem(w, wire.Problem{Code: "unknown_host",
				Message: "This server does not answer to the name it was asked by.",
				Hint:    "Start it with -public-url if it is to be reached by that name."})
			return
		}
		next.ServeHTTP(w, r)
	})
}

// names are the host names that are ours, without ports: a forwarded port
// changes only that.
func (s *Server) names() []string {
	names := []string{"localhost", "127.0.0.1", "::1"}
	if host := hostname(s.Addr); host != "" {
		names = append(names, host)
	}
	if s.PublicURL != nil {
		names = append(names, strings.ToLower(s.PublicURL.Hostname()))
	}
	return names
}

// hostname is the host of host:port or host, in lower case and without the
// brackets of an IPv6 address or the dot at a name's end.
func hostname(hostport string) string {
	host, _, err := net.SplitHostPort(hostport)
	if err != nil {
		host = hostport
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// secure says whether browsers reach the server by https.
func (c Config) secure() bool {
	return c.TLS || c.PublicURL != nil && c.PublicURL.Scheme == "https"
}

// origins are those of our own page besides that of the request's own host,
// which a proxy in front may have changed: written as browsers write them, in
// lower case and without the port that goes without saying.
func (s *Server) origins() []string {
	if s.PublicURL == nil {
		return nil
	}
	scheme, host := strings.ToLower(s.PublicURL.Scheme), strings.ToLower(s.PublicURL.Host)
	host = strings.TrimSuffix(host, map[string]string{"http": ":80", "https": ":443"}[scheme])
	return []string{scheme + "://" + host}
}

func handleHealth(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	_, _ = w.Write([]byte("ok"))
}

func handleRobots(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("User-agent: *\nDisallow: /\n"))
}

// handleElsewhere answers where there is nothing: a person who went there gets
// the page, which says so and leads on, and a program the same in JSON.
func (s *Server) handleElsewhere(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet || r.Header.Get("Sec-Fetch-Mode") != "navigate" || !s.Page.Built() {
		handleNotFound(w, r)
		return
	}
	s.Page.ServeNotFound(w, r)
}

func handleNotFound(w http.ResponseWriter, r *http.Request) {
	problem(w, wire.Problem{Code: "not_found", Message: "There is nothing at this address."})
}
