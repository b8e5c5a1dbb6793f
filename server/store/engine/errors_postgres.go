package engine

import (
	"context"
	"database/sql/driver"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"screentest/server/store/postgres"
	"screentest/shared/wire"
)

// logger is what is said while the database is brought up to date.
type logger interface{ Info(msg string, args ...any) }

// isLost tells whether the connection to the database broke off, or there was none.
func isLost(err error) bool {
	var lost *postgres.LostError
	var connect *pgconn.ConnectError
	return errors.As(err, &lost) || errors.As(err, &connect) || errors.Is(err, driver.ErrBadConn)
}

// isLate tells whether a statement before the one that failed was wrong.
func isLate(err error) bool {
	var late *postgres.LateError
	return errors.As(err, &late)
}

// explainPostgres says what PostgreSQL, or the way there, is wrong with.
func explainPostgres(err error) (p wire.Problem, is bool) {
	if errors.Is(err, ErrUnsettled) {
		return wire.Problem{Code: "replica_replaced", Message: "This replica didn't answer for so long that another one took over what it did, so this was not saved.",
			Hint: "Try again: another replica answers."}, true
	}
	var said *pgconn.PgError
	if errors.As(err, &said) {
		switch said.Code {
		case "28P01", "28000":
			return wire.Problem{Code: "database_sign_in", Message: "The database refuses the name or the password of its address.", Hint: "Check them, and its pg_hba.conf."}, true
		case "3D000":
			return wire.Problem{Code: "database_missing", Message: "The database that its address names isn't there.", Hint: "Make it: createdb --encoding=UTF8 --template=template0 NAME"}, true
		case "42501":
			return wire.Problem{Code: "database_rights", Message: "The role of the database's address may not do what the program does with it.", Hint: "Make it the owner of the database, or give it all rights on its schema."}, true
		case "53100":
			return wire.Problem{Code: "disk_full", Message: "The disk of the database is full, so this was not saved.", Hint: "Free some space there and try again. Nothing that was saved before is lost."}, true
		case "53200", "53300":
			return wire.Problem{Code: "database_busy", Message: "The database takes no more connections, or has no memory left, so this was not saved.", Hint: "Each replica needs 16 connections: raise max_connections, or put fewer replicas to work."}, true
		case "25006":
			return wire.Problem{Code: "database_read_only", Message: "The database can only be read, so this was not saved.", Hint: "It may be a standby: give the address of the primary."}, true
		case "57014", "55P03":
			return wire.Problem{Code: "database_slow", Message: "The database didn't answer in time, so this was not done.", Hint: "Try again in a moment."}, true
		case "58030", "XX001", "XX002":
			return wire.Problem{Code: "disk_error", Message: "The disk of the database reported an error.", Hint: "Check it, and the database's log. Nothing that was saved before was changed."}, true
		case "0A000":
			if said.Routine == "CreateCollation" || said.Routine == "DefineCollation" {
				return wire.Problem{Code: "database_icu", Message: "PostgreSQL there was built without ICU, by which names are compared.", Hint: "Use a build with it, as distributions have."}, true
			}
		}
	}
	if isLost(err) {
		return wire.Problem{Code: "database_gone", Message: "The database can't be reached, so this was not done.", Hint: "Try again in a moment. Nothing that was saved before is lost."}, true
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return wire.Problem{Code: "database_slow", Message: "The database didn't answer in time, so this was not done.", Hint: "Try again in a moment."}, true
	}
	return p, false
}
