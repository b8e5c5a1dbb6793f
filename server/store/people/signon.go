package people

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"screentest/server/account"
	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// SignOn finds the account of whom single sign-on or a proxy vouches for, makes it
// if it may, and gives it what the map of groups says: all in one transaction.
//
// A known subject has its account. Another gets that of its address, if the
// provider verified that and the account is no other subject's. Whoever made such
// an account only typed the address, and may not be who has it: so its password,
// passkeys and codes are dropped then, unless the person was signed in to it when
// they went to the provider. So they are when a proxy first names somebody by the
// address of an account that neither it nor single sign-on has vouched for, be it the
// first admin's: they come by the proxy from then on, and may choose another password.
// With no account, one is made if the address's domain
// or a mapped group lets them in.
func (r *Register) SignOn(ctx context.Context, s account.SignOn, groups []wire.Group) (done account.Signed, err error) {
	err = r.db.Write(ctx, len(s.Claims), func(t *engine.Tx) error {
		done = account.Signed{}
		who, err := r.signOn(t, s, groups, &done)
		if err != nil {
			return err
		}
		done.Owner = engine.FormatOwner(who)
		if s.Issuer == "" {
			return nil // a proxy tells no groups
		}
		if _, err := t.Exec("UPDATE users SET claims = ?, claims_ms = ? WHERE n = ?", string(s.Claims), r.now().UnixMilli(), who); err != nil {
			return err
		}
		m := meaning(groups, s.Groups)
		return errors.Join(mapRole(t, who, m.role, r.now().UnixMilli(), &done), mapTeams(t, who, m, &done))
	})
	return done, err
}

// proxyIssuer stands in the place of the issuer, with no subject, where a proxy has
// vouched for an account's address of mail, and single sign-on has not.
const proxyIssuer = "proxy"

// signOn finds or makes the account.
func (r *Register) signOn(t *engine.Tx, s account.SignOn, groups []wire.Group, done *account.Signed) (who int64, err error) {
	var active bool
	var issuer, subject sql.NullString
	if s.Issuer != "" {
		err = t.Scan("SELECT n, active FROM users WHERE oidc_issuer = ? AND oidc_subject = ?", []any{s.Issuer, s.Subject}, &who, &active)
		if !errors.Is(err, sql.ErrNoRows) {
			return who, errors.Join(err, wantActiveAccount(active))
		}
	}
	var setUp bool
	if err := t.Scan("SELECT EXISTS (SELECT 1 FROM users WHERE email IS NOT NULL)", nil, &setUp); err != nil {
		return 0, err
	}
	email, bad := account.Email(s.Email)
	switch {
	case !setUp:
		return 0, refused(wire.CodeNotSetUp, "", "Nobody has set this instance up yet.", "Open the set-up link that the server printed; after that people can sign in.")
	case bad != nil:
		return 0, refused(wire.CodeEmailUnverified, "", "The sign-in service didn't say which e-mail address is yours.", "Ask who runs it to pass on the address.")
	case !s.Verified:
		return 0, refused(wire.CodeEmailUnverified, "", "The sign-in service doesn't vouch for your e-mail address.", "Confirm the address there, then try again.")
	}
	s.Email = email
	err = t.Scan("SELECT n, active, oidc_issuer, oidc_subject FROM users WHERE email = ?", []any{s.Email}, &who, &active, &issuer, &subject)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return r.makeSignedOn(t, s, groups, done)
	case err != nil:
		return 0, err
	case s.Issuer == "" && issuer.Valid: // vouched for before
		return who, wantActiveAccount(active)
	case subject.Valid:
		return 0, refused(wire.CodeAccountTaken, "", "The account with your e-mail address belongs to somebody else of the sign-in service.", "Ask an admin of this instance.")
	}
	if err := wantActiveAccount(active); err != nil {
		return 0, err
	}
	done.Linked = true
	if done.Dropped = engine.ParseOwner(s.As) != who; done.Dropped {
		if err := dropWays(t, who, r.now().UnixMilli()); err != nil {
			return 0, err
		}
	}
	return who, vouch(t, who, s)
}

// vouch notes who has said whose the account's address of mail is.
func vouch(t *engine.Tx, who int64, s account.SignOn) error {
	_, err := t.Exec("UPDATE users SET oidc_issuer = ?, oidc_subject = ? WHERE n = ?", cmp.Or(s.Issuer, proxyIssuer), orNull(s.Subject), who)
	return err
}

func wantActiveAccount(active bool) error {
	if active {
		return nil
	}
	return &engine.Error{Problem: *account.Deactivated()}
}

// makeSignedOn makes the account of somebody new.
func (r *Register) makeSignedOn(t *engine.Tx, s account.SignOn, groups []wire.Group, done *account.Signed) (int64, error) {
	domain := s.Email[strings.LastIndex(s.Email, "@")+1:]
	m := meaning(groups, s.Groups)
	if !slices.Contains(s.Domains, domain) && !(s.Issuer != "" && m.matched) {
		return 0, refused(wire.CodeDomainNotAllowed, "", "People of "+wire.Cut(domain, wire.MaxEchoed)+" don't get an account here by themselves.", "Ask an admin of this instance for an invitation.")
	}
	name, err := account.Name(s.Name)
	if err != nil { // none, or none that can be shown
		name, _, _ = strings.Cut(s.Email, "@")
		name = wire.Cut(name, wire.MaxPersonName)
	}
	n, err := r.addAccount(t, name, s.Email, wire.RoleMember, "")
	if err != nil {
		return 0, err
	}
	done.Made = true
	return n, vouch(t, n, s)
}

