// The search, the theme, the menu and the copying of commands. Without scripts the
// pages read as well, but for the search.
(() => {
  const top = document.currentScript.dataset.top;
  const root = document.documentElement;
  const field = document.getElementById("search");
  const list = document.getElementById("found");
  const menu = document.getElementById("menu");

  // The menu is open where there is room beside the text.
  const wide = matchMedia("(min-width: 52.01rem)");
  const setMenu = () => { menu.open = wide.matches; };
  wide.addEventListener("change", setMenu);
  setMenu();
  const here = menu.querySelector("[aria-current]");
  if (here && wide.matches) menu.scrollTop = Math.max(0, here.offsetTop - menu.clientHeight / 2);

  document.getElementById("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("theme", root.dataset.theme); } catch { /* it holds for this page */ }
  });

  // A picture is seen large on a phone too.
  for (const picture of document.querySelectorAll("main img")) picture.addEventListener("click", () => { location.href = picture.src; });

  // In a session the commands stand out.
  for (const code of document.querySelectorAll(".language-console")) {
    code.innerHTML = code.innerHTML.replace(/^\$ (.*)$/gm, '<span class="prompt">$ </span><span class="command">$1</span>');
  }

  // Commands can be copied: of a session the commands alone.
  if (navigator.clipboard) {
    for (const block of document.querySelectorAll("pre")) {
      const button = document.createElement("button");
      button.className = "copy";
      button.type = "button";
      button.textContent = "copy";
      button.addEventListener("click", async () => {
        const commands = [...block.querySelectorAll(".command")].map((c) => c.textContent);
        await navigator.clipboard.writeText(commands.length ? commands.join("\n") : block.querySelector("code").textContent);
        button.textContent = "copied";
        setTimeout(() => { button.textContent = "copy"; }, 1500);
      });
      block.append(button);
    }
  }

  // The index is loaded when somebody begins to search.
  let loading;
  const load = () => loading ??= new Promise((done, fail) => {
    const script = document.createElement("script");
    script.src = top + "assets/index.js";
    script.onload = () => {
      for (const s of window.patchworkIndex) s.all = [s.p, s.h, s.t].map((x) => ` ${x.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, " ")}`);
      done(window.patchworkIndex);
    };
    script.onerror = fail;
    document.head.append(script);
  });

  // Every word must begin a word of the section. Titles count most, then headings.
  const search = (sections, query) => {
    const words = query.toLowerCase().split(/[^\p{L}\p{N}]+/u).filter(Boolean);
    if (!words.length) return [];
    const hits = [];
    for (const s of sections) {
      let score = 0;
      for (const w of words) {
        const at = s.all.map((x) => x.split(" " + w).length - 1);
        if (!at[0] && !at[1] && !at[2]) { score = 0; break; }
        score += 8 * Math.min(at[0], 1) + 6 * Math.min(at[1], 1) + Math.min(at[2], 4);
      }
      if (!score) continue;
      if (s.u.startsWith("repository/")) score *= 0.5;
      hits.push([score, s]);
    }
    return hits.sort((a, b) => b[0] - a[0]).slice(0, 12).map((h) => [h[1], words]);
  };

  const escape = (s) => s.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
  const snippet = (text, words) => {
    const at = Math.max(0, text.toLowerCase().indexOf(words[0]) - 50);
    const piece = (at ? "…" : "") + text.slice(at, at + 150);
    return escape(piece).replace(new RegExp(`(${words.join("|")})`, "giu"), "<mark>$1</mark>");
  };

  const show = async () => {
    const query = field.value.trim();
    if (!query) { list.hidden = true; return; }
    const hits = search(await load(), query);
    if (query !== field.value.trim()) return;
    list.innerHTML = hits.length
      ? hits.map(([s, words]) => `<a href="${top}${s.u}"><b>${escape(s.h)}</b>${s.h === s.p ? "" : ` · ${escape(s.p)}`}<small>${snippet(s.t, words)}</small></a>`).join("")
      : "<p>Nothing found. Try fewer or shorter words.</p>";
    list.hidden = false;
  };
  field.addEventListener("input", show);
  field.addEventListener("focus", () => { load(); show(); });
  document.addEventListener("click", (e) => { if (!e.target.closest("search") || e.target.closest("#found a")) list.hidden = true; });
  document.addEventListener("keydown", (e) => {
    if (e.key === "/" && !/^(INPUT|TEXTAREA)$/.test(e.target.tagName)) { e.preventDefault(); field.focus(); field.select(); }
    if (!e.target.closest?.("search")) return;
    const links = [...list.querySelectorAll("a")];
    const at = links.findIndex((l) => l.getAttribute("aria-selected") === "true");
    if (e.key === "Escape") { list.hidden = true; field.blur(); }
    if (e.key === "ArrowDown" || e.key === "ArrowUp") {
      e.preventDefault();
      const next = Math.min(links.length - 1, Math.max(0, at + (e.key === "ArrowDown" ? 1 : -1)));
      links.forEach((l, i) => l.setAttribute("aria-selected", String(i === next)));
      links[next]?.scrollIntoView({ block: "nearest" });
    }
    if (e.key === "Enter" && links.length) { e.preventDefault(); links[Math.max(0, at)].click(); }
  });
})();
