// Formulas, the contents of a page, and the search, without anything from another address.
document.addEventListener("DOMContentLoaded", () => {
  renderMathInElement(document.querySelector("main"), {
    delimiters: [{ left: "\\(", right: "\\)", display: false }, { left: "\\[", right: "\\]", display: true },
                 { left: "$$", right: "$$", display: true }],
    throwOnError: false,
  });

  const contents = document.getElementById("toc");
  if (contents) {
    const list = document.createElement("ul");
    for (const heading of document.querySelectorAll("main h2, main h3")) {
      const id = heading.id || (heading.closest(".section") || {}).id;
      if (!id || contents.contains(heading)) continue;
      const link = document.createElement("a");
      link.href = "#" + id;
      link.textContent = heading.textContent.trim();
      const item = document.createElement("li");
      if (heading.tagName === "H3") item.style.paddingLeft = "0.8rem";
      item.append(link);
      list.append(item);
    }
    contents.append(list);
  }

  const field = document.getElementById("search-input");
  if (!field) return;
  const found = document.createElement("div");
  found.id = "found";
  found.hidden = true;
  field.after(found);
  field.form.addEventListener("submit", (event) => event.preventDefault());
  // A script and not a request for a file, so that the site can be read from a folder as well.
  field.addEventListener("focus", () => {
    const script = document.createElement("script");
    script.src = root + "search.js";
    document.head.append(script);
  }, { once: true });

  // Words in the title of a page count most, then in its headings, then in its text. The index has no common words, such
  // as "same": the pages with most of the words come first, and one word more is worth more than any place.
  const score = (page, words) => {
    const places = [page.title, page.what, page.path, page.text].map((text) => (text || "").toLowerCase());
    const found = words.map((word) => places.findIndex((text) => text.includes(word))).filter((place) => place >= 0);
    return found.reduce((sum, place) => sum + 1000 + [12, 6, 6, 1][place], 0);
  };
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const best = new Map();
    for (const page of window.searchIndex || []) {
      const sum = words.length ? score(page, words) : 0;
      if (sum > 0 && sum > (best.get(page.path) || { sum: 0 }).sum) best.set(page.path, { sum, page });
    }
    const rows = [...best.values()].sort((a, b) => b.sum - a.sum).slice(0, 12);
    found.replaceChildren(...rows.map(({ page }) => {
      const link = document.createElement("a");
      link.href = root + page.path + (page.id ? "#" + page.id : "");
      const place = document.createElement("small");
      place.textContent = page.dir + (page.what && page.what !== page.title ? ": " + page.what : "");
      link.append(page.title, place);
      return link;
    }));
    if (words.length && !rows.length) found.textContent = "No page has these words.";
    found.hidden = !words.length;
  });
});
