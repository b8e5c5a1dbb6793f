package blob

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"time"

	"github.com/minio/minio-go/v7"
)

// checksum is what the store holds what came against, and keeps beside it.
const checksum = "X-Amz-Checksum-Sha256"

const (
	// mostPuts is how often a file is put that others keep removing as unused. After that
	// a small one is put while they are kept from it; a larger one may take longer than
	// they can be, and is to be added again.
	mostPuts = 3
	smallPut = 8 << 20
	// Stores refuse what comes together with another write of the same name; it is
	// tried again so often, after so long.
	mostClashes  = 8
	betweenTries = 50 * time.Millisecond
)

// Add puts a file. See [Place].
func (b *Bucket) Add(ctx context.Context, name, from string, sha []byte, hold func(settle func() error) error) error {
	for n := 1; ; n++ {
		if err := b.put(ctx, name, from, sha); err != nil {
			return err
		}
		if hold == nil {
			return os.Remove(from)
		}
		err := hold(func() error {
			// Who found it unused while it was put, or before, may have removed it.
			_, err := b.size(ctx, name)
			switch {
			case !errors.Is(err, fs.ErrNotExist):
				return err
			case n < mostPuts || !b.small(from):
				return errSwept
			}
			within, cancel := context.WithTimeout(ctx, callWithin)
			defer cancel()
			return b.put(within, name, from, sha)
		})
		if err == nil {
			return os.Remove(from)
		}
		if !errors.Is(err, errSwept) {
			return err
		}
		if n > mostPuts {
			return b.away(err)
		}
	}
}

// small says whether a file is put with one call.
func (b *Bucket) small(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Size() <= min(b.part, smallPut)
}

// put puts a file, unless it is there. sha is the SHA-256 of its bytes; nil: it is
// summed first.
func (b *Bucket) put(ctx context.Context, name, from string, sha []byte) error {
	file, err := os.Open(from)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if sha == nil {
		sum := sha256.New()
		if _, err := io.Copy(sum, file); err != nil {
			return err
		}
		sha = sum.Sum(nil)
	}
	return b.putBytes(ctx, name, file, info.Size(), sha)
}

// putBytes puts what has so many bytes, unless it is there. It is never an
// fs.ErrNotExist: what is put can't be missed.
func (b *Bucket) putBytes(ctx context.Context, name string, file io.ReaderAt, size int64, sha []byte) error {
	key, err := b.key(name)
	if err != nil {
		return err
	}
	have, err := b.size(ctx, name)
	if err == nil && have == size {
		return nil
	}
	absent := errors.Is(err, fs.ErrNotExist)
	if err != nil && !absent {
		return err
	}
	for clashes := 0; ; {
		var o minio.PutObjectOptions
		// What is there and isn't whole is written over.
		conditional := absent && !b.plainPuts.Load()
		if conditional {
			o.SetMatchETagExcept("*") // another may be putting the same
		}
		if size <= b.part {
			err = b.putWhole(ctx, key, io.NewSectionReader(file, 0, size), size, sha, o)
		} else {
			err = b.putParts(ctx, key, file, size, sha, o)
		}
		switch {
		case err == nil:
			return nil
		case conditional && isAlready(err):
			// Or was, a moment ago.
			if have, err = b.size(ctx, name); err == nil && have == size {
				return nil
			}
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			absent = false
			continue
		case conditional && minio.ToErrorResponse(err).StatusCode == http.StatusNotImplemented:
			b.plainPuts.Store(true)
			continue
		case isClash(err) && clashes < mostClashes:
			clashes++
			select {
			case <-time.After(betweenTries << min(clashes, 4)):
				continue
			case <-ctx.Done():
			}
		}
		// Its answer may have been lost, and what was asked again be refused because it is
		// done: of a file that is whole there are no parts.
		if size > b.part {
			if have, e := b.size(ctx, name); e == nil && have == size {
				return nil
			}
		}
		if err = b.said(ctx, err); errors.Is(err, fs.ErrNotExist) {
			return b.away(errEnded)
		}
		return err
	}
}

// errEnded says of a put in parts that the store knows it no more, and has no file.
var errEnded = errors.New("another has ended the upload, or the store has")

// putWhole puts a file with one call. The store holds it against its checksum, by
// which the call is signed too.
func (b *Bucket) putWhole(ctx context.Context, key string, file io.ReadSeeker, size int64, sha []byte, o minio.PutObjectOptions) error {
	o.DisableContentSha256 = true // it is given
	o.UserMetadata = map[string]string{checksum: base64.StdEncoding.EncodeToString(sha)}
	_, err := b.client.PutObject(ctx, b.at.Bucket, key, file, size, "", hex.EncodeToString(sha), o)
	return err
}

// putParts puts a file in parts, one after the other, each with its checksum. Only
// when all are there does it become a file.
func (b *Bucket) putParts(ctx context.Context, key string, file io.ReaderAt, size int64, sha []byte, o minio.PutObjectOptions) (err error) {
	id, err := b.client.NewMultipartUpload(ctx, b.at.Bucket, key, minio.PutObjectOptions{UserMetadata: map[string]string{"X-Amz-Checksum-Algorithm": "SHA256"}})
	if err != nil {
		return err
	}
	defer func() {
		if err == nil {
			return
		}
		// What can't be ended now is, by Tidy.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), callWithin)
		defer cancel()
		_ = b.client.AbortMultipartUpload(ctx, b.at.Bucket, key, id)
	}()
	whole := sha256.New()
	var parts []minio.CompletePart
	for at := int64(0); at < size; at += b.part {
		n := len(parts) + 1
		part := io.NewSectionReader(file, at, min(b.part, size-at))
		sum := sha256.New()
		if _, err := io.Copy(io.MultiWriter(sum, whole), part); err != nil {
			return err
		}
		text := base64.StdEncoding.EncodeToString(sum.Sum(nil))
		put, err := b.client.PutObjectPart(ctx, b.at.Bucket, key, id, n, part, part.Size(), minio.PutObjectPartOptions{
			Sha256Hex: hex.EncodeToString(sum.Sum(nil)), DisableContentSha256: true, CustomHeader: http.Header{checksum: {text}},
		})
		if err != nil {
			return err
		}
		done := minio.CompletePart{PartNumber: n, ETag: put.ETag}
		if put.ChecksumSHA256 != "" { // the store knows it
			done.ChecksumSHA256 = text
		}
		parts = append(parts, done)
	}
	if got := whole.Sum(nil); hex.EncodeToString(got) != hex.EncodeToString(sha) {
		return fmt.Errorf("the file has changed since it was summed: its SHA-256 is %x, not %x", got, sha)
	}
	_, err = b.client.CompleteMultipartUpload(ctx, b.at.Bucket, key, id, parts, o)
	return err
}
