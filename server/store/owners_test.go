package store_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"reflect"
	"slices"
	"testing"
	"time"

	"screentest/server/account"
	"screentest/server/store"
	"screentest/server/store/engine"
	"screentest/server/store/storetest"
	"screentest/server/store/transfer"
	"screentest/shared/wire"
)

// Every method that takes an owner, called by one user about what is another's:
// nothing is given, nothing is changed, and the answer is the same as for what
// is not there at all. A method that is missing here fails the test.
func TestOwnersAreApart(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	db, ann := storetest.OpenLocal(t)
	bob := storetest.AddUser(t, db, "bob")
	s := storetest.NewStart("", "of Ann's")
	storetest.Must(t, storetest.StartTurn(db, ann, s))
	storetest.Must(t, storetest.AppendLog(db, ann, s.Run, 0, []byte("log"), []byte{1}))
	storetest.Must(t, db.SetSetting(ctx, ann, "theme", "dark"), db.SetSealedSetting(ctx, ann, "hook", "https://secret"))
	storetest.Must(t, db.SaveSession(ctx, "sid", ann, []byte("data"), time.Now().Add(time.Hour)))
	storetest.Must(t, db.FinishRun(ctx, ann, storetest.Ended(storetest.RunOf(s), 9), "answer", []byte("log"), []byte{1}, nil))
	open := storetest.NewStart(s.Conversation, "under way")
	storetest.Must(t, storetest.StartTurn(db, ann, open))

	picture, pictured := storetest.PutImage(t, db, ann, 7), storetest.NewStart(s.Conversation, "with an image")
	pictured.User.Images = []wire.Image{picture}
	storetest.Must(t, storetest.StartTurn(db, ann, pictured))

	prompt := wire.LibraryEntry{ID: storetest.NewID(), Kind: wire.LibraryPrompt, Name: "Ann's", Text: "Summarise {{text}}"}
	storetest.Must(t, db.SetPersonalKey(ctx, ann, "Ann's key", "", ""), db.SetCharge(ctx, ann, wire.ChargePersonal))
	storetest.Must(t, storetest.Second(db.PutLibrary(ctx, ann, prompt)), storetest.Second(db.SetLanes(ctx, ann, storetest.SomeLanes(s))), storetest.Second(db.SetVote(ctx, ann, storetest.SomeVote(s))))

	var file bytes.Buffer
	storetest.Must(t, db.Export(ctx, ann, s.Conversation, &file))
	exported := file.Bytes()

	passkey, _, err := db.AddPasskey(ctx, account.Passkey{Owner: ann, Name: "hers", Credential: []byte("c"), Data: []byte("{}")}, nil)
	storetest.Must(t, err)
	passkeys := storetest.Got(db.Passkeys(ctx, ann))

	before := storetest.Everything(t, db, ann, s, open)
	// absent: fs.ErrNotExist for s, and the same words for ids of nobody's.
	absent := func(call func(s wire.Start) error) func(*testing.T, string) {
		return func(t *testing.T, who string) {
			theirs, nobodys := call(open), call(storetest.NewStart("", ""))
			if !errors.Is(theirs, fs.ErrNotExist) || nobodys == nil || theirs.Error() != nobodys.Error() {
				t.Errorf("%v; of nobody's: %v", theirs, nobodys)
			}
		}
	}
	for _, who := range []string{bob, "", "0", "-1", "99", "x", "1 OR 1"} {
		checks := map[string]func(*testing.T, string){
			"Run":        absent(func(s wire.Start) error { return storetest.Second(db.Run(ctx, who, s.Run)) }),
			"RunRequest": absent(func(s wire.Start) error { return storetest.Second(db.RunRequest(ctx, who, s.Run)) }),
			"RunTimes":   absent(func(s wire.Start) error { return storetest.Second(db.RunTimes(ctx, who, s.Run)) }),
			"ReadRunLog": absent(func(s wire.Start) error { return storetest.Second(db.ReadRunLog(ctx, who, s.Run, 0, 10)) }),
			"ReadOn":     absent(func(s wire.Start) error { return storetest.Second(db.ReadOn(ctx, who, s.Conversation, 0)) }),
			"ConversationIDs": func(t *testing.T, who string) {
				if ids, err := db.ConversationIDs(ctx, who); err != nil || len(ids) > 0 {
					t.Errorf("%q, %v", ids, err)
				}
			},
			"Conversation": absent(func(s wire.Start) error { return storetest.Second(db.Conversation(ctx, who, s.Conversation)) }),
			"OpenConversation": absent(func(s wire.Start) error {
				return storetest.Second(db.OpenConversation(ctx, who, wire.Page{Conversation: s.Conversation}))
			}),
			"RenameConversation": absent(func(s wire.Start) error {
				return storetest.Second(db.RenameConversation(ctx, who, wire.Rename{ID: s.Conversation, Title: "stolen"}))
			}),
			"DeleteConversation": absent(func(s wire.Start) error { return db.DeleteConversation(ctx, who, s.Conversation) }),
			"AppendRunLog":       absent(func(s wire.Start) error { return storetest.AppendLog(db, who, s.Run, 0, []byte("x"), nil) }),
			"RunReplied": absent(func(s wire.Start) error {
				return storetest.Wait(func(done func(error)) { db.RunReplied(who, s.Run, 1, "x", "x", done) })
			}),
			"Conversations": func(t *testing.T, who string) {
				if page, err := db.Conversations(ctx, who, wire.Page{}); err != nil || len(page.Conversations) != 0 {
					t.Errorf("%+v, %v", page, err)
				}
			},
			"Spent": func(t *testing.T, who string) {
				if n, err := db.Spent(ctx, who, time.UnixMilli(0), time.Now().AddDate(9, 0, 0)); err != nil || n != 0 {
					t.Errorf("%d, %v", n, err)
				}
			},
			"Spend": func(t *testing.T, who string) {
				q := wire.SpendQuery{Tomorrow: 1, Days: []int64{0, time.Now().AddDate(9, 0, 0).UnixMilli()}, Of: wire.Of{Everybody: true}}
				if s, err := db.Spend(ctx, who, q); err != nil || s.Range.Rows != 0 || s.Month.Rows != 0 || len(s.Models) != 0 || len(s.People) > 1 {
					t.Errorf("%+v, %v", s, err)
				}
			},
			"Correct": absent(func(s wire.Start) error {
				return storetest.Second(db.Correct(ctx, who, wire.Correction{Subject: s.Run}))
			}),
			"DropWire": func(t *testing.T, who string) {
				if n, err := db.DropWire(ctx, who, time.Now().AddDate(9, 0, 0)); err != nil || n != 0 {
					t.Errorf("%d, %v", n, err)
				}
			},
			"Ledger": func(t *testing.T, who string) {
				for _, q := range []wire.LedgerQuery{{}, {Subject: s.Run}, {Conversation: s.Conversation}, {Kind: "charge"}} {
					if page, err := db.Ledger(ctx, who, q); err != nil || len(page.Rows) != 0 || page.Total.Rows != 0 {
						t.Errorf("%+v: %+v, %v", q, page, err)
					}
				}
			},
			"EachLedger": func(t *testing.T, who string) {
				if err := db.EachLedger(ctx, who, wire.LedgerQuery{}, func(r wire.LedgerRow) error { return fmt.Errorf("gave %+v", r) }); err != nil {
					t.Error(err)
				}
			},
			"Setting": func(t *testing.T, who string) {
				if v, err := db.Setting(ctx, who, "theme"); v == "dark" || (err != nil && !errors.Is(err, fs.ErrNotExist)) {
					t.Errorf("%q, %v", v, err)
				}
			},
			"SetSetting": func(t *testing.T, who string) {
				if err := db.SetSetting(ctx, who, "theme", ""); err != nil {
					t.Error(err)
				}
				if err := db.SetSetting(ctx, who, "theme", "light"); (err == nil) != (who == bob) {
					t.Error(err)
				}
			},
			"SealedSetting": func(t *testing.T, who string) {
				if v, err := db.SealedSetting(ctx, who, "hook"); v != "" || !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("%q, %v", v, err)
				}
			},
			"SetSealedSetting": func(t *testing.T, who string) {
				if err := db.SetSealedSetting(ctx, who, "hook", ""); err != nil {
					t.Error(err)
				}
				if err := db.SetSealedSetting(ctx, who, "other", "x"); (err == nil) != (who == bob) {
					t.Error(err)
				}
			},
			"SaveSession": func(t *testing.T, who string) {
				if err := db.SaveSession(ctx, "sid", who, []byte("stolen"), time.Now().Add(time.Hour)); err == nil {
					t.Error("took over a session")
				}
			},
			"MoveSession": func(t *testing.T, who string) {
				if err := db.MoveSession(ctx, "none", "sid", who, []byte("stolen"), time.Now().Add(time.Hour)); err == nil {
					t.Error("took over a session")
				}
			},
			"CheckStart": func(t *testing.T, who string) {
				if r, found, err := db.CheckStart(ctx, who, s); found || err != nil {
					t.Errorf("%+v, %v, %v; want the ids free, as they are in a name space of one's own", r, found, err)
				}
				follow := storetest.NewStart(s.Conversation, "x")
				follow.User.Parent = s.Answer
				if _, _, err := db.CheckStart(ctx, who, follow); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("following another's message: %v", err)
				}
			},
			"StartTurn": func(t *testing.T, who string) {
				follow := storetest.NewStart(s.Conversation, "x")
				follow.User.Parent = s.Answer
				if err := storetest.StartTurn(db, who, follow); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("following another's message: %v", err)
				}
				if who == bob {
					return // with a conversation of his own, below
				}
				if err := storetest.StartTurn(db, who, s); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("by nobody: %v", err)
				}
			},
			"RequestSent": absent(func(s wire.Start) error { return storetest.Second(db.RequestSent(ctx, who, s.Run)) }),
			"PinConversation": absent(func(s wire.Start) error {
				return storetest.Second(db.PinConversation(ctx, who, wire.Pin{ID: s.Conversation, Pinned: true}))
			}),
			"Messages": absent(func(s wire.Start) error {
				return storetest.Second(db.Messages(ctx, who, wire.MessageQuery{Conversation: s.Conversation, IDs: []string{s.User.ID}}))
			}),
			"Export": func(t *testing.T, who string) {
				absent(func(s wire.Start) error { return db.Export(ctx, who, s.Conversation, io.Discard) })(t, who)
				var all bytes.Buffer
				if err := db.Export(ctx, who, "", &all); err != nil || bytes.Contains(all.Bytes(), []byte("Ann's")) {
					t.Errorf("%s, %v", &all, err)
				}
			},
			"Import": func(t *testing.T, who string) {
				if who == bob {
					return // below: an id of Ann's is free for him
				}
				if _, err := db.Import(ctx, who, bytes.NewReader(exported)); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("by nobody: %v", err)
				}
			},
			"Outline":  absent(func(s wire.Start) error { return storetest.Second(db.Outline(ctx, who, s.Conversation)) }),
			"SetLanes": absent(func(s wire.Start) error { return storetest.Second(db.SetLanes(ctx, who, storetest.SomeLanes(s))) }),
			"WriteMessage": absent(func(s wire.Start) error {
				m := wire.Message{ID: storetest.NewID(), Parent: s.User.ID, Role: "assistant", Text: "by " + who}
				return storetest.Second(db.WriteMessage(ctx, who, wire.Written{Conversation: s.Conversation, Message: m}))
			}),
			"SetVote": absent(func(s wire.Start) error { return storetest.Second(db.SetVote(ctx, who, storetest.SomeVote(s))) }),
			"Search": func(t *testing.T, who string) {
				absent(func(s wire.Start) error {
					return storetest.Second(db.Search(ctx, who, wire.Search{Conversation: s.Conversation}))
				})(t, who)
				for _, q := range []string{"", "of Ann's", "answer", "o1"} {
					if page, err := db.Search(ctx, who, wire.Search{Query: q}); err != nil || len(page.Hits) > 0 {
						t.Errorf("%q: %+v, %v", q, page, err)
					}
				}
			},
			"PutImage": func(t *testing.T, who string) {
				if err := db.PutImage(ctx, who, picture, []byte("stolen")); (err == nil) != (who == bob) {
					t.Error(err)
				}
				if who == bob {
					_, data, err := db.Image(ctx, who, picture.ID)
					if err != nil || string(data) == "stolen" {
						t.Errorf("the image of Ann's was replaced: %v", err)
					}
					w := db.Engine()
					storetest.Must(t, w.Write(ctx, 0, func(w *engine.Tx) error {
						_, err := w.Exec("DELETE FROM image_drafts WHERE owner = ?", engine.ParseOwner(bob))
						return err
					}))
				}
			},
			"Image": func(t *testing.T, who string) {
				if _, data, err := db.Image(ctx, who, picture.ID); !errors.Is(err, fs.ErrNotExist) || data != nil {
					t.Errorf("%d bytes, %v", len(data), err)
				}
			},
			"ImageOfConversation": func(t *testing.T, who string) {
				if _, data, err := db.ImageOfConversation(ctx, who, s.Conversation, picture.ID); !errors.Is(err, fs.ErrNotExist) || data != nil {
					t.Errorf("%d bytes, %v", len(data), err)
				}
			},
			"ImageBytes": func(t *testing.T, who string) {
				if n, err := db.ImageBytes(ctx, who, []string{picture.ID}); !errors.Is(err, fs.ErrNotExist) || n != 0 {
					t.Errorf("%d, %v", n, err)
				}
			},
			"Library": func(t *testing.T, who string) {
				if lib, err := db.Library(ctx, who); err != nil || len(lib.Entries) > 0 {
					t.Errorf("%+v, %v", lib, err)
				}
			},
			"PutLibrary": func(t *testing.T, who string) {
				entry := prompt
				entry.Text = "stolen"
				if _, err := db.PutLibrary(ctx, who, entry); (err == nil) != (who == bob) {
					t.Errorf("an entry with an id of Ann's: %v; want one of one's own", err)
				}
				if who == bob {
					storetest.Must(t, db.DeleteLibrary(ctx, who, entry.ID))
				}
			},
			"DeleteLibrary": func(t *testing.T, who string) {
				if err := db.DeleteLibrary(ctx, who, prompt.ID); !errors.Is(err, fs.ErrNotExist) {
					t.Error(err)
				}
			},
			"Snapshot": absent(func(s wire.Start) error {
				_, _, err := db.Snapshot(ctx, who, s.Conversation)
				return err
			}),
			"Copy": absent(func(s wire.Start) error {
				return storetest.Second(db.Copy(ctx, who, transfer.Source{Owner: who, Subject: s.Conversation}, wire.CopyShare{}))
			}),
			"TeamsOf": func(t *testing.T, who string) {
				if all, err := db.TeamsOf(ctx, who); err != nil || len(all) > 0 {
					t.Errorf("%+v, %v", all, err)
				}
			},
			"Charges": func(t *testing.T, who string) {
				if charges, keys, err := db.Charges(ctx, who, ""); err != nil || len(charges)+len(keys) > 0 {
					t.Errorf("%+v %q, %v", charges, keys, err)
				}
			},
			"SetCharge": func(t *testing.T, who string) { storetest.Must(t, db.SetCharge(ctx, who, "stolen")) },
			"SetPersonalKey": func(t *testing.T, who string) {
				if err := db.SetPersonalKey(ctx, who, "stolen", "", ""); (err == nil) != (who == bob) {
					t.Error(err)
				}
				storetest.Must(t, db.DeletePersonalKey(ctx, who))
			},
			"DeletePersonalKey": func(t *testing.T, who string) { storetest.Must(t, db.DeletePersonalKey(ctx, who)) },
			"Passkeys": func(t *testing.T, who string) {
				if got, err := db.Passkeys(ctx, who); err != nil || len(got) > 0 {
					t.Errorf("%+v, %v", got, err)
				}
			},
			"PasskeyUsed": func(t *testing.T, who string) {
				err := db.PasskeyUsed(ctx, who, passkey, []byte(`{"stolen":true}`))
				if now := storetest.Got(db.Passkeys(ctx, ann)); err != nil || !reflect.DeepEqual(now, passkeys) {
					t.Errorf("hers is %+v, %v", now, err)
				}
			},
			"RemovePasskey": func(t *testing.T, who string) {
				err := db.RemovePasskey(ctx, who, passkey, account.Ways{Password: true, OIDC: true})
				if now := storetest.Got(db.Passkeys(ctx, ann)); !errors.Is(err, fs.ErrNotExist) || !reflect.DeepEqual(now, passkeys) {
					t.Errorf("hers is %+v, %v", now, err)
				}
			},
			"FinishRun": func(t *testing.T, who string) {
				r := storetest.RunOf(open)
				r.State = wire.Stopped
				if err := db.FinishRun(ctx, who, r, "stolen", []byte("stolen"), nil, nil); err != nil {
					t.Errorf("%v; want nothing done, as for a run that was deleted", err)
				}
			},
		}
		missing(t, checks)
		for name, check := range checks {
			t.Run(name+" by "+who, func(t *testing.T) {
				check(t, who)
				if after := storetest.Everything(t, db, ann, s, open); !reflect.DeepEqual(after, before) {
					t.Errorf("Ann's rows changed:\n now %+v\n was %+v", after, before)
				}
			})
		}
	}

	pictured.Conversation, pictured.User.ID, pictured.Answer, pictured.Run = storetest.NewID(), storetest.NewID(), storetest.NewID(), storetest.NewID()
	if err := storetest.StartTurn(db, bob, pictured); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a message with an image of Ann's: %v", err)
	}

	done, err := db.Import(ctx, bob, bytes.NewReader(exported))
	storetest.Must(t, err, db.DeleteConversation(ctx, bob, done.Open))
	if done.Renewed != 0 || done.Open != s.Conversation {
		t.Errorf("imported by Bob: %+v; want Ann's ids, which are free for him", done)
	}

	// The very same ids are two conversations.
	storetest.Must(t, storetest.StartTurn(db, bob, s))
	storetest.Must(t, db.FinishRun(ctx, bob, storetest.Ended(storetest.RunOf(s), 100), "of Bob's", nil, nil, nil))
	if after := storetest.Everything(t, db, ann, s, open); !reflect.DeepEqual(after, before) {
		t.Errorf("Ann's rows changed:\n now %+v\n was %+v", after, before)
	}
	if got, err := db.Conversation(ctx, bob, s.Conversation); err != nil || got.CostNanoUSD != 100 {
		t.Errorf("Bob's: %+v, %v", got, err)
	}
	storetest.Must(t, db.DeleteConversation(ctx, bob, s.Conversation))
	if after := storetest.Everything(t, db, ann, s, open); !reflect.DeepEqual(after, before) {
		t.Errorf("Bob's deletion changed Ann's rows:\n now %+v\n was %+v", after, before)
	}
}

