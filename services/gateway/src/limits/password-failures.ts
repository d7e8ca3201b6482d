import { operations } from "@postern/shared/contracts";
import { pathOf } from "../http/request-path.ts";

/** Paths on which users sign in with passwords that they have chosen themselves. */
const passwordPaths = new Set(operations.filter(({ takesPassword }) => takesPassword === true).map(({ path }) => path));
/** The buckets of the password budget are stored beside those of API callers and share their event. */
const keyPrefix = "jwt:";

export function isPasswordPath(url: string | undefined): boolean {
  return url !== undefined && passwordPaths.has(pathOf(url));
}

export function passwordKey(addressKey: string): string {
  return `${keyPrefix}${addressKey}`;
}

export function isPasswordKey(key: string): boolean {
  return key.startsWith(keyPrefix);
}

/** The address in a key of either budget, for logs. */
export function addressOfKey(key: string): string {
  return isPasswordKey(key) ? key.slice(keyPrefix.length) : key;
}
