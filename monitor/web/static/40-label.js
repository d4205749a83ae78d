// Labelling by keys alone; without this script the same page is a plain form.
(() => {
  const room = document.querySelector("[data-labelling]");
  if (!room) return;
  const form = room.querySelector("form.give");
  const undo = room.querySelector("form.undo button:not([disabled])");
  const note = form && form.elements.note;
  const said = room.querySelector(".said");
  let wanted = null;
  let sent = false;
  let looked = 0;
  let since = document.hidden ? null : performance.now();

  document.addEventListener("visibilitychange", () => {
    if (document.hidden && since !== null) looked += performance.now() - since;
    since = document.hidden ? null : performance.now();
  });
  const seconds = () => (looked + (since === null ? 0 : performance.now() - since)) / 1000;

  const give = (button) => {
    const takesReason = button.value === "not_assessable" || form.hasAttribute("data-reason");
    if (takesReason && !note.value.trim()) {
      wanted = button;
      said.textContent = "Write why, then press Enter.";
      note.focus();
      return;
    }
    form.requestSubmit(button);
  };

  if (form) {
    form.addEventListener("submit", (event) => {
      if (sent) return event.preventDefault();
      if (form.elements.seconds) form.elements.seconds.value = Math.min(seconds(), 600).toFixed(1);
      sent = true;
    });
    note.addEventListener("keydown", (event) => {
      if (event.isComposing) return;
      if (event.key === "Escape") {
        wanted = null;
        said.textContent = "";
        form.focus();
      } else if (event.key === "Enter" && wanted && !event.shiftKey) {
        event.preventDefault();
        if (note.value.trim()) form.requestSubmit(wanted);
      }
    });
    for (const one of form.querySelectorAll("button.wanted")) {
      if (note.value.trim() === "" && one.value === "not_assessable") wanted = one;
      if (wanted) note.focus();
    }
  }
  // Coming back by the browser's own key shows a page that was sent already.
  window.addEventListener("pageshow", () => { sent = false; });

  const go = (rel) => { const link = room.querySelector(`a[rel=${rel}]`); if (link) link.click(); };
  const toggle = (id) => document.getElementById(id)?.togglePopover?.();
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat) return;
    if (event.target.closest("input,textarea,select")) return;
    const choice = form && [...form.querySelectorAll("button.choice")].find(
      (one) => one.dataset.key.split(" ").includes(event.key));
    const acts = {
      n: () => note && note.focus(),
      z: () => undo && undo.form.requestSubmit(undo),
      g: () => toggle("guideline"),
      "?": () => toggle("keys"),
      w: () => room.querySelector("a.whole")?.click(),
      ArrowLeft: () => go("prev"),
      ArrowRight: () => go("next"),
    };
    if (choice) give(choice);
    else if (acts[event.key]) acts[event.key]();
    else return;
    event.preventDefault();
  });
})();
