import type { IncomingHttpHeaders } from "node:http";

const name = "service_region";
const region = /^[a-z0-9-]{1,20}$/;
const session = /^(?:__Host-)?service_session=[^;]+/;
const maxAge = /;\s*max-age=(\d+)/i;

/**
 * What an answer does to the region of a browser. `first`: it had none. `taken`: its region is away, and this one begins a new sign-in. `moved`:
 * the user's form is for another region. `kept`: nothing.
 */
export type Change = "first" | "taken" | "moved" | "kept";

const listOf = (header: string | string[] | undefined): readonly string[] =>
  header === undefined ? [] : Array.isArray(header) ? header : [header];

/** Whether the sign-in continues at this site: with a page, or a redirect to one. The page alone does not move a browser. */
function isContinued(headers: IncomingHttpHeaders, origin: string | undefined, change: Change): boolean {
  if (change === "first" || change === "kept") return true;
  const { location, "content-type": type = "" } = headers;
  if (location === undefined) return change === "taken" && type.startsWith("text/html");
  if (location.startsWith("/")) return !location.startsWith("//");
  return origin !== undefined && location.startsWith(`${origin}/`);
}

/**
 * The cookie that names the region of a browser, which has its flows and its session. It is no secret: the region checks both. It is sent with
 * forms of other sites, so that the request of a SAML service provider reaches the region whose session the browser has.
 */
export function createRegionCookie(issuer: string) {
  const isSecure = issuer.startsWith("https:");
  // A site without an identity provider has no issuer.
  const origin = URL.parse(issuer)?.origin;
  const cookie = isSecure ? `__Host-${name}` : name;
  const attributes = `Path=/; HttpOnly; SameSite=${isSecure ? "None; Secure" : "Lax"}`;
  return {
    read: (header: string | undefined): string | undefined => {
      const pair = header?.split(";").find((one) => one.trim().startsWith(`${cookie}=`));
      const value = pair?.slice(pair.indexOf("=") + 1).trim() ?? "";
      return region.test(value) ? value : undefined;
    },
    /** The headers of an answer of this region; the cookie lives as long as the session that the answer begins. */
    added: (headers: IncomingHttpHeaders, value: string, change: Change): IncomingHttpHeaders => {
      const set = listOf(headers["set-cookie"]);
      const begun = set.find((one) => session.test(one));
      const life = maxAge.exec(begun ?? "")?.[1];
      if (!isContinued(headers, origin, change)) return headers;
      if (life === "0" || (change === "kept" && begun === undefined)) return headers;
      const age = life === undefined ? "" : `; Max-Age=${life}`;
      return { ...headers, "set-cookie": [...set, `${cookie}=${value}${age}; ${attributes}`] };
    },
  };
}

export type RegionCookie = ReturnType<typeof createRegionCookie>;
