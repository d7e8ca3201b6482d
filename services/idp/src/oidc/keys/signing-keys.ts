import { createPrivateKey, generateKeyPair, type KeyObject, randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { AppError } from "@postern/shared/platform/errors";
import type { JWK } from "oidc-provider";
import type { OidcSignature } from "../settings/client-profile.ts";
import { longestLife, type OidcSettings, offeredSignatures } from "../settings/oidc-settings.ts";
import { isRecord, textOf } from "../storage/models.ts";

/** Kinds of keys; an RSA key signs RS256 and PS256. */
export const keyKinds = ["rsa", "ec", "ed25519"] as const;
export type KeyKind = (typeof keyKinds)[number];

const kindOfSignature: Readonly<Record<OidcSignature, KeyKind>> = {
  RS256: "rsa",
  PS256: "rsa",
  ES256: "ec",
  EdDSA: "ed25519",
};

export function kindsFor(signatures: readonly OidcSignature[]): readonly KeyKind[] {
  return keyKinds.filter((kind) => signatures.some((name) => kindOfSignature[name] === kind));
}

export type RotationRules = Readonly<ReturnType<typeof rotationRules>>;

const longestLookMs = 30_000;
const shortestLookMs = 100;

/** Several reads within the publish delay, so that every replica has a key before any replica signs with it. */
export function lookEveryMs({ publishMs, intervalMs }: RotationRules): number {
  return Math.min(longestLookMs, Math.max(shortestLookMs, Math.min(publishMs, intervalMs) / 4));
}

const generate = promisify(generateKeyPair);

async function newPrivateKey(kind: KeyKind): Promise<KeyObject> {
  if (kind === "rsa") return (await generate("rsa", { modulusLength: 2048 })).privateKey;
  if (kind === "ec") return (await generate("ec", { namedCurve: "P-256" })).privateKey;
  return (await generate("ed25519")).privateKey;
}

function jwkOf(key: KeyObject, kid: string): JWK {
  return { ...key.export({ format: "jwk" }), kid, use: "sig" };
}

/** `jwk` is private. `kid` has only letters, digits, - and _: mail servers use it as a file name. */
export async function createSigningKey(kind: KeyKind, nowMs: number) {
  const kid = `${kind}-${randomBytes(9).toString("base64url")}`;
  return { kind, kid, jwk: jwkOf(await newPrivateKey(kind), kid), createdAtMs: nowMs };
}

export type SigningKey = Readonly<Awaited<ReturnType<typeof createSigningKey>>>;

function newestFirst(keys: readonly SigningKey[], kind: KeyKind): readonly SigningKey[] {
  return keys.filter((key) => key.kind === kind).toSorted((a, b) => b.createdAtMs - a.createdAtMs);
}

/** The key that signs: the newest that was published long enough, otherwise the oldest. */
export function activeKey(keys: readonly SigningKey[], kind: KeyKind, rules: RotationRules, nowMs: number) {
  const ordered = newestFirst(keys, kind);
  return ordered.find(({ createdAtMs }) => nowMs - createdAtMs >= rules.publishMs) ?? ordered.at(-1);
}

/** Kinds whose newest key is missing, or so old that its successor must be published. */
export function kindsToMake(keys: readonly SigningKey[], rules: RotationRules, nowMs: number): readonly KeyKind[] {
  return rules.kinds.filter((kind) => {
    const [newest] = newestFirst(keys, kind);
    if (newest === undefined) return true;
    return rules.isRotated && nowMs - newest.createdAtMs >= rules.intervalMs;
  });
}

/** Kinds that an operator's rotation replaces: those whose newest key signs already. */
export function kindsToRotate(keys: readonly SigningKey[], rules: RotationRules, nowMs: number): readonly KeyKind[] {
  return rules.kinds.filter((kind) => {
    const [newest] = newestFirst(keys, kind);
    return newest === undefined || activeKey(keys, kind, rules, nowMs) === newest;
  });
}

/** Relying parties fetch the whole set, so its size is limited. */
const maxOfKind = 16;

export function isFull(keys: readonly SigningKey[]): boolean {
  return keyKinds.some((kind) => keys.filter((key) => key.kind === kind).length >= maxOfKind);
}

/** Removes keys that are no longer needed: a later key signs, and the last token they signed has expired. */
export function withoutRetired(
  keys: readonly SigningKey[],
  rules: RotationRules,
  nowMs: number,
): readonly SigningKey[] {
  return keys.filter((key) => {
    const successor = newestFirst(keys, key.kind).findLast(({ createdAtMs }) => createdAtMs > key.createdAtMs);
    if (successor === undefined) return true;
    // Replicas notice the change at their next read.
    const lastSignatureMs = successor.createdAtMs + rules.publishMs + lookEveryMs(rules);
    return nowMs < Math.max(lastSignatureMs + rules.longestTokenMs, key.createdAtMs + rules.maxAgeMs);
  });
}

/** Signing order: for each kind in use the active key, then upcoming and former ones. */
export function signingOrder(keys: readonly SigningKey[], rules: RotationRules, nowMs: number): readonly SigningKey[] {
  return rules.kinds.flatMap((kind) => {
    const active = activeKey(keys, kind, rules, nowMs);
    const others = newestFirst(keys, kind).filter((key) => key !== active);
    return active === undefined ? others : [active, ...others];
  });
}

function isJwk(value: unknown): value is JWK {
  return isRecord(value) && textOf(value["kty"]) !== undefined && textOf(value["kid"]) !== undefined;
}

/** Reads a stored key set; unknown entries are ignored. */
export function parseSigningKeys(text: string): readonly SigningKey[] {
  const listed: unknown = JSON.parse(text);
  if (!Array.isArray(listed)) return [];
  return listed.flatMap((value: unknown): readonly SigningKey[] => {
    if (!isRecord(value)) return [];
    const { jwk, createdAtMs } = value;
    const kind = keyKinds.find((name) => name === value["kind"]);
    const kid = textOf(value["kid"]);
    if (kind === undefined || kid === undefined || !isJwk(jwk) || typeof createdAtMs !== "number") return [];
    return [{ kind, kid, jwk, createdAtMs }];
  });
}

export function rotationRules(settings: OidcSettings) {
  const { oidc } = settings;
  return {
    /** Kinds of keys that are created and published. Others remain stored, for replicas with another configuration. */
    kinds: kindsFor(offeredSignatures(settings)),
    isRotated: oidc.auto_key_rotation,
    intervalMs: oidc.key_rotation_interval,
    /** Time in the key set before a key signs. */
    publishMs: oidc.key_publish_delay,
    maxAgeMs: oidc.key_max_age,
    longestTokenMs: longestLife(settings, "access_token"),
  };
}

const fileSafe = /^[A-Za-z0-9_-]{1,64}$/;

type KeyConfig = OidcSettings["oidc"]["signing_keys"][number];

/** @throws AppError CONFIG_INVALID for a key that cannot be read */
export function staticKey({ id, key, key_file: file, algorithm }: KeyConfig, isActive: boolean): JWK {
  if (!fileSafe.test(id))
    throw new AppError("CONFIG_INVALID", {
      detail: `identity.oidc.signing_keys: invalid id ${id}: use letters, digits, - and _`,
    });
  try {
    const jwk = jwkOf(createPrivateKey(key === "" ? readFileSync(file, "utf8") : key), id);
    // A key with `alg` signs before one without.
    return isActive ? { ...jwk, alg: algorithm } : jwk;
  } catch (cause) {
    throw new AppError("CONFIG_INVALID", { detail: `identity.oidc.signing_keys: the key ${id} cannot be read`, cause });
  }
}

/**
 * The configured signing keys: active ones are placed before the generated keys, the others only verify.
 *
 * @throws AppError CONFIG_INVALID for a key that cannot be read
 */
export function staticKeys({ oidc }: OidcSettings, isActive: boolean): readonly JWK[] {
  return oidc.signing_keys.filter(({ active }) => active === isActive).map((key) => staticKey(key, isActive));
}
