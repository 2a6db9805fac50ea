// node states.js <folder> <packages of npm>: pages of the folder in headless Chromium, in the states that devices, servers and
// respondents bring about. Rows of what was looked at, found and wanted go to folder/states.json.
"use strict";
const fs = require("fs"), path = require("path"), [, , folder, packages] = process.argv;
const { start } = require("./browser.js"), profile = path.join(folder, "profile-states");
const sleep = milliseconds => new Promise(resolve => setTimeout(resolve, milliseconds));
const rows = [], times = {};
const row = function (part, what, found, wanted) {
  rows.push({ part, what, found: String(found), wanted: String(wanted) });
  if (process.env.CANDOR_CLIENT_ROWS) console.log(String(found) === String(wanted) ? "good" : "BAD ", part + ": " + what, "|", String(found), "|", String(wanted));
};
// Parts of the run, all if none is named.
const only = process.argv[4] && new RegExp(process.argv[4]);
const asked = "!document.querySelector('#draw').hidden", shown = "!document.querySelector('#result').hidden";
const output = "document.querySelector('output').textContent", after = "document.querySelector('#after').textContent";
const trying = "!document.querySelector('#trial').hidden";
// The report has arrived, or is not known to.
const ended = "/has arrived|not known/.test(" + after + ")";
const draw = "document.querySelectorAll('fieldset').forEach(box => box.querySelector('input').click()); document.querySelector('#draw').click()";
// A change of what the browser keeps.
const store = action => "new Promise(done => { const opening = indexedDB.open('candor', 1); opening.onsuccess = function () { " +
  "const base = opening.result, write = base.transaction('reports', 'readwrite'), reports = write.objectStore('reports'); " + action +
  " write.oncomplete = () => { base.close(); done(true); }; }; })";
// Each respondent has an origin of its own, for which the browser has kept nothing.
let respondent = 0;
const page = name => "https://pages" + respondent + ".example/" + name + ".html";

