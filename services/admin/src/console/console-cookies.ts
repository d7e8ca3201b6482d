/** `session`: never sent with a request that another site caused. `signIn`: sent with the provider's redirect. */
export type ConsoleCookie = "session" | "signIn";
const names = { session: "console_session", signIn: "console_sign_in" } as const;
const sameSite = { session: "Strict", signIn: "Lax" } as const;
const valueOfOurs = /^[\w-]{43}$/u;

/** Cookies of the console, HttpOnly; Secure and with the prefix `__Host-` unless the console is plain http. */
export function createConsoleCookies(origin: string) {
  const isSecure = origin.startsWith("https:");
  const nameOf = (cookie: ConsoleCookie): string => `${isSecure ? "__Host-" : ""}${names[cookie]}`;
  return {
    /** A `Set-Cookie` value; an empty `value` removes the cookie. */
    set: (cookie: ConsoleCookie, value: string): string => {
      const life = value === "" ? "; Max-Age=0" : "";
      const secure = isSecure ? "; Secure" : "";
      return `${nameOf(cookie)}=${value}; Path=/${life}; HttpOnly; SameSite=${sameSite[cookie]}${secure}`;
    },
    read: (header: string | undefined, cookie: ConsoleCookie): string | undefined => {
      const begin = `${nameOf(cookie)}=`;
      const pair = header?.split(";").find((one) => one.trim().startsWith(begin));
      const value = pair?.trim().slice(begin.length);
      return value !== undefined && valueOfOurs.test(value) ? value : undefined;
    },
  };
}
