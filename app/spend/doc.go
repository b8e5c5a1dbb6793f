// Package spend is what the Spend page knows: which days it shows, what they
// cost, the ledger's rows, the budgets, and what the data folder holds. It is
// plain Go without go-app, so that it is tested natively; all of it runs on one
// goroutine.
package spend
