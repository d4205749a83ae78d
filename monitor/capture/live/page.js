// One look at a page, or one small change of it, all at once: pages re-render, so nothing that was
// found is kept from one call to the next. Shadow trees are looked into.
(ask) => {
  const { css, before, turnId } = ask;
  const order = new Map();
  const roots = [document];
  // A form answers with its fields where one is named like what is asked: ask past it.
  const inner = Object.getOwnPropertyDescriptor(Element.prototype, "children").get;
  const walk = (root) => {
    for (const element of root instanceof Element ? inner.call(root) : root.children) {
      order.set(element, order.size);
      const shadow = element instanceof HTMLFormElement ? null : element.shadowRoot;
      if (shadow) { roots.push(shadow); walk(shadow); }
      walk(element);
    }
  };
  walk(document);

  const all = (role) => {
    if (!css[role]) return [];
    const found = new Set(roots.flatMap((root) => [...root.querySelectorAll(css[role])]));
    return [...found].sort((a, b) => order.get(a) - order.get(b));
  };
  const parent = Object.getOwnPropertyDescriptor(Node.prototype, "parentNode").get;
  const up = (node) => parent.call(node) ?? node.host ?? null;
  const inside = (node, other) => {
    for (let one = node; one; one = up(one)) if (one === other) return true;
    return false;
  };
  const outermost = (found) => found.filter((one) => !found.some((o) => o !== one && inside(one, o)));
  const drawn = (e, asked) => e.checkVisibility({ visibilityProperty: true, ...asked });
  const boxed = (e) => [e, ...e.querySelectorAll("*")].some((one) =>
    [...one.getClientRects()].some((box) => box.width * box.height > 0));
  const seen = (e) => drawn(e, { opacityProperty: true }) && boxed(e);
  const words = (e) => {
    if (["TEXTAREA", "INPUT"].includes(e.tagName)) return e.value;
    if (["STYLE", "SCRIPT", "TEMPLATE"].includes(e.tagName)) return "";
    const own = e.innerText ?? "";
    const shadows = roots.filter((root) => root !== document && inside(root, e));
    return [own, ...shadows.flatMap((root) => [...root.children].map((c) => c.innerText ?? ""))]
      .filter(Boolean).join("\n");
  };
  const squeezed = (text) => text.trim().replace(/\s+/g, " ");

  const others = all("other_answer");
  const own = (found) => found.filter((one) => !others.some((other) => inside(one, other)));
  const answers = outermost(own(all("answer")));
  const inTurns = outermost(own(all("turn")));
  const turns = inTurns.length ? inTurns : answers;
  const answersOf = (turn) => answers.filter((one) => inside(one, turn));
  const named = (turn) => (turnId ? turn.getAttribute(turnId) : null);
  const OLD = Symbol.for("monitor.old");
  const keyOf = (turn) => named(turn) ?? "text:" + squeezed(words(turn)).slice(0, 400);
  const isNew = (turn) => !turn[OLD] && !before.includes(keyOf(turn));
  const old = turns.filter((turn) => !isNew(turn));
  const turn = turns.filter(isNew).at(-1) ?? null;
  const current = (found) => found.filter((one) => !old.some((other) => inside(one, other)));

  const ends = (mark) => inside(mark, turn) || inside(turn, mark) ||
    (order.get(mark) > order.get(turn) && turns.at(-1) === turn);
  const users = all("user_turn");
  const userOf = () => {
    const from = turn ? order.get(answersOf(turn)[0] ?? turn) : Infinity;
    const earlier = users.filter((one) => order.get(one) < from);
    return earlier.at(-1) ?? users.at(-1) ?? null;
  };

  const clipped = (e) => {
    let box = e.getBoundingClientRect();
    let edges = [0, 0, innerWidth, innerHeight];
    for (let one = up(e); one; one = up(one)) {
      if (!(one instanceof Element) || getComputedStyle(one).overflow === "visible") continue;
      const r = one.getBoundingClientRect();
      edges = [Math.max(edges[0], r.left), Math.max(edges[1], r.top),
        Math.min(edges[2], r.right), Math.min(edges[3], r.bottom)];
    }
    const wide = Math.min(box.right, edges[2]) - Math.max(box.left, edges[0]);
    const tall = Math.min(box.bottom, edges[3]) - Math.max(box.top, edges[1]);
    return wide > 0 && tall > 0;
  };
  const leads = (e) => [e, ...e.querySelectorAll("*")].some((one) =>
    [...one.attributes].some((a) => /^https?:\/\//.test(a.value)));

  const shown = (role) => all(role).some(seen);
  const under = {
    // What stands on the page now.
    look: () => {
      const user = userOf();
      return {
        walls: ask.walls.filter(shown),
        overlay: shown("overlay"),
        loaded: document.readyState === "complete",
        prompt: shown("prompt"),
        turns: turns.map(keyOf),
        turn: turn && named(turn),
        has_turn: turn !== null,
        has_answer: turn !== null && answersOf(turn).length > 0,
        text: turn ? answersOf(turn).map(words).join("\n") : "",
        user: user && words(user),
        users: users.length,
        ended: turn !== null && all("end_mark").some((one) => one.checkVisibility() && ends(one)),
        busy: ["stop", "streaming", "pending"].some((role) => current(all(role)).some((e) => drawn(e))),
        declined: current(all("declined")).some(seen),
        needs_input: current(all("needs_input")).some(seen),
        whole: all("absent_known").some((e) => drawn(e)),
      };
    },
    // What the page took for the question so far.
    typed: () => { const box = all("prompt").find(seen); return box ? words(box) : null; },
    // Remember which turns were there before the question.
    remember: () => { for (const one of turns) one[OLD] = true; return turns.map(keyOf); },
    // Mark the answer, and number its citations that are seen.
    mark: () => {
      for (const name of ["data-monitor-answer", "data-monitor-pill"])
        for (const root of roots)
          for (const e of root.querySelectorAll(`[${name}]`)) e.removeAttribute(name);
      if (!turn) return { answers: 0, pills: [] };
      const bodies = answersOf(turn);
      for (const e of bodies) e.setAttribute("data-monitor-answer", "");
      const pills = outermost(own(all("pill"))).filter((e) => inside(e, turn) && seen(e));
      pills.forEach((e, number) => e.setAttribute("data-monitor-pill", number));
      return {
        answers: bodies.length,
        pills: pills.map((e) => ({
          in_view: clipped(e),
          closed: !leads(e) || /\+\s?\d+/.test(e.textContent),
          link: e.closest("a[href]") !== null || e.querySelector("a[href]") !== null,
        })),
      };
    },
    // What the page says of itself, beside the answer.
    about: () => ({
      searched: css.searched ? current(all("searched")).filter(seen).map(words) : null,
      model: squeezed(all("model").filter(seen).map(words)[0] ?? "") || null,
      signed_in: css.signed_in ? shown("signed_in") : null,
      locale: navigator.language,
      timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      user_agent: navigator.userAgent,
      color_scheme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light",
    }),
    // Name the tab that is open, to come back to it.
    tab: () => {
      const open = [...document.querySelectorAll("[role=tab][aria-selected=true]")].filter(seen);
      for (const e of open) e.setAttribute("data-monitor-tab", "");
      return open.length > 0;
    },
    // Name the next thing to open before the answer is read; each is opened once.
    unfold: () => {
      const next = current(own(all("expand")))
        .find((e) => seen(e) && !e.hasAttribute("data-monitor-unfolded"));
      for (const e of document.querySelectorAll("[data-monitor-unfolded=now]"))
        e.setAttribute("data-monitor-unfolded", "");
      next?.setAttribute("data-monitor-unfolded", "now");
      return next !== undefined;
    },
  };
  return under[ask.do]();
}
