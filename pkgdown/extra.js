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
      if (contents.contains(heading)) continue;
      const section = heading.closest(".section") || {};
      // The headings of the index of articles have no id.
      if (!heading.id && !section.id) heading.id = heading.textContent.trim().toLowerCase().replace(/[^a-z]+/g, "-");
      const id = heading.id || section.id;
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
  // as "same": the pages with most of the words come first, and one word more is worth more than any place. A whole word
  // is worth more than its beginning, and its beginning counts only if it is not short or no page has the whole: "IBU"
  // does not find "distribution". Of pages with as many words those come first that have them side by side.
  const placesOf = (page) => [page.title, page.what, page.path, page.text].map((text) => (text || "").toLowerCase());
  const patternsOf = (word) => {
    const start = "(?<![\\p{L}\\p{N}])" + word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    const whole = new RegExp(start + "(?![\\p{L}\\p{N}])", "u");
    const isKnown = (window.searchIndex || []).some((page) => placesOf(page).some((text) => whole.test(text)));
    return { whole, beginning: word.length > 3 || !isKnown ? new RegExp(start, "u") : whole };
  };
  const score = (page, patterns, phrase) => {
    const places = placesOf(page);
    const beside = patterns.length > 1 && places.some((text) => text.includes(phrase)) ? 100 : 0;
    return patterns.reduce((sum, { whole, beginning }) => {
      const place = places.findIndex((text) => whole.test(text));
      if (place >= 0) return sum + 1000 + [12, 6, 6, 1][place];
      const start = places.findIndex((text) => beginning.test(text));
      return start >= 0 ? sum + 500 + [12, 6, 6, 1][start] : sum;
    }, beside);
  };
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const patterns = words.map(patternsOf);
    const best = new Map();
    for (const page of window.searchIndex || []) {
      const sum = score(page, patterns, words.join(" "));
      if (sum > 100 && sum > (best.get(page.path) || { sum: 0 }).sum) best.set(page.path, { sum, page });
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
