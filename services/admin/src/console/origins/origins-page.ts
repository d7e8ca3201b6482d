import { pathTo, type SignInOrigins } from "@postern/shared/contracts";
import { type OriginRange, originRangeNames } from "@postern/shared/domain/origins";
import { type Html, html } from "@postern/shared/platform/pages";
import { countText, percentText } from "../charts/scales.ts";
import type { ConsolePage } from "../console-document.ts";
import { placeText } from "../place-text.ts";
import { exactTime } from "../shown-values.ts";
import { worldMap } from "./world-map.ts";

export interface OriginsView {
  readonly range: OriginRange;
  /** What the map and the order of the lists are about. */
  readonly outcome: "ok" | "refused";
  readonly origins: SignInOrigins;
}

type Outcomes = Pick<SignInOrigins["all"], "ok" | "refused">;

/** All sentences of the page. */
const texts = {
  title: "Where from",
  ranges: { "1h": "1 hour", "24h": "24 hours", "7d": "7 days" },
  outcomes: { refused: "Refused", ok: "Successful" },
  counted: ({ ok, refused }: Outcomes) =>
    `${countText(refused)} refused and ${countText(ok)} successful sign-ins since `,
  none: "No sign-ins in this time.",
  off: "Places are not counted: neither auth.risk.city_file nor auth.risk.system_file is configured, or brute-force protection, which reads these files, is off. ",
  guide: "docs/operate/account-takeover.md, section Start, says how to configure them. Free files: ",
  unavailable: "Nothing was counted in this time, and no engine answered whether it counts places.",
  from: (share: string, name: string) => `${share} come from ${name}`,
  and: " and ",
  shares: {
    refused: (parts: string) => `Of the refusals, ${parts}.`,
    ok: (parts: string) => `Of the successful sign-ins, ${parts}.`,
  },
  map: {
    refused: "Map of refused sign-ins by country. The table below has the same numbers.",
    ok: "Map of successful sign-ins by country. The table below has the same numbers.",
  },
  sizes: (count: string, name: string) =>
    `The area of a circle is the number of sign-ins; the largest is ${count}, ${name}.`,
  mark: (name: string, { ok, refused }: Outcomes) =>
    `${name}: ${countText(refused)} refused, ${countText(ok)} successful`,
  countries: { title: "Countries", column: "Country" },
  systems: { title: "Network owners", column: "Network owner" },
  noCountries: "No country is known. auth.risk.city_file is not configured, or has none of the addresses.",
  noSystems: "No network owner is known. auth.risk.system_file is not configured, or has none of the addresses.",
  more: { countries: "Other countries", systems: "Other network owners" },
  unknown: "Unknown",
  unknownHint: "private networks, no address of the client, or not in the files",
} as const;

const freeFiles = [
  ["GeoLite2 by MaxMind", "https://dev.maxmind.com/geoip/geolite2-free-geolocation-data"],
  ["DB-IP Lite", "https://db-ip.com/db/lite.php"],
] as const;

interface PartWords {
  readonly title: string;
  readonly column: string;
}

/** As many as a phone can show. */
const maxListed = 15;

interface Row extends Outcomes {
  readonly name: string;
  readonly hint?: string;
}

const sumOf = (rows: readonly Outcomes[], of: keyof Outcomes): number => rows.reduce((sum, row) => sum + row[of], 0);

