// A run that is under way: its numbers move while the page is looked at.
(() => {
  const place = document.querySelector("[data-progress]");
  if (!place || !("EventSource" in window)) return;
  const status = place.querySelector("[role=status]");
  let source = null;
  let told = "";

  const show = (event) => {
    const now = JSON.parse(event.data);
    for (const part of place.querySelectorAll("[data-of]")) {
      const value = now[part.dataset.of];
      if (value !== undefined) part.textContent = value;
    }
    const tenth = `${Math.floor(10 * now.heard / (now.planned || 1)) * 10} % heard`;
    // Aloud only at every tenth: nobody wants to hear each capture.
    if (status && tenth !== told) { told = tenth; status.textContent = tenth; }
  };
  const start = () => {
    if (source || document.hidden) return;
    source = new EventSource(place.dataset.progress);
    source.addEventListener("progress", show);
    source.addEventListener("ended", () => { stop(); location.reload(); });
  };
  const stop = () => { if (source) source.close(); source = null; };
  document.addEventListener("visibilitychange", () => (document.hidden ? stop() : start()));
  addEventListener("pagehide", stop);
  start();
})();
