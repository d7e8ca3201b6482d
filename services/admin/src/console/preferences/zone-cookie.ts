import { isZone } from "../house/times.ts";

const yearSeconds = 365 * 86_400;
/** The longest names of zones have about half as many characters. */
const valueForm = /^[\w+/-]{1,64}$/u;

/** The time zone that the operator has chosen in this browser: no secret, and of no session. */
export function createZoneCookie(origin: string) {
  const isSecure = origin.startsWith("https:");
  const name = `${isSecure ? "__Host-" : ""}console_zone`;
  return {
    /** A `Set-Cookie` value; an empty zone removes the cookie. */
    set: (zone: string): string =>
      `${name}=${zone}; Path=/; Max-Age=${zone === "" ? 0 : yearSeconds}; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`,
    /** Undefined for none, and for what is no zone. */
    read: (header: string | undefined): string | undefined => {
      const pair = header?.split(";").find((one) => one.trim().startsWith(`${name}=`));
      const value = pair?.trim().slice(name.length + 1);
      return value !== undefined && valueForm.test(value) && isZone(value) ? value : undefined;
    },
  };
}
