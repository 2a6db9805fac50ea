// A headless Chromium that is spoken to over a pipe (the DevTools protocol): no package, no port.
"use strict";
const { spawn } = require("child_process");

exports.start = async function (folder) {
  const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe",
    "--disable-background-networking", "--user-data-dir=" + folder,
    // A page that is opened again at once may come to another process, which sees the storage of the first one late.
    "--disable-features=BackForwardCache,ProactivelySwapBrowsingInstance,RenderDocument,ProcessPerSiteUpToMainFrameThreshold",
    "--disable-site-isolation-trials"];
  const process = spawn("chromium", flags, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
  const waiting = new Map(), listeners = [];
  let next = 1, text = "";
  process.stdio[4].on("data", function (chunk) {
    const parts = (text + chunk).split("\0");
    text = parts.pop();
    for (const part of parts) {
      const message = JSON.parse(part);
      if (!message.id) { listeners.forEach(listen => listen(message)); continue; }
      const { resolve, reject } = waiting.get(message.id);
      waiting.delete(message.id);
      if (message.error) reject(new Error(message.error.message)); else resolve(message.result);
    }
  });
  const send = (method, params, sessionId) => new Promise(function (resolve, reject) {
    waiting.set(next, { resolve, reject });
    process.stdio[3].write(JSON.stringify({ id: next++, method, params, sessionId }) + "\0");
  });
  const { targetId } = await send("Target.createTarget", { url: "about:blank" });
  const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
  const page = (method, params) => send(method, params, sessionId);
  await page("Page.enable");
  await page("Network.enable");
  return {
    page, listen: listener => listeners.push(listener),
    open: url => new Promise(function (resolve) {
      listeners.push(function loaded(message) {
        if (message.method !== "Page.loadEventFired") return;
        listeners.splice(listeners.indexOf(loaded), 1);
        resolve();
      });
      page("Page.navigate", { url });
    }),
    // The value of an expression, of which the page's own policy says nothing.
    value: async function (expression) {
      const { result, exceptionDetails } = await page("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
      if (exceptionDetails) throw new Error(exceptionDetails.exception ? exceptionDetails.exception.description : exceptionDetails.text);
      return result.value;
    },
    stop: async function () {
      const ended = new Promise(resolve => process.on("exit", resolve));
      await send("Browser.close").catch(() => process.kill());
      await ended;
    }
  };
};
