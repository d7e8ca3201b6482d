/** How a browser of an operator shows times. */
export interface Look {
  /** IANA name. */
  readonly zone: string;
  readonly nowMs: number;
}

/** Today's names of zones that the runtime lists under their old ones. */
const renamed =
  "Africa/Asmara America/Nuuk Asia/Ho_Chi_Minh Asia/Kathmandu Asia/Kolkata Asia/Yangon Atlantic/Faroe Europe/Kyiv Pacific/Chuuk Pacific/Kanton Pacific/Pohnpei";

/** Zones that an operator may choose, in alphabetical order. */
export const zones: readonly string[] = [
  ...new Set(["UTC", ...renamed.split(" "), ...Intl.supportedValuesOf("timeZone")]),
].toSorted();
const known: ReadonlySet<string> = new Set(zones);
export const isZone = (text: string): boolean => known.has(text);

/** Of operators who have chosen none. */
export const serverZone: string = Intl.DateTimeFormat().resolvedOptions().timeZone;

interface ZoneFormat {
  readonly digits: Intl.DateTimeFormat;
  readonly name: Intl.DateTimeFormat;
}

/** One for each zone that was used; there are a few hundred zones. */
const formats = new Map<string, ZoneFormat>();

function formatOf(zone: string): ZoneFormat {
  const found = formats.get(zone);
  if (found !== undefined) return found;
  const format = {
    // Swedes write dates as ISO 8601 does.
    digits: new Intl.DateTimeFormat("sv-SE", { timeZone: zone, dateStyle: "short", timeStyle: "medium" }),
    name: new Intl.DateTimeFormat("en-GB", { timeZone: zone, timeZoneName: "short" }),
  };
  formats.set(zone, format);
  return format;
}

/** `2030-05-06 15:55:02 CEST`, to the second. */
export function exactText(ms: number, zone: string): string {
  const { digits, name } = formatOf(zone);
  const short = name.formatToParts(ms).find(({ type }) => type === "timeZoneName")?.value ?? zone;
  return `${digits.format(ms)} ${short}`;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** What lies further away than this is shown as a date. */
const nearMs = 7 * dayMs;

function amount(ms: number): string {
  if (ms < hourMs) return `${Math.floor(ms / minuteMs)} min`;
  if (ms < 2 * dayMs) return `${Math.floor(ms / hourMs)} h`;
  return `${Math.floor(ms / dayMs)} days`;
}

/** `3 min ago`, `in 2 h`. Undefined for what is far away. */
export function relativeText(ms: number, nowMs: number): string | undefined {
  const distance = nowMs - ms;
  const length = Math.abs(distance);
  if (length >= nearMs) return undefined;
  if (length < minuteMs) return distance >= 0 ? "just now" : "in less than 1 min";
  return distance > 0 ? `${amount(length)} ago` : `in ${amount(length)}`;
}

const pattern = /<time( class="exact")? datetime="([^"]*)">[^<]*<\/time>/gu;

function written(whole: string, exact: string | undefined, iso: string, { zone, nowMs }: Look): string {
  const ms = Date.parse(iso);
  if (Number.isNaN(ms)) return whole;
  const [own, utc] = [exactText(ms, zone), exactText(ms, "UTC")];
  const relative = relativeText(ms, nowMs);
  const [text, more] =
    exact === undefined
      ? [relative ?? own.replace(/:\d\d(?= )/u, ""), own === utc ? utc : `${own}, ${utc}`]
      : [own, [relative, own === utc ? undefined : utc].filter((part) => part !== undefined).join(", ")];
  const title = more === "" ? "" : ` title="${more}"`;
  return `<time${exact ?? ""} datetime="${iso}"${title}>${text}</time>`;
}

/**
 * Writes the times of a page, which `time` and `exactTime` have marked, for the reader of the page. Texts from elsewhere contain no element: `html`
 * has escaped them.
 */
export function writeTimes(markup: string, look: Look): string {
  return markup.replaceAll(pattern, (whole: string, exact: string | undefined, iso: string) =>
    written(whole, exact, iso, look),
  );
}
