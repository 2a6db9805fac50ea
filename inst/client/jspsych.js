// A jsPsych plugin, from version 7. A trial asks one question, and its data are the report and the
// identifier of the report: { type: candorPlugin, key: "theft-2026",
// question: "Did you ever steal?", explanation: "This device draws lots ..." }
var candorPlugin = (function (types) {
"use strict";
{{client}}
{{ask}}
class CandorPlugin {
  constructor(jsPsych) { this.jsPsych = jsPsych; }
  async trial(display, trial) {
    let data;
    const lines = [trial.explanation, trial.question];
    try { data = await globalThis.candorQuestions[trial.key](display, lines); }
    catch (error) { data = { id: null, report: null, error: error.message }; }
    display.textContent = "";
    this.jsPsych.finishTrial(data);
  }
}
CandorPlugin.info = {
  name: "candor", version: "1.0.0",
  parameters: {
    question: { type: types.STRING, default: undefined },
    key: { type: types.STRING, default: undefined },
    explanation: { type: types.STRING, default: "" }
  },
  data: {
    id: { type: types.STRING },
    report: { type: types.STRING },
    error: { type: types.STRING }
  }
};
return CandorPlugin;
})(jsPsychModule.ParameterType);
