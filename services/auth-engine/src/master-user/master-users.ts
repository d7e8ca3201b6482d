import type { AuthRequest, Dialect } from "@postern/shared/contracts";
import type { Secret } from "@postern/shared/crypto";

/** A login in another user's name. */
export interface MasterLoginFacts {
  /** Whose account is opened. */
  readonly user: string;
  /** The login as it was sent. */
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
  /** Undefined for a login that names one user only. */
  readonly parse: (username: string) => { readonly user: string; readonly masterUser: string } | undefined;
  /** `auth.pipeline.master_user.users` */
  readonly users: readonly string[];
  readonly audit: (event: MasterLoginAudit) => void;
}

type Login = Omit<AuthRequest, "password"> & { readonly password: Secret | undefined };

export interface MasterUsers {
  /** The attempt as the master's, where it is one of a configured master; else as it was. */
  read(attempt: Login): Login & { readonly masterLogin?: MasterLoginFacts };
  audit(event: MasterLoginAudit): void;
}

/** Mail and its like only: tokens and browser sessions of somebody else are never made this way. */
const dialects: ReadonlySet<Dialect> = new Set(["json", "cbor", "header", "basic", "proxy", "sasl", "grpc"]);

export function createMasterUsers({ parse, users, audit }: MasterUsersDeps): MasterUsers {
  const masters = new Set(users);
  return {
    read: (attempt) => {
      if (attempt.operation !== "authenticate" || !dialects.has(attempt.dialect)) return attempt;
      const login = parse(attempt.username);
      if (login === undefined || !masters.has(login.masterUser)) return attempt;
      const masterLogin = { user: login.user, submitted: attempt.username };
      return { ...attempt, username: login.masterUser, masterLogin };
    },
    audit,
  };
}
