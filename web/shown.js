// The script of a shared page: it follows what is shown, copies, and says when it is
// shared no more. All text is there without it.

try {
  const theme = localStorage.getItem("screentest.theme");
  if (theme) document.documentElement.dataset.theme = theme;
} catch { /* the browser keeps nothing: the system's theme it is */ }

const main = document.getElementById("main");
const say = document.getElementById("live");
const here = location.pathname;
const atFirst = say?.textContent;
const $ = (id) => document.getElementById(id);
let tails = new Map(); // the tails' HTML as it came, by their ids
let stream;

const make = (html) => {
  const t = document.createElement("template");
  t.innerHTML = html;
  return t.content;
};

const tailOf = (tail) => tails.get(tail.id) ?? tail.dataset.html ?? "";

// What one patch does; see server/shown/patch.go.
const patches = {
  put(id, holder, next, html) {
    const old = $(id), fresh = make(html);
    if (old) {
      const open = [...old.querySelectorAll("details")].map((d) => d.open);
      fresh.querySelectorAll("details").forEach((d, i) => { d.open = !!open[i]; });
      old.replaceWith(fresh);
    } else {
      $(holder)?.insertBefore(fresh, next ? $(next) : null);
    }
    if (id === "title") document.title = $(id).textContent + " · Screentest";
  },
  drop(id) { $(id)?.remove(); },
  add(id, html) { $(id)?.before(make(html)); },
  tail(id, keep, html) {
    const tail = $(id);
    if (!tail) return;
    const all = tailOf(tail).slice(0, keep) + html;
    tails.set(id, all);
    tail.innerHTML = all;
  },
  grow(id, html, again, text) {
    const rest = $(id)?.querySelector(".rest");
    if (!rest) return;
    tails.set(id, "");
    rest.before(make(html));
    if (again) rest.textContent = text;
    else rest.append(text);
  },
  thought(id, text) {
    const e = $(id);
    if (!e) return;
    e.closest("details").hidden = false;
    e.append(text);
  },
};

// Who reads the end stays at the end.
const keepingPlace = (change) => {
  const page = document.scrollingElement;
  const atEnd = page.scrollHeight - page.scrollTop - innerHeight < 80 && page.scrollHeight > innerHeight;
  change();
  if (atEnd) page.scrollTop = page.scrollHeight;
};

const gone = () => {
  stream?.close();
  tails.clear();
  document.title = "Not shared · Screentest";
  const h = document.createElement("h1");
  h.textContent = "This is not shared any more";
  main.replaceChildren(h);
  delete main.dataset.from;
  say.textContent = "Ended";
  document.querySelectorAll(".note, .top p:not(#live)").forEach((e) => e.remove());
};

// again loads what is shown anew, after too much was missed. All who look may be told
// at once: each comes at a moment of their own.
let wait = 1000;
const later = (ms) => {
  stream?.close();
  say.textContent = "Connecting…";
  setTimeout(again, ms * (0.5 + Math.random()));
};
const retry = () => {
  later(wait);
  wait = Math.min(2 * wait, 30000);
};
const again = async () => {
  stream?.close();
  say.textContent = "Connecting…";
  try {
    const r = await fetch(here, { cache: "no-store" });
    if (r.status === 404 || r.redirected) return gone();
    if (!r.ok) throw new Error(r.status);
    const page = new DOMParser().parseFromString(await r.text(), "text/html").getElementById("main");
    keepingPlace(() => main.replaceChildren(...page.childNodes));
    main.dataset.from = page.dataset.from ?? "";
    tails.clear();
    if (!main.dataset.from) say.textContent = atFirst;
    follow();
  } catch {
    retry();
  }
};

const follow = () => {
  if (!main.dataset.from) return;
  stream = new EventSource(here + "/live?from=" + encodeURIComponent(main.dataset.from));
  stream.onopen = () => { say.textContent = "Live"; wait = 1000; };
  stream.onmessage = (e) => {
    try {
      keepingPlace(() => { for (const [kind, ...rest] of JSON.parse(e.data)) patches[kind]?.(...rest); });
      main.dataset.from = e.lastEventId;
    } catch {
      retry(); // what a patch is for isn't there
    }
  };
  stream.addEventListener("gone", gone);
  stream.addEventListener("again", () => later(400));
  stream.onerror = () => {
    if (!main.dataset.from) return;
    say.textContent = "Connecting…";
    if (stream.readyState === EventSource.CLOSED) retry(); // else the browser tries again
  };
};

const copy = async (button) => {
  button.disabled = true;
  const { message, lane } = button.dataset;
  const said = { message };
  if (lane !== undefined) said.lane = Number(lane);
  let words = "The server can't be reached.";
  try {
    const r = await fetch("/api/shares/" + main.dataset.share + "/copy", {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(said),
    });
    const got = await r.json();
    if (r.ok) return location.assign("/c/" + got.id);
    words = got.message;
  } catch { /* what can't be read is as good as no answer */ }
  button.disabled = false;
  say.textContent = "Not copied: " + words;
};

const copyCode = async (button) => {
  await navigator.clipboard.writeText(button.closest(".md-code").querySelector("code").textContent);
  button.textContent = "Copied";
  button.classList.add("copied");
  setTimeout(() => { button.textContent = "Copy"; button.classList.remove("copied"); }, 2000);
};

document.addEventListener("click", (e) => {
  const button = e.target.closest?.("button");
  if (button?.matches(".copy")) copy(button);
  else if (button?.matches(".md-copy")) copyCode(button).catch(() => {});
});

// What was sent and what came is loaded where it is wanted.
document.addEventListener("toggle", async (e) => {
  const fold = e.target;
  if (!fold.matches?.("details.exchange") || !fold.open || fold.querySelector("pre")) return;
  const pre = document.createElement("pre");
  pre.tabIndex = 0;
  pre.setAttribute("aria-label", "What was sent and what came");
  try {
    const r = await fetch(here + "/wire/" + fold.dataset.run);
    if (!r.ok) throw new Error(r.status);
    pre.textContent = await r.text();
  } catch {
    fold.querySelector("p").textContent = "It can't be loaded now.";
    return;
  }
  fold.querySelector("p")?.replaceWith(pre);
}, true);

// A link may lead to a message, by its id: on this page or on an earlier one.
const lead = () => {
  const id = location.hash.slice(1);
  const e = /^[0-9a-f-]{36}$/.test(id) && ($("a-" + id) ?? $("t-" + id));
  if (e) e.scrollIntoView();
  else if (e === null && !location.search) location.replace(here + "?at=" + id + "#" + id);
};

// Back may bring the page as it was kept, which is shown no more, or not as it is.
addEventListener("pageshow", (e) => { if (e.persisted && main) again(); });

if (main && say) {
  follow();
  lead();
}
