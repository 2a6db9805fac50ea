// node in-browser.js <folder> <candor.js>: in headless Chromium the draws of folder/tasks.json, the vectors of folder/vectors*.json,
// and the pages of folder, answered. The result goes to folder/browser.json.
"use strict";
const fs = require("fs"), path = require("path");
const folder = process.argv[2], read = name => fs.readFileSync(path.join(folder, name), "utf8");

(async function () {
  const browser = await require("./browser.js").start(path.join(folder, "profile"));
  const result = {}, requests = [];
  let hold = null;
  browser.listen(function (message) {
    if (message.method === "Network.requestWillBeSent") requests.push(message.params.request.url.replace(/^file:.*[/]/, ""));
    if (message.method === "Fetch.requestPaused") hold(message.params);
  });
  const click = selector => browser.value("document.querySelector(" + JSON.stringify(selector) + ").click()");
  const text = selector => browser.value("document.querySelector(" + JSON.stringify(selector) + ").textContent");
  const url = name => "file://" + path.join(folder, name);

  // The script as it is, in an empty page.
  await browser.value(fs.readFileSync(process.argv[3], "utf8") + fs.readFileSync(path.join(__dirname, "draw.js"), "utf8") + "; null");
  result.vectors = [];
  for (const name of ["vectors-golden.json", "vectors-shipped.json"]) {
    result.vectors.push(await browser.value("checkVectors(candorClient, " + JSON.stringify(JSON.parse(read(name)).cases) + ")"));
  }
  result.counts = [];
  for (const task of JSON.parse(read("tasks.json"))) {
    result.counts.push(await browser.value("countReports(candorClient, " + JSON.stringify(task) + ")"));
  }

  result.seconds = [Math.round(performance.now() / 1000)];
  // One respondent after the other: each answers, and comes back. "no" is the first answer, "yes" the second.
  const answer = async function (name, place) {
    await browser.open(url(name));
    await click("label:nth-of-type(" + (place + 1) + ") input");
    await click("#draw");
    return text("output");
  };
  result.page = [];
  for (const place of JSON.parse(read("answers.json"))) {
    result.page.push(await answer("page.html", place));
    await browser.value("localStorage.clear()");
  }
  result.seconds.push(Math.round(performance.now() / 1000));
  result.again = [await answer("page.html", 1)];
  result.left = await browser.value("document.querySelectorAll('input').length");
  result.stored = await browser.value("JSON.stringify(localStorage)");
  for (let i = 0; i < 20; i++) {
    await browser.open(url("page.html"));
    result.again.push(await text("output"));
  }
  result.note = await text("#again");
  result.requests = requests.filter((one, i) => requests.indexOf(one) === i);
  await browser.value("localStorage.clear()");

  // Permanent answers: many reports, one memory.
  result.permanent = [];
  for (let i = 0; i < 40; i++) result.permanent.push(await answer("permanent.html", 0));
  result.memory = await browser.value("JSON.stringify(localStorage)");
  await browser.value("localStorage.clear()");

  // Sent, and the answer of the server.
  await browser.page("Fetch.enable", { patterns: [{ urlPattern: "https://*" }] });
  const headers = [["Access-Control-Allow-Origin", "*"], ["Access-Control-Allow-Headers", "*"]].map(([name, value]) => ({ name, value }));
  result.sent = [];
  const serve = code => { hold = function ({ requestId, request }) {
    if (request.method === "POST") result.sent.push({ url: request.url, body: request.postData, cookie: request.headers.Cookie || null });
    browser.page("Fetch.fulfillRequest", { requestId, responseCode: request.method === "POST" ? code : 200, responseHeaders: headers });
  }; };
  const said = async function (pattern) {
    for (let i = 0; i < 100; i++) {
      const after = await text("#after");
      if (after) return after;
      await new Promise(resolve => setTimeout(resolve, 50));
    }
    return null;
  };
  serve(500);
  await browser.open(url("send.html"));
  await browser.value("document.querySelectorAll('fieldset').forEach(box => box.querySelector('label:last-of-type input').click())");
  await click("#draw");
  result.failed = await said();
  await browser.open(url("send.html"));  // Not sent again unasked.
  result.offered = await said();
  serve(200);
  await click("#pass");
  await new Promise(resolve => setTimeout(resolve, 300));
  result.done = await said();
  result.shown = await text("output");
  await browser.open(url("send.html"));
  await new Promise(resolve => setTimeout(resolve, 300));
  result.html = await browser.value("document.querySelector('#how').innerHTML");
  await browser.value("localStorage.clear()");

  // A page without an address of its own has no storage: it says so.
  await browser.open("data:text/html;base64," + Buffer.from(read("page.html")).toString("base64"));
  result.refused = await text("#storage");
  await click("label:nth-of-type(1) input");
  await click("#draw");
  result.unstored = await text("output");

  // Without secure random numbers nothing is drawn.
  await browser.open(url("page.html"));
  await browser.value("Object.defineProperty(window, 'crypto', { value: undefined }); null");
  await click("label:nth-of-type(1) input");
  await click("#draw");
  result.insecure = [await text("#storage"), await text("output"), await browser.value("localStorage.length")];
  result.seconds.push(Math.round(performance.now() / 1000));
  fs.writeFileSync(path.join(folder, "browser.json"), JSON.stringify(result));
  await browser.stop();
})().catch(function (error) { console.error(error); process.exit(1); });
