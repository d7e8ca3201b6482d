import type { LuaObject, LuaValue, ScriptRunner } from "@postern/shared/domain/scripts";
import { AppError } from "@postern/shared/platform/errors";
import { nameForms } from "@postern/shared/platform/net";
import { steadyClock } from "@postern/shared/platform/time";
import { Type } from "typebox";
import type { CallContext } from "../../pipeline/attempt.ts";
import { closed, itemsOf, listOf, resultReader } from "../../scripts/results.ts";
import {
  type FactorKind,
  type FindOutcome,
  factorKinds,
  type MfaAccount,
  type MfaQuery,
  type SecondFactorStore,
  type StoredAppPassword,
} from "../second-factor-store.ts";
import { idSpellings, webauthnCredentialId } from "../webauthn-credential.ts";

const texts = Type.Optional(listOf(Type.String({ minLength: 1 })));
const seconds = Type.Integer({ minimum: 0 });

/** What `mfa_account` returns; `supports` lists the kinds of credentials that the script stores. */
const MfaAccountResult = Type.Object(
  {
    result: Type.Union([Type.Literal("ok"), Type.Literal("unknown_user")]),
    account: Type.Optional(Type.String({ minLength: 1 })),
    display_name: Type.Optional(Type.String()),
    unique_user_id: Type.Optional(Type.String({ minLength: 1 })),
    disabled: Type.Optional(Type.Boolean()),
    supports: Type.Optional(listOf(Type.Union(factorKinds.map((kind) => Type.Literal(kind))))),
  },
  closed,
);

/** What `mfa_read` returns. */
const MfaFactorsResult = Type.Object(
  { totp_secret: Type.Optional(Type.String()), recovery_codes: texts, webauthn_credentials: texts },
  closed,
);

/** What `mfa_list_app_passwords` returns. */
const MfaAppPasswordsResult = listOf(
  Type.Object(
    {
      id: Type.String({ minLength: 1 }),
      digest: Type.String({ minLength: 1 }),
      label: Type.Optional(Type.String()),
      protocols: texts,
      created_at: Type.Optional(seconds),
      last_used_at: Type.Optional(seconds),
    },
    closed,
  ),
);

type Run = (entry: string, table: LuaObject, context: CallContext) => Promise<LuaValue>;

const readAccount = resultReader(MfaAccountResult);
const readFactors = resultReader(MfaFactorsResult);
const readAppPasswords = resultReader(MfaAppPasswordsResult);
/** What `mfa_find_webauthn` returns: the accounts. */
const readHolders = resultReader(listOf(Type.String({ minLength: 1 })));
/** What functions return that change something only if it exists: whether it existed. */
const readChanged = resultReader(Type.Boolean());

/** Calls a script with each form of the name until it knows the user: it may change something, so forms are not tried side by side. */
export async function untilKnown<Answer extends { readonly result: string }>(
  username: string,
  under: (form: string) => Promise<Answer>,
): Promise<Answer> {
  const [first, ...others] = nameForms(username);
  let found = await under(first);
  for (const form of others) if (found.result === "unknown_user") found = await under(form);
  return found;
}

/**
 * Second factors and app passwords that a site's script stores, in its functions `mfa_…`.
 * @param serves whether the backend serves the protocol.
 */
