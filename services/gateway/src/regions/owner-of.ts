import { tagOf } from "@postern/shared/domain/region-calls";

/**
 * How a path is tied to a region. `browser`: by the browser's cookie. `value`: by a code or token in the request. Other paths are answered by
 * any region.
 */
type Tie = "browser" | "value";

const browserPaths = [
  "/login",
  "/logout",
  "/logged_out",
  "/mfa",
  "/api/v1/mfa",
  "/oidc/authorize",
  "/oidc/consent",
  "/oidc/device/consent",
  "/oidc/device/verify",
  "/oidc/logout",
  "/saml/sso",
  "/saml/slo",
  "/mail/profile",
] as const;
const valuePaths: ReadonlySet<string> = new Set(["/oidc/token", "/oidc/introspect", "/oidc/revoke", "/oidc/userinfo"]);

/** The management of a client that registered itself (RFC 7592); its identifier names the region. */
const registrations = "/oidc/register/";

const isBelow = (path: string, prefix: string): boolean => path === prefix || path.startsWith(`${prefix}/`);

export function tieOf(path: string): Tie | undefined {
  if (valuePaths.has(path) || path.startsWith(registrations)) return "value";
  return browserPaths.some((prefix) => isBelow(path, prefix)) ? "browser" : undefined;
}

/** The identifier of a signed token, which names its region. Not verified: the region does that. */
function identifierOf(token: string): string {
  const [, payload] = token.split(".", 2);
  if (payload === undefined) return token;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
    return typeof claims === "object" && claims !== null && "jti" in claims ? String(claims.jti) : "";
  } catch {
    return "";
  }
}

const longestToken = 8192;
const fields = ["token", "access_token", "code", "refresh_token", "device_code"] as const;

function clientIn(path: string): string | undefined {
  return path.startsWith(registrations) ? path.slice(registrations.length).replace(/%7e/i, "~") : undefined;
}

interface Tagged {
  readonly path: string;
  readonly authorization: string | undefined;
  /** Of the body, or of the query. */
  readonly form: URLSearchParams;
}

/** The region that the code, token or registration of a request names. */
export function taggedRegion({ path, authorization, form }: Tagged): string | undefined {
  const client = clientIn(path);
  if (client !== undefined) return tagOf(client);
  const bearer = /^(?:Bearer|DPoP) +(\S+)$/i.exec(authorization ?? "")?.[1];
  const values = [bearer, ...fields.map((name) => form.get(name))];
  for (const value of values) {
    const region = value && value.length <= longestToken ? tagOf(identifierOf(value)) : undefined;
    if (region !== undefined) return region;
  }
  return undefined;
}

/** The region of the device whose code is entered: its page and its form name it. */
export function deviceRegion(path: string, query: URLSearchParams): string | undefined {
  return isBelow(path, "/oidc/device/verify") ? (query.get("region") ?? undefined) : undefined;
}

const interaction = /^\/oidc\/authorize\/[\w-]{43}$/;
const pages = ["/mfa", "/oidc/device/verify"] as const;

/** Whether a request can begin a sign-in, and so be answered by any region. Others continue what one region knows. */
export function beginsSignIn(method: string, path: string, query: URLSearchParams): boolean {
  const isRead = method === "GET" || method === "HEAD";
  if (isBelow(path, "/oidc/authorize")) return !interaction.test(path);
  if (isBelow(path, "/saml/sso")) return isRead ? query.has("SAMLRequest") : method === "POST";
  if (path === "/login") return isRead && !query.has("flow");
  return isRead && !query.has("flow") && !query.has("region") && pages.some((prefix) => isBelow(path, prefix));
}
