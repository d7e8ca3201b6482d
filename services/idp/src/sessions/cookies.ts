const cookieValue = /^[\w!#$%&'*+.^`|~:/@=-]{1,512}$/;

/** Cookies under this issuer: Secure, unless the issuer is plain http (ADR 0005). */
export function createSiteCookies(issuer: string) {
  const secure = !issuer.startsWith("http://");
  const nameOf = (name: string): string => (secure ? `__Host-${name}` : name);
  const begin = (name: string, value: string, maxAgeSeconds: number | undefined): string => {
    const life = maxAgeSeconds === undefined ? "" : `; Max-Age=${maxAgeSeconds}`;
    return `${nameOf(name)}=${value}; Path=/${life}`;
  };
  return {
    /** Prefixed with `__Host-` if the issuer is https (RFC 6265bis §4.1.3.2). */
    nameOf,
    /** A `Set-Cookie` value. Without `maxAgeSeconds` it expires when the browser closes; 0 removes it. */
    set: (name: string, value: string, maxAgeSeconds?: number): string =>
      `${begin(name, value, maxAgeSeconds)}; HttpOnly; SameSite=Lax${secure ? "; Secure" : ""}`,
    /** The cookie for scripts in frames of other sites, without secrets: not HttpOnly, and SameSite=None if the issuer is https. */
    setForFrames: (name: string, value: string, maxAgeSeconds?: number): string =>
      `${begin(name, value, maxAgeSeconds)}; SameSite=${secure ? "None; Secure" : "Lax"}`,
    /** The first cookie with this name. */
    read: (header: string | undefined, name: string): string | undefined => {
      const wanted = nameOf(name);
      for (const pair of header?.split(";") ?? []) {
        const equals = pair.indexOf("=");
        if (equals < 0 || pair.slice(0, equals).trim() !== wanted) continue;
        const value = pair.slice(equals + 1).trim();
        return cookieValue.test(value) ? value : undefined;
      }
      return undefined;
    },
  };
}

/** A cookie that only the identity provider reads: HttpOnly, SameSite=Lax, for the whole site. */
export type SiteCookies = ReturnType<typeof createSiteCookies>;

const sessionName = "service_session";

export function sessionCookieName(issuer: string): string {
  return createSiteCookies(issuer).nameOf(sessionName);
}

/** Names of the cookies, without the prefix. */
export const cookieNames = Object.freeze({
  session: sessionName,
  /** Binds flows to the browser. */
  flow: "service_flow",
  /** Identifies the browser, to recognise new ones. */
  device: "service_device",
  language: "service_language",
  /** The second factor that was used last. */
  method: "service_method",
  /** Which session the browser has, for the frames of session management. */
  browserState: "service_browser_state",
  /** Accounts for which the browser is not asked for the second factor. */
  rememberedDevices: "service_remembered",
  /** What the user has just done, for the message on the next page. */
  done: "service_done",
});

/** How long the browser keeps its device cookie: no cookie is kept longer (RFC 6265bis §5.5). */
export const deviceSeconds = 400 * 86_400;
