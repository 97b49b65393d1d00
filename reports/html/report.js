// Filter, search, copy and theme. Without this script nothing of the page is missing.
"use strict";
(() => {
  const items = [...document.querySelectorAll("article.item")];
  const rows = [...document.querySelectorAll("table.index tbody tr")];
  const place = document.querySelector(".counts") || document.querySelector(".headline");
  if (!place || !(items.length || rows.length)) return;
  const make = (name, text, parent) => {
    const made = document.createElement(name);
    made.textContent = text;
    if (name === "button") made.type = "button";
    if (parent) parent.append(made);
    return made;
  };
  const tools = make("div", "");
  tools.className = "tools";
  place.after(tools);

  // Words that are looked for, and verdicts that are shown.
  const off = new Set();
  const all = items.length ? items : rows;
  const search = make("input", "", tools);
  search.type = "search";
  search.placeholder = "Search";
  search.setAttribute("aria-label", "Search statements");
  const said = make("span", "");
  said.setAttribute("role", "status");
  said.className = "soft";
  const verdictOf = (x) => [...x.classList].find((name) => name !== "item");
  const text = new Map();
  const textOf = (x) => text.get(x) ?? text.set(x, x.textContent.toLowerCase()).get(x);
  const show = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const x of [...items, ...rows]) {
      x.hidden = off.has(verdictOf(x)) || !words.every((word) => textOf(x).includes(word));
    }
    const seen = all.filter((x) => !x.hidden).length;
    said.textContent = seen === all.length ? "" : `${seen} of ${all.length} shown`;
  };
  search.addEventListener("input", show);
  const wordsOf = (x) => [...(x.querySelector("h3, td")?.childNodes ?? [])].map((part) => part.textContent).join(" ");
  const kinds = new Map(all.map((x) => [verdictOf(x), wordsOf(x)]));
  const order = "proved conditional unfolding fixed holds agrees refuted wrong undecided unread skipped defined".split(" ");
  const sorted = [...kinds].sort((a, b) => order.indexOf(a[0]) - order.indexOf(b[0]));
  for (const [name, words] of kinds.size > 1 ? sorted : []) {
    const button = make("button", words, tools);
    button.setAttribute("aria-pressed", "true");
    button.addEventListener("click", () => {
      if (!off.delete(name)) off.add(name);
      button.setAttribute("aria-pressed", String(!off.has(name)));
      show();
    });
  }

  // Light, dark, or as the system has it.
  const themes = ["auto", "light", "dark"];
  const theme = make("button", "", tools);
  const root = document.documentElement;
  const set = (name) => {
    theme.textContent = `Theme: ${name}`;
    if (name === "auto") delete root.dataset.theme;
    else root.dataset.theme = name;
    try { localStorage.setItem("derivations-theme", name); } catch { /* a file may have no storage */ }
  };
  let kept = null;
  try { kept = localStorage.getItem("derivations-theme"); } catch { /* as above */ }
  set(themes.includes(kept) ? kept : "auto");
  theme.addEventListener("click", () => set(themes[(themes.indexOf(root.dataset.theme || "auto") + 1) % 3]));
  tools.append(said);

  // The LaTeX of a statement, as written and as it was read.
  for (const label of document.querySelectorAll("header + div small")) {
    const formula = label.parentElement.querySelector("math");
    if (!formula) continue;
    const button = make("button", "Copy LaTeX", label);
    button.className = "copy";
    button.addEventListener("click", async () => {
      let done = "Copied";
      try { await navigator.clipboard.writeText(formula.getAttribute("alttext")); } catch { done = "Not allowed here"; }
      button.textContent = done;
      setTimeout(() => { button.textContent = "Copy LaTeX"; }, 1500);
    });
  }

  // A link into something that is folded or filtered away opens it.
  const reveal = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let x = target; x; x = x.parentElement) {
      if (x.tagName === "DETAILS") x.open = true;
      x.hidden = false;
    }
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal);
  reveal();
})();