// missing fails for a method of DB that has no check and is not known to be
// for no owner in particular.
func missing(t *testing.T, checks map[string]func(*testing.T, string)) {
	t.Helper()
	ofNobody := []string{"Book", "Replicas", "Derive", "DeriveOthers", "SealKeys", "SealAnew", "ReadOnly", "FileLock", "TakeIn", "Audit", "Leavings", "Notices", "Shares", "Reviews", "Approvals", "Close", "Engine", "Videos", "Rankings", "EnsureLocalUser", "People", "EachRunning", "LoadSession", "LoadSessionBy", "SweepSessions", "SpentByEverybody", "FirstWarning", "EachSetting", "Storage", "DropStaged", "DropImageDrafts", "Stage" /* it is Import that is checked */, "SpendOfEverybody", "ServerSetting", "SetServerSetting", "Secret", "SetSecret", "KeepSecret", "KeyRefused", "RefusedKeys", "Listing", "KeepListing", "Prices", "SetPrice"}
	ofTheInstance := []string{ // for who runs it, or leads the team: see package rights
		"Teams", "Team", "MakeTeam", "ChangeTeam", "DeleteTeam", "PutInTeam", "TakeFromTeam",
		"SetTeamKey", "DeleteTeamKey", "BindKeys", "MakeInvite", "Invites", "RevokeInvite", "Persons",
		"SpentByTeam", "LedgerOfEverybody", "EachLedgerOfEverybody", "Limits", "ChangePerson", "Claims",
		"TeamLibrary", "Shares", // see their own tests
		"Bytes", "Ping", "ProbeSealKey", "ReadOnly", "Waiting",
	}
	atTheDoor := []string{ // before it is known who asks: by an address of mail, a link or a cookie
		"Accounts", "AccountCount", "Login", "MakeLink", "Link", "SetUp", "Join", "Reset", "SignOn", "PasskeyOf",
		"SaveSignIn", "SignedIn", "SignedInBy", "SignedInWith", "SessionsSeen", "EndSessions", "PersonID",
		"TakeTries", "GiveBackTries", "UseTicket", "FreeTicket",
	}
	ofOneself := []string{ // what an owner's own number alone asks for: there is no id of another's to give
		"Password", "SetPassword", "Security", "SecondFactor", "AddPasskey", "TOTP", "SetTOTP", "RemoveTOTP", "TakeStep",
		"SetRecoveryCodes", "UseRecoveryCode", "SignedInAs", "KeepBegun", "TakeBegun",
	}
	ofReplicas := []string{"SetAside", "PutBack", "PutBackLeft", "AsideFor", "AsideForTeam", "AsideForEverybody"} // a folder has none: see package budget
	ofNobody = slices.Concat(ofNobody, ofReplicas, ofTheInstance, atTheDoor, ofOneself)
	for m := range reflect.TypeFor[*store.DB]().Methods() {
		if checks[m.Name] == nil && !slices.Contains(ofNobody, m.Name) {
			t.Errorf("DB.%s is not checked", m.Name)
		}
	}
}