export function createLuaFactors(
  script: string,
  runner: ScriptRunner,
  timeoutMs: number,
  serves: (protocol: string) => boolean,
): SecondFactorStore {
  const callOf = (entry: string, table: LuaObject, { deadline }: CallContext) => {
    const ends = Math.min(deadline, steadyClock.now() + timeoutMs);
    return { script, entry, args: [table], deadline: ends };
  };
  const run: Run = (entry, table, context) => runner.run(callOf(entry, table, context));
  const namedHolders = async (id: string, { username, protocol }: MfaQuery, context: CallContext) => {
    if (protocol !== undefined && !serves(protocol)) return [];
    const found = readAccount(script, await run("mfa_account", { username, protocol }, context));
    const { account = username } = found;
    const keeps = found.result === "ok" && itemsOf<FactorKind>(found.supports).includes("webauthn");
    // The script reads for any name, because the time would reveal which accounts exist; it may fail for other names.
    const read = await run("mfa_read", { account }, context).catch((error: unknown) => {
      if (keeps || !(error instanceof AppError && error.code === "SCRIPT_FAILED")) throw error;
      return undefined;
    });
    if (!keeps) return [];
    const texts = itemsOf<string>(readFactors(script, read).webauthn_credentials);
    return texts.some((text) => webauthnCredentialId(text) === id) ? [{ account }] : [];
  };
  return {
    async findHolders({ id, by }, query, context) {
      if (by === "name") return namedHolders(id, query, context);
      const table = { id, spellings: [...idSpellings(id)] };
      const accounts = await runner.run({ ...callOf("mfa_find_webauthn", table, context), isOptional: true });
      return itemsOf<string>(readHolders(script, accounts)).map((account) => ({ account }));
    },
    pretendAccount: async ({ username: account, protocol }) =>
      protocol !== undefined && !serves(protocol)
        ? undefined
        : accountOf(script, run, { account, supports: new Set(factorKinds) }),
    async findAccount({ username, protocol }, context): Promise<FindOutcome> {
      if (protocol !== undefined && !serves(protocol)) return { kind: "not_served" };
      const found = await untilKnown(username, async (name) =>
        readAccount(script, await run("mfa_account", { username: name, protocol }, context)),
      );
      if (found.result === "unknown_user") return { kind: "unknown_user" };
      const { account } = found;
      if (account === undefined)
        throw new AppError("SCRIPT_FAILED", { detail: `${script} returned "ok" without an account` });
      const names = { account, displayName: found.display_name, uniqueUserId: found.unique_user_id };
      const supports = new Set(itemsOf<FactorKind>(found.supports));
      return {
        kind: "ok",
        isDisabled: found.disabled === true,
        account: accountOf(script, run, { ...names, supports }),
      };
    },
  };
}

type AccountFacts = Pick<MfaAccount, "account" | "displayName" | "uniqueUserId" | "supports">;

function accountOf(script: string, run: Run, facts: AccountFacts): MfaAccount {
  const { account } = facts;
  const change = async (entry: string, table: LuaObject, context: CallContext): Promise<boolean> =>
    readChanged(script, await run(entry, { account, ...table }, context));
  const write = async (entry: string, table: LuaObject, context: CallContext): Promise<void> =>
    void (await run(entry, { account, ...table }, context));
  return {
    ...facts,
    async readFactors(context) {
      const read = readFactors(script, await run("mfa_read", { account }, context));
      return {
        totpSecret: read.totp_secret === "" ? undefined : read.totp_secret,
        recoveryCodes: itemsOf<string>(read.recovery_codes),
        webauthnCredentials: itemsOf<string>(read.webauthn_credentials),
      };
    },
    replaceTotpSecret: (secret, context) => write("mfa_replace_totp", { secret }, context),
    replaceRecoveryCodes: (codes, context) => write("mfa_replace_recovery_codes", { codes }, context),
    removeRecoveryCode: (code, context) => change("mfa_remove_recovery_code", { code }, context),
    addWebauthnCredential: (credential, context) => write("mfa_add_webauthn", { credential }, context),
    replaceWebauthnCredential: (old, credential, context) =>
      change("mfa_replace_webauthn", { old, credential }, context),
    removeWebauthnCredential: (credential, context) => change("mfa_remove_webauthn", { credential }, context),
    async listAppPasswords(context) {
      const read = readAppPasswords(script, await run("mfa_list_app_passwords", { account }, context));
      return (Array.isArray(read) ? read : []).map(
        (one): StoredAppPassword => ({
          id: one.id,
          digest: one.digest,
          label: one.label ?? "",
          protocols: itemsOf<string>(one.protocols),
          createdAt: one.created_at ?? 0,
          lastUsedAt: one.last_used_at,
        }),
      );
    },
    addAppPassword: ({ id, digest, label, protocols, createdAt }, context) =>
      write("mfa_add_app_password", { id, digest, label, protocols, created_at: createdAt }, context),
    removeAppPassword: (id, context) => change("mfa_remove_app_password", { id }, context),
    touchAppPassword: (id, at, context) => write("mfa_touch_app_password", { id, at }, context),
  };
}
