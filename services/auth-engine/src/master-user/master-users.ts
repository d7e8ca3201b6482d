import type { Dialect } from "@postern/shared/contracts";
import type { Attempt } from "../pipeline/attempt.ts";

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

/** Mail dialects only: tokens and browser sessions for another user are never issued this way. */
const dialects: ReadonlySet<Dialect> = new Set(["json", "cbor", "header", "basic", "proxy", "sasl", "grpc"]);

export function createMasterUsers({ parse, users, audit }: MasterUsersDeps) {
  const masters = new Set(users);
  return {
    /** Rewrites the attempt as the master user's if its login name contains a configured master user; otherwise returns it unchanged. */
    read: (attempt: Attempt): Attempt => {
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
