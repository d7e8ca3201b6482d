import { hash, randomBytes, timingSafeEqual } from "node:crypto";
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
import { abortAfter } from "@postern/shared/platform/concurrency";
import { type Clock, steadyClock } from "@postern/shared/platform/time";
import type { BackendsByName } from "../backends/backends-by-name.ts";
import type { MfaAccount, StoredAppPassword } from "../backends/second-factor-store.ts";
import type { CallContext } from "../pipeline/attempt.ts";
import { createOnAccount } from "./find-account.ts";

/**
 * The form of an app password: `app-` and 30 characters in groups of six, of which the last four are a checksum of the
 * others, as in `app-k3mzq7-…`. 26 characters of an alphabet of 32 are 130 random bits, so a plain digest is safe.
 * Case, hyphens and spaces are ignored, because people type app passwords from a page. A password that a user chose has
 * this form once in a million, even if it begins with `app` and has the right length and letters.
 */
const alphabet = "abcdefghijkmnpqrstuvwxyz23456789";
const randomLength = 26;
const checksumLength = 4;
const form = /^app([a-km-np-z2-9]{30})$/;
/** Shorter and longer passwords cannot have the form and are not searched. */
const minLength = 33;
const maxLength = 64;

function digestOf(purpose: string, text: string): Buffer {
  return hash("sha256", `postern app password ${purpose}\0${text}`, "buffer");
}

/** 256 is a multiple of 32, so all characters are equally likely. */
function toCharacters(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => alphabet.charAt(byte % alphabet.length)).join("");
}

function checksumOf(random: string): string {
  return toCharacters(digestOf("checksum", random).subarray(0, checksumLength));
}

/** A new app password as its owner sees it, with the digest to store. */
export function makeAppPassword(): { readonly password: string; readonly digest: string } {
  const random = toCharacters(randomBytes(randomLength));
  const groups = (random + checksumOf(random)).match(/.{6}/g) ?? [];
  return { password: ["app", ...groups].join("-"), digest: digestOf("value", random).toString("base64url") };
}

/** The digest under which an app password is stored; undefined for a password of another form. */
export function appPasswordDigest(password: string): string | undefined {
  if (password.length < minLength || password.length > maxLength) return undefined;
  const match = form.exec(password.toLowerCase().replace(/[\s-]/g, ""));
  if (match?.[1] === undefined) return undefined;
  const random = match[1].slice(0, randomLength);
  if (checksumOf(random) !== match[1].slice(randomLength)) return undefined;
  return digestOf("value", random).toString("base64url");
}

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
export function createAppPasswords(backends: BackendsByName, clock: Clock) {
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
function isUseNews({ lastUsedAt = 0 }: StoredAppPassword, nowSeconds: number): boolean {
  return nowSeconds - lastUsedAt >= lastUseGrainSeconds;
}

/** Outcome of a sign-in with an app password, for the metric. */
export const appPasswordOutcomes = ["ok", "wrong", "disabled", "unavailable"] as const;
export type AppPasswordOutcome = (typeof appPasswordOutcomes)[number];

/** A backend may take less time; no sign-in waits for the write. */
const withinMs = 5000;
/** Bound for a backend that hangs. A use that is not written now is written at the next sign-in. */
const maxAtOnce = 64;
/** `dropped`: too many writes were in progress. */
export const appPasswordUseResults = ["written", "failed", "dropped"] as const;
export type AppPasswordUseResult = (typeof appPasswordUseResults)[number];

/** Called with the result of each write. */
export type OnAppPasswordUse = (result: AppPasswordUseResult, error?: unknown) => void;

/** Records when app passwords were last used. */
export function createAppPasswordUses(clock: Clock, onResult: OnAppPasswordUse) {
  const running = new Set<Promise<void>>();
  return {
    /** Writes the use if the last one was written long enough ago. A failure to write does not affect the sign-in. */
    recordUse(account: MfaAccount, appPassword: StoredAppPassword): void {
      const seconds = Math.floor(clock.now() / 1000);
      if (!isUseNews(appPassword, seconds)) return;
      if (running.size >= maxAtOnce) return onResult("dropped");
      const context = { deadline: steadyClock.now() + withinMs, signal: abortAfter(withinMs) };
      const one = account
        .touchAppPassword(appPassword.id, seconds, context)
        .then(
          () => onResult("written"),
          (error: unknown) => onResult("failed", error),
        )
        .finally(() => running.delete(one));
      running.add(one);
    },
    /** Resolves when no write is in progress, at most 5 s after the last `recordUse`. */
    async settled(): Promise<void> {
      await Promise.all(running);
    },
  };
}

export type AppPasswordUses = ReturnType<typeof createAppPasswordUses>;
