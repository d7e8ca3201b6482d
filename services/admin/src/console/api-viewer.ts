import { pathTo } from "@postern/shared/contracts";
import { html } from "@postern/shared/platform/pages";
import { type ConsoleAsset, scriptAsset, styleAsset } from "./console-assets.ts";
import type { ConsolePage } from "./console-document.ts";

/** Files of the package swagger-ui-dist. */
export interface ViewerFiles {
  readonly script: string;
  readonly style: string;
}

export interface ApiViewer {
  readonly page: ConsolePage;
  readonly assets: readonly ConsoleAsset[];
}

/**
 * Starts the viewer without anything that sends a request: no "Try it out", no credentials, no validator of another host. Its dark colours
 * follow the browser's.
 */
const start = `
const place = document.getElementById("api");
const dark = matchMedia("(prefers-color-scheme: dark)");
const paint = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
paint();
dark.addEventListener("change", paint);
const nothing = () => () => null;
SwaggerUIBundle({
  url: place.dataset.document,
  domNode: place,
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [() => ({ wrapComponents: { authorizeBtn: nothing, authorizeOperationBtn: nothing, ServersContainer: nothing } })],
  layout: "BaseLayout",
  deepLinking: true,
  filter: true,
  supportedSubmitMethods: [],
  validatorUrl: null,
});
`;

/** For the page's own parts. The style of the other pages would change the viewer's buttons and tables. */
const rules = `
body{margin:0;background:#fff;color:#16181d;font:400 1rem/1.55 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
header,main{max-width:90rem;margin-inline:auto;padding:1rem 1.5rem}
header,nav,.who-am-i{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1.25rem}
.brand{display:flex;gap:.625rem;font-weight:650}
.who-am-i{margin-inline-start:auto}
header a,noscript a{color:#1f5fbf}
header a[aria-current]{color:inherit;font-weight:650;text-decoration:none}
header form{margin:0}
header button{font:inherit;min-height:2.25rem;padding:.25rem .875rem;border:1px solid currentColor;border-radius:.625rem;background:transparent;color:inherit;cursor:pointer}
header :focus-visible{outline:3px solid #1f5fbf;outline-offset:2px}
h1{margin:.5rem 0;font-size:1.625rem;line-height:1.22}
@media (prefers-color-scheme:dark){body{background:#15171c;color:#eceef2}header a,noscript a{color:#8ab4f8}}
`;

/** The page on which operators browse the OpenAPI document. */
export function createApiViewer(files: ViewerFiles): ApiViewer {
  const library = scriptAsset("swagger-ui", files.script);
  const starter = scriptAsset("api", start);
  const styles = [styleAsset("swagger-ui", files.style), styleAsset("api", rules.replaceAll("\n", ""))];
  const document = pathTo("consoleApiDocument");
  return {
    assets: [library, starter, ...styles],
    page: {
      title: "API",
      script: starter.path,
      library: { script: library.path, styles: styles.map(({ path }) => path) },
      body: html`<h1>API</h1>
<div id="api" data-document="${document}"></div>
<noscript><p>This page needs JavaScript. The document itself: <a href="${document}">OpenAPI document as JSON</a></p></noscript>`,
    },
  };
}
