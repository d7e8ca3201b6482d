const browsers = [
  ["Edg/", "Edge"],
  ["OPR/", "Opera"],
  ["Firefox/", "Firefox"],
  ["FxiOS/", "Firefox"],
  ["CriOS/", "Chrome"],
  ["Chromium/", "Chromium"],
  ["Chrome/", "Chrome"],
  ["Safari/", "Safari"],
] as const;

const systems = [
  ["iPhone", "iPhone"],
  ["iPad", "iPad"],
  ["Android", "Android"],
  ["Windows", "Windows"],
  ["Mac OS X", "macOS"],
  ["CrOS", "ChromeOS"],
  ["Linux", "Linux"],
] as const;

type Signs = readonly (readonly [sign: string, name: string])[];

function named(signs: Signs, userAgent: string): string | undefined {
  return signs.find(([sign]) => userAgent.includes(sign))?.[1];
}

const longest = 40;

/** Browser and system, if they are known: `Firefox, Linux`. Otherwise the header itself, shortened. See ADR 0023. */
export function deviceName(userAgent: string): string {
  const parts = [named(browsers, userAgent), named(systems, userAgent)].filter((part) => part !== undefined);
  if (parts.length > 0) return parts.join(", ");
  return userAgent === "" ? "?" : userAgent.slice(0, longest);
}
