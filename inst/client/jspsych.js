// A jsPsych plugin, from version 7. A trial asks one question, and its data are the report and the identifier of the report:
// { type: candorPlugin, question: "Did you ever steal?", key: "theft-2026", explanation: "This device draws lots ..." }
{{client}}
var candorPlugin = (function (types) {
"use strict";
class CandorPlugin {
  constructor(jsPsych) { this.jsPsych = jsPsych; }
  trial(display, trial) {
    const client = candorClient.plan, store = candorClient.device(), key = trial.key;
    const end = kept => { display.textContent = ""; this.jsPsych.finishTrial(candorClient.fields(client, kept)); };
    const fail = error => { display.textContent = ""; this.jsPsych.finishTrial({ id: null, report: null, error: error.message }); };
    candorClient.kept(key, client, { store }).then(function (kept) {
      if (kept) return end(kept);
      display.textContent = "";
      [trial.explanation, trial.question].forEach(text => { display.appendChild(document.createElement("p")).textContent = text; });
      candorClient.plan.plan.levels.forEach(function (level) {
        const button = display.appendChild(document.createElement("button"));
        Object.assign(button, { type: "button", textContent: level, onclick: function () {
          display.textContent = "";
          candorClient.once(key, client, level, { store }).then(end, fail);
        } });
      });
    }).catch(fail);
  }
}
CandorPlugin.info = {
  name: "candor", version: "1.0.0",
  parameters: {
    question: { type: types.STRING, default: undefined },
    key: { type: types.STRING, default: undefined },
    explanation: { type: types.STRING, default: "" }
  },
  data: { id: { type: types.STRING }, report: { type: types.STRING }, error: { type: types.STRING } }
};
return CandorPlugin;
})(jsPsychModule.ParameterType);
