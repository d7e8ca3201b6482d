import { type AuthRequest, normalisedProtocol } from "@postern/shared/contracts";
import { Secret } from "@postern/shared/platform/crypto";
import { canonicalName } from "@postern/shared/platform/net";
import type { MasterLoginFacts, MasterUsers } from "../master-user/master-users.ts";
import type { CallContext } from "./call-context.ts";

/**
 * An `AuthRequest` inside the engine. Its password is a `Secret` from the start. With `masterLogin`, `username` is the
 * master user's own name, so failures are counted and passwords are verified for the master user. Names are in the spelling of
 * `canonicalName`, so that they count, and are cached, the same in every form of their domain.
 */
export type Attempt = Omit<AuthRequest, "password"> & {
  readonly password: Secret | undefined;
  readonly masterLogin?: MasterLoginFacts | undefined;
  /** The request on the bus, which another engine may have received too. */
  readonly call?: RequestOnBus | undefined;
};

export type RequestOnBus = Pick<CallContext, "requestId" | "deadline">;

export function attemptOf(request: AuthRequest, masterUsers?: MasterUsers, call?: RequestOnBus): Attempt {
  const { password, protocol } = request;
  const attempt = {
    ...request,
    // A gateway of an earlier version passes the protocol in the caller's spelling.
    protocol: normalisedProtocol(protocol),
    password: password === undefined ? undefined : new Secret(password),
    call,
  };
  const read: Attempt = masterUsers === undefined ? attempt : masterUsers.read(attempt);
  const { username, masterLogin } = read;
  return {
    ...read,
    username: canonicalName(username),
    ...(masterLogin && { masterLogin: { ...masterLogin, user: canonicalName(masterLogin.user) } }),
  };
}