let browser;
(async function () {
  const server = await require("./server.js").start(folder, packages);
  browser = await start(profile, server.flags);
  const reports = () => server.received.map(one => JSON.parse(one.body));
  const ids = () => new Set(reports().map(one => one.id)).size;
  const fresh = async function (tab, name) {
    respondent++;
    server.received.length = 0;
    await tab.open(page(name));
    await tab.until(asked + " || " + trying);
  };
  const part = async function (name, run) {
    if (only && !only.test(name)) return;
    const from = Date.now();
    await run();
    times[name] = Math.round((Date.now() - from) / 100) / 10;
  };

  await part("races", async function () {
    const [one, two] = [await browser.tab(), await browser.tab()];
    for (const delay of [0, 5, 50]) {
      let reloaded = 0, tabs = 0;
      for (let i = 0; i < 12; i++) {
        await fresh(one, "race");
        await one.value(draw);
        await sleep(delay);
        await one.reload();
        await one.until(asked + " || " + shown);
        if (await one.value(asked)) await one.value(draw);
        await one.until(after + ".includes('arrived')");
        await sleep(30);
        // Once it has arrived, it is not shown again.
        if (ids() !== 1 || !["", reports()[0].report].includes(await one.value(output))) reloaded++;
        await fresh(one, "race");
        await two.open(page("race"));
        await two.until(asked);
        const first = one.value(draw);
        await sleep(delay);
        await Promise.all([first, two.value(draw)]);
        for (const tab of [one, two]) await tab.until(after + ".includes('arrived')");
        const seen = new Set([await one.value(output), await two.value(output)]);
        seen.delete("");
        if (ids() !== 1 || seen.size !== 1 || !seen.has(reports()[0].report)) tabs++;
      }
      row("races", "reloaded " + delay + " ms after the draw: second reports of 12", reloaded, 0);
      row("races", "two tabs, " + delay + " ms apart: different reports of 12 pairs", tabs, 0);
    }
    await one.close();
    await two.close();
  });

  await part("closed", async function () {
    // The next visit may send what was not known to have arrived once more.
    const arrived = new Set();
    for (let i = 0; i < 25; i++) {
      const tab = await browser.tab();
      await fresh(tab, "send-slow");
      await tab.value(draw);
      await tab.until(shown);
      await tab.close();
      for (let tries = 0; tries < 100 && !server.received.length; tries++) await sleep(20);
      reports().forEach(one => arrived.add(one.id));
    }
    row("closed", "tab closed when the report is shown, server 40 ms away: reports lost of 25", 25 - arrived.size, 0);
  });

  await part("killed", async function () {
    let second = 0, again = 0;
    for (const delay of [0, 30, 100, 300, 1000]) {
      await fresh(browser, "race");
      await browser.value(draw);
      await sleep(delay);
      await browser.kill();
      browser = await start(profile, server.flags);
      await browser.open(page("race"));
      await browser.until(asked + " || " + shown);
      if (await browser.value(asked)) again++;
      if (await browser.value(asked) && server.received.length) second++;
      if (await browser.value(shown) && server.received.length && !["", reports()[0].report].includes(await browser.value(output))) second++;
    }
    row("killed", "browser killed 0 to 1,000 ms after the draw: second draws of 5", second, 0);
    row("killed", "of these, asked again because nothing was kept or sent (at most)", again <= 3, true);
  });

  // The page's clock runs 50 times as fast: its time limits are 15 and 3 seconds.
  const { identifier: fast } = await browser.page("Page.addScriptToEvaluateOnNewDocument",
    { source: "(later => { window.setTimeout = (f, ms) => later(f, ms === 5000 ? ms : ms / 50); })(window.setTimeout)" });
  await part("servers", async function () {
    for (const [name, status, posts] of [["ok", "arrived", 1], ["slow", "arrived", 1], ["hang", "not known", 2], ["drop", "not known", 0], ["error", "not known", 0],
      ["redirect", "not known", 0], ["silent", "not known", 0], ["flaky", "arrived", 1]]) {
      await fresh(browser, "send-" + name);
      await browser.value(draw);
      await browser.until(ended);
      row("servers", name + ": the status says", (await browser.value(after)).includes(status) ? status : await browser.value(after), status);
      row("servers", name + ": reports that the server has, of identifiers", [server.received.length, ids()], [posts, Math.min(posts, 1)]);
      row("servers", name + ": offers to send again", !await browser.value("document.querySelector('#pass').hidden"), status !== "arrived");
      const before = await browser.value(output);
      await browser.reload();
      await browser.until(shown);
      row("servers", name + ": after a visit the same report, or none if it has arrived", await browser.value(output), status === "arrived" ? "" : before);
      await browser.until(ended);
      row("servers", name + ": identifiers after a visit", ids(), Math.min(posts, 1));
    }
    // What the browser does with what it keeps does not turn an arrived report into a lost one.
    const kept = "IDBObjectStore.prototype.put";
    for (const [what, change] of [["refuses to keep that it arrived", kept + " = () => { throw new DOMException('full', 'QuotaExceededError'); }; null"],
      ["has lost what was kept", store("reports.clear();")]]) {
      await fresh(browser, "send-slow");
      await browser.value(draw);
      await browser.until(shown);
      await browser.value(change);
      await browser.until(ended);
      row("servers", "a browser that " + what + ": the status and posts", [(await browser.value(after)).includes("arrived"), server.received.length], [true, 1]);
      await browser.reload();
      await browser.until(asked + " || " + ended);
    }
    // Who reads that the report has arrived and opens another page finds it known to have arrived.
    await fresh(browser, "send-ok");
    await browser.value("(transaction => { IDBDatabase.prototype.transaction = function () { const made = transaction.apply(this, arguments); " +
      "made.addEventListener('complete', () => { window.isKept = made.isLast; }); return made; }; })(IDBDatabase.prototype.transaction); " +
      "(put => { IDBObjectStore.prototype.put = function (value, key) { this.transaction.isLast = value.sent; return put.call(this, value, key); }; })" +
      "(IDBObjectStore.prototype.put); new MutationObserver(() => { if (" + after + ".includes('arrived')) window.order = String(window.isKept); })" +
      ".observe(document.querySelector('#after'), { childList: true }); " + draw);
    await browser.until("window.order");
    row("servers", "the browser has kept that the report has arrived before the page says so", await browser.value("window.order"), true);
    row("servers", "cookies sent", server.received.filter(one => one.cookie).length, 0);
  });

  await part("devices", async function () {
    const note = "document.querySelector('#storage').textContent", old = "document.querySelector('#old').textContent";
    const device = async function (what, source, name, ready) {
      const { identifier } = await browser.page("Page.addScriptToEvaluateOnNewDocument", { source });
      server.received.length = 0;
      await browser.open(page(name));
      await browser.until(ready);
      await browser.page("Page.removeScriptToEvaluateOnNewDocument", { identifier });
      return what;
    };
    const blocked = "Object.defineProperty(window, 'indexedDB', { get() { throw new DOMException('refused', 'SecurityError'); } })";
    for (const [what, source] of [["blocked", blocked], ["that never answers", "IDBFactory.prototype.open = () => ({})"],
      ["full", "IDBObjectStore.prototype.put = () => { throw new DOMException('full', 'QuotaExceededError'); }"]]) {
      await device(what, source, "race", asked);
      row("devices", "storage " + what + ": says so before the question", (await browser.value(note)).includes("answer only once"), true);
      await browser.value(draw);
      await browser.until(after + ".includes('arrived')");
      row("devices", "storage " + what + ": reports sent", server.received.length, 1);
    }
    await fresh(browser, "race");
    await device("", "(put => { IDBObjectStore.prototype.put = function (value, key) { if (value && value.report) throw new DOMException('full', " +
      "'QuotaExceededError'); return put.call(this, value, key); }; })(IDBObjectStore.prototype.put)", "race", asked);
    await browser.value(draw);
    await browser.until(note);
    row("devices", "storage full at the draw: says so, and sends", [(await browser.value(note)).includes("nothing was sent"), server.received.length], [true, 0]);
    await fresh(browser, "race");
    await browser.value(draw);
    await browser.until(shown);
    const id = "id: '" + "0a".repeat(16) + "'";
    for (const rubbish of ["'rubbish'", "7", "{ report: 'a' }", "null", "{ " + id + ", report: {} }", "{ " + id + ", report: '' }", "{ sent: true }"]) {
      await browser.value(store("reports.getAllKeys().onsuccess = event => event.target.result.filter(key => / [0-9a-f]+$/.test(key))" +
        ".forEach(key => reports.put(" + rubbish + ", key));"));
      await browser.reload();
      await browser.until(asked);
      row("devices", "broken entry " + rubbish + ": set aside with a sentence, and asks", [(await browser.value(note)).includes("damaged"), await browser.value(asked)], [true, true]);
      await browser.value(draw);
      await browser.until(shown);
    }
    const fill = action => "Crypto.prototype.getRandomValues = function (buffer) { " + action + "; return buffer; }";
    for (const [what, source] of [["no", "Object.defineProperty(window, 'crypto', { value: undefined })"], ["zeros as", fill("buffer.fill(0)")],
      ["a constant as", fill("buffer.fill(7)")], ["nothing as", fill("")], ["a cycle of 64 words as", fill("buffer.forEach((none, i) => { buffer[i] = Math.imul(i % 64 + 1, 0x9e3779b9); })")],
      ["an error as", fill("throw new DOMException('refused', 'QuotaExceededError')")]]) {
      await device("", source, "race", old);
      row("devices", what + " secure random numbers: says so, and asks", [(await browser.value(old)).includes("no secure random"), await browser.value(asked)], [true, false]);
    }
    await device("", "delete Object.fromEntries", "race", old);
    row("devices", "a browser that is too old: says so, and asks", [(await browser.value(old)).includes("2019"), await browser.value(asked)], [true, false]);
    await browser.page("Emulation.setScriptExecutionDisabled", { value: true });
    await browser.open(page("race"));
    await browser.page("Emulation.setScriptExecutionDisabled", { value: false });
    row("devices", "without JavaScript: says so", (await browser.value(old)).includes("JavaScript"), true);
    // What is kept of permanent answers.
    await fresh(browser, "permanent");
    const kept = [];
    for (const place of [0, 2, 1]) {
      await browser.open(page("permanent"));
      await browser.until(asked);
      await browser.value("document.querySelectorAll('input')[" + place + "].click(); document.querySelector('#draw').click()");
      await browser.until(shown);
      kept.push(await browser.value(store("reports.getAll().onsuccess = event => { window.kept = event.target.result; };") +
        ".then(() => JSON.stringify(kept.filter(one => one && one.permanent)[0]))"));
    }
    row("devices", "permanent answers: they alone, of all levels, and the same whatever is answered",
      [Object.keys(JSON.parse(kept[0])), Object.keys(JSON.parse(kept[0]).permanent[""]).sort().join(" "), kept[0] === kept[1] && kept[1] === kept[2]], ["permanent", "0 1 2", true]);
    for (const rubbish of ["null", "{}", "{ '': {} }", "{ '': { 0: '', 1: '', 2: '' } }", "{ '': { 0: '0', 1: '1', 2: '3' } }", "{ '': { 0: '0', 1: '1' } }", "{ '': { 0: 0, 1: {}, 2: '1' } }"]) {
      await browser.value(store("reports.getAllKeys().onsuccess = event => event.target.result.filter(key => / [0-9a-f]+$/.test(key))" +
        ".forEach(key => reports.put({ permanent: " + rubbish + " }, key));"));
      await browser.reload();
      await browser.until(asked);
      const said = (await browser.value(note)).includes("damaged");
      await browser.value(draw);
      await browser.until(shown);
      row("devices", "broken permanent answers " + rubbish + ": set aside with a sentence, and a report", [said, /^[abc]$/.test(await browser.value(output))], [true, true]);
    }
    // An open page does not hold up who deletes what is kept.
    row("devices", "what is kept is deleted beside an open page", await browser.value("new Promise(done => { const deleting = indexedDB.deleteDatabase('candor'); " +
      "deleting.onsuccess = () => done('deleted'); setTimeout(() => done('waits'), 2000); })"), "deleted");
    // One law under one key is one draw, in whichever language.
    await fresh(browser, "english");
    await browser.value(draw);
    await browser.until(after + ".includes('arrived')");
    await browser.open(page("german"));
    row("devices", "answered in one language: the page of another does not ask", [await browser.until(shown), server.received.length], [true, 1]);
    // A frame of another site.
    fs.writeFileSync(path.join(folder, "frame.html"), "<!doctype html><title>frame</title><iframe src='https://framed.example/race.html'></iframe>");
    await browser.open(page("frame"));
    const { frameTree } = await browser.page("Page.getFrameTree");
    const { executionContextId: contextId } = await browser.page("Page.createIsolatedWorld", { frameId: frameTree.childFrames[0].frame.id });
    let warning = "";
    for (let i = 0; i < 100 && !warning; i++) {
      await sleep(20);
      warning = (await browser.page("Runtime.evaluate", { expression: note, contextId, returnByValue: true })).result.value || "";
    }
    row("devices", "a frame in another site's page warns", warning.includes("of another site"), true);
    await browser.open(page("race"));
    await browser.until(asked);
    row("devices", "a page of its own does not", await browser.value(note), "");
    // An interviewer's device.
    const next = "!document.querySelector('#next').hidden";
    await fresh(browser, "interviewer-ok");
    const persons = [];
    for (let i = 0; i < 8; i++) {
      await browser.value(draw);
      await browser.until(next);
      persons.push(await browser.value(output));
      await browser.value("document.querySelector('#next').click()");
      await browser.until("!document.querySelector('#draw').hidden && document.querySelector('output').textContent === ''");
    }
    row("devices", "an interviewer's device: 8 persons have reports of their own", [ids(), server.received.length, reports().map(one => one.report).join() === persons.join()], [8, 8, true]);
    await fresh(browser, "interviewer-error");
    await browser.value(draw);
    await browser.until("!document.querySelector('#pass').hidden");
    row("devices", "an interviewer's device keeps a report that has not arrived", await browser.value(next), false);
    // A study's page does not show the pilot's report.
    await fresh(browser, "pilot");
    await browser.value(draw);
    await browser.until(shown);
    await browser.open(page("study"));
    row("devices", "another mechanism under the same key asks", await browser.until(asked), true);
    for (let i = 0, seen = []; i < 6; i++) {
      await browser.open(page("named-candor"));
      await browser.until(asked + " || " + shown);
      if (await browser.value(asked)) { await browser.value(draw); await browser.until(shown); }
      seen.push(await browser.value(output));
      if (i === 5) row("devices", "the key \"candor\": different reports of 6 visits", new Set(seen).size, 1);
    }
  });

  await part("back", async function () {
    const second = await start(profile + "-back", server.flags, true);
    const chosen = "document.querySelectorAll('input:checked').length + Array.from(document.querySelectorAll('select')).filter(one => one.selectedIndex > 0).length + " +
      "Array.from(document.querySelectorAll('[type=number]')).filter(one => one.value !== '').length";
    for (const [name, choose] of [["race", "document.querySelector('input').click()"], ["list", "document.querySelector('select').selectedIndex = 3"],
      ["number", "document.querySelector('input').value = 5"]]) {
      await fresh(second, name);
      await second.value("addEventListener('pageshow', event => { if (event.persisted) window.restored = true; }, { capture: true }); " + choose);
      const before = await second.value(chosen);
      await second.open("https://elsewhere.example/module.mjs");
      await second.value("history.back()").catch(() => null);
      await second.until("performance.getEntriesByType('navigation')[0].type === 'reload' && " + asked);
      row("back", name + ": chosen before, and after Back", [before, await second.value(chosen)], [1, 0]);
    }
    await fresh(second, "race");
    await second.value(draw);
    await second.until(after + ".includes('arrived')");
    await second.open("https://elsewhere.example/module.mjs");
    await second.value("history.back()").catch(() => null);
    await second.until("performance.getEntriesByType('navigation')[0].type === 'reload' && " + after + ".includes('arrived')");
    row("back", "a report that has arrived is not shown after Back", await second.value(output), "");
    await second.stop();
  });

  await part("pleasant", async function () {
    await browser.page("Emulation.setDeviceMetricsOverride", { width: 320, height: 640, deviceScaleFactor: 1, mobile: true });
    const wide = "document.documentElement.scrollWidth <= 320";
    const small = "Array.from(document.querySelectorAll('button, select, summary, label, input:not(label input)')).filter(one => one.offsetParent && " +
      "(one.getBoundingClientRect().height < 24 || one.getBoundingClientRect().width < 24)).length";
    for (const name of ["wide", "several", "trial", "number", "arabic"]) {
      await fresh(browser, name);
      row("pleasant", name + ": fits into 320 px, targets under 24 px", [await browser.value(wide), await browser.value(small)], [true, 0]);
    }
    await fresh(browser, "race");
    await browser.value(draw);
    await browser.until(shown);
    row("pleasant", "the focus goes to the result", await browser.value("document.activeElement.textContent"), "Your report");
    row("pleasant", "nothing says what was answered", await browser.value("document.querySelectorAll('input').length"), 0);
    await browser.open(page("trial"));
    await browser.until("document.querySelector('#trial button')");
    for (let i = 0; i < 2; i++) await browser.value("document.querySelector('#trial button').click()");
    row("pleasant", "the question comes after the trial", await browser.value(asked), false);
    await browser.value("document.querySelector('#trial button').click()");
    row("pleasant", "a wrong answer is corrected, then the question", [await browser.value("document.querySelector('#trial').textContent.includes('Not quite')"), await browser.value(asked)], [true, true]);
    await fresh(browser, "decline");
    await browser.value("document.querySelector('label:last-of-type input').click(); document.querySelector('#draw').click()");
    await browser.until(after + ".includes('arrived')");
    row("pleasant", "a refusal is sent as such", reports()[0].report, null);
    // A number that the page does not take is marked, and the sentence below it is an alert.
    for (const [name, wrong, right] of [["number", 25, 5.5], ["number", -1, 24], ["cards", 3.27, 3], ["cards", 11, 10]]) {
      await fresh(browser, name);
      const states = [];
      for (const value of [wrong, right]) states.push(await browser.value("(() => { const input = document.querySelector('input'); input.value = " + value +
        "; ['input', 'change'].forEach(type => input.dispatchEvent(new Event(type))); const hint = document.getElementById(input.getAttribute('aria-describedby'));" +
        " return [input.getAttribute('aria-invalid'), hint.getAttribute('role'), hint.className, document.querySelector('#draw').disabled].join(' '); })()"));
      row("pleasant", name + ": " + wrong + ", then " + right + ": marked, said, and not drawn", states, ["true alert note true", "false note  false"]);
    }
    row("pleasant", "cards: the sentence names range and decimals", await browser.value("document.querySelector('fieldset p').textContent"),
      "Please enter a number from 0 to 10. At most 0 digits after the decimal point.");
  });

  await part("axe", async function () {
    const file = path.join(packages, "axe-core", "axe.min.js");
    if (!fs.existsSync(file)) return row("axe", "axe-core", "not installed", "not installed");
    const axe = fs.readFileSync(file, "utf8");
    const look = async function (name, state) {
      await browser.value(axe + "; null");
      let runs = 0;
      const found = new Set();
      for (const width of [320, 390, 1280]) for (const scheme of ["light", "dark"]) {
        await browser.page("Emulation.setDeviceMetricsOverride", { width, height: 800, deviceScaleFactor: 1, mobile: width < 1000 });
        await browser.page("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
        (await browser.value("axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }).then(result => " +
          "result.violations.map(one => one.id + ' ' + one.nodes[0].target))")).forEach(one => found.add(one));
        runs++;
      }
      row("axe", name + ", " + state + ": violations in " + runs + " runs", [...found].join("; "), "");
    };
    for (const name of ["decline", "several", "trial", "number", "arabic", "triangular", "weak", "list"]) {
      await fresh(browser, name);
      await look(name, "before");
      if (name === "trial") {
        for (let i = 0; i < 3; i++) await browser.value("document.querySelector('#trial button').click()");
        await look(name, "tried");
      }
      if (["trial", "weak", "list"].includes(name)) continue;
      if (name === "number") await browser.value("const input = document.querySelector('input'); input.value = 5; input.dispatchEvent(new Event('input'))");
      await browser.value("document.querySelectorAll('fieldset').forEach(box => { if (box.querySelector('[type=radio]')) box.querySelector('input').click(); })");
      if (name === "several") await look(name, "chosen");
      await browser.value("document.querySelector('#draw').click()");
      await browser.until(shown);
      await look(name, "drawn");
      if (!["decline", "several"].includes(name)) continue;
      await browser.reload();
      await browser.until(shown);
      await look(name, "again");
    }
    await fresh(browser, "send-error");
    await browser.value(draw);
    await browser.until("!document.querySelector('#pass').hidden");
    await look("send", "failed");
    const { identifier } = await browser.page("Page.addScriptToEvaluateOnNewDocument", { source: "IDBFactory.prototype.open = undefined" });
    await browser.open(page("race"));
    await browser.until(asked);
    await look("race", "warned");
    await browser.page("Page.removeScriptToEvaluateOnNewDocument", { identifier });
    await browser.page("Emulation.clearDeviceMetricsOverride");
  });
  await browser.page("Page.removeScriptToEvaluateOnNewDocument", { identifier: fast });

  await part("plugins", async function () {
    const libraries = { module: [], jspsych: ["jspsych/dist/index.browser.min.js"], surveyjs: ["survey-core/survey.core.min.js", "survey-js-ui/survey-js-ui.min.js"] };
    const jsPsych = (keys, more) => more.map(file => "<script src=" + file + "></script>").join("") + "<script>const jsPsych = initJsPsych({ on_finish: () => { " +
      "window.done = jsPsych.data.get().json(); } }); jsPsych.run([" + keys.map(key => "{ type: candorPlugin, question: 'Did you?', key: '" + key + "' }") + "]);</script>";
    const survey = (keys, more) => "<div id=place></div>" + more.map(file => "<script src=" + file + "></script>").join("") + "<script>const survey = new Survey.Model({ elements: [" +
      keys.map(key => "{ type: 'candor', name: '" + key + "', title: 'Did you?' }") + "] }); survey.onComplete.add(sender => { " +
      "window.done = JSON.stringify(sender.data); }); survey.render(document.getElementById('place'));</script>";
    const scripts = {
      module: "<script type=module>import candor, { report, once, fields, plan } from './module.mjs'; window.ready = true; window.answer = async () => { " +
        "const kept = await once('module', plan, 'guilty'); window.done = JSON.stringify([fields(plan, kept), candor.report(plan, 'guilty')]); };</script>",
      jspsych: jsPsych(["theft"], ["jspsych.js"]),
      surveyjs: survey(["theft"], ["surveyjs.js"]),
      "jspsych-two": jsPsych(["theft", "fraud"], ["jspsych.js", "jspsych-other.js"]),
      "surveyjs-two": survey(["theft", "fraud"], ["surveyjs.js", "surveyjs-other.js"])
    };
    for (const name of Object.keys(scripts)) {
      const needed = libraries[name.replace("-two", "")];
      if (!needed.every(file => fs.existsSync(path.join(packages, file)))) { row("plugins", name, "not installed", "not installed"); continue; }
      const tags = needed.map(file => "<script src='/npm/" + file + "'></script>").join("");
      fs.writeFileSync(path.join(folder, "plugin-" + name + ".html"), "<!doctype html><meta charset=utf-8><title>" + name + "</title><body>" + tags + scripts[name]);
      const boxes = "Array.from(document.querySelectorAll('button')).filter(one => /innocent|guilty|Draw lots/.test(one.textContent))";
      const press = text => browser.value(boxes + ".find(one => one.textContent === '" + text + "' && !one.disabled).click()");
      const questions = name.endsWith("-two") ? 2 : 1;
      respondent++;
      const visit = async function () {
        await browser.open(page("plugin-" + name));
        if (name === "module") { await browser.until("window.ready"); await browser.value("answer()"); }
        const isNew = name !== "module" && await browser.until("window.done || " + boxes + ".length || /red|black/.test(document.body.textContent)") &&
          await browser.value("Boolean(" + boxes + ".length)");
        for (let i = 0; isNew && i < questions; i++) {
          await browser.until(boxes + ".length >= 3");
          await press("guilty");
          if (i === 0) {
            await sleep(100);
            const size = await browser.value("JSON.stringify(" + boxes + ".slice(0, 2).map(one => one.getBoundingClientRect()))").then(JSON.parse);
            row("plugins", name + ": an answer that was pressed is not drawn yet; buttons of 44 px, 8 px apart", [
              await browser.value(boxes + ".filter(one => one.textContent === 'Draw lots').length") > 0 && !await browser.value("window.done"),
              size.every(one => one.height >= 44 && one.width >= 44), size[1].left - size[0].right >= 8 || size[1].top - size[0].bottom >= 8], [true, true, true]);
          }
          const left = await browser.value(boxes + ".length");
          await press("Draw lots");
          await browser.until("window.done || " + boxes + ".length !== " + left + " || !" + boxes + ".some(one => one.getAttribute('aria-pressed') === 'true')");
        }
        if (name.startsWith("surveyjs")) { await browser.until("Object.keys(survey.data).length === " + questions); await browser.value("survey.completeLastPage(); null"); }
        await browser.until("window.done");
        return String(await browser.value("window.done"));
      };
      const data = await visit(), found = /"report":"(red|black)"/.exec(data), id = /"id":"([0-9a-f]{32})"/.exec(data);
      row("plugins", name + ": data have the report, its identifier, and the answer", [Boolean(found), Boolean(id), data.includes("guilty")], [true, true, false]);
      if (questions === 2) row("plugins", name + ": the second question has its own mechanism", /"report":"(green|blue)"/.test(data), true);
      row("plugins", name + ": another visit has the same", id !== null && (await visit()).includes(id[1]), true);
      if (name !== "jspsych" && name !== "surveyjs") continue;
      // Without storage the question is asked, with a warning.
      respondent++;
      const { identifier } = await browser.page("Page.addScriptToEvaluateOnNewDocument", { source: "Object.defineProperty(window, 'indexedDB', " +
        "{ get() { throw new DOMException('refused', 'SecurityError'); } })" });
      await browser.open(page("plugin-" + name));
      await browser.until(boxes + ".length");
      row("plugins", name + ": storage refused: asks, with a warning", await browser.value("document.body.textContent.includes('answer only once')"), true);
      await press("guilty");
      await press("Draw lots");
      row("plugins", name + ": storage refused: a report", await browser.until(name === "jspsych" ? "/red|black/.test(window.done)" : "/red|black/.test(JSON.stringify(survey.data))"), true);
      await browser.page("Page.removeScriptToEvaluateOnNewDocument", { identifier });
    }
    // The lines of the article, twice on one page.
    respondent++;
    await browser.open(page("article"));
    const boxes = "document.querySelectorAll('div')";
    await browser.value(boxes + "[0].querySelectorAll('button')[1].click()");
    row("plugins", "the article's lines: an answer of one leaves the other alone", await browser.value(boxes + "[1].querySelector('[data-draw]').disabled"), true);
    await browser.value(boxes + "[1].querySelectorAll('button')[0].click(); " + boxes + "[0].querySelector('[data-draw]').click()");
    await browser.until("window.kept");
    await browser.value(boxes + "[1].querySelector('[data-draw]').click()");
    await browser.until("window.kept.length === 2");
    row("plugins", "the article's lines twice: each has its mechanism and its answer", await browser.value("window.kept.join()"), "yes,green");
  });

  await browser.stop();
  server.stop();
  fs.writeFileSync(path.join(folder, "states.json"), JSON.stringify({ rows, times }));
})().catch(async function (error) { console.error(error); await browser.kill(); process.exit(1); });
