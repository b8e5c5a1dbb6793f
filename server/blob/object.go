package blob

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
)

// Serve answers a request with a file that was opened, with Range and conditions as
// [http.ServeContent] has them. Of a bucket no more is read than is asked for.
func Serve(w http.ResponseWriter, r *http.Request, file io.ReadSeeker) {
	if o, is := file.(*object); is {
		o.expect(r.Header.Get("Range"))
	}
	http.ServeContent(w, r, "", time.Time{}, file)
}

// again is how often a file that breaks off while it is read is gone on with: the
// store ends connections that a slow reader leaves idle.
const again = 3

// object reads a file of a bucket from where it is read, which is one call as long as
// it is read on from there.
type object struct {
	ctx    context.Context
	b      *Bucket
	key    string
	size   int64
	at     int64
	spans  [][2]int64 // what will be read, as far as it is known: from, and behind its end
	broken int

	body   io.ReadCloser // nil: none is open
	end    int64         // behind what body has
	cancel context.CancelFunc
}

// Open looks for a file; its bytes are asked for when it is read.
func (b *Bucket) Open(ctx context.Context, name string) (io.ReadSeekCloser, error) {
	key, err := b.key(name)
	if err != nil {
		return nil, err
	}
	size, err := b.size(ctx, name)
	if err != nil {
		return nil, err
	}
	return &object{ctx: ctx, b: b, key: key, size: size}, nil
}

// expect notes what the header Range asks for. It is only a hint: where it can't be
// read all the same is read, to the end of the file.
func (o *object) expect(header string) {
	list, is := strings.CutPrefix(header, "bytes=")
	if !is {
		return
	}
	for span := range strings.SplitSeq(list, ",") {
		first, last, _ := strings.Cut(strings.TrimSpace(span), "-")
		from, noFirst := strconv.ParseInt(first, 10, 64)
		to, noLast := strconv.ParseInt(last, 10, 64)
		switch {
		case noFirst == nil && noLast == nil && from <= to:
			o.spans = append(o.spans, [2]int64{from, min(to, o.size-1) + 1})
		case noFirst == nil && last == "":
			o.spans = append(o.spans, [2]int64{from, o.size})
		}
	}
}

// Seek moves to where it is read on from.
func (o *object) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += o.at
	case io.SeekEnd:
		offset += o.size
	}
	if offset < 0 {
		return 0, errors.New("seek before the beginning of a file")
	}
	if offset != o.at {
		o.drop()
	}
	o.at = offset
	return offset, nil
}

func (o *object) Read(p []byte) (int, error) {
	for {
		if o.at >= o.size {
			return 0, io.EOF
		}
		if o.body == nil {
			if err := o.ask(); err != nil {
				return 0, err
			}
		}
		n, err := o.body.Read(p)
		o.at += int64(n)
		if o.at >= o.end {
			o.drop()
		} else if err != nil {
			o.drop()
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			if o.broken++; o.broken > again || o.ctx.Err() != nil {
				return n, o.b.said(o.ctx, err)
			}
		}
		if n > 0 || len(p) == 0 {
			return n, nil
		}
	}
}

// ask asks for the bytes from where it is.
func (o *object) ask() error {
	o.end = o.size
	for _, s := range o.spans {
		if s[0] <= o.at && o.at < s[1] {
			o.end = s[1]
			break
		}
	}
	var options minio.GetObjectOptions
	part := o.at > 0 || o.end < o.size
	if part {
		if err := options.SetRange(o.at, o.end-1); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancel(o.ctx)
	late := time.AfterFunc(callWithin, cancel)
	body, info, header, err := o.b.client.GetObject(ctx, o.b.at.Bucket, o.key, options)
	if err == nil && !late.Stop() {
		body.Close()
		err = context.DeadlineExceeded
	}
	if err == nil && part && header.Get("Content-Range") == "" && info.Size != o.end-o.at {
		body.Close()
		err = errors.New("the store answers with the whole file to a part of it")
	}
	if err != nil {
		late.Stop()
		cancel()
		return o.b.said(o.ctx, err)
	}
	o.body, o.cancel = body, cancel
	return nil
}

// drop ends the call under way.
func (o *object) drop() {
	if o.body == nil {
		return
	}
	o.body.Close()
	o.cancel()
	o.body, o.cancel = nil, nil
}

// Close ends the reading.
func (o *object) Close() error {
	o.drop()
	return nil
}
