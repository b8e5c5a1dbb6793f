// What the page does before its program has come: the composer takes a message, and
// a send that waits for the program, and the connection to the server is begun. The
// program takes all of it over: see screentestEarly.
"use strict";

(() => {
  const store = (f) => { try { return f(localStorage); } catch { return null; } }; // a browser may forbid it
  const field = document.getElementById("composer"); // there is none where nothing is written
  const send = document.getElementById("send");
  const note = document.getElementById("shell-note");

  // For the program. It calls take once, when it has drawn its own composer.
  const early = globalThis.screentestEarly = {
    seen: "", // the draft that the field began with
    sent: false, // Enter was pressed, or Send
    failed() { // the program won't come
      early.over = true;
      if (field) {
        unsend();
      }
    },
    connection() {
      for (const name of events) {
        socket.removeEventListener(name, record);
      }
      delete early.connection;
      return [socket, missed];
    },
  };

  const missed = []; // events of the socket
  const record = (e) => missed.push(e);
  const events = ["open", "message", "close"];
  const socket = new WebSocket(location.origin.replace("http", "ws") + "{{.Socket}}");
  socket.binaryType = "arraybuffer";
  for (const name of events) {
    socket.addEventListener(name, record);
  }

  const root = document.documentElement;
  const theme = store((s) => s.getItem("screentest.theme"));
  if (theme === "dark" || theme === "light") {
    root.dataset.theme = theme;
  }

  addEventListener("error", (e) => {
    if (e.target instanceof HTMLScriptElement) {
      document.getElementById("app-wasm-loader-label").innerText = "{{.Failed}}";
      early.failed();
    }
  }, true);

  if (!field) {
    return;
  }

  // Where there are accounts a draft may be another person's: the program knows.
  const alone = !("team" in root.dataset);
  const draft = "screentest.draft." + (location.pathname.match(/^\/c\/([^/]+)/)?.[1] ?? "");
  if (alone && !field.value) { // else the browser has filled it in again
    early.seen = field.value = store((s) => s.getItem(draft)) ?? "";
    field.setSelectionRange(field.value.length, field.value.length);
  }

  function unsend() {
    early.sent = false;
    // The program says there what it would cost, as soon as there is something.
    note.textContent = field.value.trim() && !early.over ? "Not sent yet" : "";
    send.disabled = early.over || !field.value.trim();
  }
  unsend();

  field.addEventListener("input", () => {
    unsend(); // what is written on is to be read again first
    if (alone && store((s) => s.getItem(draft) ?? "") === early.seen) { // else another tab has a draft, too
      early.seen = field.value;
      store((s) => field.value ? s.setItem(draft, field.value) : s.removeItem(draft));
    }
  });

  field.addEventListener("keydown", (e) => { // as kit.DOM.Sends
    if (e.key !== "Enter" || e.isComposing || e.keyCode === 229 || e.shiftKey || e.altKey) {
      return;
    }
    if (e.ctrlKey || e.metaKey || !matchMedia("(pointer: coarse)").matches) {
      e.preventDefault();
      later();
    }
  });
  field.form.addEventListener("submit", (e) => {
    e.preventDefault();
    later();
    field.focus();
  });

  function later() {
    if (field.value.trim() && !early.over) {
      early.sent = send.disabled = true;
      note.textContent = "Sent when loaded";
    }
  }
})();
