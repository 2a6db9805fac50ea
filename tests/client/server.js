// A server on this machine alone, with a certificate of its own: it shows the files of a folder, takes reports, and fails in the
// ways that servers have. The path of a report says which: ok, slow, hang, drop, error, redirect, silent (no CORS), flaky.
"use strict";
const { execFileSync } = require("child_process"), https = require("https"), fs = require("fs"), path = require("path");

exports.start = async function (folder, packages) {
  const [key, cert] = ["key.pem", "cert.pem"].map(name => path.join(folder, name));
  execFileSync("openssl", ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=localhost"], { stdio: "ignore" });
  const received = [], tried = new Set();
  const types = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css" };
  const server = https.createServer({ key: fs.readFileSync(key), cert: fs.readFileSync(cert) }, function (request, response) {
    const name = request.url.replace(/[?].*/, "");
    if (request.method === "GET") {
      const file = name.startsWith("/npm/") ? path.join(packages, name.slice(5)) : path.join(folder, name);
      if (!fs.existsSync(file)) return response.writeHead(404).end();
      return response.writeHead(200, { "Content-Type": (types[path.extname(file)] || "text/plain") + "; charset=utf-8" }).end(fs.readFileSync(file));
    }
    const cors = name === "/silent" ? {} : { "Access-Control-Allow-Origin": "*", "Access-Control-Allow-Headers": "*" };
    if (request.method === "OPTIONS") return setTimeout(() => response.writeHead(204, cors).end(), name === "/slow" ? 40 : 0);
    let body = "";
    request.on("data", chunk => { body += chunk; });
    request.on("end", function () {
      const first = !tried.has(body);
      tried.add(body);
      if (name === "/drop" || (name === "/flaky" && first)) return request.socket.destroy();
      if (name !== "/error" && name !== "/redirect") received.push({ name, body, cookie: request.headers.cookie || null });
      if (name === "/hang") return;
      if (name === "/redirect") return response.writeHead(302, Object.assign({ Location: "/ok" }, cors)).end();
      setTimeout(() => response.writeHead(name === "/error" ? 500 : 200, cors).end(), name === "/slow" ? 40 : 0);
    });
  });
  await new Promise(resolve => server.listen(0, "127.0.0.1", resolve));
  const port = server.address().port;
  return { received, flags: ["--host-resolver-rules=MAP *.example 127.0.0.1:" + port, "--ignore-certificate-errors"],
    stop: () => { server.close(); server.closeAllConnections(); } };
};
