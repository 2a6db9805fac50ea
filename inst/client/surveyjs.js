// A question type for SurveyJS, from version 2: { type: "candor", name: "theft",
// title: "Did you ever steal?", key: "theft-2026" }. Its value is { id, report }. The answer is no
// value of the survey and is not kept.
(function (Survey) {
"use strict";
{{client}}
{{ask}}
const types = Survey.CustomWidgetCollection.Instance;
if (!types.getCustomWidgetByName("candor")) types.add({
  name: "candor", title: "candor", htmlTemplate: "<div></div>",
  isFit: question => question.getType() === "candor",
  widgetIsLoaded: () => true,
  activatedByChanged: function () {
    Survey.JsonObject.metaData.addClass("candor", [{ name: "key" }], null, "empty");
  },
  afterRender: async function (question, element) {
    try {
      question.value = await globalThis.candorQuestions[question.key || question.name](element, []);
      element.textContent = page.words.result + ": " + question.value.report;
    } catch (error) { element.textContent = error.message; }
  }
}, "customtype");
})(Survey);
