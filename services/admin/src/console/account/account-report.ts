import type {
  AccountChange,
  AccountQuery,
  AccountReport,
  describeAccount,
  MfaTarget,
  mfaAppPasswordsList,
  mfaFactorsRead,
  Reply,
  Request,
} from "@postern/shared/contracts";
import type { AccountChanges, SentNotifications, AccountChange as StoredChange } from "@postern/shared/domain/history";
import type { RememberedDevice, RememberedDevices } from "@postern/shared/domain/remembered-devices";
import type { FactorLocks } from "../../factor-locks/factor-locks-redis.ts";
import type { LostPhone } from "../../lost-phone/create-lost-phone-code.ts";
import { english } from "../../texts/texts.ts";
import { storedPasskey } from "./stored-passkey.ts";

export interface AccountReportDeps {
  readonly describe: (request: Request<typeof describeAccount>) => Promise<Reply<typeof describeAccount>>;
  readonly readFactors: (target: MfaTarget) => Promise<Reply<typeof mfaFactorsRead>>;
  readonly listAppPasswords: (target: MfaTarget) => Promise<Reply<typeof mfaAppPasswordsList>>;
  readonly factorLocks: Pick<FactorLocks, "read">;
  /** Undefined without the secret that encrypts them. */
  readonly rememberedDevices: Pick<RememberedDevices, "list"> | undefined;
  /** Undefined while no user notifications are sent. */
  readonly sent: Pick<SentNotifications, "list"> | undefined;
  /** Undefined while no history is recorded. */
  readonly changes: Pick<AccountChanges, "list"> | undefined;
  readonly judgeLostPhone: LostPhone["judgeLostPhone"];
}

type Factors = NonNullable<AccountReport["factors"]>;
type AppPasswords = AccountReport["app_passwords"];

const isoOf = (seconds: number): string => new Date(seconds * 1000).toISOString();

function shownPasskey(text: string): Factors["passkeys"][number] {
  const { id, name, created, lastUsed } = storedPasskey(text);
  return {
    id,
    name,
    ...(created !== undefined && { created }),
    ...(lastUsed !== undefined && { last_used: lastUsed }),
  };
}

function shownAppPasswords(reply: Reply<typeof mfaAppPasswordsList>): AppPasswords {
  if (!("appPasswords" in reply)) return [];
  return reply.appPasswords.map(({ id, label, protocols, createdAt, lastUsedAt }) => ({
    id,
    label,
    protocols,
    created: isoOf(createdAt),
    ...(lastUsedAt !== undefined && { last_used: isoOf(lastUsedAt) }),
  }));
}

/** Collects what did not answer. */
function createParts() {
  const incomplete: string[] = [];
  return {
    incomplete,
    /** The fallback, and a sentence, if the source does not answer. */
    get: async <T>(source: () => Promise<T>, fallback: T, missing: string): Promise<T> => {
      try {
        return await source();
      } catch {
        incomplete.push(missing);
        return fallback;
      }
    },
  };
}

const isoOfMs = (timeMs: number): string => new Date(timeMs).toISOString();

const shownDevice = ({ id, userAgent, clientIp, sinceMs, usedMs, endsMs }: RememberedDevice) => ({
  id,
  user_agent: userAgent,
  client_ip: clientIp,
  since: isoOfMs(sinceMs),
  last_used: isoOfMs(usedMs),
  until: isoOfMs(endsMs),
});

function writtenChange({ timeMs, event, reason, by }: StoredChange): AccountChange {
  return { time: isoOfMs(timeMs), event, ...(reason !== "" && { reason }), by };
}

/** Counts of wrong codes, remembered devices, notifications and changes are stored under the account's own name. */
function createStored(
  { factorLocks, rememberedDevices, sent, changes }: AccountReportDeps,
  { get }: ReturnType<typeof createParts>,
) {
  return async (account: string | undefined) => {
    if (account === undefined) return { wrongCodes: {}, remembered: [], notifications: [], changes: changes && [] };
    const [wrongCodes, remembered, records, changed] = await Promise.all([
      get(() => factorLocks.read(account), {}, english["incomplete.wrong_codes"]),
      get(async () => (await rememberedDevices?.list(account)) ?? [], [], english["incomplete.devices"]),
      get(async () => (await sent?.list(account)) ?? [], [], english["incomplete.notifications"]),
      get(async () => changes?.list(account), undefined, english["incomplete.changes"]),
    ]);
    const notifications = records.map(({ timeMs, ...record }) => ({ ...record, time: isoOfMs(timeMs) }));
    return {
      wrongCodes,
      remembered: remembered.map(shownDevice),
      notifications,
      changes: changed?.map(writtenChange),
    };
  };
}

function factorsOf(
  reply: Reply<typeof mfaFactorsRead> | undefined,
  wrongCodes: Factors["wrong_codes"],
): Factors | undefined {
  if (reply === undefined || !("hasTotp" in reply)) return undefined;
  const { hasTotp, recoveryCodesLeft, webauthnCredentials } = reply;
  return {
    totp: hasTotp,
    recovery_codes_left: recoveryCodesLeft,
    wrong_codes: wrongCodes,
    passkeys: webauthnCredentials.map(shownPasskey),
  };
}

const noAppPasswords: Reply<typeof mfaAppPasswordsList> = { outcome: "unsupported" };

export function createReportAccount(deps: AccountReportDeps) {
  const { describe, readFactors, listAppPasswords, judgeLostPhone, sent } = deps;
  /** `session` is the GUID of the request. Never throws: what does not answer is named in `incomplete`. */
  return async ({ account: query, protocol = "imap" }: AccountQuery, session: string): Promise<AccountReport> => {
    const parts = createParts();
    const { get, incomplete } = parts;
    const target = { session, username: query };
    const [{ backends }, factors, appPasswords] = await Promise.all([
      get(() => describe({ username: query, protocol }), { backends: [] }, english["incomplete.engines"]),
      get<Reply<typeof mfaFactorsRead> | undefined>(
        () => readFactors(target),
        undefined,
        english["incomplete.factors"],
      ),
      get(() => listAppPasswords(target), noAppPasswords, english["incomplete.app_passwords"]),
    ]);
    const ofFactors = factors !== undefined && "account" in factors ? factors.account : undefined;
    const account = ofFactors ?? backends.find((one) => one.account !== undefined)?.account;
    const [{ wrongCodes, remembered, notifications, changes }, lostPhone] = await Promise.all([
      createStored(deps, parts)(account),
      account && get(() => judgeLostPhone(account, session), undefined, english["incomplete.lost_phone"]),
    ]);
    const shownFactors = factorsOf(factors, wrongCodes);
    return {
      query,
      ...(account !== undefined && { account }),
      protocol,
      backends,
      ...(shownFactors && { factors: shownFactors }),
      app_passwords: shownAppPasswords(appPasswords),
      remembered_devices: remembered,
      notifications,
      sends_notifications: sent !== undefined,
      ...(changes && { changes }),
      ...(lostPhone && { lost_phone: lostPhone }),
      incomplete,
    };
  };
}
