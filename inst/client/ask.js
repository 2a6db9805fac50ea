// The question of this file. Plugins find it by the key with which the file was written: a page may
// have several files.
const page = {{page}};
const lasting = candorClient.lasting();

// Asks in `element`, below lines of text, and promises the fields of the report.
async function ask(element, lines) {
  const client = candorClient.plan, { store, keeps } = await lasting;
  const old = await candorClient.kept(page.key, client, store);
  if (old) return candorClient.fields(client, old);
  return new Promise(function (done, failed) {
    const add = (name, textContent) =>
      Object.assign(element.appendChild(document.createElement(name)), { textContent });
    const style = "min-width: 44px; min-height: 44px; margin: 0 12px 12px 0";
    const addButton = (text, onclick) =>
      Object.assign(add("button", text), { type: "button", onclick, style });
    element.textContent = "";
    lines.concat(keeps ? [] : page.words.storage).forEach(line => add("p", line));
    const levels = client.plan.levels, buttons = levels.map(x => addButton(x, () => choose(x)));
    add("br");
    let answer;
    const draw = addButton(page.words.draw, function () {
      element.textContent = "";
      candorClient.once(page.key, client, answer, { store })
        .then(kept => done(candorClient.fields(client, kept)), failed);
    });
    // Pressing an answer draws nothing yet, and a page that is left forgets it.
    function choose(level) {
      answer = level;
      draw.disabled = level === undefined;
      buttons.forEach(function (button, x) {
        button.setAttribute("aria-pressed", levels[x] === level);
        button.style.outline = levels[x] === level ? "3px solid" : "";
      });
    }
    choose();
    addEventListener("pagehide", () => choose());
  });
}

// Two mechanisms under one key: neither is asked.
const files = globalThis.candorQuestions || {}, before = files[page.key];
const plan = JSON.stringify(candorClient.plan);
const clash = async () => { throw new Error("candor: two files have the key " + page.key); };
files[page.key] = !before || before.plan === plan ? Object.assign(ask, { plan }) : clash;
globalThis.candorQuestions = files;
