import { pathTo, SignInOrigins } from "@postern/shared/contracts";
import { isOriginRange, type OriginRange, originRangeNames } from "@postern/shared/domain/origins";
import { type Html, html } from "@postern/shared/platform/pages";
import { countText, percentText, t } from "../../texts/texts.ts";
import { createRequireAnswer } from "../api-answer.ts";
import type { ConsolePage } from "../console-document.ts";
import { type ConsoleVisit, type PageAnswer, queryOf } from "../console-visit.ts";
import type { ConsolePagesDeps } from "../context.ts";
import { exactTime, placeText } from "../shown-values.ts";
import { worldMap } from "./world-map.ts";

interface OriginsView {
  readonly range: OriginRange;
  /** What the map and the order of the lists are about. */
  readonly outcome: "ok" | "refused";
  readonly origins: SignInOrigins;
}

type Outcomes = Pick<SignInOrigins["all"], "ok" | "refused">;

const outcomes = { refused: t("col.refused"), ok: t("origins.ok") } as const;

/** What is listed, in the parts of the page. */
const kinds = {
  countries: {
    title: t("origins.countries"),
    column: t("origins.country"),
    more: t("origins.more_countries"),
    empty: t("origins.no_countries"),
  },
  systems: {
    title: t("origins.systems"),
    column: t("origins.system"),
    more: t("origins.more_systems"),
    empty: t("origins.no_systems"),
  },
} as const;
type Kind = (typeof kinds)[keyof typeof kinds];

const freeFiles = [
  ["MaxMind GeoLite2", "https://dev.maxmind.com/geoip/geolite2-free-geolocation-data"],
  ["DB-IP Lite", "https://db-ip.com/db/lite.php"],
] as const;

/** As many as a phone can show. */
const maxListed = 15;

interface Row extends Outcomes {
  readonly name: Html;
  readonly hint?: Html;
}

const sumOf = (rows: readonly Outcomes[], of: keyof Outcomes): number => rows.reduce((sum, row) => sum + row[of], 0);

/** The largest by what is shown, and the rest in one row. */
function listed(rows: readonly Row[], outcome: keyof Outcomes, restName: Html, more: Outcomes): readonly Row[] {
  const sorted = rows.toSorted((one, other) => other[outcome] - one[outcome]);
  const rest = [...sorted.slice(maxListed), more];
  const other = { name: restName, ok: sumOf(rest, "ok"), refused: sumOf(rest, "refused") };
  return [...sorted.slice(0, maxListed), ...(other.ok + other.refused > 0 ? [other] : [])];
}

/** The bar and its number are the same part of all sign-ins with this outcome. */
function shareRows({ name, hint, ...row }: Row, outcome: keyof Outcomes, all: Outcomes): Html {
  const share = row[outcome] / Math.max(1, all[outcome]);
  const percent = Math.round(1000 * share) / 10;
  return html`<tr><th scope="row">${name}${hint !== undefined && html` <small>${hint}</small>`}</th><td class="number">${countText(row.refused)}</td><td class="number">${countText(row.ok)}</td></tr><tr class="bars"><td colspan="3"><svg class="c-${outcome === "ok" ? "ok" : "blocked"}" role="img" aria-label="${percentText(share)}"><rect class="rest" width="100%" height="100%" rx="3"/><rect class="mark" width="${percent}%" height="100%" rx="3"/></svg></td></tr>`;
}

function sharesPart({ title, column }: Kind, rows: readonly Row[], { outcome, origins }: OriginsView): Html {
  return html`<section><h2>${title}</h2><table class="shares" aria-label="${title}"><thead><tr><th scope="col">${column}</th><th scope="col" class="number">${outcomes.refused}</th><th scope="col" class="number">${outcomes.ok}</th></tr></thead><tbody>${rows.map(
    (row) => shareRows(row, outcome, origins.all),
  )}</tbody></table></section>`;
}

const unknownRow = (counts: Outcomes): readonly Row[] =>
  counts.ok + counts.refused > 0 ? [{ name: t("origins.unknown"), hint: t("origins.unknown_hint"), ...counts }] : [];

const noMore: Outcomes = { ok: 0, refused: 0 };

/** A switch of the page: each link keeps what the other switch says. */
function switchOf<Id extends string>(
  label: Html,
  ids: readonly Id[],
  current: Id,
  { name, href }: { readonly name: (id: Id) => Html; readonly href: (id: Id) => string },
): Html {
  return html`<nav class="ranges" aria-label="${label}">${ids.map(
    (id) =>
      html`<a href="${pathTo("consoleOrigins")}?${href(id)}"${id === current && html` aria-current="true"`}>${name(id)}</a>`,
  )}</nav>`;
}

