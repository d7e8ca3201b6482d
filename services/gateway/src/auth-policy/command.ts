import { type AuthPolicyCommand, authPolicyCommands } from "@postern/shared/contracts";

/**
 * The command in the query of a request; undefined if it is missing, unknown or given more than once. Callers append
 * `?command=…` to a URL that may have a query already.
 */
export function authPolicyCommandOf(url: string): AuthPolicyCommand | undefined {
  const start = url.indexOf("?");
  if (start === -1) return undefined;
  const [value, ...others] = new URLSearchParams(url.slice(start + 1)).getAll("command");
  return others.length === 0 ? authPolicyCommands.find((command) => command === value) : undefined;
}
