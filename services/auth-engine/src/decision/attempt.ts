import { type AuthRequest, normalisedProtocol } from "@postern/shared/contracts";
import { Secret } from "@postern/shared/platform/crypto";
import type { MasterLoginFacts, MasterUsers } from "../master-user/master-users.ts";

/**
 * An `AuthRequest` inside the engine. Its password is a `Secret` from the start. With `masterLogin`, `username` is the
 * master user's own name, so failures are counted and passwords are verified for the master user.
 */
export type Attempt = Omit<AuthRequest, "password"> & {
  readonly password: Secret | undefined;
  readonly masterLogin?: MasterLoginFacts | undefined;
};

export function attemptOf(request: AuthRequest, masterUsers?: MasterUsers): Attempt {
  const { password, protocol } = request;
  const attempt = {
    ...request,
    // A gateway of an earlier version passes the protocol in the caller's spelling.
    protocol: normalisedProtocol(protocol),
    password: password === undefined ? undefined : new Secret(password),
  };
  return masterUsers === undefined ? attempt : masterUsers.read(attempt);
}
