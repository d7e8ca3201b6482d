import type { AuthRequest } from "./request.ts";

const maxCharacters = 64;

/**
 * The user's mail program or browser, as the mail server or the sign-in pages name it; empty if they do not. The User-Agent of an API caller
 * names the caller, not a program of the user.
 */
export function programOf({
  clientId,
  userAgent,
  userAgentIsCaller,
}: Pick<AuthRequest, "clientId" | "userAgent" | "userAgentIsCaller">): string {
  const own = userAgentIsCaller === true ? "" : userAgent;
  return (clientId || own || "").slice(0, maxCharacters);
}
