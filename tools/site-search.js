// site-search.js <site>: types queries into the search of the home page and of an article, in headless Chromium, and
// prints what is wrong with the results: an error of the page, a result without a name, or not the page that was meant.
// Likewise the words of strangers, tests/testthat/golden/words.txt: one of the first three pages must have each.
"use strict";
const path = require("path"), fs = require("fs"), os = require("os");
const browser = require("../tests/client/browser.js");

const site = path.resolve(process.argv[2]);
const queries = [
  { from: "index.html", text: "crosswise", meant: "reference/rr_binary.html" },
  { from: "articles/candor.html", text: "sample size", meant: "reference/rr_power.html" },
  { from: "articles/candor.html", text: "sample size", meant: "articles/planning.html" },
  { from: "reference/rr_grr.html", text: "heavy hitters", meant: "reference/rr_heavy_hitters.html" },
  { from: "index.html", text: "IBU", meant: "reference/estimators.html", whole: true },
  { from: "index.html", text: "OR", meant: "reference/rr_extreme.html", whole: true }
];

const words = fs.readFileSync(path.join(__dirname, "../tests/testthat/golden/words.txt"), "utf8").split("\n").filter(Boolean);

(async function () {
  const chromium = await browser.start(fs.mkdtempSync(path.join(os.tmpdir(), "candor-search-")));
  await chromium.page("Runtime.enable");
  // On a narrow screen the search is in a menu that is closed.
  await chromium.page("Emulation.setDeviceMetricsOverride", { width: 1280, height: 800, deviceScaleFactor: 1, mobile: false });
  chromium.listen(function (message) {
    if (message.method === "Runtime.exceptionThrown") console.log(message.params.exceptionDetails.exception.description);
  });
  // [address, name] of each result.
  async function results(from, text) {
    await chromium.open("file://" + path.join(site, from));
    await chromium.value("document.getElementById('search-input').focus()");
    for (let wait = 0; wait < 50 && !await chromium.value("Boolean(window.searchIndex)"); wait++) {
      await new Promise(resolve => setTimeout(resolve, 100));
    }
    await chromium.page("Input.insertText", { text });
    return chromium.value("[...document.querySelectorAll('#found a')].map(a => [a.href, a.firstChild.textContent])");
  }
  for (const query of queries) {
    const rows = await results(query.from, query.text);
    if (rows.some(([, title]) => !title || title === "null")) console.log(query.text + ": a result without a name");
    // Pages without the whole word, such as "distribution" for "IBU".
    const apart = await chromium.value(`[...document.querySelectorAll('#found a')].map(a => a.href).filter(href => !window.searchIndex.some(page =>
      href.split("#")[0].endsWith(page.path) && /(^|[^a-z0-9])${query.text}($|[^a-z0-9])/i.test([page.title, page.what, page.path, page.text].join(" "))))`);
    if (query.whole && apart.length) console.log(query.text + ": finds parts of words in " + apart.join(" "));
    if (!rows.some(([href]) => href.split("#")[0].endsWith(query.meant))) {
      console.log(query.text + ": no " + query.meant + " among " + rows.map(([href]) => href).join(" "));
    }
  }
  for (const word of words) {
    const pages = (await results("index.html", word)).slice(0, 3).map(([href]) => href.split("#")[0]);
    const holds = await chromium.value(`${JSON.stringify(pages)}.some(href => {
      const entries = window.searchIndex.filter(page => href.endsWith(page.path));
      const text = entries.map(page => [page.title, page.what, page.text].join(" ")).join(" ").toLowerCase();
      return text.includes(${JSON.stringify(word.toLowerCase())});
    })`);
    if (!holds) console.log(word + ": not on the first three pages, " + pages.join(" "));
  }
  await chromium.stop();
})();
