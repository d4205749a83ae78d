/* Left and right arrow walk the statements of the open answer; the page works without this. */
document.addEventListener("keydown", function (event) {
  if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  var step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  var here = document.getElementById(location.hash.slice(1));
  var capture = here && here.closest(".capture");
  if (!step || !capture) return;
  var all = Array.prototype.slice.call(capture.querySelectorAll(".statement"));
  var next = all[Math.max(0, Math.min(all.length - 1, all.indexOf(here) + step))];
  if (!next) return;
  event.preventDefault();
  location.replace("#" + next.id);
});
