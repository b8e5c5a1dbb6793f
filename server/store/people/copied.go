package people

import (
	"strings"

	"screentest/server/store/engine"
	"screentest/shared/wire"
)

// CopiedColumns are what a CopiedScan reads of a row of a table that is called so in
// a query, and whose owner somebody is: whose it is a copy of, by the name that they
// have now, and the share while the owner still sees it.
func CopiedColumns(of string) string {
	return strings.ReplaceAll(`x.copied_title, (SELECT name FROM users WHERE n = x.copied_from),
	(SELECT id FROM shares s WHERE s.id = x.copied_share AND (s.owner = x.owner OR EXISTS (SELECT 1 FROM sights WHERE person = x.owner AND share = s.n)))`, "x.", of+".")
}

// A CopiedScan takes the CopiedColumns.
type CopiedScan struct {
	title string
	owner *string
	share []byte
}

// Dest is where to the columns are read.
func (s *CopiedScan) Dest() []any { return []any{&s.title, &s.owner, &s.share} }

// Result is whose copy it is; nil for what is nobody else's.
func (s *CopiedScan) Result() *wire.Copied {
	if s.owner == nil {
		return nil
	}
	return &wire.Copied{Share: engine.FormatID(s.share), Title: s.title, Owner: *s.owner}
}
