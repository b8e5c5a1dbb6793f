package gateway

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"screentest/server/upstream"
	"screentest/shared/gateway"
	"screentest/shared/reply"
)

// CreateVideo sends the creation of a task, once. An [*upstream.Error] with Uncertain
// means that the task may exist and be billed though its id is not known: it
// must not be sent again unasked (G35).
func (c *Client) CreateVideo(ctx context.Context, key string, body []byte) (reply.Created, error) {
	res, b, err := c.call(ctx, key, http.MethodPost, gateway.Video.Path(), body, c.opt.AnswerTimeout, maxTaskBody+1)
	if err != nil {
		return reply.Created{}, err
	}
	text, err := c.readAll(b, maxTaskBody)
	if err != nil {
		var e *upstream.Error
		if errors.As(err, &e) {
			e.Uncertain = true
		}
		return reply.Created{}, err
	}
	created, p := reply.ReadCreated(text)
	if p != nil {
		p.Status, p.Request = res.StatusCode, reply.RequestID(res.Header.Get)
		return reply.Created{}, &upstream.Error{Problem: b.mask.problem(p), Uncertain: p.Code == reply.CodeNoTask}
	}
	return created, nil
}

// Task asks once for the state of a task by its id, which begins with task_
// (F118). No error of it is a failure of the task (G36).
func (c *Client) Task(ctx context.Context, key, id string) (reply.Task, error) {
	if !reply.IsTaskID(id) {
		return reply.Task{}, fmt.Errorf("task id %q: it must begin with task_", id)
	}
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
		return reply.Task{}, &upstream.Error{Problem: b.mask.problem(p)}
	}
	return task, nil
}
