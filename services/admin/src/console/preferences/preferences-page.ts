import { pathTo } from "@postern/shared/contracts";
import { formOf, type Html, html } from "@postern/shared/platform/pages";
import type { FastifyReply } from "fastify";
import type { ConsolePage } from "../console-document.ts";
import { ownForm } from "../console-form.ts";
import { pageWithin } from "../console-paths.ts";
import { type ConsoleVisit, forOperator, goTo, queryOf, sendNotice, sendPage } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../context.ts";
import { isZone, serverZone, zones } from "../house/times.ts";

export interface PreferencesView {
  /** Undefined: none is chosen. */
  readonly zone: string | undefined;
  /** Path of the page to return to. */
  readonly next: string;
  readonly csrfToken: string;
}

const option = (value: string, label: string, chosen: string): Html =>
  html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`;

/** How this browser shows the console. */
export function preferencesPage({ zone = "", next, csrfToken }: PreferencesView): ConsolePage {
  const fields = html`<input type="hidden" name="next" value="${next}"><div class="field"><label for="zone">Time zone</label><select id="zone" name="zone">${option("", `That of the server (${serverZone})`, zone)}${zones.map((one) => option(one, one, zone))}</select><p class="hint">Pages show times as “3 min ago”, or in this zone; the exact time is shown at hover and in print, in UTC too. Sentences give times in UTC. The choice is a cookie of this browser.</p></div><button type="submit" class="narrow">Save</button>`;
  return {
    title: "Preferences",
    body: html`<h1>Preferences</h1>${formOf({ action: pathTo("consoleSavePreferences"), csrfToken }, fields)}<p><a href="${next}">Back</a></p>`,
  };
}

/** `GET /console/preferences`; `next` is the page to return to. */
export function getPreferences(deps: ConsolePagesDeps) {
  const handle = async ({ request, reply, operator }: ConsoleVisit): Promise<FastifyReply> => {
    const view = {
      zone: deps.zoneCookie.read(request.headers.cookie),
      next: pageWithin(deps.origin, queryOf(request, "next")),
      csrfToken: operator.csrfToken,
    };
    return sendPage(deps, reply, preferencesPage(view), operator);
  };
  return forOperator(deps, { route: "consolePreferences", handle });
}

/** `POST /console/preferences`: a zone that does not exist is none. */
export function postPreferences(deps: ConsolePagesDeps) {
  const handle = async (visit: ConsoleVisit): Promise<FastifyReply> => {
    const { reply, operator } = visit;
    const form = ownForm(deps, visit);
    if (form === undefined) return sendNotice(deps, reply, "form", operator);
    const zone = form.get("zone") ?? "";
    reply.header("set-cookie", deps.zoneCookie.set(isZone(zone) ? zone : ""));
    return goTo(reply, pageWithin(deps.origin, form.get("next")));
  };
  return forOperator(deps, { route: "consoleSavePreferences", handle });
}
