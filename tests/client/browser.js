// A headless Chromium that is spoken to over a pipe (the DevTools protocol): no package, no port.
"use strict";
const { spawn } = require("child_process");

exports.start = async function (folder, more = [], hasBack = false) {
  const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe",
    "--disable-background-networking", "--user-data-dir=" + folder,
    // A page that is opened again at once may come to another process, which sees the storage of the first one late.
    // Only tests of what Back shows have what browsers do else.
    ...(hasBack ? [] : ["--disable-features=BackForwardCache,ProactivelySwapBrowsingInstance,RenderDocument,ProcessPerSiteUpToMainFrameThreshold"]),
    "--disable-site-isolation-trials"].concat(more);
  // A group of its own, so that it can be killed with all its processes.
  const process = spawn("chromium", flags, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], detached: true });
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
  const tab = async function () {
    const { targetId } = await send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await send("Target.attachToTarget", { targetId, flatten: true });
    const page = (method, params) => send(method, params, sessionId);
    await page("Page.enable");
    await page("Network.enable");
    const loaded = start => new Promise(function (resolve) {
      listeners.push(function once(message) {
        if (message.method !== "Page.loadEventFired" || message.sessionId !== sessionId) return;
        listeners.splice(listeners.indexOf(once), 1);
        resolve();
      });
      start();
    });
    // The value of an expression, of which the page's own policy says nothing.
    const value = async function (expression) {
      const { result, exceptionDetails } = await page("Runtime.evaluate", { expression, returnByValue: true, awaitPromise: true });
      if (exceptionDetails) throw new Error(exceptionDetails.exception ? exceptionDetails.exception.description : exceptionDetails.text);
      return result.value;
    };
    // Waits, at most 8 seconds, until an expression is true.
    const until = async function (expression) {
      for (let i = 0; i < 400; i++) {
        if (await value("Boolean(" + expression + ")").catch(() => false)) return true;
        await new Promise(resolve => setTimeout(resolve, 20));
      }
      return false;
    };
    return { page, value, until, open: url => loaded(() => page("Page.navigate", { url })), reload: () => loaded(() => page("Page.reload")),
      close: () => send("Target.closeTarget", { targetId }) };
  };
  return {
    ...await tab(), tab, listen: listener => listeners.push(listener),
    kill: async function () {
      const ended = new Promise(resolve => process.on("exit", resolve));
      try { global.process.kill(-process.pid, "SIGKILL"); } catch (gone) { process.kill("SIGKILL"); }
      await ended;
    },
    stop: async function () {
      const ended = new Promise(resolve => process.on("exit", resolve));
      await send("Browser.close").catch(() => process.kill());
      await ended;
    }
  };
};
