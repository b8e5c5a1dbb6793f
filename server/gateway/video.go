package gateway

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"screentest/shared/gateway"
	"screentest/shared/reply"
)

// CreateVideo sends the creation of a task, once. An [*Error] with Uncertain
// means that the task may exist and be billed though its id is not known: it
// must not be sent again unasked (G35).
func (c *Client) CreateVideo(ctx context.Context, key string, body []byte) (reply.Created, error) {
	res, b, err := c.call(ctx, key, http.MethodPost, gateway.Video.Path(), body, c.opt.AnswerTimeout, maxTaskBody+1)
	if err != nil {
		return reply.Created{}, err
	}
	text, err := c.readAll(b, maxTaskBody)
	if err != nil {
		var e *Error
		if errors.As(err, &e) {
			e.Uncertain = true
		}
		return reply.Created{}, err
	}
	created, p := reply.ReadCreated(text)
	if p != nil {
		p.Status, p.Request = res.StatusCode, reply.RequestID(res.Header.Get)
		return reply.Created{}, &Error{Problem: b.mask.problem(p), Uncertain: p.Code == reply.CodeNoTask}
	}
	return created, nil
}

// Task asks for the state of a task by its id, which begins with task_ (F118).
// It repeats the call as the contract allows. No error of it is a failure of
// the task (G36).
func (c *Client) Task(ctx context.Context, key, id string) (reply.Task, error) {
	if !reply.IsTaskID(id) {
		return reply.Task{}, fmt.Errorf("task id %q: it must begin with task_", id)
	}
	for try := 0; ; try++ {
		task, err := c.task(ctx, key, id)
		var e *Error
		if err == nil || !errors.As(err, &e) || !reply.Repeatable(e.Problem) || try >= c.opt.Retries {
			return task, err
		}
		wait := c.opt.retryWait(try, time.Duration(e.Problem.RetryAfterMS)*time.Millisecond, rand.Float64())
		if wait > c.opt.MaxRetryWait {
			return task, err // the caller knows better what to do meanwhile
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return task, callError(ctx, "wait to ask for the task again", reply.CodeStopped, nil, false)
		}
	}
}

// retryWait is how long to wait after the try with that number, from 0: what
// the gateway asks for, or the first wait doubled for each try; up to a
// quarter more, by r from 0 to 1, so that many callers do not come back at
// once.
func (o Options) retryWait(try int, asked time.Duration, r float64) time.Duration {
	wait := asked
	if asked <= 0 {
		wait = min(o.RetryWait<<min(try, 16), o.MaxRetryWait*4/5)
	}
	return wait + time.Duration(r*float64(min(wait, o.MaxRetryWait))/4)
}

// TaskOnce is Task without repeats: for a caller that asks again by itself.
func (c *Client) TaskOnce(ctx context.Context, key, id string) (reply.Task, error) {
	if !reply.IsTaskID(id) {
		return reply.Task{}, fmt.Errorf("task id %q: it must begin with task_", id)
	}
	return c.task(ctx, key, id)
}

func (c *Client) task(ctx context.Context, key, id string) (reply.Task, error) {
	res, b, err := c.call(ctx, key, http.MethodGet, gateway.Video.Path()+"/"+id, nil, c.opt.HeaderTimeout, maxTaskBody+1)
	if err != nil {
		return reply.Task{}, err
	}
	text, err := c.readAll(b, maxTaskBody)
	if err != nil {
		return reply.Task{}, err
	}
	task, p := reply.ReadTask(text)
	if p != nil {
		p.Status, p.Request = res.StatusCode, reply.RequestID(res.Header.Get)
		return reply.Task{}, &Error{Problem: b.mask.problem(p)}
	}
	return task, nil
}
