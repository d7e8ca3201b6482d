import { type Html, html } from "@postern/shared/platform/pages";
import { t } from "../texts/texts.ts";
import { scriptAsset } from "./console-assets.ts";

/**
 * The key `/` goes to the search. The rest replaces the parts of a live page that changed; tables that are open stay open. Parts that did not change
 * keep their focus and are not announced again. When the stream has ended permanently, the page says so; a reload shows why.
 */
const code = `
addEventListener("keydown", (event) => {
  const { key, target, ctrlKey, metaKey, altKey } = event;
  if (key !== "/" || ctrlKey || metaKey || altKey || target.closest("input, select, textarea") !== null) return;
  const query = document.getElementById("query");
  if (query === null) return;
  event.preventDefault();
  query.focus();
  query.select();
});
function follow(live) {
  const ended = document.getElementById("live-ended");
  const source = new EventSource(live.dataset.events);
  source.addEventListener("page", ({ data }) => {
    const next = document.createElement("template");
    next.innerHTML = JSON.parse(data);
    const open = [...live.querySelectorAll("details")].map((part) => part.open);
    next.content.querySelectorAll("details").forEach((part, index) => {
      part.open = open[index] ?? false;
    });
    const [old, fresh] = [[...live.children], [...next.content.children]];
    if (old.length !== fresh.length) return live.replaceChildren(...fresh);
    old.forEach((part, index) => {
      if (part.outerHTML !== fresh[index].outerHTML) part.replaceWith(fresh[index]);
    });
  });
  source.addEventListener("end", () => {
    source.close();
    ended.hidden = false;
  });
  source.addEventListener("error", () => {
    ended.hidden = source.readyState !== EventSource.CLOSED;
  });
  source.addEventListener("open", () => {
    ended.hidden = true;
  });
}
const live = document.getElementById("live");
if (live !== null) follow(live);
`;

/** Runs on every page of an operator. */
export const liveScript = scriptAsset("live", code);

/** What the script replaces as the server sends it; without script, a reload shows the latest. */
export function livePart(events: string, content: Html): Html {
  return html`<div id="live" data-events="${events}">${content}</div><p id="live-ended" class="lead" role="status" hidden>${t("house.not_live")}</p>`;
}
