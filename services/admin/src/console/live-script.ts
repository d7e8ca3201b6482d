import { type Html, html } from "@postern/shared/platform/pages";
import { scriptAsset } from "./console-assets.ts";

/**
 * Replaces the parts of the page that changed; tables that are open stay open. Parts that did not change keep their focus and are not announced again. When the stream has
 * ended permanently, the page says so; a reload shows why.
 */
const code = `
const live = document.getElementById("live");
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
`;

export const liveScript = scriptAsset("live", code);

/** What the page's script replaces as the server sends it; without script, a reload shows the latest. */
export function livePart(events: string, content: Html): Html {
  return html`<div id="live" data-events="${events}">${content}</div><p id="live-ended" class="lead" role="status" hidden>This page is no longer updated. Reload it.</p>`;
}
