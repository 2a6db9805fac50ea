// The question of this file. Plugins find it by the key with which the file was written: a page may
// have several files.
const page = {{page}};
const lasting = candorClient.lasting();

// Asks in `element`, below lines of text, and promises the fields of the report.
async function ask(element, lines) {
  const client = candorClient.plan, { store, keeps } = await lasting;
  const old = await candorClient.kept(page.key, client, { store });
  if (old) return candorClient.fields(client, old);
  return new Promise(function (done, failed) {
    const add = (name, textContent) =>
      Object.assign(element.appendChild(document.createElement(name)), { textContent });
    const addButton = function (text, press) {
      const button = Object.assign(add("button", text), { type: "button", onclick: press });
      Object.assign(button.style, { minHeight: "44px", minWidth: "44px", margin: "0 12px 12px 0" });
    };
    let answer;
    // Pressing an answer draws nothing yet, and a page that is left forgets it.
    const choose = function (level) {
      answer = level;
      element.querySelectorAll("button").forEach(function (button, x, { length }) {
        if (x === length - 1) { button.disabled = level === undefined; return; }
        const chosen = client.plan.levels[x] === level;
        button.setAttribute("aria-pressed", chosen);
        button.style.outline = chosen ? "3px solid" : "";
      });
    };
    element.textContent = "";
    lines.concat(keeps ? [] : page.words.storage).forEach(line => add("p", line));
    client.plan.levels.forEach(level => addButton(level, () => choose(level)));
    add("br");
    addButton(page.words.draw, function () {
      element.textContent = "";
      candorClient.once(page.key, client, answer, { store })
        .then(kept => done(candorClient.fields(client, kept)), failed);
    });
    choose();
    addEventListener("pagehide", () => choose());
  });
}

// Two mechanisms under one key: neither is asked.
globalThis.candorQuestions = globalThis.candorQuestions || {};
const before = globalThis.candorQuestions[page.key], plan = JSON.stringify(candorClient.plan);
const clash = async () => { throw new Error("candor: two files have the key " + page.key); };
globalThis.candorQuestions[page.key] =
  !before || before.plan === plan ? Object.assign(ask, { plan }) : clash;
