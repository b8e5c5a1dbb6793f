// Serves a gateway that others wrote, of npm packages which are installed in FOLDER:
//
//	node mock.mjs FOLDER openai-api-mock
//	node mock.mjs FOLDER mock-llm RULES
//
// The first answers only within its own process: whatever is asked here is asked again
// of the address that it stands in for, and of nobody else.
import http from 'node:http';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

const [folder, which, rules] = process.argv.slice(2);
const require = createRequire(pathToFileURL(folder + '/'));

async function openaiAPIMock() {
  const { mockOpenAIResponse } = await import(pathToFileURL(require.resolve('openai-api-mock')));
  mockOpenAIResponse(true, { seed: 7 });
  require('nock').disableNetConnect();
  const server = http.createServer(async (request, reply) => {
    const body = [];
    for await (const chunk of request) body.push(chunk);
    try {
      const said = await fetch('https://api.openai.com' + request.url, {
        method: request.method,
        headers: { 'content-type': 'application/json', authorization: request.headers.authorization || '' },
        body: body.length > 0 ? Buffer.concat(body) : undefined,
      });
      reply.writeHead(said.status, { 'content-type': said.headers.get('content-type') || 'application/json' });
      for await (const chunk of said.body) reply.write(chunk);
    } catch {
      reply.writeHead(404, { 'content-type': 'application/json' });
      reply.write(JSON.stringify({ error: { message: 'this mock answers nothing here' } }));
    }
    reply.end();
  });
  server.listen(0, '127.0.0.1', () => console.log(`ready on http://127.0.0.1:${server.address().port}`));
}

// mockLLM is given a port that is free just now, and asked until it answers there.
async function mockLLM() {
  const taken = http.createServer();
  await new Promise((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address();
  await new Promise((resolve) => taken.close(resolve));
  Object.assign(process.env, { PORT: String(port), HOST: '127.0.0.1' });
  process.argv = [process.argv[0], process.argv[1], '--config', rules];
  require('@dwmkerr/mock-llm/dist/main.js');
  for (let tries = 0; tries < 200; tries++) {
    const answers = await fetch(`http://127.0.0.1:${port}/v1/models`).then(() => true, () => false);
    if (answers) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  console.log(`ready on http://127.0.0.1:${port}`);
}

await (which === 'mock-llm' ? mockLLM() : openaiAPIMock());
