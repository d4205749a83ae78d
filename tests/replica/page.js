// Plays the script of a mode: what the page does once a question is sent, step by step.
const play = JSON.parse(document.getElementById("script").textContent);
const part = (name, root = document) => root.querySelector(`[data-part="${name}"]`);
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const made = (html) => {
  const frame = document.createElement("template");
  frame.innerHTML = html;
  return frame.content.firstElementChild;
};
const thread = part("thread");
let turn = null;
let number = thread.querySelectorAll("[data-turn-id]").length;

const answer = () => {
  const host = turn.querySelector("replica-answer");
  return part("answer", host ? host.shadowRoot : turn);
};

class Shadowed extends HTMLElement {
  connectedCallback() {
    if (this.shadowRoot) return;
    this.attachShadow({ mode: "open" });
    this.shadowRoot.innerHTML = this.dataset.inner;
  }
}
customElements.define("replica-answer", class extends Shadowed {});
customElements.define("replica-pill", class extends Shadowed {});

const steps = {
  user: ({ text }, asked) => {
    const question = made('<section data-part="question"></section>');
    question.textContent = text ?? asked;
    thread.append(question);
  },
  turn: ({ html }) => {
    turn = made(html);
    turn.dataset.turnId = `answer-${++number}-pending`;
    thread.append(turn);
  },
  write: ({ html }) => answer().insertAdjacentHTML("beforeend", html),
  word: ({ text }) => answer().lastElementChild.append(text),
  within: ({ html }) => answer().lastElementChild.insertAdjacentHTML("beforeend", html),
  stop: () => part("stop", turn)?.remove(),
  settle: () => { turn.dataset.turnId = turn.dataset.turnId.replace("-pending", ""); },
  end: ({ html }) => {
    part("stop", turn)?.remove();
    answer()?.classList.remove("writing");
    turn.dataset.turnId = turn.dataset.turnId.replace("-pending", "");
    turn.insertAdjacentHTML("beforeend", html);
  },
  redraw: ({ html }) => {
    const fresh = turn.cloneNode(true);
    part("answer", fresh).replaceWith(made(html));
    turn.replaceWith(fresh);
    turn = fresh;
  },
  unwrap: () => part("ghost", turn).remove(),
  page: ({ html }) => document.body.insertAdjacentHTML("beforeend", html),
  below: ({ html }) => thread.insertAdjacentHTML("beforeend", html),
};

const ask = async () => {
  const box = part("prompt");
  const asked = "value" in box ? box.value : box.innerText;
  if (!asked.trim() || play.sent) return;
  play.sent = true;
  if ("value" in box) box.value = ""; else box.textContent = "";
  part("send").disabled = true;
  for (const step of play.steps) {
    await sleep(step.after ?? 0);
    steps[step.do](step, asked);
  }
};

const box = part("prompt");
if (box) {
  const wake = () => { part("send").disabled = !("value" in box ? box.value : box.innerText).trim(); };
  box.addEventListener("input", wake);
  part("send").addEventListener("click", ask);
  const given = new URLSearchParams(location.search).get("q");
  if (given) {
    if ("value" in box) box.value = given; else box.textContent = given;
    ask();
  }
}

// The list of sources: at the side, or under a tab that holds it only while it is open.
document.addEventListener("click", async (event) => {
  const hit = event.target.closest("[data-part], [role=tab]");
  if (!hit) return;
  if (hit.dataset.part === "sources-button") {
    const open = part("sources-panel");
    if (open) open.remove(); else document.body.append(made(play.panel));
  }
  if (hit.dataset.part === "overlay-close") part("overlay").remove();
  if (hit.dataset.part === "expand") {
    part("folded").classList.remove("folded");
    hit.remove();
  }
  if (hit.matches("[role=tab]")) {
    const sources = hit.id.endsWith("-trigger-sources");
    for (const tab of document.querySelectorAll("[role=tab]"))
      tab.setAttribute("aria-selected", tab === hit);
    part("answer").hidden = sources;
    document.querySelector("[role=tabpanel]")?.remove();
    if (sources) {
      await sleep(play.lazy);
      if (hit.getAttribute("aria-selected") === "true") hit.closest("section").append(made(play.panel));
    }
  }
});

// What a pill shows while the pointer is over it: one page at a time.
const leave = (popover) => {
  const timer = setTimeout(() => popover.remove(), 150);
  popover.onmouseenter = () => clearTimeout(timer);
  popover.onmouseleave = () => popover.remove();
};
document.addEventListener("mouseover", (event) => {
  const pill = event.target.closest?.("[data-hover]");
  if (!pill || part("popover")) return;
  const pages = play.hover[pill.dataset.hover];
  const at = pill.getBoundingClientRect();
  const popover = made('<div data-part="popover" class="popover" role="dialog"></div>');
  let place = 0;
  const draw = () => {
    popover.innerHTML = `<span>${place + 1}/${pages.length}</span> ${pages[place]} ` +
      '<button data-part="popover-next" aria-label="next">›</button>';
    popover.lastElementChild.disabled = place === pages.length - 1;
    popover.lastElementChild.onclick = () => { place += 1; draw(); };
  };
  draw();
  popover.style.left = `${at.left}px`;
  popover.style.top = `${at.bottom}px`;
  document.body.append(popover);
  pill.addEventListener("mouseleave", () => leave(popover), { once: true });
});

if (play.poll) fetch("/poll").catch(() => {});
