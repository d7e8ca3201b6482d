import { pathTo } from "@postern/shared/contracts";
import { writtenTag } from "@postern/shared/domain/localisation";
import { formOf, type Html, html } from "@postern/shared/platform/pages";
import { consoleLanguages } from "../../texts/console-languages.ts";
import { t } from "../../texts/texts.ts";
import type { ConsolePage } from "../console-document.ts";
import { pageWithin } from "../console-form.ts";
import { type ConsoleVisit, goTo, type PageAnswer, queryOf } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../context.ts";
import { serverZone, zones } from "../house/times.ts";

export interface PreferencesView {
  /** Undefined: none is chosen. */
  readonly language: string | undefined;
  /** Undefined: none is chosen. */
  readonly zone: string | undefined;
  /** Path of the page to return to. */
  readonly next: string;
  readonly csrfToken: string;
}

const option = (value: string, label: Html | string, chosen: string): Html =>
  html`<option value="${value}"${value === chosen && html` selected`}>${label}</option>`;

/** Languages are listed by their own names for themselves, so that whoever reads no other one finds theirs. */
function languageField(chosen: string): Html {
  const options = consoleLanguages.map(
    ({ tag, name, direction }) =>
      html`<option value="${tag}" lang="${writtenTag(tag)}" dir="${direction}"${tag === chosen && html` selected`}>${name}</option>`,
  );
  return html`<div class="field"><label for="language">${t("preferences.language")}</label><select id="language" name="language">${option("", t("preferences.language_browser"), chosen)}${options}</select></div>`;
}

function zoneField(chosen: string): Html {
  const usual = option("", t("preferences.zone_server", { zone: serverZone }), chosen);
  return html`<div class="field"><label for="zone">${t("preferences.zone")}</label><select id="zone" name="zone">${usual}${zones.map((one) => option(one, one, chosen))}</select><p class="hint">${t("preferences.hint")}</p></div>`;
}

/** How this browser shows the console. */
export function preferencesPage({ language = "", zone = "", next, csrfToken }: PreferencesView): ConsolePage {
  const title = t("preferences.title");
  const fields = html`<input type="hidden" name="next" value="${next}">${languageField(language)}${zoneField(zone)}<button type="submit" class="narrow">${t("preferences.save")}</button>`;
  return {
    title,
    body: html`<h1>${title}</h1>${formOf({ action: pathTo("consoleSavePreferences"), csrfToken }, fields)}<p><a href="${next}">${t("house.back")}</a></p>`,
  };
}

/** `GET /console/preferences`; `next` is the page to return to. */
export async function getPreferences(deps: ConsolePagesDeps, visit: ConsoleVisit): Promise<PageAnswer> {
  const { request, operator } = visit;
  const { language, zone } = deps.preferenceCookies;
  return preferencesPage({
    language: language.read(request.headers.cookie),
    zone: zone.read(request.headers.cookie),
    next: pageWithin(deps.origin, queryOf(request, "next")),
    csrfToken: operator.csrfToken,
  });
}

/** `POST /console/preferences`: a language or zone that does not exist is none. */
export async function postPreferences(
  { preferenceCookies: { language, zone }, origin }: ConsolePagesDeps,
  { reply }: ConsoleVisit,
  form: URLSearchParams,
): Promise<PageAnswer> {
  reply.header("set-cookie", [language.set(form.get("language") ?? ""), zone.set(form.get("zone") ?? "")]);
  return goTo(reply, pageWithin(origin, form.get("next")));
}
