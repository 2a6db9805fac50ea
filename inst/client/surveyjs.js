// A question type for SurveyJS, from version 2: { type: "candor", name: "theft", title: "Did you ever steal?", key: "theft-2026" }.
// Its value is { id, report }. The answer is no value of the survey and is not kept.
{{client}}
(function (Survey) {
"use strict";
Survey.CustomWidgetCollection.Instance.add({
  name: "candor", title: "candor", htmlTemplate: "<div></div>",
  isFit: question => question.getType() === "candor",
  widgetIsLoaded: () => true,
  activatedByChanged: function () {
    Survey.JsonObject.metaData.addClass("candor", [{ name: "key" }], null, "empty");
  },
  afterRender: function (question, element) {
    const client = candorClient.plan, store = candorClient.device(), key = question.key || question.name;
    const end = kept => { question.value = candorClient.fields(client, kept); element.textContent = question.value.report; };
    const fail = error => { element.textContent = error.message; };
    candorClient.kept(key, client, { store }).then(function (kept) {
      if (kept) return end(kept);
      element.textContent = "";
      candorClient.plan.plan.levels.forEach(function (level) {
        const button = element.appendChild(document.createElement("button"));
        Object.assign(button, { type: "button", textContent: level, onclick: function () {
          element.textContent = "";
          candorClient.once(key, client, level, { store }).then(end, fail);
        } });
      });
    }).catch(fail);
  }
}, "customtype");
})(Survey);
