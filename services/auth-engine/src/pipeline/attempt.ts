import { type AuthRequest, normalisedProtocol } from "@postern/shared/contracts";
import type { Domain } from "@postern/shared/domain/domains";
import type { CallerDeadline } from "@postern/shared/platform/concurrency";
import { Secret } from "@postern/shared/platform/crypto";
import { canonicalName } from "@postern/shared/platform/net";

/** Deadline and abort signal of a bus call. */
export interface CallContext extends CallerDeadline {
  /** Identifies the request, even if another engine receives it too; absent outside the bus. */
  readonly requestId?: string;
}

export type RequestOnBus = Pick<CallContext, "requestId" | "deadline">;

/** A sign-in of a master user as another user. */
export interface MasterLogin {
  /** The user whose account is opened. */
  readonly user: string;
  /** The login name as sent. */
  readonly submitted: string;
}

/**
 * An `AuthRequest` inside the engine. Its password is a `Secret` from the start. With `masterLogin`, `username` is the
 * master user's own name, so failures are counted and passwords are verified for the master user. Names are in the spelling of
 * `canonicalName`, so that they count, and are cached, the same in every form of their domain.
 */
export type Attempt = Omit<AuthRequest, "password"> & {
  readonly password: Secret | undefined;
  readonly masterLogin?: MasterLogin | undefined;
  /** The domain of the account that is opened; absent while `auth.domains` has no records. */
  readonly domain?: Domain;
  /** Whether a master user of one domain is about to open an account of another. */
  readonly isForeignMaster?: boolean;
  /** The request on the bus, which another engine may have received too. */
  readonly call?: RequestOnBus | undefined;
};

/** SASL mechanisms whose secret is an access token: RFC 7628, and its predecessor. */
export type TokenMechanism = "oauthbearer" | "xoauth2";

/** The mechanism of a request's `method`, in any case; undefined for methods with a password. */
export function tokenMechanism(method: string | undefined): TokenMechanism | undefined {
  const name = method?.trim().toLowerCase();
  return name === "oauthbearer" || name === "xoauth2" ? name : undefined;
}

/** @param masterUsers rewrites the attempt if its login name contains a master user; absent while there are none. */
export function attemptOf(
  request: AuthRequest,
  masterUsers?: { readonly read: (attempt: Attempt) => Attempt },
  call?: RequestOnBus,
): Attempt {
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
