import { randomBytes } from "node:crypto";
import type { AuthDecision, AuthRequest, JwtTokenResponse } from "@postern/shared/contracts";
import type { PasswordVerifier, WorkContext } from "@postern/shared/domain/passwords";
import type { KeyedDigest, Secret } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";

/** The result of a request to the JWT endpoints; a temporary failure is an exception, answered with 500. */
export type JwtOutcome =
  | { readonly outcome: "issued"; readonly response: JwtTokenResponse }
  /** Wrong credentials, or a refresh token that is no longer valid. */
  | { readonly outcome: "denied" }
  /** The user was authenticated but has no role. */
  | { readonly outcome: "no_role" };

/** The result of a request, for the metrics. */
export type JwtResult = "issued" | "malformed" | "denied" | "no_role" | "undecided";

/** Where a user is defined; the same name in the other source is a different user. */
export type UserSource = "configuration" | "directory";

export interface JwtUser {
  readonly name: string;
  readonly source: UserSource;
  readonly roles: readonly string[];
}

export interface ConfiguredUser {
  /** The stored hash. */
  readonly password: string;
  readonly roles: readonly string[];
}

export interface UserSettings {
  readonly users: ReadonlyMap<string, ConfiguredUser>;
  readonly backendRoles: readonly string[];
}

export interface UserRequest extends WorkContext {
  readonly session: string;
  readonly clientIp: string;
  /** Of the listener: the domain of a name without one. */
  readonly defaultDomain?: string | undefined;
}

/** Bypasses both caches, because a token outlives cached results. */
function uncachedRequest(username: string, { session, clientIp }: UserRequest): Omit<AuthRequest, "operation"> {
  return {
    session,
    dialect: "jwt",
    username,
    protocol: "jwt",
    clientIp,
    tls: false,
    memoryCache: false,
    sharedCache: false,
  };
}

/** The hash of one of the configured users, always the same for a name. */
function decoyFor(name: string, users: UserSettings["users"], digest: KeyedDigest): string | undefined {
  const hashes = [...users.values()].map(({ password }) => password);
  if (hashes.length === 0) return undefined;
  const place = Buffer.from(digest(`decoy of\0${name}`, "base64url"), "base64url").readUInt32BE(0);
  return hashes[place % hashes.length];
}

/**
 * Users of the JWT endpoints: those of the configuration take precedence over those of the backends.
 * @param digest keyed with a secret that all replicas share: a name that is not configured costs the same at each of them.
 * @param decide requests a decision from an engine; rejects if no engine answered.
 */
export function createJwtUsers(
  settings: () => UserSettings,
  passwords: Pick<PasswordVerifier, "verify">,
  digest: KeyedDigest,
  decide: (request: AuthRequest, context: WorkContext) => Promise<AuthDecision>,
) {
  const ask = async (request: AuthRequest, context: WorkContext): Promise<JwtUser | undefined> => {
    const decision = await decide(request, context);
    if (decision.outcome === "tempfail") {
      throw new AppError("UPSTREAM_UNAVAILABLE", {
        detail: `the engine reported a temporary failure: ${decision.code}`,
      });
    }
    if (decision.outcome !== "ok") return undefined;
    return { name: decision.account, source: "directory", roles: settings().backendRoles };
  };
  return {
    /**
     * The password of a configured user is never sent to a backend; if it is wrong, an engine denies a random one.
     *
     * @returns undefined for wrong credentials. @throws AppError for a temporary failure
     */
    logIn: async (name: string, password: Secret, request: UserRequest): Promise<JwtUser | undefined> => {
      const { users } = settings();
      const configured = users.get(name);
      // The time must not reveal which names are configured: a wrong password costs one hash here and a request to an engine for all.
      const stored = configured?.password ?? decoyFor(name, users, digest);
      const isRight = stored !== undefined && (await passwords.verify(stored, password, request));
      if (configured !== undefined && isRight) return { name, source: "configuration", roles: configured.roles };
      const secret = configured === undefined ? password.reveal() : randomBytes(16).toString("base64url");
      const { defaultDomain } = request;
      const authRequest: AuthRequest = {
        ...uncachedRequest(name, request),
        operation: "authenticate",
        ...(defaultDomain !== undefined && { defaultDomain }),
      };
      const user = await ask({ ...authRequest, password: secret }, request);
      return configured === undefined ? user : undefined;
    },
    /** The user with current roles; undefined if the user no longer exists. @throws AppError as above */
    find: async (
      { name, source }: Pick<JwtUser, "name" | "source">,
      request: UserRequest,
    ): Promise<JwtUser | undefined> => {
      if (source === "directory") return ask({ ...uncachedRequest(name, request), operation: "lookup" }, request);
      const configured = settings().users.get(name);
      return configured === undefined ? undefined : { name, source, roles: configured.roles };
    },
  };
}

export type JwtUsers = ReturnType<typeof createJwtUsers>;
