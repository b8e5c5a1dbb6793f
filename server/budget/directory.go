package budget

import (
	"context"
	"slices"
	"strings"

	"screentest/shared/wire"
)

// Directory knows the people of a server with accounts, and what who runs it
// lets them spend. It is asked with every send.
type Directory interface {
	// Limits are what an admin lets a person spend, beside the person's own
	// budget.
	Limits(ctx context.Context, owner string) (wire.Limits, error)
	// Team is a team by its id. fs.ErrNotExist: there is none, or it was deleted.
	Team(ctx context.Context, id string) (Team, error)
	// TeamsOf are the teams that a person is in.
	TeamsOf(ctx context.Context, owner string) ([]Team, error)
	// Admins run the server.
	Admins() []Person
}

// A Team is whom a send can be charged to.
type Team struct {
	ID, Name string
	Limits   wire.Limits
	Leads    []Person
}

// A Person is somebody to ask, and to warn.
type Person struct{ Owner, Name string }

func names(people []Person) (all []string) {
	for _, p := range people {
		all = append(all, p.Name)
	}
	return all
}

// others are whom somebody may ask about a limit of others, of the first list that
// has any: nobody is told to ask themself.
func others(owner string, lists ...[]Person) []string {
	for _, people := range lists {
		if rest := slices.DeleteFunc(slices.Clone(people), func(p Person) bool { return p.Owner == owner }); len(rest) > 0 {
			return names(rest)
		}
	}
	return nil
}

// inSeveral says whether somebody has another team to charge.
func (k *Keeper) inSeveral(ctx context.Context, owner string) bool {
	teams, err := k.Directory.TeamsOf(ctx, owner)
	return err == nil && len(teams) > 1
}

// maxNamed is how many people a refusal says to ask.
const maxNamed = 3

// askThem says whom to ask for what; "" where nobody is known.
func askThem(names []string, forWhat string) string {
	if len(names) == 0 {
		return ""
	}
	if len(names) > maxNamed {
		names = append(names[:maxNamed:maxNamed], "another of them")
	}
	if n := len(names); n > 1 {
		names = append(names[:n-2:n-2], names[n-2]+" or "+names[n-1])
	}
	return "Ask " + strings.Join(names, ", ") + " " + forWhat
}
