import type { FlowClient } from "../flow/flow-record.ts";
import { defaultLevels, levelNumber } from "../second-factors/factor-levels.ts";

/** Whether the application leaves it to the site whether a second factor is asked for, and hides nothing about passwords. */
function leavesIt(client: FlowClient): boolean {
  const { requiredMfaLevel, requireMfa = [], supportedMfa = [], mfaLevels = defaultLevels, delayedResponse } = client;
  const demandsNone = levelNumber(requiredMfaLevel, mfaLevels) === 0 && requireMfa.length === 0;
  return demandsNone && supportedMfa.length === 0 && delayedResponse !== true;
}

/** Whether the `claims` of a request (OpenID Connect Core 1.0 §5.5) name `acr`; true for what cannot be read. */
function namesAcr(claims: unknown): boolean {
  if (claims === undefined) return false;
  try {
    const value: unknown = typeof claims === "string" ? JSON.parse(claims) : claims;
    return Object.values(Object(value)).some((part) => Object.hasOwn(Object(part), "acr"));
  } catch {
    return true;
  }
}

/** Whether the parameters of an authorization request ask how or when the user signs in. Undefined and empty parameters do not. */
function asksHow(params: Readonly<Record<string, unknown>>): boolean {
  const { acr_values: acr = "", max_age: maxAge = "", prompt = "", claims } = params;
  return acr !== "" || maxAge !== "" || String(prompt).split(" ").includes("login") || namesAcr(claims);
}

/** Whether a remembered device may take the place of the second factor in an authorization request with these parameters. */
export function acceptsDevice(client: FlowClient, params: Readonly<Record<string, unknown>>): boolean {
  return leavesIt(client) && !asksHow(params);
}

/** As `acceptsDevice`, for a SAML request. */
export function acceptsDeviceInSaml(
  client: FlowClient,
  { forceAuthn, isPasswordEnough }: { readonly forceAuthn: boolean; readonly isPasswordEnough: boolean },
): boolean {
  return leavesIt(client) && !forceAuthn && isPasswordEnough;
}
