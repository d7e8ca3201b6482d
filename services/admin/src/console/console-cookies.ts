import { isConsoleLanguage } from "../texts/console-languages.ts";
import { isZone } from "./house/times.ts";

type SameSite = "Strict" | "Lax";

/** A cookie of the console, HttpOnly; Secure and with the prefix `__Host-` unless the console is plain http. */
function createCookie(origin: string, suffix: string, sameSite: SameSite, isValue: (text: string) => boolean) {
  const isSecure = origin.startsWith("https:");
  const name = `${isSecure ? "__Host-" : ""}console_${suffix}`;
  return {
    /** A `Set-Cookie` value. @param seconds its life; absent: that of the browser's session */
    set: (value: string, seconds?: number): string => {
      const life = seconds === undefined ? "" : `; Max-Age=${seconds}`;
      return `${name}=${value}; Path=/${life}; HttpOnly; SameSite=${sameSite}${isSecure ? "; Secure" : ""}`;
    },
    /** Undefined for none, and for what is no value. */
    read: (header: string | undefined): string | undefined => {
      const pair = header?.split(";").find((one) => one.trim().startsWith(`${name}=`));
      const value = pair?.trim().slice(name.length + 1);
      return value !== undefined && isValue(value) ? value : undefined;
    },
  };
}

/** `session`: never sent with a request that another site caused. `signIn`: sent with the provider's redirect. */
export type ConsoleCookie = "session" | "signIn";
const isOurs = (text: string): boolean => /^[\w-]{43}$/u.test(text);

export function createConsoleCookies(origin: string) {
  const cookies = {
    session: createCookie(origin, "session", "Strict", isOurs),
    signIn: createCookie(origin, "sign_in", "Lax", isOurs),
  };
  return {
    /** A `Set-Cookie` value; an empty `value` removes the cookie. */
    set: (cookie: ConsoleCookie, value: string): string => cookies[cookie].set(value, value === "" ? 0 : undefined),
    read: (header: string | undefined, cookie: ConsoleCookie): string | undefined => cookies[cookie].read(header),
  };
}

const yearSeconds = 365 * 86_400;

/** A choice of the operator in this browser: no secret, and of no session. */
function createPreference(origin: string, suffix: string, isChoice: (text: string) => boolean) {
  const { set, read } = createCookie(origin, suffix, "Strict", isChoice);
  /** A `Set-Cookie` value; what cannot be chosen removes the cookie. */
  return { read, set: (choice: string): string => (isChoice(choice) ? set(choice, yearSeconds) : set("", 0)) };
}

/** Time zone and language of the pages. */
export function createPreferenceCookies(origin: string) {
  return {
    zone: createPreference(origin, "zone", isZone),
    language: createPreference(origin, "language", isConsoleLanguage),
  };
}
