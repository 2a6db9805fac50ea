// candor client as an ES module: import candor, { report, once, fields, plan } from "./candor.mjs".
{{client}}
export const { report, once, fields, plan } = candorClient;
export default candorClient;
