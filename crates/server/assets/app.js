// What moves on pages. Every page works without it: forms have buttons, and pages of jobs load themselves again.
const root = document.documentElement;
root.classList.add("scripted");

// Puts the page of an answer in the place of this one, and the focus back to where it was.
async function show(response) {
  const text = await response.text();
  const next = new DOMParser().parseFromString(text, "text/html");
  const page = next.getElementById("page");
  if (!page) return location.reload();
  const focused = document.activeElement && document.activeElement.id;
  const open = new Set([...document.querySelectorAll("details[open]")].map((one) => one.closest("[id]")?.id));
  const at = window.scrollY;
  document.getElementById("page").replaceWith(document.adoptNode(page));
  document.title = next.title;
  for (const one of document.querySelectorAll(".tree")) if (open.has(one.closest("[id]")?.id)) one.open = true;
  if (response.url) history.replaceState(null, "", response.url);
  window.scrollTo(0, at);
  if (focused) document.getElementById(focused)?.focus({ preventScroll: true });
  start();
}

async function send(action, body) {
  return await fetch(action, { method: "POST", body, credentials: "same-origin" });
}

// A form that is sent at every change, one after the other: the second of two quick clicks knows what the first one wrote.
let turn = Promise.resolve();
document.addEventListener("change", (event) => {
  const form = event.target.closest("form[data-auto]");
  if (!form || !form.reportValidity()) return;
  const body = new URLSearchParams(new FormData(form));
  form.classList.add("busy");
  turn = turn.then(async () => {
    const seen = document.querySelector("#page input[name=seen]");
    if (seen) body.set("seen", seen.value);
    await show(await send(form.action, body));
  });
});

// A form whose effect is shown beside it while somebody types.
let timer = 0;
document.addEventListener("input", (event) => {
  const form = event.target.closest("form[data-live]");
  if (!form) return;
  clearTimeout(timer);
  timer = setTimeout(async () => {
    const answer = await send(form.action, new URLSearchParams(new FormData(form)));
    const next = new DOMParser().parseFromString(await answer.text(), "text/html");
    const place = document.getElementById(form.dataset.live);
    const found = next.getElementById(form.dataset.live) || next.querySelector("[role=alert]");
    if (place && found) place.replaceChildren(...(found.id ? found.childNodes : [found]));
  }, 350);
});

// The keys of roles.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const roles = event.target.closest?.("fieldset.roles");
  const choice = roles && [...roles.querySelectorAll("[data-key]")].find((one) => one.dataset.key === event.key);
  if (choice && !choice.checked) {
    event.preventDefault();
    choice.checked = true;
    choice.focus();
    choice.dispatchEvent(new Event("change", { bubbles: true }));
  }
});

// A job that runs tells how it gets on; when it is over the page shows what it found.
let events = null;
function start() {
  events?.close();
  events = null;
  const place = document.querySelector("[data-job]");
  if (!place || !place.querySelector("form")) return;
  events = new EventSource(`/api/v1/jobs/${encodeURIComponent(place.dataset.job)}/events`);
  events.onmessage = (message) => {
    const job = JSON.parse(message.data);
    if (!["waiting", "running"].includes(job.state)) {
      events.close();
      location.reload();
      return;
    }
    place.querySelector("[data-phase]").textContent = job.phase || "";
    const bar = place.querySelector("[data-progress]");
    if (job.progress.total > 0) {
      bar.max = job.progress.total;
      bar.value = job.progress.done;
    } else {
      bar.removeAttribute("value");
    }
    const list = place.querySelector("[data-phases]");
    list.replaceChildren();
    for (const [name, seconds] of Object.entries(job.phases)) {
      const term = document.createElement("dt");
      const value = document.createElement("dd");
      term.textContent = name;
      value.textContent = `${seconds.toFixed(1)} s`;
      list.append(term, value);
    }
  };
}
start();
