package blob

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/minio/minio-go/v7/pkg/s3utils"

	"screentest/shared/wire"
)

// An Address is what -files names: the data folder, another folder, or a part of a
// bucket.
type Address struct {
	Dir string // of a folder

	Bucket    string
	Prefix    string // of the names there: "", or with a slash at its end
	Endpoint  string // host:port
	Plain     bool   // http, not https
	Region    string
	PathStyle bool // the bucket is named in the path, not in the host's name
}

// amazon is the store where no endpoint is given.
const amazon = "s3.amazonaws.com"

// Parse reads an address: a folder, or s3://bucket/prefix?endpoint=https://host:port.
// Its errors are sentences that name -files.
func Parse(text string) (a Address, err error) {
	if !strings.Contains(text, "://") {
		if s, _, opaque := strings.Cut(text, ":"); opaque && strings.EqualFold(s, "s3") {
			return a, fmt.Errorf("-files %s: it must be like s3://bucket/prefix?endpoint=https://host:port", text)
		}
		return Address{Dir: text}, nil
	}
	u, err := url.Parse(text)
	if err != nil {
		// Not the address itself: there may be a secret in it.
		return a, errors.New("-files: the address can't be read: it must be like s3://bucket/prefix?endpoint=https://host:port")
	}
	bad := func(format string, args ...any) (Address, error) {
		// What is behind the ? is not told again: there may be a secret in it.
		shown := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}
		return Address{}, fmt.Errorf("-files %s: %s", shown.String(), fmt.Sprintf(format, args...))
	}
	switch {
	case u.User != nil:
		return bad("keys don't belong in the address, which is seen in lists of processes and in logs: give them in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
	case u.Scheme != "s3":
		return bad("%s:// is none of what it can be: a folder, or s3://bucket/prefix?endpoint=https://host:port", u.Scheme)
	case u.Host == "":
		return bad("the bucket is missing: it must be like s3://bucket/prefix?endpoint=https://host:port")
	case u.Fragment != "":
		return bad("it must have no #")
	}
	a = Address{Bucket: u.Host, Endpoint: amazon, PathStyle: true}
	if err := s3utils.CheckValidBucketNameStrict(a.Bucket); err != nil || u.Port() != "" {
		return bad("%q is no name of a bucket: it has 3 to 63 small letters, digits, dots and hyphens. The store's host belongs behind ?endpoint=", u.Host)
	}
	if prefix := strings.Trim(u.Path, "/"); prefix != "" {
		if !goodPrefix.MatchString(prefix) {
			return bad("the prefix %q must have letters, digits, dots, hyphens, _ and single / alone", prefix)
		}
		a.Prefix = prefix + "/"
	}
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return bad("what is behind ? can't be read: it must be like endpoint=https://host:port&region=eu-central-1")
	}
	for name, values := range q {
		if !slices.Contains([]string{"endpoint", "region", "path-style"}, name) {
			return bad("%s= is none of what it takes: endpoint=, region= and path-style=", name)
		}
		if len(values) > 1 {
			return bad("%s= is given twice", name)
		}
	}
	if q.Has("endpoint") {
		if why := a.at(q.Get("endpoint")); why != "" {
			return bad("%s", why)
		}
	}
	a.Region = q.Get("region")
	if a.Region != "" && !goodRegion.MatchString(a.Region) {
		return bad("region=%s is no name of a region, such as eu-central-1", a.Region)
	}
	if q.Has("path-style") {
		if a.PathStyle, err = strconv.ParseBool(q.Get("path-style")); err != nil {
			return bad("path-style=%s: it must be true or false", q.Get("path-style"))
		}
	}
	return a, nil
}

var (
	goodPrefix = regexp.MustCompile(`^[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*$`)
	goodRegion = regexp.MustCompile(`^[A-Za-z0-9-]{1,64}$`)
)

// at takes the endpoint, or says what is wrong with it.
func (a *Address) at(endpoint string) (why string) {
	e, err := url.Parse(endpoint)
	switch {
	case err != nil || e.Scheme != "https" && e.Scheme != "http" || e.Hostname() == "":
		return "endpoint= must be like https://host:port"
	case e.User != nil:
		return "keys don't belong in the endpoint: give them in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY"
	case strings.Trim(e.Path, "/") != "" || e.RawQuery != "" || e.Fragment != "":
		return "endpoint= must have nothing behind the host and port: the bucket and the prefix are named before the ?"
	}
	if port := e.Port(); port != "" {
		if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
			return "the port of endpoint= must be from 1 to 65535"
		}
	}
	a.Endpoint, a.Plain = e.Host, e.Scheme == "http"
	return ""
}

// String is the address as a person would give it.
func (a Address) String() string {
	if a.Bucket == "" {
		return a.Dir
	}
	scheme := "https://"
	if a.Plain {
		scheme = "http://"
	}
	return "s3://" + a.Bucket + "/" + a.Prefix + "?endpoint=" + scheme + a.Endpoint
}

// InTheOpen says that what is kept crosses a network that others may read.
func (a Address) InTheOpen() bool {
	host, _, err := net.SplitHostPort(a.Endpoint)
	if err != nil {
		host = a.Endpoint
	}
	ip := net.ParseIP(host)
	return a.Bucket != "" && a.Plain && host != "localhost" && !(ip != nil && ip.IsLoopback())
}

// Open opens the files at an address; of the zero Address they are in the data folder
// data. It looks whether they can be written there: an error is a sentence for the
// person who starts the server. lock is shared with all that have them; nil: this
// process is alone.
func Open(ctx context.Context, a Address, data string, lock Lock) (*Files, error) {
	switch {
	case a.Bucket != "":
		return openBucket(ctx, a, lock)
	case a.Dir != "":
		return openShared(a.Dir, lock)
	}
	archive, err := NewFolder(filepath.Join(data, "archive"))
	if err != nil {
		return nil, err
	}
	uploads, err := NewFolder(filepath.Join(data, "uploads"))
	if err != nil {
		return nil, err
	}
	return &Files{Archive: NewArchive(archive, lock), Uploads: uploads, Dir: archive.Dir}, nil
}

// openShared opens a folder that others may have too. It must be there: where it was
// only not mounted, a new one would lead astray.
func openShared(dir string, lock Lock) (*Files, error) {
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = errors.New("it is a file")
	}
	if err != nil {
		return nil, &Error{Problem: wire.Problem{Code: "files_missing", Message: "The folder of -files, " + dir + ", isn't there.",
			Hint: "Mount it, or make it."}, Err: err}
	}
	open := func(name string) *Folder {
		var f *Folder
		if err == nil {
			f, err = newShared(filepath.Join(dir, name))
		}
		return f
	}
	archive, uploads := open("archive"), open("uploads")
	var probe *os.File
	if err == nil {
		probe, err = os.CreateTemp(filepath.Join(archive.Dir, incoming), "file-*")
	}
	if err == nil {
		probe.Close()
		err = os.Remove(probe.Name())
	}
	if err != nil {
		return nil, &Error{Problem: wire.Problem{Code: "files_rights", Message: "The folder of -files, " + dir + ", can't be written to.",
			Hint: "Check its owner and mode, and that its disk is not mounted read-only."}, Err: err}
	}
	return &Files{Archive: NewArchive(archive, lock), Uploads: uploads, Dir: archive.Dir, Shared: true}, nil
}
