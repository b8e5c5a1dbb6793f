// A provider of OpenID Connect with a log-in page of its own, for the tests: NAME
// is NAME@example.com. The test tells it who may ask it (/-/client?redirect=…) and
// which groups somebody is in (/-/groups?name=…&groups=a,b).
import http from "node:http";
import { createRequire } from "node:module";

const { Provider } = await import(createRequire(process.argv[2] + "/x.js").resolve("oidc-provider"));
const groups = new Map();
let callback = (_, res) => res.writeHead(503).end();

const server = http.createServer((req, res) => {
  const url = new URL(req.url, "http://127.0.0.1");
  const asked = url.searchParams;
  switch (url.pathname) {
    case "/-/client":
      callback = provider(asked.get("redirect")).callback();
      return res.end("ok");
    case "/-/groups":
      groups.set(asked.get("name"), asked.get("groups").split(",").filter(Boolean));
      return res.end("ok");
  }
  return callback(req, res);
});

function provider(redirect) {
  const made = new Provider(`http://127.0.0.1:${server.address().port}`, {
    clients: [{ client_id: "screentest", client_secret: "e2e-secret", redirect_uris: [redirect] }],
    pkce: { required: () => true },
    scopes: ["openid", "email", "profile", "groups"],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
    findAccount: (_, name) => ({
      accountId: name,
      claims: async () => ({ sub: name, name, email: `${name}@example.com`, email_verified: true, groups: groups.get(name) ?? [] }),
    }),
    cookies: { keys: ["of a test"] },
  });
  // Its pages ask another host for a font: they would not be drawn without one.
  made.use(async (ctx, next) => {
    await next();
    if (typeof ctx.body === "string") ctx.body = ctx.body.replace(/@import url[^;]*;/g, "");
  });
  return made;
}

for (const end of ["SIGINT", "SIGTERM"]) process.on(end, () => process.exit());
server.listen(0, "127.0.0.1", () => console.log(`The provider is ready on http://127.0.0.1:${server.address().port}`));
