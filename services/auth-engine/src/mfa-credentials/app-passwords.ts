import { randomBytes, timingSafeEqual } from "node:crypto";
import {
  type AppPassword,
  type MfaTarget,
  maxAppPasswords,
  maxLabelLength,
  type mfaAppPasswordCreate,
  type mfaAppPasswordRevoke,
  type mfaAppPasswordsList,
  normalisedProtocol,
  type Reply,
  type Request,
} from "@postern/shared/contracts";
import type { Clock } from "@postern/shared/platform/time";
import type { Backend } from "../backends/backend.ts";
import type { MfaAccount, StoredAppPassword } from "../backends/mfa-credentials.ts";
import type { CallContext } from "../decision/call-context.ts";
import { makeAppPassword } from "./app-password.ts";
import { findAccount, isRefusal, requireKind } from "./find-account.ts";

/** Last use is recorded once an hour: a phone signs in every few minutes, and a write each time would help no one. */
const lastUseGrainSeconds = 3600;

/** Provisioning systems may store any label: one that is too long or empty must not make the whole list unreadable. */
function shownLabel(label: string): string {
  if (label === "") return "-";
  if (label.length <= maxLabelLength) return label;
  const kept = label.slice(0, maxLabelLength - 1);
  // A character of two units that was cut in half is left out.
  return `${kept.isWellFormed() ? kept : kept.slice(0, -1)}…`;
}

function shown({ id, label, protocols, createdAt, lastUsedAt }: StoredAppPassword): AppPassword {
  return {
    id,
    label: shownLabel(label),
    protocols: [...protocols],
    createdAt,
    ...(lastUsedAt === undefined ? {} : { lastUsedAt }),
  };
}

/** Management of app passwords: what the bus methods do. */
export function createAppPasswords(backends: () => readonly Backend[], clock: Clock) {
  const find = async (request: MfaTarget, context: CallContext) => {
    const found = await findAccount(backends(), request, context);
    return isRefusal(found) ? found : (requireKind(found, "app_passwords") ?? found);
  };
  return {
    list: async (request: MfaTarget, context: CallContext): Promise<Reply<typeof mfaAppPasswordsList>> => {
      const found = await find(request, context);
      if (isRefusal(found)) return found;
      const stored = await found.account.listAppPasswords(context);
      return { outcome: "ok", appPasswords: stored.map(shown) };
    },
    create: async (
      request: Request<typeof mfaAppPasswordCreate>,
      context: CallContext,
    ): Promise<Reply<typeof mfaAppPasswordCreate>> => {
      const found = await find(request, context);
      if (isRefusal(found)) return found;
      const existing = await found.account.listAppPasswords(context);
      if (existing.length >= maxAppPasswords) return { outcome: "full" };
      const { password, digest } = makeAppPassword();
      const stored: StoredAppPassword = {
        id: randomBytes(8).toString("hex"),
        digest,
        label: request.label,
        protocols: [...new Set(request.protocols.map(normalisedProtocol))],
        createdAt: Math.floor(clock.now() / 1000),
      };
      await found.account.addAppPassword(stored, context);
      // Two simultaneous additions do not see each other beforehand, so each one that finds too many afterwards removes
      // its own.
      const now = await found.account.listAppPasswords(context);
      if (now.length > maxAppPasswords) {
        await found.account.removeAppPassword(stored.id, context);
        return { outcome: "full" };
      }
      return { outcome: "ok", appPassword: shown(stored), password };
    },
    revoke: async (
      request: Request<typeof mfaAppPasswordRevoke>,
      context: CallContext,
    ): Promise<Reply<typeof mfaAppPasswordRevoke>> => {
      const found = await find(request, context);
      if (isRefusal(found)) return found;
      return { outcome: (await found.account.removeAppPassword(request.id, context)) ? "ok" : "absent" };
    },
  };
}

export type AppPasswords = ReturnType<typeof createAppPasswords>;

/** The account's app password with this digest, if it is valid for the protocol. */
export async function matchAppPassword(
  account: MfaAccount,
  { digest, protocol }: { readonly digest: string; readonly protocol: string },
  context: CallContext,
): Promise<StoredAppPassword | undefined> {
  if (!account.supports.has("app_passwords")) return undefined;
  const candidate = Buffer.from(digest);
  const stored = await account.listAppPasswords(context);
  return stored.find(({ digest: known, protocols }) => {
    const bytes = Buffer.from(known);
    const isIt = bytes.length === candidate.length && timingSafeEqual(bytes, candidate);
    return isIt && (protocols.length === 0 || protocols.some((one) => normalisedProtocol(one) === protocol));
  });
}

/** Whether the use has to be recorded. */
export function isUseNews({ lastUsedAt = 0 }: StoredAppPassword, nowSeconds: number): boolean {
  return nowSeconds - lastUsedAt >= lastUseGrainSeconds;
}
