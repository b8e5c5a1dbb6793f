//go:build js && wasm

package kit

import (
	"github.com/maxence-charriere/go-app/v10/pkg/app"

	"screentest/shared/wire"
)

// RankingPath is where the rankings of teams are.
const RankingPath = "/ranking"

// BudgetsPath is where the budgets are set.
const BudgetsPath = "/settings#budgets"

// BudgetsVerb is what one can do there: where there are accounts most of what
// holds is set by others.
func BudgetsVerb() string {
	if HasAccounts() {
		return "See budgets"
	}
	return "Change budgets"
}

// BudgetNote is Host.Budget with the way to the budgets; "" draws nothing.
func BudgetNote(words string) app.UI {
	return El("p", "budget-note", At{"hidden", words == ""},
		El("span", "", At{"title", words}, words+" "), El("a", "", At{"href", BudgetsPath}, BudgetsVerb()),
	)
}

// Remedy leads to where a problem is put right. Where there is no such place it
// draws nothing.
func Remedy(p *wire.Problem) app.UI {
	if p.Code != wire.CodeBudgetReached {
		return El("span", "", At{"hidden", true})
	}
	return El("a", "button remedy", At{"href", BudgetsPath}, BudgetsVerb())
}
