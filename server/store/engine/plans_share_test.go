package engine_test

import (
	"context"
	"testing"

	"screentest/server/store"
	"screentest/server/store/storetest"
	"screentest/server/store/transfer"
	"screentest/shared/wire"
)

// everySharingCall makes those of shares, and of what is copied from one.
func everySharingCall(t *testing.T, db *store.DB, owner string) (errs []error) {
	ctx, shares := context.Background(), db.Shares()
	add := func(err error) { errs = append(errs, err) }
	s := storetest.NewStart("", "shown")
	add(storetest.StartTurn(db, owner, s))
	add(db.FinishRun(ctx, owner, storetest.Ended(storetest.RunOf(s), 1), "text", nil, nil, nil))
	clip := storetest.Taken(t, db.Videos(), owner, storetest.NewVideo("shown"))
	reader, id := storetest.Join(t, db, "reader", wire.RoleMember)
	of, me := storetest.Join(t, db, "sharer of the plans", wire.RoleMember)
	team := storetest.Team(t, db, "of the plans", wire.Limits{}, id, me)
	mine := storetest.NewStart("", "in a team")
	add(storetest.StartTurn(db, of, mine))
	add(db.FinishRun(ctx, of, storetest.Ended(storetest.RunOf(mine), 1), "text", nil, nil, nil))
	snapshot, _, err := db.Snapshot(ctx, owner, s.Conversation)
	add(err)
	made := func(owner string, n wire.NewShare, snapshot []byte) (id string) {
		id, err := shares.Make(ctx, owner, n, storetest.NewID(), snapshot)
		add(err)
		return id
	}
	share := made(owner, wire.NewShare{Kind: wire.ShareConversation, ID: s.Conversation, Audience: wire.ShareWithPeople, To: wire.IDs{id}}, snapshot)
	made(of, wire.NewShare{Kind: wire.ShareConversation, ID: mine.Conversation, Audience: wire.ShareWithTeam, To: wire.IDs{team}, Live: true}, nil)
	made(owner, wire.NewShare{Kind: wire.ShareClip, ID: clip.ID, Audience: wire.ShareWithAll, Live: true, Hours: 1}, nil)
	made(owner, wire.NewShare{Kind: wire.ShareClip, ID: clip.ID, Audience: wire.ShareByLink, Live: true}, nil)
	add(storetest.Second(shares.Sight(ctx, share, reader)))
	add(shares.Still(ctx, share, reader))
	add(storetest.Second(shares.Known(ctx, share, reader)))
	if _, err := shares.Sight(ctx, "a token of nothing", ""); err == nil {
		t.Error("a token of nothing leads somewhere")
	}
	add(storetest.Second(shares.List(ctx, reader)))
	add(storetest.Second(shares.List(ctx, owner)))
	add(storetest.Second(shares.Of(ctx, owner, wire.ShareConversation, s.Conversation)))
	add(storetest.Second(shares.Of(ctx, owner, wire.ShareClip, clip.ID)))
	add(storetest.Second(shares.Audience(ctx, share)))
	add(storetest.Second(shares.NextEnd(ctx)))
	add(storetest.Second(shares.Expire(ctx)))
	add(storetest.Second(db.Conversation(ctx, reader, storetest.Got(db.Copy(ctx, reader, transfer.Source{Owner: owner, Snapshot: snapshot, Share: share, Title: "shown"}, wire.CopyShare{})))))
	add(shares.Revoke(ctx, owner, share))
	add(storetest.Second(shares.RevokeLinks(ctx)))
	add(db.DeleteTeam(ctx, team))
	return errs
}
