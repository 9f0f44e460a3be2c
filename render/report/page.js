// Tables wider than the screen say that they scroll.
for (const box of document.querySelectorAll(".scroll")) {
  const hint = document.createElement("p");
  hint.className = "sideways";
  hint.textContent = "Scroll sideways to see all columns →";
  box.before(hint);
  const show = () => {
    hint.hidden = box.scrollWidth <= box.clientWidth + 1;
    box.classList.toggle("beyond", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
  };
  box.addEventListener("scroll", show);
  addEventListener("resize", show);
  show();
}
// Search and sorting of the table of rows; the page is complete without them.
for (const box of document.querySelectorAll("[data-rows]")) {
  const body = box.querySelector("tbody"), lines = [...body.rows], input = box.querySelector("input"), count = box.querySelector("output");
  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    let n = 0;
    for (const line of lines) {
      const text = line.textContent.toLowerCase();
      line.hidden = !words.every(w => text.includes(w));
      n += line.hidden ? 0 : 1;
    }
    count.textContent = n === lines.length ? "" : n + " of " + lines.length;
  };
  input.addEventListener("input", show);
  box.querySelectorAll("thead button").forEach(button => button.addEventListener("click", () => {
    const head = button.closest("th"), column = head.cellIndex, up = head.getAttribute("aria-sort") !== "ascending";
    for (const h of head.parentNode.cells) h.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const key = line => line.cells[column].dataset.key ?? line.cells[column].textContent.trim();
    lines.sort((a, b) => {
      const x = key(a), y = key(b), n = Number(x) - Number(y);
      return (up ? 1 : -1) * (x !== "" && y !== "" && !Number.isNaN(n) ? n : x.localeCompare(y));
    });
    body.append(...lines);
  }));
}
