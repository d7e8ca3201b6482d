import { type Html, html } from "@postern/shared/platform/pages";

/** What the page's script replaces as the server sends it; without script, a reload shows the latest. */
export function livePart(events: string, content: Html): Html {
  return html`<div id="live" data-events="${events}">${content}</div><p id="live-ended" class="lead" role="status" hidden>This page is no longer updated. Reload it.</p>`;
}
