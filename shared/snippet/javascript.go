package snippet

// javaScript writes the request as a program for Node.
func javaScript(r Request) string {
	program := jsWhole
	switch r.kind() {
	case chatStream:
		program = jsStream(jsChatEvent)
	case responsesStream:
		program = jsStream(jsResponsesEvent)
	case video:
		program = jsVideo
	}
	return fill(program, escaped([]byte(r.URL()), '\''), javaScriptQuote(r.Body))
}

const jsHead = `// @key=… node call.js
const url = @url;

const body = @body;

const headers = {
  'Authorization': 'Bearer ' + process.env.@key,
  'Content-Type': 'application/json',
};
`

const jsEnd = `
main().catch((error) => {
  console.error(error);
  process.exitCode = 1;
});
`

const jsWhole = jsHead + `
async function main() {
  const reply = await fetch(url, { method: 'POST', headers, body });
  console.log(await reply.text());
  if (!reply.ok) throw new Error('HTTP ' + reply.status);
}
` + jsEnd

// jsStream is the program for a stream of which an event is read like that.
func jsStream(event string) string {
	return jsHead + `
async function main() {
  const reply = await fetch(url, { method: 'POST', headers, body });
  const type = reply.headers.get('content-type') || '';
  if (!type.startsWith('text/event-stream')) {
    console.log(await reply.text()); // an error, or the answer in one piece
    if (!reply.ok) throw new Error('HTTP ' + reply.status);
    return;
  }
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of reply.body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop();
    for (const line of lines) {
      if (!line.startsWith('data:')) continue;
      const data = line.slice(5).trim();
      if (data === '[DONE]') continue;
      const event = JSON.parse(data);
` + event + `    }
  }
  process.stdout.write('\n');
}
` + jsEnd
}

const jsChatEvent = `      if (event.error) throw new Error(data);
      process.stdout.write(event.choices?.[0]?.delta?.content || '');
`

const jsResponsesEvent = `      if (event.type === 'response.failed' || event.type === 'error') throw new Error(data);
      if (event.type === 'response.output_text.delta') process.stdout.write(event.delta);
`

const jsVideo = jsHead + `
async function main() {
  // Sent once: a task that was created is paid for, and a second one too.
  const created = await fetch(url, { method: 'POST', headers, body });
  if (!created.ok) throw new Error('HTTP ' + created.status + ': ' + await created.text());
  const { id } = await created.json();
  console.log(id);
  for (;;) {
    try {
      const reply = await fetch(url + '/' + id, { headers });
      if (!reply.ok) throw new Error('HTTP ' + reply.status + ': ' + await reply.text());
      const { data: task } = await reply.json();
      const status = task.status.toUpperCase();
      if (status === 'SUCCESS') {
        for (const output of task.data.output) console.log(output.url);
        return;
      }
      if (status === 'FAILURE') {
        console.error(task.fail_reason);
        process.exitCode = 1;
        return;
      }
      console.error(status, task.progress);
    } catch (error) {
      console.error(error.message); // the task goes on all the same
    }
    await new Promise((resolve) => setTimeout(resolve, 5000));
  }
}
` + jsEnd
