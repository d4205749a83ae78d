// Left and right arrow walk the statements of an answer: the proof beside it follows.
(function () {
  var pane = document.getElementById("proof");
  if (!pane || !document.querySelector(".as-seen")) return;
  var running = null;

  function steps() {
    return Array.prototype.slice.call(document.querySelectorAll(".as-seen .said-here"));
  }

  function show(text, address) {
    var page = new DOMParser().parseFromString(text, "text/html");
    ["proof", "answer", "foot"].forEach(function (id) {
      var now = document.getElementById(id), next = page.getElementById(id);
      if (now && next) now.replaceChildren.apply(now, Array.prototype.slice.call(next.childNodes));
    });
    history.replaceState(null, "", address);
    var chosen = document.querySelector(".said-here.chosen");
    if (chosen) {
      chosen.querySelector("a").focus({ preventScroll: true });
      chosen.scrollIntoView({ block: "nearest" });
    }
  }

  function follow(address) {
    if (running) running.abort();
    running = new AbortController();
    fetch(address, { signal: running.signal, credentials: "same-origin" })
      .then(function (answer) {
        if (!answer.ok) throw new Error("no page");
        return answer.text();
      })
      .then(function (text) { show(text, address); })
      .catch(function (error) { if (error.name !== "AbortError") location.assign(address); });
  }

  document.addEventListener("keydown", function (event) {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) return;
    var step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    var all = steps();
    var at = all.indexOf(document.querySelector(".said-here.chosen"));
    var next = all[at < 0 ? (step > 0 ? 0 : all.length - 1) : at + step];
    if (!next) return;
    event.preventDefault();
    // The highlight moves at once: keys that come fast must not walk from where it was.
    all.forEach(function (one) { one.classList.toggle("chosen", one === next); });
    follow(next.querySelector("a").getAttribute("href").split("#")[0]);
  });
})();
