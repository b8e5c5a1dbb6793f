// Tries OpenAI's own client against a gateway: node client.mjs BASE_URL, with the key
// in GATEWAY_KEY. Says at the end how many things hold; what doesn't ends it.
import assert from 'node:assert/strict';
import OpenAI from 'openai';

const options = { baseURL: process.argv[2], maxRetries: 0 };
const client = new OpenAI({ ...options, apiKey: process.env.GATEWAY_KEY });
const stranger = new OpenAI({ ...options, apiKey: 'sk-nobody' });
const messages = [{ role: 'user', content: 'What is 17 * 23?' }];
const weather = {
  name: 'get_weather',
  description: 'The weather in a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

const holds = [];
async function try_(name, does) {
  try {
    await does();
  } catch (error) {
    console.error(name);
    throw error;
  }
  holds.push(name);
}

await try_('chat in one piece', async () => {
  const reply = await client.chat.completions.create({ model: 'vendor/model-a', messages });
  assert.match(reply.choices[0].message.content, /391/);
  assert.equal(reply.choices[0].finish_reason, 'stop');
  assert.equal(reply.usage.total_tokens, reply.usage.prompt_tokens + reply.usage.completion_tokens);
});

await try_('chat as a stream, with what was used', async () => {
  const stream = await client.chat.completions.create({
    model: 'vendor/model-a', messages, stream: true, stream_options: { include_usage: true },
  });
  let text = '';
  let usage = null;
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta?.content ?? '';
    usage = chunk.usage ?? usage;
  }
  assert.match(text, /391/);
  assert.ok(usage.completion_tokens > 0);
});

await try_('the helper of the client that gathers a stream', async () => {
  const stream = client.chat.completions.stream({ model: 'zeta-1', messages });
  const whole = await stream.finalChatCompletion();
  assert.match(whole.choices[0].message.content, /391/);
});

await try_('a call of a function', async () => {
  const tools = [{ type: 'function', function: weather }];
  const asked = [{ role: 'user', content: 'What is the weather in Oslo?' }];
  const reply = await client.chat.completions.create({ model: 'vendor/model-a', messages: asked, tools });
  const call = reply.choices[0].message.tool_calls[0];
  assert.equal(call.function.name, 'get_weather');
  assert.equal(typeof JSON.parse(call.function.arguments).city, 'string');
  const on = await client.chat.completions.create({
    model: 'vendor/model-a', tools,
    messages: [...asked, reply.choices[0].message, { role: 'tool', tool_call_id: call.id, content: '{"celsius":4}' }],
  });
  assert.ok(on.choices[0].message.content.length > 0);
});

await try_('responses in one piece', async () => {
  const reply = await client.responses.create({ model: 'vendor/beta-4.6', input: 'What is 17 * 23?' });
  assert.equal(reply.status, 'completed');
  assert.match(reply.output_text, /391/);
  assert.ok(reply.usage.output_tokens > 0);
});

await try_('responses as a stream', async () => {
  const stream = await client.responses.create({ model: 'vendor/epsilon-5.6-core', input: 'What is 17 * 23?', stream: true });
  let text = '';
  let last = null;
  for await (const event of stream) {
    if (event.type === 'response.output_text.delta') text += event.delta;
    last = event;
  }
  assert.match(text, /391/);
  assert.equal(last.type, 'response.completed');
});

await try_('a wrong key', () => assert.rejects(
  stranger.chat.completions.create({ model: 'vendor/model-a', messages }),
  (error) => error instanceof OpenAI.AuthenticationError && error.status === 401,
));

await try_('a model that there is not', () => assert.rejects(
  client.chat.completions.create({ model: 'nobody/nothing', messages }),
  (error) => error instanceof OpenAI.APIError && error.status === 503 && error.message.length > 10,
));

await try_('a rate limit', () => assert.rejects(
  client.chat.completions.create({ model: 'vendor/model-a', messages: [{ role: 'user', content: '[[status: 429]]' }] }),
  (error) => error instanceof OpenAI.RateLimitError,
));

await try_('a request that is broken off', async () => {
  const stream = await client.chat.completions.create({
    model: 'vendor/model-a', messages: [{ role: 'user', content: '[[repeat: 5000]]' }], stream: true,
  });
  for await (const chunk of stream) {
    if (chunk.choices.length > 0) break;
  }
  assert.equal(stream.controller.signal.aborted, true);
});

console.log(`all ${holds.length} hold`);
