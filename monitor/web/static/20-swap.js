// Links and forms with data-swap="#id" bring in that part of their page alone; without this they
// are what they are: links and forms.
(() => {
  const said = () => {
    let place = document.getElementById("said");
    if (!place) {
      place = document.createElement("p");
      place.id = "said";
      place.className = "unseen";
      place.setAttribute("role", "status");
      place.setAttribute("aria-live", "polite");
      document.body.append(place);
    }
    return place;
  };
  const foot = () => document.getElementById("foot");
  const own = (address) => new URL(address, location.href).origin === location.origin;
  const here = () => location.pathname + location.search;
  let asked = 0;
  let shown = here();

  async function swap(address, selector, push) {
    const number = ++asked;
    const part = document.querySelector(selector);
    if (!part) { location.assign(address); return; }
    part.setAttribute("aria-busy", "true");
    let page;
    try {
      const answer = await fetch(address, { headers: { accept: "text/html" } });
      if (!answer.ok || answer.redirected) throw new Error(answer.status);
      page = new DOMParser().parseFromString(await answer.text(), "text/html");
    } catch {
      location.assign(address);
      return;
    }
    if (number !== asked) return;
    const fresh = page.querySelector(selector);
    if (!fresh) { location.assign(address); return; }
    const held = document.activeElement && part.contains(document.activeElement)
      ? document.activeElement : null;
    const name = held && (held.getAttribute("name") || "");
    const text = held && held.textContent;
    part.replaceWith(document.adoptNode(fresh));
    // The other forms of the page are those of what is shown now.
    foot().replaceWith(document.adoptNode(page.getElementById("foot")));
    document.title = page.title;
    if (push) history.pushState({ swap: selector }, "", address);
    shown = here();
    if (held) {
      const same = name ? fresh.querySelector(`[name="${CSS.escape(name)}"]`)
        : [...fresh.querySelectorAll("a,button,summary")].find((one) => one.textContent === text);
      (same || fresh.querySelector("a,button,input,select"))?.focus({ preventScroll: true });
    }
    const heading = fresh.querySelector("h1,h2,.pages span");
    said().textContent = `Shown: ${heading ? heading.textContent.trim() : document.title}`;
    fresh.dispatchEvent(new CustomEvent("swapped", { bubbles: true }));
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest && event.target.closest("a[data-swap]");
    if (!link || event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey || !own(link.href)) return;
    event.preventDefault();
    swap(link.href, link.dataset.swap, true);
  });

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.dataset.swap || form.method !== "get" || !own(form.action)) return;
    event.preventDefault();
    const address = new URL(form.action);
    address.search = new URLSearchParams(new FormData(form, event.submitter));
    swap(address.href, form.dataset.swap, true);
  });

  addEventListener("popstate", (event) => {
    // A jump within the page is told here, too.
    if (here() === shown) return;
    if (event.state && event.state.swap) swap(location.href, event.state.swap, false);
    else location.reload();
  });
})();