/** The largest by what is shown, and the rest in one row. */
function listed(rows: readonly Row[], outcome: keyof Outcomes, restName: string, more: Outcomes): readonly Row[] {
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

function sharesPart({ title, column }: PartWords, rows: readonly Row[], { outcome, origins }: OriginsView): Html {
  return html`<section><h2>${title}</h2><table class="shares" aria-label="${title}"><thead><tr><th scope="col">${column}</th><th scope="col" class="number">${texts.outcomes.refused}</th><th scope="col" class="number">${texts.outcomes.ok}</th></tr></thead><tbody>${rows.map(
    (row) => shareRows(row, outcome, origins.all),
  )}</tbody></table></section>`;
}

const unknownRow = (counts: Outcomes): readonly Row[] =>
  counts.ok + counts.refused > 0 ? [{ name: texts.unknown, hint: texts.unknownHint, ...counts }] : [];

const noMore: Outcomes = { ok: 0, refused: 0 };

/** A switch of the page: each link keeps what the other switch says. */
function switchOf<Id extends string>(
  label: string,
  ids: readonly Id[],
  current: Id,
  { name, href }: { readonly name: (id: Id) => string; readonly href: (id: Id) => string },
): Html {
  return html`<nav class="ranges" aria-label="${label}">${ids.map(
    (id) =>
      html`<a href="${pathTo("consoleOrigins")}?${href(id)}"${id === current && html` aria-current="true"`}>${name(id)}</a>`,
  )}</nav>`;
}

const addressOf = (range: OriginRange, outcome: keyof Outcomes): string =>
  new URLSearchParams({ range, show: outcome }).toString();

function switches({ range, outcome, origins }: OriginsView): Html {
  return html`<div class="about-range">${switchOf("Time", originRangeNames, range, {
    name: (id) => texts.ranges[id],
    href: (id) => addressOf(id, outcome),
  })}${switchOf("Outcome", ["refused", "ok"], outcome, {
    name: (id) => texts.outcomes[id],
    href: (id) => addressOf(range, id),
  })}<p>${texts.counted(origins.all)}${exactTime(origins.since)}</p></div>`;
}

/** The first of both lists, if they have a considerable part. */
function sharesText(
  countries: readonly Row[],
  systems: readonly Row[],
  { outcome, origins }: OriginsView,
): string | undefined {
  const all = origins.all[outcome];
  const names = [countries, systems].flatMap((rows) => {
    const [first] = rows.toSorted((one, other) => other[outcome] - one[outcome]);
    const share = (first?.[outcome] ?? 0) / Math.max(1, all);
    return first === undefined || share < 0.1 ? [] : [texts.from(percentText(share), first.name)];
  });
  return names.length === 0 ? undefined : texts.shares[outcome](names.join(texts.and));
}

function mapPart({ outcome, origins }: OriginsView): Html {
  const { countries } = origins;
  const [first] = countries.toSorted((one, other) => other[outcome] - one[outcome]);
  if (first === undefined || first[outcome] === 0) return html``;
  const marks = countries.map(({ country, ...counts }) => ({
    country,
    count: counts[outcome],
    text: texts.mark(placeText({ country }), counts),
  }));
  return html`${worldMap({ label: texts.map[outcome], marks, colour: outcome === "ok" ? "ok" : "blocked" })}<p class="sizes">${texts.sizes(countText(first[outcome]), placeText(first))}</p>`;
}

function lists(view: OriginsView): Html {
  const { outcome, origins } = view;
  const { countries, systems, other_systems: others, unknown_country: noCountry, unknown_system: noSystem } = origins;
  const byCountry = countries.map(({ country, ...counts }) => ({ name: placeText({ country }), ...counts }));
  const bySystem = systems.map(({ system, owner = "", ...counts }) => ({
    name: placeText({ system, owner }),
    ...counts,
  }));
  const shares = sharesText(byCountry, bySystem, view);
  const part = (words: PartWords, rows: readonly Row[], unknown: Outcomes, empty: string): Html =>
    html`${sharesPart(words, [...rows, ...unknownRow(unknown)], view)}${rows.length === 0 && html`<p class="lead">${empty}</p>`}`;
  return html`${shares !== undefined && html`<p class="lead">${shares}</p>`}${mapPart(view)}<div class="parts">${part(
    texts.countries,
    listed(byCountry, outcome, texts.more.countries, noMore),
    noCountry,
    texts.noCountries,
  )}${part(texts.systems, listed(bySystem, outcome, texts.more.systems, others), noSystem, texts.noSystems)}</div>`;
}

function body(view: OriginsView): Html {
  const { places, all } = view.origins;
  if (places === "off")
    return html`<p class="lead">${texts.off}</p><p>${texts.guide}</p><ul class="links">${freeFiles.map(
      ([name, href]) => html`<li><a href="${href}" rel="noreferrer">${name}</a></li>`,
    )}</ul>`;
  if (all.ok + all.refused > 0) return lists(view);
  return html`<p class="lead">${places === "unavailable" ? texts.unavailable : texts.none}</p>`;
}

/** Where sign-ins come from, by country and by network owner. */
export function originsPage(view: OriginsView): ConsolePage {
  return { title: texts.title, body: html`<h1>${texts.title}</h1>${switches(view)}${body(view)}` };
}
