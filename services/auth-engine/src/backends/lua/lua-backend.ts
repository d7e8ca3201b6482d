import type { Decoys, PasswordVerifier } from "@postern/shared/domain/passwords";
import type { LuaObject, ScriptRunner } from "@postern/shared/domain/scripts";
import type { Secret } from "@postern/shared/platform/crypto";
import { AppError } from "@postern/shared/platform/errors";
import { steadyClock } from "@postern/shared/platform/time";
import { attributesOf, BackendResult, itemsOf, ListResult, resultReader } from "../../scripts/results.ts";
import type {
  AccountPage,
  Backend,
  BackendAccount,
  BackendContext,
  BackendQuery,
  ListOutcome,
  LookupOutcome,
  VerifyOutcome,
} from "../backend.ts";
import { createLuaFactors, untilKnown } from "./lua-factors.ts";
import type { LuaBackendSettings } from "./lua-settings.ts";

type ScriptAnswer = ReturnType<typeof readBackend>;

const readBackend = resultReader(BackendResult);
const readList = resultReader(ListResult);

function queryTable(query: BackendQuery, password: Secret | undefined): LuaObject {
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

function accountOf({ script }: LuaBackendSettings, found: ScriptAnswer): BackendAccount {
  if (found.account === undefined)
    throw new AppError("SCRIPT_FAILED", { detail: `${script} returned "ok" without an account` });
  return {
    account: found.account,
    ...(found.unique_user_id === undefined ? {} : { uniqueUserId: found.unique_user_id }),
    accountField: found.account_field ?? "account",
    totpSecretField: found.totp_secret_field ?? "",
    attributes: attributesOf(found.attributes),
    groups: found.groups === undefined ? undefined : itemsOf<string>(found.groups),
  };
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((name) => typeof name === "string");
}

/**
 * A backend in a site's script: its functions `verify_password`, `lookup` and `list_accounts`.
 * @param runner shared with the other scripts, so it is not closed with the backend.
 * @param decoys what is verified if the script returns `unknown_user`.
 */
export function createLuaBackend(
  settings: LuaBackendSettings,
  runner: ScriptRunner,
  passwords: Pick<PasswordVerifier, "spend">,
  decoys: Pick<Decoys, "choose">,
): Backend {
  const { name, script, protocols, timeoutMs, keepsMfa } = settings;
  const serves = (protocol: string): boolean =>
    protocols.length === 0 || protocols.includes(protocol) || protocols.includes("*");
  const call = (entry: string, args: readonly LuaObject[], { deadline }: BackendContext) =>
    runner.run({ script, entry, args, deadline: Math.min(deadline, steadyClock.now() + timeoutMs) });
  const ask = async (
    entry: string,
    query: BackendQuery,
    password: Secret | undefined,
    context: BackendContext,
  ): Promise<ScriptAnswer> => {
    return untilKnown(query.username, async (username) =>
      readBackend(script, await call(entry, [queryTable({ ...query, username }, password)], context)),
    );
  };
  return {
    kind: "lua",
    name,
    ...(keepsMfa ? { mfa: createLuaFactors(script, runner, timeoutMs, serves) } : {}),
    verify: async (query, password, context): Promise<VerifyOutcome> => {
      if (!serves(query.protocol)) return { kind: "not_served" };
      const found = await ask("verify_password", query, password, context);
      if (found.result === "ok") return { kind: "ok", account: accountOf(settings, found) };
      return found.result === "unknown_user" ? { kind: found.result } : { kind: found.result, account: found.account };
    },
    lookup: async (query, context): Promise<LookupOutcome> => {
      if (!serves(query.protocol)) return { kind: "not_served" };
      const found = await ask("lookup", query, undefined, context);
      if (found.result === "ok") return { kind: "ok", account: accountOf(settings, found) };
      return found.result === "account_disabled"
        ? { kind: "unknown_user", isDisabled: true }
        : { kind: "unknown_user" };
    },
    listAccounts: async (query, { position, limit }: AccountPage, context): Promise<ListOutcome> => {
      if (!serves(query.protocol)) return { kind: "not_served" };
      const table = { ...queryTable(query, undefined), position, limit };
      const { accounts, next } = readList(script, await call("list_accounts", [table], context));
      // An empty Lua table may be a list or an object.
      const names = isNames(accounts) ? accounts : [];
      if (accounts === undefined) return { kind: "not_served" };
      return { kind: "ok", accounts: names, next: next === undefined ? undefined : { text: next, isOpenHere: false } };
    },
    endListing: () => undefined,
    // The password schemes of the script are unknown here, so the decoy uses the site's configured mix, or else the
    // default of current tools.
    spendVerification: ({ username }, password, context) => passwords.spend(decoys.choose(username), password, context),
    check: async () => undefined,
    close: async () => undefined,
  };
}
