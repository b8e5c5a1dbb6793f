package postgres

import (
	"bytes"
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The types that our tables and expressions have, by PostgreSQL's numbers.
const (
	oidBool    = 16
	oidBytea   = 17
	oidInt8    = 20
	oidInt2    = 21
	oidInt4    = 23
	oidText    = 25
	oidJSON    = 114
	oidFloat4  = 700
	oidFloat8  = 701
	oidUnknown = 705
	oidVarchar = 1043
	oidNumeric = 1700
	oidName    = 19
)

const (
	textFormat   = 0
	binaryFormat = 1
)

// formatOf is the format that values of a type are asked for in.
func formatOf(oid uint32) int16 {
	switch oid {
	case oidBool, oidBytea, oidInt8, oidInt4, oidInt2, oidFloat8:
		return binaryFormat
	}
	return textFormat
}

// plain makes a named type's value one of the few that encode knows.
func plain(v any) (any, error) {
	switch v.(type) {
	case nil, int64, string, []byte, bool, float64:
		return v, nil
	}
	return driver.DefaultParameterConverter.ConvertValue(flat(v))
}

// flat makes a []byte of a type that is one under a name of its own.
func flat(v any) any {
	r := reflect.ValueOf(v)
	if r.Kind() == reflect.Slice && r.Type().Elem().Kind() == reflect.Uint8 {
		if r.IsNil() {
			return nil
		}
		return r.Bytes()
	}
	return v
}

// encode is v as a value of the type oid.
func encode(v any, oid uint32) (b []byte, format int16, err error) {
	switch v := v.(type) {
	case nil:
		return nil, textFormat, nil
	case int64:
		switch oid {
		case oidInt8:
			return binary.BigEndian.AppendUint64(nil, uint64(v)), binaryFormat, nil
		case oidBool:
			return truth(v != 0), textFormat, nil
		case oidText, oidVarchar, oidBytea:
			return nil, 0, fmt.Errorf("a number where the statement has a text or bytes: give it a type with CAST")
		}
		return strconv.AppendInt(nil, v, 10), textFormat, nil
	case bool:
		if oid == oidBool {
			return truth(v), textFormat, nil
		}
		if v {
			return []byte("1"), textFormat, nil
		}
		return []byte("0"), textFormat, nil
	case float64:
		return strconv.AppendFloat(nil, v, 'g', -1, 64), textFormat, nil
	case string:
		if oid == oidBytea {
			return []byte(v), binaryFormat, nil
		}
		return escape([]byte(v)), textFormat, nil
	case []byte:
		if v == nil {
			return nil, textFormat, nil
		}
		if oid == oidBytea {
			return v, binaryFormat, nil
		}
		return escape(v), textFormat, nil
	}
	return nil, 0, fmt.Errorf("a %T can't be stored", v)
}

func truth(is bool) []byte {
	if is {
		return []byte("t")
	}
	return []byte("f")
}

// Next gives the next row.
func (r *rows) Next(dest []driver.Value) error {
	if len(r.list) == 0 {
		return io.EOF
	}
	row := r.list[0]
	r.list = r.list[1:]
	for i, b := range row {
		var err error
		if dest[i], err = decode(b, r.s.oids[i]); err != nil {
			return err
		}
	}
	return nil
}

// decode is a value of the type oid as SQLite would give it.
func decode(b []byte, oid uint32) (driver.Value, error) {
	if b == nil {
		return nil, nil
	}
	switch oid {
	case oidBool:
		if b[0] != 0 {
			return int64(1), nil
		}
		return int64(0), nil
	case oidInt8:
		return int64(binary.BigEndian.Uint64(b)), nil
	case oidInt4:
		return int64(int32(binary.BigEndian.Uint32(b))), nil
	case oidInt2:
		return int64(int16(binary.BigEndian.Uint16(b))), nil
	case oidFloat8:
		return math.Float64frombits(binary.BigEndian.Uint64(b)), nil
	case oidBytea:
		return b, nil
	case oidNumeric: // a sum of whole numbers, or an average
		if n, err := strconv.ParseInt(string(b), 10, 64); err == nil {
			return n, nil
		}
		return strconv.ParseFloat(string(b), 64)
	}
	return string(unescape(b)), nil
}

// mark begins an escape: a character for private use, followed by one that says
// which byte it stands for.
const (
	mark     = '\uF8E0'
	markSelf = '\uF8E1'
	markByte = '\uF400' // and the byte's value
)

var marked = []byte(string(mark))

// escape makes a text of b that PostgreSQL takes.
func escape(b []byte) []byte {
	if bytes.IndexByte(b, 0) < 0 && utf8.Valid(b) && !bytes.Contains(b, marked) {
		return b
	}
	out := make([]byte, 0, len(b)+16)
	for len(b) > 0 {
		r, n := utf8.DecodeRune(b)
		switch {
		case r == utf8.RuneError && n == 1, r == 0:
			out = append(append(out, marked...), string(markByte+rune(b[0]))...)
		case r == mark:
			out = append(append(out, marked...), string(markSelf)...)
		default:
			out = append(out, b[:n]...)
		}
		b = b[n:]
	}
	return out
}

// unescape undoes escape. What a function of the database has cut in the middle of
// an escape stays as it is.
func unescape(b []byte) []byte {
	if !bytes.Contains(b, marked) {
		return b
	}
	var out strings.Builder
	for {
		i := bytes.Index(b, marked)
		if i < 0 {
			out.Write(b)
			return []byte(out.String())
		}
		out.Write(b[:i])
		b = b[i+len(marked):]
		switch r, n := utf8.DecodeRune(b); {
		case r == markSelf:
			out.Write(marked)
			b = b[n:]
		case r >= markByte && r < markByte+256:
			out.WriteByte(byte(r - markByte))
			b = b[n:]
		}
	}
}
