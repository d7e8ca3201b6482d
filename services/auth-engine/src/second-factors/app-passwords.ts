import { randomBytes, timingSafeEqual } from "node:crypto";
import {
  type AppPassword,
  type MfaTarget,
  maxAppPasswords,
  maxLabelLength,
  type mfaAppPasswordCreate,
  type mfaAppPasswordRevoke,
  normalisedProtocol,
  type Request,
} from "@postern/shared/contracts";
import type { Clock } from "@postern/shared/platform/time";
import type { Backend } from "../backends/backend.ts";
import type { MfaAccount, StoredAppPassword } from "../backends/second-factor-store.ts";
import type { CallContext } from "../decision/call-context.ts";
import { makeAppPassword } from "./app-password.ts";
import { createOnAccount } from "./find-account.ts";

/** Last use is recorded once an hour: a phone signs in every few minutes, and a write each time would help no one. */
const lastUseGrainSeconds = 3600;

const full = { outcome: "full" } as const;

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
  const on = createOnAccount(backends);
  return {
    listAppPasswords: (request: MfaTarget, context: CallContext) =>
      on(request, "app_passwords", context, async ({ account }) => {
        const stored = await account.listAppPasswords(context);
        return { outcome: "ok" as const, appPasswords: stored.map(shown) };
      }),
    createAppPassword: (request: Request<typeof mfaAppPasswordCreate>, context: CallContext) =>
      on(request, "app_passwords", context, async ({ account }) => {
        const existing = await account.listAppPasswords(context);
        if (existing.length >= maxAppPasswords) return full;
        const { password, digest } = makeAppPassword();
        const stored: StoredAppPassword = {
          id: randomBytes(8).toString("hex"),
          digest,
          label: request.label,
          protocols: [...new Set(request.protocols.map(normalisedProtocol))],
          createdAt: Math.floor(clock.now() / 1000),
        };
        await account.addAppPassword(stored, context);
        // Two simultaneous additions do not see each other beforehand, so each one that finds too many afterwards removes
        // its own.
        const now = await account.listAppPasswords(context);
        if (now.length > maxAppPasswords) {
          await account.removeAppPassword(stored.id, context);
          return full;
        }
        return { outcome: "ok" as const, appPassword: shown(stored), password };
      }),
    revokeAppPassword: (request: Request<typeof mfaAppPasswordRevoke>, context: CallContext) =>
      on(request, "app_passwords", context, async ({ account }) => {
        const wasThere = await account.removeAppPassword(request.id, context);
        return { outcome: wasThere ? ("ok" as const) : ("absent" as const) };
      }),
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
