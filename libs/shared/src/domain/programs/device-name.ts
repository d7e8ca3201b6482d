/** In this order: most browsers name those that they descend from too. */
const browsers = [
  ["Edg/", "Edge"],
  ["EdgA/", "Edge"],
  ["EdgiOS/", "Edge"],
  ["OPR/", "Opera"],
  ["SamsungBrowser/", "Samsung Internet"],
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

const signIn = (signs: Signs, userAgent: string) => signs.find(([sign]) => userAgent.includes(sign));

/** Safari has the version of WebKit behind its own name. */
function versionIn(userAgent: string, sign: string): string | undefined {
  const before = sign === "Safari/" ? "Version/" : sign;
  const at = userAgent.indexOf(before);
  return at === -1 ? undefined : /^\d{1,5}/u.exec(userAgent.slice(at + before.length))?.[0];
}

const longest = 40;

function named(userAgent: string, hasVersion: boolean): string {
  const [sign, browser] = signIn(browsers, userAgent) ?? [];
  const version = hasVersion && sign !== undefined ? versionIn(userAgent, sign) : undefined;
  const [, system] = signIn(systems, userAgent) ?? [];
  const program = browser !== undefined && version !== undefined ? `${browser} ${version}` : browser;
  const parts = [program, system].filter((part) => part !== undefined);
  if (parts.length > 0) return parts.join(", ");
  return userAgent === "" ? "?" : userAgent.slice(0, longest);
}

/** Browser and system, if they are known: `Firefox, Linux`. Otherwise the header itself, shortened. See ADR 0023. */
export const deviceName = (userAgent: string): string => named(userAgent, false);

/** With the version, for operators, who ask whether a device is up to date: `Firefox 128, Android`. */
export const browserName = (userAgent: string): string => named(userAgent, true);
