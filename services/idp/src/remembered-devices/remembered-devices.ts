import type { Audit } from "@postern/shared/domain/audit";
import type { RememberedDevices as DeviceStore } from "@postern/shared/domain/remembered-devices";
import { newCookieEntry } from "@postern/shared/domain/remembered-devices";
import type { Secret } from "@postern/shared/platform/crypto";
import type { Logger } from "@postern/shared/platform/logging";
import type { FlowRecord, PendingSignIn } from "../flow/flow-record.ts";
import type { Pages } from "../pages/pages.ts";
import type { SuspiciousSignIns } from "../second-factors/suspicious-sign-ins.ts";
import type { BrowserSessionRecord } from "../sessions/browser-session.ts";
import { cookieNames } from "../sessions/cookies.ts";
import { auditVisit, originOf, requestSession, setCookie, type Visit } from "../visit/visit.ts";
import { readEntries, readEntry, withEntry, writeEntry } from "./device-cookie.ts";

interface Deps {
  /** Undefined without the secret that encrypts them. */
  readonly devices: DeviceStore | undefined;
  readonly suspiciousSignIns: Pick<SuspiciousSignIns, "isDoubted">;
  readonly pages: Pick<Pages, "cookies">;
  readonly lifeSeconds: number;
  readonly audit: Audit;
  readonly logger: Pick<Logger, "info" | "warn">;
}

const cookieOf = ({ pages }: Deps, { request }: Pick<Visit, "request">): string | undefined =>
  pages.cookies.read(request.headers.cookie, cookieNames.rememberedDevices);

/** Whether the device may take the place of the factor, and if so uses it. */
async function recognise(deps: Deps, devices: DeviceStore, visit: Visit, signIn: ProvedPassword): Promise<boolean> {
  const { suspiciousSignIns, pages, lifeSeconds, audit, logger } = deps;
  const { pending, password } = signIn;
  const { account } = pending;
  const session = requestSession(visit.request);
  const cookie = cookieOf(deps, visit);
  const entries = readEntries(cookie);
  const found = await devices.find(account, entries, password);
  const ended = async (id: string, reason: string): Promise<false> => {
    await devices.forget(account, id);
    auditVisit(audit, visit.request, { event: "remembered_device.end", outcome: "ok", target: account, reason });
    logger.info({ session, account, reason }, "the device is not remembered any more");
    return false;
  };
  if (found.found === "none") return false;
  if (found.found === "ended") return ended(found.id, found.reason);
  // The password may be someone else's by now, so the factor is asked for; once the sign-ins are confirmed, the device counts again.
  if (pending.isSuspicious === true || (await suspiciousSignIns.isDoubted(account))) return false;
  const { entry, isReused } = await devices.use(account, found);
  if (isReused) return ended(found.entry.id, "reused");
  if (entry === undefined) return false;
  setCookie(visit.reply, pages.cookies.set(cookieNames.rememberedDevices, withEntry(cookie, entry), lifeSeconds));
  return true;
}

interface ProvedPassword {
  readonly flow: FlowRecord;
  readonly pending: PendingSignIn;
  readonly password: Secret;
}

type Proof = Pick<BrowserSessionRecord, "factor" | "isDoubted">;

/** Stores the device and sets its cookie, unless the factor is doubted: one that was set up during an attack may be the attacker's. */
async function remember(
  deps: Deps,
  devices: DeviceStore,
  visit: Visit,
  { pending: { account, rememberable }, proof }: { readonly pending: PendingSignIn; readonly proof: Proof },
): Promise<void> {
  const { pages, lifeSeconds, audit, logger } = deps;
  const entry = readEntry(rememberable?.entry ?? "");
  if (rememberable === undefined || entry === undefined) return;
  const { request, reply } = visit;
  const session = requestSession(request);
  if (proof.factor?.since === undefined || proof.isDoubted === true) {
    logger.info({ session, account }, "the device is not remembered: its second factor is doubted");
    return;
  }
  try {
    await devices.remember(account, { entry, check: rememberable.check }, originOf(request));
  } catch (err) {
    logger.warn({ session, account, err }, "the device could not be remembered");
    return;
  }
  const value = withEntry(cookieOf(deps, visit), entry);
  setCookie(reply, pages.cookies.set(cookieNames.rememberedDevices, value, lifeSeconds));
  auditVisit(audit, request, { event: "remembered_device.add", outcome: "ok", actor: account, target: account });
}

/** Remembers devices after a second factor, and recognises them after the password. */
export function createDeviceMemory(deps: Deps) {
  const { devices, logger } = deps;
  const isOffered = (flow: FlowRecord): boolean => devices?.isOffered === true && flow.acceptsDevice === true;
  return {
    /** Whether the pages of the second factor offer it. */
    isOffered,
    /** What a pending sign-in keeps of the password: it shows later whether the password is still the same. */
    rememberable: ({ flow, pending, password }: ProvedPassword): Pick<PendingSignIn, "rememberable"> => {
      if (devices === undefined || !isOffered(flow)) return {};
      const entry = newCookieEntry();
      const check = devices.passwordCheck(pending.account, entry, password);
      return { rememberable: { entry: writeEntry(entry), check } };
    },
    /** Whether the second factor need not be asked for, because the user chose so in this browser. Not if it cannot be decided. */
    isRemembered: async (visit: Visit, signIn: ProvedPassword): Promise<boolean> => {
      if (devices === undefined || !isOffered(signIn.flow) || cookieOf(deps, visit) === undefined) return false;
      return recognise(deps, devices, visit, signIn).catch((err: unknown) => {
        const { account } = signIn.pending;
        const session = requestSession(visit.request);
        logger.warn({ session, account, err }, "the device could not be recognised: the second factor is asked for");
        return false;
      });
    },
    /** The user has proved a second factor and wishes not to be asked again. The sign-in succeeds even if this fails. */
    remember: async (
      visit: Visit,
      { flow, pending }: Pick<ProvedPassword, "flow" | "pending">,
      proof: Proof,
    ): Promise<void> => {
      if (devices !== undefined && isOffered(flow)) await remember(deps, devices, visit, { pending, proof });
    },
    /** Whether the browser has the cookie of this device. */
    isHere: (visit: Visit, id: string): boolean => readEntries(cookieOf(deps, visit)).some((entry) => entry.id === id),
    list: async (account: string) => (await devices?.list(account)) ?? [],
    forget: async (account: string, id: string): Promise<boolean> => (await devices?.forget(account, id)) ?? false,
    forgetAll: async (account: string): Promise<number> => (await devices?.forgetAll(account)) ?? 0,
  };
}

export type DeviceMemory = ReturnType<typeof createDeviceMemory>;