const addressOf = (range: OriginRange, outcome: keyof Outcomes): string =>
  new URLSearchParams({ range, show: outcome }).toString();

function switches({ range, outcome, origins }: OriginsView): Html {
  return html`<div class="about-range">${switchOf(t("col.time"), originRangeNames, range, {
    name: (id) => t(`overview.range_${id}`),
    href: (id) => addressOf(id, outcome),
  })}${switchOf(t("audit.outcome"), ["refused", "ok"], outcome, {
    name: (id) => outcomes[id],
    href: (id) => addressOf(range, id),
  })}<p>${t("origins.counted", { ...origins.all, since: exactTime(origins.since) })}</p></div>`;
}

/** The first of a list, if it has a considerable part. */
function largest(rows: readonly Row[], outcome: keyof Outcomes, all: number) {
  const [first] = rows.toSorted((one, other) => other[outcome] - one[outcome]);
  const share = (first?.[outcome] ?? 0) / Math.max(1, all);
  return first === undefined || share < 0.1 ? undefined : { share: percentText(share), place: first.name };
}

function sharesText(
  countries: readonly Row[],
  systems: readonly Row[],
  { outcome, origins }: OriginsView,
): Html | undefined {
  const all = origins.all[outcome];
  const [country, system] = [largest(countries, outcome, all), largest(systems, outcome, all)];
  if (country !== undefined && system !== undefined)
    return t(`origins.shares_${outcome}`, { ...country, system_share: system.share, system: system.place });
  const one = country ?? system;
  return one && t(`origins.share_${outcome}`, one);
}

function mapPart({ outcome, origins }: OriginsView): Html {
  const { countries } = origins;
  const [first] = countries.toSorted((one, other) => other[outcome] - one[outcome]);
  if (first === undefined || first[outcome] === 0) return html``;
  const marks = countries.map(({ country, ...counts }) => ({
    country,
    count: counts[outcome],
    text: t("origins.mark", { place: placeText({ country }), ...counts }),
  }));
  return html`${worldMap({ label: t(`origins.map_${outcome}`), marks, colour: outcome === "ok" ? "ok" : "blocked" })}<p class="sizes">${t("origins.sizes", { highest: first[outcome], place: placeText(first) })}</p>`;
}

function lists(view: OriginsView): Html {
  const { outcome, origins } = view;
  const { countries, systems, other_systems: others, unknown_country: noCountry, unknown_system: noSystem } = origins;
  const byCountry = countries.map(({ country, ...counts }) => ({ name: html`${placeText({ country })}`, ...counts }));
  const bySystem = systems.map(({ system, owner = "", ...counts }) => ({
    name: html`${placeText({ system, owner })}`,
    ...counts,
  }));
  const shares = sharesText(byCountry, bySystem, view);
  const part = (kind: Kind, known: readonly Row[], more: Outcomes, unknown: Outcomes): Html => {
    const rows = listed(known, outcome, kind.more, more);
    return html`${sharesPart(kind, [...rows, ...unknownRow(unknown)], view)}${rows.length === 0 && html`<p class="lead">${kind.empty}</p>`}`;
  };
  return html`${shares !== undefined && html`<p class="lead">${shares}</p>`}${mapPart(view)}<div class="parts">${part(kinds.countries, byCountry, noMore, noCountry)}${part(kinds.systems, bySystem, others, noSystem)}</div>`;
}

function body(view: OriginsView): Html {
  const { places, all } = view.origins;
  if (places === "off")
    return html`<p class="lead">${t("origins.off")}</p><p>${t("origins.guide")}</p><ul class="links">${freeFiles.map(
      ([name, href]) => html`<li><a href="${href}" rel="noreferrer">${name}</a></li>`,
    )}</ul>`;
  if (all.ok + all.refused > 0) return lists(view);
  return html`<p class="lead">${t(places === "unavailable" ? "origins.unavailable" : "origins.none")}</p>`;
}

/** Where sign-ins come from, by country and by network owner. */
export function originsPage(view: OriginsView): ConsolePage {
  const title = t("page.origins");
  return { title, id: "origins", body: html`<h1>${title}</h1>${switches(view)}${body(view)}` };
}

const readOrigins = createRequireAnswer(SignInOrigins);

/** `GET /console/origins`, with `range` and `show`. */
export async function getOriginsPage({ ask }: ConsolePagesDeps, visit: ConsoleVisit): Promise<PageAnswer> {
  const { request, operator } = visit;
  const wanted = queryOf(request, "range") ?? "";
  const range = isOriginRange(wanted) ? wanted : "1h";
  const outcome = queryOf(request, "show") === "ok" ? "ok" : "refused";
  const origins = await readOrigins(ask, operator, { operation: "showOrigins", query: { range } });
  return originsPage({ range, outcome, origins });
}
