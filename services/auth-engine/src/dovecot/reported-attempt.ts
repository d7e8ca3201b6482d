import { type AuthPolicyLogin, normalisedProtocol } from "@postern/shared/contracts";
import { Secret } from "@postern/shared/platform/crypto";
import type { Attempt, RequestOnBus } from "../pipeline/attempt.ts";

/**
 * A sign-in that a mail server verifies, as brute-force protection and policies see it. `guess` identifies the password:
 * it is derived from its hash, and Postern never learns the password.
 */
export function reportedAttempt(login: AuthPolicyLogin, guess?: string, call?: RequestOnBus): Attempt {
  const { session, username, protocol, mechanism, clientIp, clientIpIsPeer, clientId, externalSessionId, tls } = login;
  return {
    session,
    operation: "authenticate",
    dialect: "auth_policy",
    username,
    password: guess === undefined ? undefined : new Secret(guess),
    protocol: normalisedProtocol(protocol),
    clientIp,
    tls,
    memoryCache: false,
    sharedCache: false,
    call,
    ...(clientIpIsPeer === true && { clientIpIsPeer }),
    ...(mechanism !== undefined && { method: mechanism }),
    ...(clientId !== undefined && { clientId }),
    ...(externalSessionId !== undefined && { externalSessionId }),
  };
}
