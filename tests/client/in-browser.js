// node in-browser.js <folder> <candor.js>: in headless Chromium the draws of folder/tasks.json, the vectors of folder/vectors*.json,
// and the pages of folder, answered. The result goes to folder/browser.json.
"use strict";
const fs = require("fs"), path = require("path");
const folder = process.argv[2], read = name => fs.readFileSync(path.join(folder, name), "utf8");

let browser;
(async function () {
  const server = await require("./server.js").start(folder, folder);
  browser = await require("./browser.js").start(path.join(folder, "profile"), server.flags);
  const result = {}, requests = [];
  browser.listen(function (message) {
    if (message.method === "Network.requestWillBeSent") requests.push(message.params.request.url.replace(/^https:[/][/]respondent[0-9]+[.]example[/]/, ""));
  });
  const text = selector => browser.value("document.querySelector(" + JSON.stringify(selector) + ").textContent");
  const until = expression => browser.until(expression);
  const asked = "!document.querySelector('#draw').hidden", shown = "!document.querySelector('#result').hidden";
  // Each respondent has an origin of its own, for which the browser has kept nothing.
  const open = async function (respondent, name) {
    await browser.open("https://respondent" + respondent + ".example/" + name);
    await until(asked + " || " + shown);
  };

  // The script as it is, in an empty page.
  await browser.value(fs.readFileSync(process.argv[3], "utf8") + fs.readFileSync(path.join(__dirname, "draw.js"), "utf8") + "; null");
  result.vectors = [];
  for (const name of ["vectors-golden.json", "vectors-shipped.json"]) {
    result.vectors.push(await browser.value("checkVectors(candorClient, " + JSON.stringify(JSON.parse(read(name)).cases) + ")"));
  }
  result.counts = [];
  for (const task of JSON.parse(read("tasks.json"))) {
    result.counts.push(await browser.value("countReports(candorClient, " + JSON.stringify(task) + ", wordsInBulk())"));
  }

  result.seconds = [Math.round(performance.now() / 1000)];
  // One respondent after the other: each answers, and comes back. "no" is the first answer, "yes" the second.
  const answer = async function (respondent, name, place) {
    await open(respondent, name);
    await browser.value("document.querySelectorAll('input')[" + place + "].click(); document.querySelector('#draw').click()");
    await until(shown);
    return text("output");
  };
  result.page = [];
  for (const place of JSON.parse(read("answers.json"))) result.page.push(await answer(result.page.length, "page.html", place));
  result.seconds.push(Math.round(performance.now() / 1000));
  result.left = await browser.value("document.querySelectorAll('input').length");
  result.again = [];
  for (let i = 0; i < 10; i++) {
    await open(0, "page.html");
    result.again.push(await text("output"));
  }
  result.note = await text("#again");
  result.kept = await browser.value("Promise.all([Object.keys(localStorage).length, document.cookie, caches.keys()]).then(String)");
  result.requests = requests.filter((one, i) => requests.indexOf(one) === i);

  // Permanent answers: many reports of one respondent.
  result.permanent = [];
  for (let i = 0; i < 40; i++) result.permanent.push(await answer(1000, "permanent.html", 0));

  // Sent: of several questions, with labels of any kind.
  await open(1001, "send.html");
  result.html = await browser.value("document.querySelector('#how').innerHTML");
  await browser.value("document.querySelectorAll('fieldset').forEach(box => box.querySelector('label:last-of-type input').click()); document.querySelector('#draw').click()");
  await until("document.querySelector('#after').textContent.includes('arrived')");
  result.shown = await text("output");
  result.sent = server.received;

  // A page without an address of its own has no storage: it says so.
  await browser.open("data:text/html;base64," + Buffer.from(read("page.html")).toString("base64"));
  await until(asked);
  result.refused = await text("#storage");
  await browser.value("document.querySelector('input').click(); document.querySelector('#draw').click()");
  await until(shown);
  result.unstored = await text("output");
  result.seconds.push(Math.round(performance.now() / 1000));
  fs.writeFileSync(path.join(folder, "browser.json"), JSON.stringify(result));
  await browser.stop();
  server.stop();
})().catch(async function (error) { console.error(error); await browser.kill(); process.exit(1); });
