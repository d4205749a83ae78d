// A part of a page made ready for its picture: where it lies, what clips it, what covers it. What is
// changed is put back by `restore`. Gives an object whose functions are called later.
({ css, scroller }) => {
  const NAME = "data-monitor-expanded";
  const roots = [document];
  const gather = (root) => {
    for (const e of root.querySelectorAll("*"))
      if (e.shadowRoot) { roots.push(e.shadowRoot); gather(e.shadowRoot); }
  };
  gather(document);
  const all = (wanted) => (wanted ? roots.flatMap((root) => [...root.querySelectorAll(wanted)]) : []);
  const up = (node) => node.assignedSlot ?? node.parentElement ?? node.getRootNode().host ?? null;
  const above = (e) => { const found = []; for (let o = up(e); o; o = up(o)) found.push(o); return found; };
  const inside = (node, other) => node === other || above(node).includes(other);
  const outermost = (found) => {
    const several = new Set(found);
    return found.filter((one) => !above(one).some((other) => several.has(other)));
  };
  const drawn = (e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

  const fitting = outermost(all(css).filter(drawn));
  const parts = fitting.length ? fitting : [document.body];
  const page = document.scrollingElement ?? document.documentElement;
  const scrolls = (e) => e !== page && e !== document.body && e.scrollHeight > e.clientHeight + 1 &&
    ["auto", "scroll", "overlay"].includes(getComputedStyle(e).overflowY);
  const around = [parts[0], ...above(parts[0])];
  const named = all(scroller).find((one) => around.includes(one) && scrolls(one));
  const frame = named ?? around.find(scrolls) ?? page;
  const places = [...new Set([...around, page])].map((e) => [e, e.scrollTop, e.scrollLeft]);

  const boxOf = (e) => {
    const box = e.getBoundingClientRect();
    if (e !== frame) return { top: box.top, left: box.left, bottom: box.bottom, right: box.right };
    const top = box.top + e.clientTop - e.scrollTop;
    const bottom = Math.max(top + e.scrollHeight, box.bottom);
    return { top: Math.min(top, box.top), left: box.left, bottom, right: box.right };
  };
  const whole = () => {
    const boxes = parts.filter((e) => e.isConnected).map(boxOf);
    return {
      top: Math.min(...boxes.map((b) => b.top)), left: Math.min(...boxes.map((b) => b.left)),
      bottom: Math.max(...boxes.map((b) => b.bottom)), right: Math.max(...boxes.map((b) => b.right)),
    };
  };
  const clips = (e) => getComputedStyle(e).overflowY !== "visible" && e !== page && e !== document.body;
  const cut = (box) => {
    const edges = [...new Set([frame, ...around])].filter((e) => e !== parts[0] || e === frame)
      .filter(clips).map((e) => e.getBoundingClientRect());
    const top = Math.max(0, ...edges.map((r) => r.top));
    const bottom = Math.min(innerHeight, ...edges.map((r) => r.bottom));
    return box.top < top - 1 || box.bottom > bottom + 1;
  };
  // Bars that stick to the edge of a page lie over what is below them.
  const covered = (box) => [box.top + 2, box.bottom - 2].some((y) => {
    let hit = document.elementFromPoint((box.left + Math.min(box.right, innerWidth)) / 2, y);
    while (hit?.shadowRoot?.elementFromPoint) {
      const inner = hit.shadowRoot.elementFromPoint((box.left + box.right) / 2, y);
      if (!inner || inner === hit) break;
      hit = inner;
    }
    return hit !== null && !parts.some((e) => inside(hit, e) || inside(e, hit));
  });

  let sheets = [];
  const dress = (rules) => {
    for (const root of roots) {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(rules);
      root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet];
      sheets.push([root, sheet]);
    }
  };
  let cover = null;
  const GROWN = `[${NAME}] { overflow: visible !important; height: auto !important;
    max-height: none !important; min-height: auto !important; flex-shrink: 0 !important;
    flex-basis: auto !important; contain: none !important; }
    [${NAME}=pinned] { position: static !important; }`;

  const open = (area, box) => ({
    top: Math.max(area.top, box.top), left: Math.max(area.left, box.left),
    bottom: Math.min(area.bottom, box.bottom), right: Math.min(area.right, box.right),
  });
  const holds = (area, box) => area && area.top <= box.top && area.left <= box.left &&
    area.bottom >= box.bottom && area.right >= box.right;
  // Where an element and all it holds is drawn; what sticks out of its box, too.
  const drawnAt = (e, area, last, found) => {
    let mine = last;
    let within = area;
    const style = getComputedStyle(e);
    const note = (rect) => {
      const box = open(area, rect);
      if (box.bottom > box.top && box.right > box.left && !holds(mine, box)) found.push(box);
      return box;
    };
    if (style.display === "none" || found.length > 2000) return;
    if (style.display !== "contents") {
      const box = drawn(e) ? note(e.getBoundingClientRect()) : null;
      if (box && !holds(mine, box)) mine = box;
      if (style.overflowX !== "visible" && style.display !== "inline")
        within = open(area, e.getBoundingClientRect());
    }
    for (const child of (e.shadowRoot ?? e).childNodes) {
      if (child.nodeType === Node.ELEMENT_NODE) drawnAt(child, within, mine, found);
      if (child.nodeType === Node.TEXT_NODE && style.visibility === "visible") {
        const range = document.createRange();
        range.selectNodeContents(child);
        for (const rect of range.getClientRects()) {
          const box = open(within, rect);
          if (box.bottom > box.top && box.right > box.left && !holds(mine, box)) found.push(box);
        }
      }
    }
    if (e.shadowRoot) for (const child of e.children) drawnAt(child, within, mine, found);
  };

  dress("* { caret-color: transparent !important; }");
  return {
    ready: async (ms) => {
      await Promise.race([document.fonts?.ready, sleep(ms)]);
      const images = parts.flatMap((e) => [...e.querySelectorAll("img")]);
      await Promise.race([Promise.all(images.map((one) => one.decode().catch(() => {}))), sleep(ms)]);
    },
    measure: () => {
      const box = whole();
      return {
        top: box.top, left: box.left, width: box.right - box.left, height: box.bottom - box.top,
        client: frame === page ? innerHeight : frame.clientHeight,
        inner_width: innerWidth, inner_height: innerHeight, scroll_x: scrollX, scroll_y: scrollY,
        page_height: Math.max(page.scrollHeight, innerHeight),
        cut: cut(box), covered: covered(box),
      };
    },
    place: (offset) => {
      const from = frame === page ? 0 : Math.max(0, frame.getBoundingClientRect().top + frame.clientTop);
      frame.scrollTo({ top: frame.scrollTop + whole().top - from - offset, behavior: "instant" });
    },
    // Content that waits until it is near the window is drawn once it was.
    walk: async (most, ms) => {
      const start = frame.scrollTop;
      const step = Math.max(200, frame === page ? innerHeight : frame.clientHeight);
      for (let at = 0; at < most; at++) {
        frame.scrollTo({ top: start + at * step, behavior: "instant" });
        await sleep(ms);
        if (whole().bottom <= innerHeight) break;
      }
      frame.scrollTo({ top: start, behavior: "instant" });
    },
    expand: () => {
      for (const e of new Set([frame, ...(around.includes(frame) ? above(frame) : around.slice(1))])) {
        const pinned = e !== frame && getComputedStyle(e).position === "fixed";
        e.setAttribute(NAME, pinned ? "pinned" : "");
      }
      dress(GROWN);
    },
    // Paint over what a selector fits; gives how many of them lie in the area of the picture.
    mask: (wanted, area) => {
      const everywhere = { top: -1e6, left: -1e6, bottom: 1e6, right: 1e6 };
      const several = outermost(all(wanted)).map((e) => {
        const found = [];
        drawnAt(e, everywhere, null, found);
        return found;
      }).filter((found) => found.length);
      cover = document.createElement("div");
      cover.popover = "manual";
      const set = (e, values) => {
        for (const [name, value] of Object.entries(values)) e.style.setProperty(name, value, "important");
      };
      set(cover, { position: "absolute", top: "0", left: "0", width: "0", height: "0", margin: "0",
        padding: "0", border: "0", overflow: "visible", background: "none", display: "block",
        "pointer-events": "none" });
      document.documentElement.append(cover);
      if (cover.showPopover) cover.showPopover();
      const from = cover.getBoundingClientRect();
      for (const box of several.flat()) {
        const one = document.createElement("div");
        set(one, { position: "absolute", display: "block", background: "#808080", margin: "0",
          top: `${Math.floor(box.top - from.top)}px`, left: `${Math.floor(box.left - from.left)}px`,
          width: `${Math.ceil(box.right - box.left) + 1}px`,
          height: `${Math.ceil(box.bottom - box.top) + 1}px` });
        cover.append(one);
      }
      const page_area = {
        top: area.top - (area.whole_page ? scrollY : 0), left: area.left - (area.whole_page ? scrollX : 0),
      };
      return several.filter((found) => found.some((box) =>
        box.top < page_area.top + area.height && box.bottom > page_area.top &&
        box.left < page_area.left + area.width && box.right > page_area.left)).length;
    },
    unmask: () => { cover?.remove(); cover = null; },
    restore: () => {
      cover?.remove();
      for (const [root, sheet] of sheets)
        root.adoptedStyleSheets = root.adoptedStyleSheets.filter((one) => one !== sheet);
      for (const e of all(`[${NAME}]`)) e.removeAttribute(NAME);
      for (const [e, top, left] of places) e.scrollTo({ top, left, behavior: "instant" });
    },
  };
}
