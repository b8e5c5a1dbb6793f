package bff

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"screentest/server/people"
	"screentest/shared/money"
	"screentest/shared/wire"
)

// csvColumns are the first line of the ledger as a CSV file. Amounts are there
// as dollars, for people, and as nano-dollars, which are exact in any program;
// times as UTC, and as the reader's clock shows them.
var csvColumns = [...]string{"time", "local_time", "zone", "kind", "what", "title", "model", "seconds", "cost_usd", "cost_nano_usd", "source", "basis",
	"input_tokens", "output_tokens", "subject", "conversation", "message", "prices", "n"}

// payerColumns follow them where there are accounts.
var payerColumns = [...]string{"person", "team", "paid_by"}

// byteOrderMark tells Excel that a file is UTF-8.
const byteOrderMark = "\ufeff"

// handleLedgerCSV writes the ledger as a file for spreadsheets.
func (s *Server) handleLedgerCSV(w http.ResponseWriter, r *http.Request, _ string) error {
	v := r.URL.Query()
	zone, err := time.LoadLocation(v.Get("zone"))
	if err != nil || zone == time.Local {
		return &wire.Problem{Code: "invalid_filter", Field: "zone", Message: "The time zone is not known.", Hint: "It is named like Europe/Berlin."}
	}
	v.Del("zone")
	return s.sendLedger(w, r, v, "csv", "text/csv; charset=utf-8", func(q wire.LedgerQuery) error {
		if _, err := io.WriteString(w, byteOrderMark); err != nil {
			return err
		}
		out := csv.NewWriter(w)
		out.UseCRLF = true
		who := people.Of(r.Context())
		columns := csvColumns[:]
		if who.Me != nil {
			columns = slices.Concat(columns, payerColumns[:])
		}
		if err := out.Write(columns); err != nil {
			return err
		}
		err := s.eachLedger(r.Context(), who, q, func(row wire.LedgerRow) error {
			return out.Write(csvLine(row, zone)[:len(columns)])
		})
		out.Flush()
		if err == nil {
			err = out.Error()
		}
		return err
	})
}

// csvLine is a row as its columns, who paid among them.
func csvLine(r wire.LedgerRow, zone *time.Location) []string {
	at, seconds := time.UnixMilli(r.CreatedMS), ""
	if r.Seconds > 0 {
		seconds = strconv.Itoa(r.Seconds)
	}
	return []string{
		at.UTC().Format("2006-01-02T15:04:05.000Z"), at.In(zone).Format(time.DateTime), zone.String(),
		r.Kind, r.What, csvText(strings.Join(strings.Fields(r.Title), " ")), csvText(r.Model), seconds,
		strings.Replace(money.NanoUSD(r.CostNanoUSD).String(), "$", "", 1), strconv.FormatInt(r.CostNanoUSD, 10), r.Source, csvText(r.Basis),
		strconv.FormatInt(r.InputTokens, 10), strconv.FormatInt(r.OutputTokens, 10),
		r.Subject, r.Conversation, r.Message, csvText(string(r.Prices)), strconv.FormatInt(r.N, 10),
		csvText(r.Person), csvText(r.Team), csvText(r.PaidBy),
	}
}

// csvText makes a text that no spreadsheet takes for a formula: the name of a
// model comes from a request, and may be anything.
func csvText(s string) string {
	if strings.IndexAny(s, "=+-@\t\r\n\uff1d\uff0b\uff0d\uff20") == 0 { // the last four are wide
		return "'" + s
	}
	return s
}

// handleLedgerJSON writes the ledger as an array of rows.
func (s *Server) handleLedgerJSON(w http.ResponseWriter, r *http.Request, _ string) error {
	return s.sendLedger(w, r, r.URL.Query(), "json", "application/json; charset=utf-8", func(q wire.LedgerQuery) error {
		out := bufio.NewWriter(w)
		before := "[\n"
		err := s.eachLedger(r.Context(), people.Of(r.Context()), q, func(row wire.LedgerRow) error {
			line, err := json.Marshal(row)
			if err != nil {
				return err
			}
			_, _ = out.WriteString(before) // the error comes with the next
			before = ",\n"
			_, err = out.Write(line)
			return err
		})
		if err != nil {
			return err
		}
		if before == "[\n" {
			_, _ = out.WriteString("[") // no row came
		}
		_, _ = out.WriteString("\n]\n")
		return out.Flush()
	})
}

// sendLedger answers with a file that is made while it is sent.
func (s *Server) sendLedger(w http.ResponseWriter, r *http.Request, filter url.Values, ext, kind string, write func(wire.LedgerQuery) error) error {
	q, err := ledgerQuery(filter)
	if err != nil {
		return err
	}
	// A filter that is wrong is to be known before anything is sent.
	probe := q
	probe.Limit = 1
	if _, err := s.ledger(r.Context(), people.Of(r.Context()), probe); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="screentest-ledger-%s.%s"`, s.Now().UTC().Format("2006-01-02"), ext))
	if r.Method == http.MethodHead {
		return nil
	}
	s.noteExport(r, "ledger", "")
	if err := write(q); err != nil {
		if r.Context().Err() == nil {
			s.Logger.Error("export broke off", "err", err)
		}
		// What was sent must not pass for the whole file.
		panic(http.ErrAbortHandler)
	}
	return nil
}

// ledgerQuery reads a LedgerQuery from the parameters of an address.
func ledgerQuery(v url.Values) (q wire.LedgerQuery, err error) {
	texts := map[string]*string{"kind": &q.Kind, "what": &q.What, "model": &q.Model, "source": &q.Source,
		"subject": &q.Subject, "conversation": &q.Conversation, "search": &q.Search, "person": &q.Person, "team": &q.Team, "paid_by": &q.PaidBy}
	var least, most int64
	numbers := map[string]*int64{"from": &q.From, "to": &q.To, "min_nano_usd": &least, "max_nano_usd": &most}
	for name := range v {
		value := v.Get(name)
		if name == "everybody" {
			if q.Everybody, err = strconv.ParseBool(value); err != nil {
				return q, &wire.Problem{Code: "invalid_filter", Field: name, Message: "everybody must be true or false."}
			}
			continue
		}
		if to := texts[name]; to != nil {
			*to = value
			continue
		}
		to := numbers[name]
		if to == nil {
			return q, &wire.Problem{Code: "unknown_filter", Field: name, Message: fmt.Sprintf("The ledger has no filter %q.", wire.Cut(name, wire.MaxEchoed))}
		}
		if *to, err = strconv.ParseInt(value, 10, 64); err != nil {
			return q, &wire.Problem{Code: "invalid_filter", Field: name, Message: name + " must be a whole number."}
		}
	}
	if v.Has("min_nano_usd") {
		q.MinNanoUSD = &least
	}
	if v.Has("max_nano_usd") {
		q.MaxNanoUSD = &most
	}
	return q, nil
}
