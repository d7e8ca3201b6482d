import type { Secret } from "@postern/shared/crypto";
import { AppError } from "@postern/shared/errors";
import type { PasswordVerifier } from "@postern/shared/passwords";
import type { LuaObject, ScriptRunner } from "@postern/shared/scripts";
import { systemClock } from "@postern/shared/time";
import { createMfaArtefactsLua } from "../../mfa-artefacts/mfa-artefacts-lua.ts";
import { attributesOf, BackendResult, itemsOf, ListResult, resultReader } from "../../scripts/results.ts";
import type {
  AccountPage,
  Directory,
  DirectoryAccount,
  DirectoryContext,
  DirectoryQuery,
  ListOutcome,
  LookupOutcome,
  VerifyOutcome,
} from "../directory.ts";

export interface LuaDirectorySettings {
  readonly name: string;
  readonly script: string;
  /** Served; `*` is every other. Empty: all. */
  readonly protocols: readonly string[];
  readonly timeoutMs: number;
  /** Whether the script keeps second factors and app passwords. */
  readonly keepsMfa: boolean;
}

export interface LuaDirectoryDeps {
  readonly settings: LuaDirectorySettings;
  /** Shared with the other scripts, so not closed with the directory. */
  readonly runner: ScriptRunner;
  readonly passwords: Pick<PasswordVerifier, "spend">;
}

type Backend = ReturnType<typeof readBackend>;

const readBackend = resultReader(BackendResult);
const readList = resultReader(ListResult);

function queryTable(query: DirectoryQuery, password: Secret | undefined): LuaObject {
  return {
    username: query.username,
    protocol: query.protocol,
    client_ip: query.clientIp,
    client_port: query.clientPort,
    local_ip: query.localIp,
    local_port: query.localPort,
    password: password?.reveal(),
  };
}

function accountOf({ script }: LuaDirectorySettings, found: Backend): DirectoryAccount {
  if (found.account === undefined) throw new AppError("SCRIPT_FAILED", { detail: `${script} returned no account` });
  return {
    account: found.account,
    accountField: found.account_field ?? "account",
    totpSecretField: found.totp_secret_field ?? "",
    attributes: attributesOf(found.attributes),
    groups: found.groups === undefined ? undefined : itemsOf<string>(found.groups),
  };
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

/** Directory of a site's own making: `verify_password`, `lookup` and `list_accounts` of its script. */
export function createLuaDirectory({ settings, runner, passwords }: LuaDirectoryDeps): Directory {
  const { name, script, protocols, timeoutMs, keepsMfa } = settings;
  const serves = (protocol: string): boolean =>
    protocols.length === 0 || protocols.includes(protocol) || protocols.includes("*");
  const call = (entry: string, args: readonly LuaObject[], { deadline }: DirectoryContext) =>
    runner.run({ script, entry, args, deadline: Math.min(deadline, systemClock.now() + timeoutMs) });
  const ask = async (entry: string, table: LuaObject, context: DirectoryContext): Promise<Backend> =>
    readBackend(script, await call(entry, [table], context));
  return {
    kind: "lua",
    name,
    ...(keepsMfa ? { mfa: createMfaArtefactsLua({ script, runner, timeoutMs, serves }) } : {}),
    verify: async (query, password, context): Promise<VerifyOutcome> => {
      if (!serves(query.protocol)) return { kind: "not_served" };
      const found = await ask("verify_password", queryTable(query, password), context);
      return found.result === "ok" ? { kind: "ok", account: accountOf(settings, found) } : { kind: found.result };
    },
    lookup: async (query, context): Promise<LookupOutcome> => {
      if (!serves(query.protocol)) return { kind: "not_served" };
      const found = await ask("lookup", queryTable(query, undefined), context);
      return found.result === "ok" ? { kind: "ok", account: accountOf(settings, found) } : { kind: "unknown_user" };
    },
    listAccounts: async (query, { position, limit }: AccountPage, context): Promise<ListOutcome> => {
      if (!serves(query.protocol)) return { kind: "not_served" };
      const table = { ...queryTable(query, undefined), position, limit };
      const { accounts, next } = readList(script, await call("list_accounts", [table], context));
      // An empty table has no kind of its own.
      const names = isNames(accounts) ? accounts : [];
      if (accounts === undefined) return { kind: "not_served" };
      return { kind: "ok", accounts: names, next: next === undefined ? undefined : { text: next, isHeld: false } };
    },
    endListing: () => undefined,
    // What the script compares with is not known here, so it costs what today's tools write by default.
    spendVerification: (_query, password, context) => passwords.spend(undefined, password, context),
    check: async () => undefined,
    close: async () => undefined,
  };
}
