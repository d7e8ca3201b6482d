import type { AuthDecision, AuthRequest } from "@postern/shared/contracts";
import type { Secret } from "@postern/shared/crypto";
import { AppError } from "@postern/shared/errors";
import type { PasswordVerifier, WorkContext } from "@postern/shared/passwords";

/** Where a user is known; a name of one place never counts as the same name of the other. */
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
  readonly directoryRoles: readonly string[];
}

export interface UserRequest extends WorkContext {
  readonly session: string;
  readonly clientIp: string;
}

/** Users of the JWT endpoints: those of the configuration, then those of the directories. */
export interface JwtUsers {
  /** @returns undefined for wrong credentials. @throws AppError when nobody could decide */
  logIn(name: string, password: Secret, request: UserRequest): Promise<JwtUser | undefined>;
  /** Who it is now, with today's roles; undefined when there is no such user any more. @throws AppError as above */
  find(user: Pick<JwtUser, "name" | "source">, request: UserRequest): Promise<JwtUser | undefined>;
}

export interface JwtUsersDeps {
  readonly settings: () => UserSettings;
  readonly passwords: Pick<PasswordVerifier, "verify">;
  /** Asks an engine; rejects when none could be asked. */
  readonly decide: (request: AuthRequest, context: WorkContext) => Promise<AuthDecision>;
}

/** Neither cache is asked: a token outlives what a cache remembers. */
function question(username: string, { session, clientIp }: UserRequest): Omit<AuthRequest, "operation"> {
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

export function createJwtUsers({ settings, passwords, decide }: JwtUsersDeps): JwtUsers {
  const ask = async (request: AuthRequest, context: WorkContext): Promise<JwtUser | undefined> => {
    const decision = await decide(request, context);
    if (decision.outcome === "tempfail") {
      throw new AppError("UPSTREAM_UNAVAILABLE", { detail: `the engine could not decide: ${decision.code}` });
    }
    if (decision.outcome !== "ok") return undefined;
    return { name: decision.account, source: "directory", roles: settings().directoryRoles };
  };
  return {
    logIn: async (name, password, request) => {
      const configured = settings().users.get(name);
      if (configured === undefined) {
        const asked: AuthRequest = { ...question(name, request), operation: "authenticate" };
        return ask({ ...asked, password: password.reveal() }, request);
      }
      const isRight = await passwords.verify(configured.password, password, request);
      return isRight ? { name, source: "configuration", roles: configured.roles } : undefined;
    },
    find: async ({ name, source }, request) => {
      if (source === "directory") return ask({ ...question(name, request), operation: "lookup" }, request);
      const configured = settings().users.get(name);
      return configured === undefined ? undefined : { name, source, roles: configured.roles };
    },
  };
}