// orNull is a text as a value, NULL for "".
func orNull(s string) sql.NullString { return sql.NullString{String: s, Valid: s != ""} }

// meant is what the map of groups says of somebody.
type meant struct {
	matched bool
	role    string          // the most of those of their groups; "": none says
	teams   map[string]bool // by id: whether they lead it
}

// meaning reads the map for somebody's groups.
func meaning(mapped []wire.Group, groups []string) meant {
	m := meant{teams: map[string]bool{}}
	for _, g := range mapped {
		if !slices.Contains(groups, g.Group) {
			continue
		}
		m.matched = true
		if rank(g.Role) > rank(m.role) {
			m.role = g.Role
		}
		for _, id := range g.Teams {
			m.teams[id] = m.teams[id] || g.Lead
		}
	}
	return m
}

// rank orders roles; that of none is 0.
func rank(role string) int {
	return 1 + slices.Index([]string{wire.RoleGuest, wire.RoleMember, wire.RoleAdmin}, role)
}

// mapRole gives somebody the role of their groups, or, without any, gives them
// back the one that people gave them. The last active admin stays one; another who
// becomes none has what they gave out taken back. The time is Unix milliseconds.
func mapRole(t *engine.Tx, who int64, role string, at int64, done *account.Signed) error {
	var is string
	var own sql.NullString
	if err := t.Scan("SELECT role, own_role FROM users WHERE n = ?", []any{who}, &is, &own); err != nil {
		return err
	}
	if role == "" && !own.Valid {
		return nil // never touched by the map
	}
	to, keep := cmp.Or(role, own.String), sql.NullString{}
	if role != "" {
		keep = sql.NullString{String: cmp.Or(own.String, is), Valid: true}
	}
	if is == wire.RoleAdmin && to != wire.RoleAdmin {
		var last *wire.Problem
		err := WantAnotherAdmin(t, who)
		if errors.As(err, &last) {
			done.LastAdmin = true
			return nil
		}
		if err != nil {
			return err
		}
		if err := takeBack(t, who, at); err != nil {
			return err
		}
	}
	if is != to {
		done.RoleWas, done.Role = is, to
	}
	_, err := t.Exec("UPDATE users SET role = ?, own_role = ? WHERE n = ?", to, keep, who)
	return err
}

// mapTeams puts somebody into the teams of their groups and takes them out of
// those that only groups of before had put them in. What people did by hand stays.
func mapTeams(t *engine.Tx, who int64, m meant, done *account.Signed) error {
	type row struct{ lead, mapped, leadMapped bool }
	in := map[string]row{}
	err := t.Each(context.Background(), "SELECT t.id, p.lead, p.mapped, p.lead_mapped FROM team_people p JOIN teams t ON t.n = p.team WHERE p.person = ?", []any{who}, func(rows *sql.Rows) error {
		var id []byte
		var p row
		err := rows.Scan(&id, &p.lead, &p.mapped, &p.leadMapped)
		in[engine.FormatID(id)] = p
		return err
	})
	if err != nil {
		return err
	}
	var role string
	if err := t.Scan("SELECT role FROM users WHERE n = ?", []any{who}, &role); err != nil {
		return err
	}
	for id, p := range in {
		lead, wanted := m.teams[id]
		lead = lead && role != wire.RoleGuest // a guest leads nothing
		b, _ := engine.ParseID(id)
		switch {
		case !wanted && p.mapped:
			_, err = t.Exec("DELETE FROM team_people WHERE person = ? AND team = (SELECT n FROM teams WHERE id = ?)", who, b)
			done.TeamsOut = append(done.TeamsOut, id)
		case lead && !p.lead:
			_, err = t.Exec("UPDATE team_people SET lead = 1, lead_mapped = 1 WHERE person = ? AND team = (SELECT n FROM teams WHERE id = ?)", who, b)
			done.LeadIn = append(done.LeadIn, id)
		case !lead && p.lead && p.leadMapped:
			_, err = t.Exec("UPDATE team_people SET lead = 0, lead_mapped = 0 WHERE person = ? AND team = (SELECT n FROM teams WHERE id = ?)", who, b)
			done.LeadOut = append(done.LeadOut, id)
		}
		if err != nil {
			return err
		}
	}
	for id, lead := range m.teams {
		if _, is := in[id]; is {
			continue
		}
		lead = lead && role != wire.RoleGuest
		b, _ := engine.ParseID(id)
		res, err := t.Exec("INSERT INTO team_people (team, person, lead, mapped, lead_mapped) SELECT n, ?1, ?2, 1, ?2 FROM teams WHERE id = ?3 AND deleted_ms = 0", who, lead, b)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil {
			return err
		} else if n == 1 {
			done.TeamsIn = append(done.TeamsIn, id)
		}
	}
	for _, ids := range [][]string{done.TeamsIn, done.TeamsOut, done.LeadIn, done.LeadOut} {
		slices.Sort(ids)
	}
	return nil
}

// maxClaims is how many people's claims are shown.
const maxClaims = 20

// Claims are those of the last people who came by single sign-on, the newest
// first.
func (r *Register) Claims(ctx context.Context) (all []wire.Claims, err error) {
	err = r.db.At(ctx).Each("SELECT name, claims_ms, claims FROM users WHERE claims IS NOT NULL ORDER BY claims_ms DESC LIMIT ?", []any{maxClaims}, func(rows *sql.Rows) error {
		var c wire.Claims
		var raw string
		err := rows.Scan(&c.Person, &c.AtMS, &raw)
		c.Claims = json.RawMessage(raw)
		all = append(all, c)
		return err
	})
	return all, err
}
