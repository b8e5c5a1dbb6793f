package blob

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"screentest/shared/wire"
)

const (
	// callWithin bounds a call that carries no file, with its retries.
	callWithin = 10 * time.Second
	// lookWithin bounds the look at a bucket when it is opened.
	lookWithin = 30 * time.Second
	// quietFor is how long a connection may be still while something is waited for.
	quietFor = time.Minute
	// retries are how often the client tries a call, with waits that double from 0.2 s
	// to 1 s.
	retries = 5
	// partSize is how large the parts are that a larger file is put in. Those of S3 are
	// 5 MiB at least and 10 000 at most.
	partSize = 64 << 20
)

// Bucket is a place in a bucket of an S3-compatible store, below a prefix.
type Bucket struct {
	at     Address
	below  string // the prefix, with that of the place
	client minio.Core
	part   int64
	// plainPuts says that the store knows no conditional writes.
	plainPuts atomic.Bool
}

// openBucket opens the files in a bucket.
func openBucket(ctx context.Context, a Address, lock Lock) (*Files, error) {
	transport := newTransport()
	archive := &Bucket{at: a, below: a.Prefix + "archive/", part: partSize}
	uploads := &Bucket{at: a, below: a.Prefix + "uploads/", part: partSize}
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	keys, err := a.keys()
	if err != nil {
		return nil, err
	}
	style := minio.BucketLookupPath
	if !a.PathStyle {
		style = minio.BucketLookupDNS
	}
	client, err := minio.NewCore(a.Endpoint, &minio.Options{Creds: keys, Secure: !a.Plain, Transport: transport, Region: a.region(), BucketLookup: style, MaxRetries: retries})
	if err != nil {
		return nil, &Error{Problem: wire.Problem{Code: "files_address", Message: "The address of -files, " + a.String() + ", is not one of a store.", Hint: "It is like s3://bucket/prefix?endpoint=https://host:port."}, Err: err}
	}
	archive.client, uploads.client = *client, *client
	if err := uploads.look(ctx); err != nil {
		transport.CloseIdleConnections()
		return nil, err
	}
	return &Files{Archive: NewArchive(archive, lock), Uploads: uploads, Shared: true, close: transport.CloseIdleConnections}, nil
}

// region is the store's. Where it isn't told, Amazon is asked and all others are of
// the usual one.
func (a Address) region() string {
	if a.Region != "" {
		return a.Region
	}
	for _, name := range []string{"AWS_REGION", "AWS_DEFAULT_REGION"} {
		if region := os.Getenv(name); region != "" {
			return region
		}
	}
	if a.Endpoint == amazon {
		return ""
	}
	return "us-east-1"
}

// keys finds the keys where programs that speak S3 look for them: in the environment,
// in ~/.aws/credentials, and on Amazon's machines with the role that they have.
func (a Address) keys() (*credentials.Credentials, error) {
	ways := []credentials.Provider{&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}}
	role := a.Endpoint == amazon || strings.HasSuffix(a.Endpoint, ".amazonaws.com")
	for _, name := range []string{"AWS_WEB_IDENTITY_TOKEN_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "AWS_CONTAINER_CREDENTIALS_FULL_URI"} {
		role = role || os.Getenv(name) != ""
	}
	client := &http.Client{Timeout: callWithin}
	if role {
		ways = append(ways, &credentials.IAM{Client: client})
	}
	keys := credentials.NewChainCredentials(ways)
	found, err := keys.GetWithContext(&credentials.CredContext{Client: client, Endpoint: a.Endpoint})
	if err == nil && found.AccessKeyID != "" && found.SecretAccessKey != "" {
		return keys, nil
	}
	if err == nil {
		err = errors.New("none were found")
	}
	return nil, &Error{Problem: wire.Problem{Code: "files_keys", Message: "The keys to the object store of -files are missing.", Hint: "Give them in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."}, Err: err}
}

// newTransport is how the store is reached. A connection that is cut without a word is
// found out, however long a file takes.
func newTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 5 * time.Second, KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3}}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			c, err := dialer.DialContext(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			return &watched{Conn: c}, nil
		},
		MaxIdleConns: 256, MaxIdleConnsPerHost: 64, IdleConnTimeout: time.Minute,
		TLSHandshakeTimeout: 5 * time.Second, ResponseHeaderTimeout: quietFor, ExpectContinueTimeout: time.Second,
		ForceAttemptHTTP2: false, DisableCompression: true,
	}
}

// watched is a connection that breaks when nothing moves on it for long, while
// something is waited for.
type watched struct{ net.Conn }

func (w *watched) Read(p []byte) (int, error) {
	if err := w.SetReadDeadline(time.Now().Add(quietFor)); err != nil {
		return 0, err
	}
	return w.Conn.Read(p)
}

