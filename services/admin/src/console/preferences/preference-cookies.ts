import { isConsoleLanguage } from "../../texts/console-languages.ts";
import { isZone } from "../house/times.ts";

const yearSeconds = 365 * 86_400;
/** The longest names of zones have about half as many characters. */
const valueForm = /^[\w+/-]{1,64}$/u;

/** A choice of the operator in this browser: no secret, and of no session. */
function createCookie(origin: string, suffix: string, isChoice: (text: string) => boolean) {
  const isSecure = origin.startsWith("https:");
  const name = `${isSecure ? "__Host-" : ""}console_${suffix}`;
  return {
    /** A `Set-Cookie` value; what cannot be chosen removes the cookie. */
    set: (choice: string): string => {
      const [value, seconds] = isChoice(choice) ? [choice, yearSeconds] : ["", 0];
      return `${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
    },
    /** Undefined for none, and for what cannot be chosen. */
    read: (header: string | undefined): string | undefined => {
      const pair = header?.split(";").find((one) => one.trim().startsWith(`${name}=`));
      const value = pair?.trim().slice(name.length + 1);
      return value !== undefined && valueForm.test(value) && isChoice(value) ? value : undefined;
    },
  };
}

/** Time zone and language of the pages. */
export function createPreferenceCookies(origin: string) {
  return {
    zone: createCookie(origin, "zone", isZone),
    language: createCookie(origin, "language", isConsoleLanguage),
  };
}
