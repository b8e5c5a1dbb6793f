package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/google/uuid"

	"screentest/server/e2e/rig"
	"screentest/server/freeport"
	"screentest/server/wiretest"
	"screentest/shared/gateway"
	"screentest/shared/wire"
)

// replicaPeople share the streams of an instance: each tab hears what becomes of all
// that its person has under way.
const replicaPeople = 6

// instance is a team's Screentest: one process on a folder, or replicas on a database.
type instance struct {
	replicas []*replica
	team     *team // which has joined at the first
}

// replica is one of its processes, started anew as often as one wants.
type replica struct {
	*rig.Program

	start func(context.Context) (*rig.Program, error)
}

func (r *replica) again(ctx context.Context) error {
	p, err := r.start(ctx)
	if err == nil {
		r.Program = p
	}
	return err
}

// openInstance starts n replicas on a database, or with "" the one process on a
// folder. Processes are started by under.
func openInstance(ctx context.Context, bin, dir, upstream, database string, n int, under func(func() error) error) (_ *instance, err error) {
	files := filepath.Join(dir, "files")
	if err := os.MkdirAll(files, 0o700); err != nil {
		return nil, err
	}
	models := filepath.Join(dir, "catalogue.json")
	if err := os.WriteFile(models, gateway.SampleCatalogue().JSON(), 0o600); err != nil {
		return nil, err
	}
	ports, err := freeport.Take(n + 1)
	if err != nil {
		return nil, err
	}
	i := &instance{}
	defer func() {
		if err != nil {
			i.close()
		}
	}()
	for k := range n {
		args := []string{"serve", "-team", "-addr", "127.0.0.1:0", "-data", filepath.Join(dir, strconv.Itoa(k)), "-gateway", upstream, "-catalog", models}
		var env []string
		if database != "" {
			args = append(args, "-database", database, "-files", files, "-replica", fmt.Sprintf("http://127.0.0.1:%d", ports[k]),
				// Cookies bear its port: one session is good at all replicas.
				"-public-url", fmt.Sprintf("http://127.0.0.1:%d", ports[n]), "-plain-http")
			env = append(env, "SCREENTEST_SEAL_KEY="+strings.Repeat("5ea1", 16))
		}
		r := &replica{start: func(ctx context.Context) (p *rig.Program, err error) {
			err = under(func() error {
				p, err = rig.Start(ctx, bin, env, args...)
				return err
			})
			return p, err
		}}
		if err := r.again(ctx); err != nil {
			return nil, err
		}
		i.replicas = append(i.replicas, r)
	}
	i.team = &team{server: i.replicas[0].Program}
	if err := i.team.join(ctx, replicaPeople); err != nil {
		return nil, fmt.Errorf("%w\n%s", err, i.log())
	}
	return i, nil
}

// close ends it at once: nobody reads its database or folder again.
func (i *instance) close() {
	if i.team != nil {
		for _, p := range i.team.people {
			if p.tab != nil {
				p.tab.Close()
			}
		}
	}
	for _, r := range i.replicas {
		_ = r.Kill() // it may have ended
	}
}

func (i *instance) log() string {
	var all strings.Builder
	for n, r := range i.replicas {
		fmt.Fprintf(&all, "— replica %d\n%s", n+1, r.Log())
	}
	return all.String()
}

func (i *instance) pids() (all []int) {
	for _, r := range i.replicas {
		all = append(all, r.PID())
	}
	return all
}

// tab opens one of the n-th person's at the n-th replica, both counted round and round
// so that everybody has tabs at each.
func (i *instance) tab(ctx context.Context, n, further int) (*wiretest.Client, error) {
	p := i.team.people[n/len(i.replicas)%len(i.team.people)]
	return wiretest.Dial(ctx, i.replicas[(n+further)%len(i.replicas)].URL, p.browser)
}

// open has a reader that starts the streams at all replicas in turn, and reads each
// where it is started.
func (i *instance) open(ctx context.Context, streams int) (reader, func(), error) {
	r := &socketReader{model: firstChatModel()}
	for n := range (streams + lanes - 1) / lanes {
		tab, err := i.tab(ctx, n, 0)
		if err != nil {
			r.Close()
			return nil, nil, err
		}
		r.tabs = append(r.tabs, tab)
	}
	return r, r.Close, nil
}

// openElsewhere has a reader like that of open but for this: each stream is read at
// another replica than the one that has started it and holds it.
func (i *instance) openElsewhere(ctx context.Context, streams int) (reader, func(), error) {
	r := &elsewhereReader{model: firstChatModel()}
	for n := range (streams + lanes - 1) / lanes {
		for further, tabs := range []*[]*wiretest.Client{&r.holders, &r.others} {
			tab, err := i.tab(ctx, n, further)
			if err != nil {
				r.Close()
				return nil, nil, err
			}
			*tabs = append(*tabs, tab)
		}
	}
	return r, r.Close, nil
}

// elsewhereReader starts each stream in one tab and reads it in another one of the
// same person's.
type elsewhereReader struct {
	model           string
	holders, others []*wiretest.Client
	next            atomic.Uint64
}

func (r *elsewhereReader) Close() {
	for _, c := range append(r.holders, r.others...) {
		c.Close()
	}
}

func (r *elsewhereReader) Stream(ctx context.Context, prompt string, each func([]byte)) error {
	n := r.next.Add(1) % uint64(len(r.holders))
	start, err := startOf(uuid.NewString(), "", r.model, prompt)
	if err != nil {
		return err
	}
	if err := r.holders[n].Call(ctx, wire.OpStart, start, nil); err != nil {
		return fmt.Errorf("start: %w", err)
	}
	in := inOrder{each: each}
	if err := r.others[n].Follow(ctx, start.Run, in.take); err != nil {
		return err
	}
	return in.gap
}
