package snippet

// python writes the request as a program in Python.
func python(r Request) string {
	program := pythonWhole
	switch r.kind() {
	case chatStream:
		program = pythonStream(pythonChatEvent)
	case responsesStream:
		program = pythonStream(pythonResponsesEvent)
	case video:
		program = pythonVideo
	}
	return fill(program, escaped([]byte(r.URL()), '\''), pythonQuote(r.Body))
}

const pythonWhole = `# @key=… python3 call.py
import os
import sys
import urllib.error
import urllib.request

url = @url

body = @body

request = urllib.request.Request(url, data=body, headers={
    'Authorization': 'Bearer ' + os.environ['@key'],
    'Content-Type': 'application/json',
})
try:
    with urllib.request.urlopen(request) as reply:
        print(reply.read().decode())
except urllib.error.HTTPError as error:
    sys.exit(f'{error}: {error.read().decode()}')
`

// pythonStream is the program for a stream of which an event is read like that.
func pythonStream(event string) string {
	return `# @key=… python3 call.py
import json
import os
import sys
import urllib.error
import urllib.request

url = @url

body = @body

request = urllib.request.Request(url, data=body, headers={
    'Authorization': 'Bearer ' + os.environ['@key'],
    'Content-Type': 'application/json',
})
try:
    reply = urllib.request.urlopen(request)
except urllib.error.HTTPError as error:
    sys.exit(f'{error}: {error.read().decode()}')
with reply:
    if reply.headers.get_content_type() != 'text/event-stream':
        print(reply.read().decode())  # the answer in one piece
        sys.exit()
    for line in reply:
        if not line.startswith(b'data:'):
            continue
        data = line[5:].strip()
        if data == b'[DONE]':
            break
        event = json.loads(data)
` + event + `print()
`
}

const pythonChatEvent = `        if event.get('error'):
            sys.exit(data.decode())
        for choice in event.get('choices', [])[:1]:
            print(choice['delta'].get('content') or '', end='', flush=True)
`

const pythonResponsesEvent = `        if event.get('type') in ('response.failed', 'error'):
            sys.exit(data.decode())
        if event.get('type') == 'response.output_text.delta':
            print(event['delta'], end='', flush=True)
`

const pythonVideo = `# @key=… python3 call.py
import json
import os
import sys
import time
import urllib.error
import urllib.request

url = @url

body = @body


def call(url, body=None):
    request = urllib.request.Request(url, data=body, headers={
        'Authorization': 'Bearer ' + os.environ['@key'],
        'Content-Type': 'application/json',
    })
    with urllib.request.urlopen(request) as reply:
        return json.load(reply)


# Sent once: a task that was created is paid for, and a second one too.
try:
    task_id = call(url, body)['id']
except urllib.error.HTTPError as error:
    sys.exit(f'{error}: {error.read().decode()}')
print(task_id)
while True:
    try:
        task = call(url + '/' + task_id)['data']
    except urllib.error.URLError as error:
        print(error, file=sys.stderr)  # the task goes on all the same
        time.sleep(5)
        continue
    status = task['status'].upper()
    if status == 'FAILURE':
        sys.exit(task['fail_reason'])
    if status == 'SUCCESS':
        for output in task['data']['output']:
            print(output['url'])
        break
    print(status, task.get('progress', ''), file=sys.stderr)
    time.sleep(5)
`