// Write puts off the end of a read that waits, too: an answer comes once all is
// written.
func (w *watched) Write(p []byte) (int, error) {
	if err := w.SetDeadline(time.Now().Add(quietFor)); err != nil {
		return 0, err
	}
	return w.Conn.Write(p)
}

// probe begins the name of what is written to look whether it may be. What a kill leaves
// of that is an upload that nobody uses, and no file of ours to be moved elsewhere.
const probe = ".probe-"

// look finds out whether the bucket is there and may be listed, written, read and
// deleted from.
func (b *Bucket) look(ctx context.Context) error {
	may := func(what string, err error) error {
		if err = b.said(ctx, err); err == nil {
			return nil
		}
		var e *Error
		if errors.As(err, &e) && e.Problem.Code == "files_rights" {
			p := e.Problem
			p.Message = "The keys may not " + what + " the bucket " + b.at.Bucket + " of -files."
			return &Error{Problem: p, Err: e.Err}
		}
		if errors.As(err, &e) && e.Problem.Code == codeAway {
			p := e.Problem
			p.Message = "The object store of -files at " + b.at.Endpoint + " can't be reached."
			p.Hint = "Check the endpoint in the address, and that the store runs."
			return &Error{Problem: p, Err: e.Err}
		}
		return err
	}
	for first := range b.client.ListObjectsIter(ctx, b.at.Bucket, minio.ListObjectsOptions{Prefix: b.below, Recursive: true, MaxKeys: 1}) {
		if first.Err != nil {
			return may("list", first.Err)
		}
		break
	}
	text := []byte("Screentest looks whether it may write here. " + rand.Text() + "\n")
	name, sha := probe+rand.Text(), sha256.Sum256(text)
	if err := may("write to", b.putBytes(ctx, name, bytes.NewReader(text), int64(len(text)), sha[:])); err != nil {
		return err
	}
	in, err := b.Open(ctx, name)
	var got []byte
	if err == nil {
		got, err = io.ReadAll(in)
		in.Close()
	}
	if errors.Is(err, fs.ErrNotExist) || err == nil && string(got) != string(text) {
		err = &Error{Problem: wire.Problem{Code: "files_refused", Message: "The object store of -files does not give back what was written to it.", Hint: "It must be one that shows what was written at once."}, Err: fs.ErrInvalid}
	}
	if err := may("read from", err); err != nil {
		return errors.Join(err, b.Remove(ctx, name))
	}
	return may("delete from", b.Remove(ctx, name))
}

func (b *Bucket) key(name string) (string, error) {
	if !fs.ValidPath(name) {
		return "", fs.ErrNotExist
	}
	return b.below + name, nil
}

// size is how large a file is.
func (b *Bucket) size(ctx context.Context, name string) (int64, error) {
	key, err := b.key(name)
	if err != nil {
		return 0, err
	}
	within, cancel := context.WithTimeout(ctx, callWithin)
	defer cancel()
	info, err := b.client.Client.StatObject(within, b.at.Bucket, key, minio.StatObjectOptions{})
	return info.Size, b.said(ctx, err)
}

// Remove removes a file.
func (b *Bucket) Remove(ctx context.Context, name string) error {
	key, err := b.key(name)
	if err != nil {
		return nil
	}
	within, cancel := context.WithTimeout(ctx, callWithin)
	defer cancel()
	err = b.said(ctx, b.client.Client.RemoveObject(within, b.at.Bucket, key, minio.RemoveObjectOptions{}))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Each calls fn with every file below the place.
func (b *Bucket) Each(ctx context.Context, fn func(name string, since time.Time) error) error {
	for o := range b.client.ListObjectsIter(ctx, b.at.Bucket, minio.ListObjectsOptions{Prefix: b.below, Recursive: true}) {
		if o.Err != nil {
			return b.said(ctx, o.Err)
		}
		name := strings.TrimPrefix(o.Key, b.below)
		if name == "" || strings.HasSuffix(name, "/") {
			continue // what some tools make of a folder
		}
		if err := fn(name, o.LastModified); err != nil {
			return err
		}
	}
	return b.said(ctx, ctx.Err())
}

// Tidy ends puts in parts that were begun before.
func (b *Bucket) Tidy(ctx context.Context, before time.Time) error {
	var key, id string
	for {
		page, err := b.client.ListMultipartUploads(ctx, b.at.Bucket, b.below, key, id, "", 0)
		if err != nil {
			return b.said(ctx, err)
		}
		for _, u := range page.Uploads {
			if !u.Initiated.Before(before) {
				continue
			}
			err := b.said(ctx, b.client.AbortMultipartUpload(ctx, b.at.Bucket, u.Key, u.UploadID))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		if !page.IsTruncated {
			return nil
		}
		key, id = page.NextKeyMarker, page.NextUploadIDMarker
	}
}
