// Grading by keys: the buttons, links and fields of the page do the same without them.
document.addEventListener("DOMContentLoaded", () => {
  const form = document.querySelector("form.grade");
  if (!form) return;
  const began = performance.now();
  const typing = (at) => at.closest("textarea, select, input:not([type=checkbox]):not([type=radio])");
  const focus = (name) => form.elements[name].focus();
  const toggle = (id) => document.getElementById(id)?.togglePopover?.();
  const places = [...document.querySelectorAll(".places a")];
  const step = (by) => {
    const here = places.findIndex((one) => one.getAttribute("aria-current"));
    const next = places[here + by];
    if (next) next.click();
  };
  const reason = form.elements.reason;
  const asks = reason.closest("label").querySelector("small");
  const usual = asks.textContent;
  let wanted = null;
  const want = (button) => {
    wanted = button;
    asks.textContent = button ? `write why it is ${button.lastChild.textContent.trim()}, then press Enter` : usual;
  };
  const grade = (button) => {
    const asked = ["required", "out_of_scope", "ungraded"].includes(button.value);
    if (!asked || reason.value.trim()) return button.click();
    want(button);
    reason.focus();
  };
  reason.addEventListener("keydown", (event) => {
    if (event.isComposing || event.key !== "Enter" || event.shiftKey || !wanted) return;
    event.preventDefault();
    if (reason.value.trim()) wanted.click();
  });
  form.addEventListener("submit", () => {
    form.elements.seconds.value = ((performance.now() - began) / 1000).toFixed(1);
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || event.repeat) return;
    if (event.key === "Escape") {
      want(null);
      return void event.target.blur?.();
    }
    if (typing(event.target)) return;
    const digit = /^Digit([1-9])$/.exec(event.code);
    if (event.shiftKey && digit) {
      const box = form.querySelectorAll("input[name=supports]")[digit[1] - 1];
      if (box) box.checked = !box.checked;
      return event.preventDefault();
    }
    // On most keyboards a question mark takes Shift.
    if (event.shiftKey && event.key !== "?") return;
    const button = form.querySelector(`button[data-key="${CSS.escape(event.key)}"]`);
    const acts = {
      n: () => focus("note"),
      r: () => focus("reason"),
      z: () => document.querySelector("form.undo button")?.click(),
      j: () => step(1),
      k: () => step(-1),
      g: () => toggle("guideline"),
      "?": () => toggle("keys"),
    };
    const act = button ? () => grade(button) : acts[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });
});
