import type { AuthRequest, Dialect } from "@postern/shared/contracts";
import type { Secret } from "@postern/shared/platform/crypto";

/** A sign-in of a master user as another user. */
export interface MasterLoginFacts {
  /** The user whose account is opened. */
  readonly user: string;
  /** The login name as sent. */
  readonly submitted: string;
}

export interface MasterLoginAudit {
  readonly session: string;
  readonly masterUser: string;
  readonly user: string;
  readonly clientIp: string | undefined;
  readonly protocol: string;
  readonly outcome: "ok" | "denied" | "undecided";
}

export interface MasterUsersDeps {
  /** Undefined for a login name with one user only. */
  readonly parse: (username: string) => { readonly user: string; readonly masterUser: string } | undefined;
  /** `auth.pipeline.master_user.users` */
  readonly users: readonly string[];
  readonly audit: (event: MasterLoginAudit) => void;
}

type Login = Omit<AuthRequest, "password"> & { readonly password: Secret | undefined };
/** Mail dialects only: tokens and browser sessions for another user are never issued this way. */
const dialects: ReadonlySet<Dialect> = new Set(["json", "cbor", "header", "basic", "proxy", "sasl", "grpc"]);

export function createMasterUsers({ parse, users, audit }: MasterUsersDeps) {
  const masters = new Set(users);
  return {
    /** Rewrites the attempt as the master user's if its login name contains a configured master user; otherwise returns it unchanged. */
    read: (attempt: Login): Login & { readonly masterLogin?: MasterLoginFacts } => {
      if (attempt.operation !== "authenticate" || !dialects.has(attempt.dialect)) return attempt;
      const login = parse(attempt.username);
      if (login === undefined || !masters.has(login.masterUser)) return attempt;
      const masterLogin = { user: login.user, submitted: attempt.username };
      return { ...attempt, username: login.masterUser, masterLogin };
    },
    audit,
  };
}

export type MasterUsers = ReturnType<typeof createMasterUsers>;
