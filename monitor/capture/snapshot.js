// The page, or parts of it, as inert HTML: copied into an empty document, the page is not touched.
// Shadow trees stand in the place of what they hide, and what a reader does not see is marked.
({ css, most, without }) => {
  const LEFT_OUT = new Set(["script", "style", "link", "noscript", "template", "meta", "base",
    "noembed", "noframes"]);
  // What these hold is text to the letter, and would be markup once it is written down.
  const RAW = new Set(["xmp", "plaintext", "listing"]);
  // Words in these come to stand before them when they are read again.
  const MOVING = new Set(["table", "tbody", "thead", "tfoot", "tr", "colgroup"]);
  const SEALED = new Set(["iframe", "frame", "object", "embed", "canvas", "audio", "video"]);
  const DEEPEST = 400;
  const empty = document.implementation.createHTMLDocument("");
  let left = most;

  // A form answers with its fields where one is named like what is asked: ask past it.
  const past = (kind, name) => {
    const { get, value } = Object.getOwnPropertyDescriptor(kind.prototype, name);
    return (e, ...asked) => (get ?? value).apply(e, asked);
  };
  const shadowOf = past(Element, "shadowRoot");
  const localOf = past(Element, "localName");
  const spaceOf = past(Element, "namespaceURI");
  const attributesOf = past(Element, "attributes");
  const boxOf = past(Element, "getBoundingClientRect");
  const visible = past(Element, "checkVisibility");
  const fits = past(Element, "matches");
  const firstIn = past(Element, "querySelector");
  const nodesOf = past(Node, "childNodes");
  const typeOf = past(Node, "nodeType");
  const parentOf = past(Node, "parentNode");

  const roots = [document];
  const gather = (root) => {
    for (const e of root.querySelectorAll("*"))
      if (shadowOf(e)) { roots.push(shadowOf(e)); gather(shadowOf(e)); }
  };
  gather(document);
  const up = (node) =>
    (node instanceof HTMLFormElement ? null : node.assignedSlot) ?? parentOf(node) ??
    node.host ?? null;
  const inside = (node, other) => {
    for (let one = up(node); one; one = up(one)) if (one === other) return true;
    return false;
  };
  const fitting = () => {
    if (css === null) return document.body ? [document.body] : [];
    const found = new Set(roots.flatMap((root) => [...root.querySelectorAll(css)]));
    const isInner = (one) => {
      for (let other = up(one); other; other = up(other)) if (found.has(other)) return true;
      return false;
    };
    return [...found].filter((one) => !isInner(one));
  };

  const nameOf = (e) => localOf(e).toLowerCase();
  const childrenOf = (e) => {
    if (shadowOf(e)) return [...shadowOf(e).childNodes];
    if (nameOf(e) !== "slot" || !e.assignedNodes) return [...nodesOf(e)];
    const given = e.assignedNodes();
    return given.length ? given : [...nodesOf(e)];
  };
  // A clip of at most one pixel is how words are kept from eyes and left to screen readers.
  const isShut = (e, style) =>
    style.overflowX !== "visible" && style.display !== "inline" &&
    (boxOf(e).width <= 1 || boxOf(e).height <= 1);
  const isSeen = (e) => {
    const style = getComputedStyle(e);
    // An element without a box of its own shows what it holds.
    if (style.display === "contents") return style.visibility === "visible";
    if (!visible(e, { visibilityProperty: true, opacityProperty: true })) return false;
    return !isShut(e, style);
  };
  const onlyUnseen = (e) => {
    const style = getComputedStyle(e);
    return style.visibility !== "visible" && style.display !== "none";
  };

  const isKept = (e, name) => {
    const value = name.value.trim().toLowerCase();
    const key = name.name.toLowerCase();
    if (key.startsWith("on") || ["style", "nonce", "srcdoc", "srcset"].includes(key)) return false;
    // What only we say of an element, a page does not say of itself.
    if (/^data-monitor-(hidden|asked|shown)$/.test(key)) return false;
    if (value.startsWith("javascript:") || value.startsWith("data:")) return false;
    return key !== "value" || !["hidden", "password"].includes(String(e.type ?? "").toLowerCase());
  };
  const copyOf = (e) => {
    const copy = RAW.has(nameOf(e)) ? empty.createElement("pre")
      : empty.createElementNS(spaceOf(e), localOf(e));
    for (const one of attributesOf(e)) {
      if (!isKept(e, one)) continue;
      left -= one.name.length + one.value.length + 4;
      try { copy.setAttribute(one.name, one.value); } catch { /* A name that no markup has. */ }
    }
    left -= 2 * localOf(e).length + 5;
    return copy;
  };
  // Nothing that would end a comment before its end.
  const harmless = (words) => words.replace(/^(-?>)/, " $1").replace(/--(!?)>/g, "-- $1>");
  const written = (words) => {
    const cut = words.slice(0, Math.max(0, left));
    left -= words.length;
    return cut;
  };

  // Never what an answer stands in, whatever a selector says.
  const isPrivate = (e) =>
    without !== null && fits(e, without) && !firstIn(e, "[data-monitor-answer]");

  const fold = (e, depth) => {
    if (LEFT_OUT.has(nameOf(e)) || left <= 0 || depth > DEEPEST || isPrivate(e)) return null;
    const copy = copyOf(e);
    let seen = isSeen(e);
    const texts = [];
    for (const child of SEALED.has(nameOf(e)) ? [] : childrenOf(e)) {
      if (typeOf(child) === Node.TEXT_NODE) {
        texts.push(copy.appendChild(empty.createTextNode(written(child.data))));
      } else if (typeOf(child) === Node.COMMENT_NODE) {
        copy.append(empty.createComment(harmless(written(child.data))));
      } else if (typeOf(child) === Node.ELEMENT_NODE) {
        const made = fold(child, depth + 1);
        if (made) copy.append(made.copy);
        if (made?.shows && !seen && onlyUnseen(e)) {
          // Visibility that is undone inside: mark the words around it, not what it holds.
          seen = null;
        }
      }
    }
    if (seen === false) copy.setAttribute("data-monitor-hidden", "");
    const folded = nameOf(e) === "details" && !e.open;
    // Words behind an element may come to stand outside, where they are read again: each is marked.
    const astray = (text) => MOVING.has(nameOf(e)) || text.previousElementSibling !== null;
    const unsaid = texts.filter((one) =>
      one.data.trim() && (seen === null || folded || (!seen && astray(one))));
    for (const text of unsaid) {
      const unseen = empty.createElement("span");
      unseen.setAttribute("data-monitor-hidden", "");
      text.replaceWith(unseen);
      unseen.append(text);
    }
    return { copy, shows: seen !== false };
  };

  // innerText knows no shadow trees; their words are added where they stand.
  const BLOCKS = new Set(["block", "flex", "grid", "table", "list-item", "table-row", "flow-root"]);
  const hosts = roots.slice(1);
  const spoken = (e) => {
    if (!hosts.some((root) => inside(root, e))) return visible(e) ? e.innerText ?? "" : "";
    const parts = [];
    const say = (node, depth) => {
      if (typeOf(node) === Node.TEXT_NODE) { parts.push(node.data.replace(/\s+/g, " ")); return; }
      if (typeOf(node) !== Node.ELEMENT_NODE || depth > DEEPEST) return;
      if (LEFT_OUT.has(nameOf(node)) || !(isSeen(node) || onlyUnseen(node))) return;
      const style = getComputedStyle(node);
      const edge = BLOCKS.has(style.display) || nameOf(node) === "br" ? "\n" : "";
      parts.push(edge);
      const silent = style.visibility !== "visible";
      for (const child of childrenOf(node))
        if (!(silent && typeOf(child) === Node.TEXT_NODE)) say(child, depth + 1);
      parts.push(edge);
    };
    say(e, 0);
    return parts.join("").replace(/ *\n[ \n]*/g, "\n").trim();
  };
  const count = (words) => {
    const plain = words.trim().replace(/\s+/g, " ");
    return plain.length - (plain.match(/[\uD800-\uDBFF][\uDC00-\uDFFF]/g) ?? []).length;
  };

  const found = fitting();
  const texts = found.map(spoken);
  const copies = found.map((e) => fold(e, 0)?.copy).filter(Boolean);
  for (const one of copies) one.setAttribute("data-monitor-asked", "");
  // The language of a page stands on its root.
  const outer = (copy) => {
    if (css !== null) return copy.outerHTML;
    const top = empty.createElement("html");
    const lang = document.documentElement.getAttribute("lang");
    if (lang !== null) top.setAttribute("lang", lang);
    top.append(copy);
    return top.outerHTML;
  };
  return {
    text: texts.join("\n").slice(0, most).toWellFormed(),
    rendered_chars: texts.reduce((sum, words) => sum + count(words), 0),
    dom_chars: copies.reduce((sum, one) => sum + count(one.textContent), 0),
    html: copies.map(outer).join("\n").toWellFormed(),
    cut: left <= 0,
  };
}
