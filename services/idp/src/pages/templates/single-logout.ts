import { pathTo } from "@postern/shared/contracts";
import { type Html, html } from "@postern/shared/platform/pages";
import type { Look, Page } from "../look.ts";
import { listOf, signOf } from "../parts.ts";

/**
 * State of one service provider in a logout transaction, as the page shows it. `later`: it did not answer, and delivery
 * is retried in the background; `not_told`: it has no logout endpoint that could be used.
 */
export const serviceStates = ["asking", "done", "refused", "no_answer", "later", "not_told"] as const;
export type ServiceState = (typeof serviceStates)[number];

function notes(now: ServiceState, { text }: Look): readonly Html[] {
  return serviceStates.map(
    (state) =>
      html`<span data-state="${state}"${state === "done" && html` class="this"`}${state !== now && html` hidden`}>${text(
        `signing_out.${state}`,
      )}</span>`,
  );
}

/** Service providers are notified through frames, all at the same time. */
export const signingOutPage: Page<{
  /** URL of this page, which shows the state of the logout and then redirects. */
  readonly self: string;
  /** Set if frames report no result: the next location once all have loaded. */
  readonly next?: string;
  readonly services: readonly {
    readonly name: string;
    readonly state: ServiceState;
    /** URL of the frame that notifies it: a path of the identity provider, or an OIDC client's own logout page. */
    readonly frame: string | undefined;
  }[];
  /** URL of the page's script; without scripts, the header `Refresh` continues after the timeout. */
  readonly script: string | undefined;
}> = {
  name: "signing_out",
  scripts: ["own"],
  title: (_view, { text }) => text("signing_out.title"),
  body: ({ self, next, services, script }, look) => {
    const { text } = look;
    const items = services.map(({ name, state }) => html`<b>${name}</b>${notes(state, look)}`);
    return html`<h1>${text("signing_out.title")}</h1>
<p class="lead">${text("signing_out.text")}</p>
<div data-logout="${self}"${next !== undefined && html` data-next="${next}"`} aria-live="polite">${listOf(items)}</div>
<a class="button quiet" href="${next ?? html`${self}&amp;skip=1`}">${text("signing_out.skip")}</a>
<div class="hidden" aria-hidden="true">${services.flatMap(({ frame, name }) =>
      frame === undefined ? [] : [html`<iframe src="${frame}" title="${name}" tabindex="-1"></iframe>`],
    )}</div>
${script !== undefined && html`<script src="${script}" defer></script>`}`;
  },
  sample: {
    self: "#self",
    services: [
      { name: "Example wiki", state: "done", frame: undefined },
      { name: "Example tracker", state: "asking", frame: undefined },
      { name: "Example library", state: "not_told", frame: undefined },
    ],
    script: undefined,
  },
};

/** Shown when the session has ended here; lists the applications whose sessions have not. */
export const partlySignedOutPage: Page<{
  readonly services: readonly {
    readonly name: string;
    readonly state: ServiceState;
    /** URL of a full page that notifies the service provider again. */
    readonly again: string | undefined;
  }[];
  /** The next location of the browser. */
  readonly next: string;
}> = {
  name: "partly_signed_out",
  title: (_view, { text }) => text("partly_signed_out.title"),
  body: ({ services, next }, { text }) => html`${signOf("clock")}<h1>${text("partly_signed_out.title")}</h1>
<p class="lead">${text("partly_signed_out.text")}</p>
${listOf(
  services.map(
    ({ name, state, again }) =>
      html`<b>${name}</b><span${state === "done" && html` class="this"`}>${text(`signing_out.${state}`)}</span>${
        again !== undefined &&
        html`<a href="${again}">${text("partly_signed_out.again")}<span class="hidden"> ${name}</span></a>`
      }`,
  ),
)}
<a class="button" href="${next}">${text("partly_signed_out.next")}</a>`,
  sample: {
    services: [
      { name: "Example wiki", state: "done", again: undefined },
      { name: "Example tracker", state: "no_answer", again: "#again" },
      { name: "Example forum", state: "refused", again: "#again-2" },
      { name: "Example shop", state: "later", again: undefined },
      { name: "Example library", state: "not_told", again: undefined },
    ],
    next: pathTo("loggedOutPage"),
  },
};
