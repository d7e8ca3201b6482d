import type { AuthRequest } from "@postern/shared/contracts";
import { Secret } from "@postern/shared/crypto";
import type { MasterLoginFacts, MasterUsers } from "../master-user/master-users.ts";

/**
 * An `AuthRequest` inside the engine: its password is a `Secret` from the first moment on. With `masterLogin`,
 * `username` is the master user's own name, so that all that is counted and verified is the master's.
 */
export type Attempt = Omit<AuthRequest, "password"> & {
  readonly password: Secret | undefined;
  readonly masterLogin?: MasterLoginFacts | undefined;
};

export function attemptOf(request: AuthRequest, masterUsers?: MasterUsers): Attempt {
  const { password } = request;
  const attempt = { ...request, password: password === undefined ? undefined : new Secret(password) };
  return masterUsers === undefined ? attempt : masterUsers.read(attempt);
}
