import type { SigningKeyListed } from "@postern/shared/contracts";
import type { Clock } from "@postern/shared/platform/time";
import type { JWK } from "oidc-provider";
import { oidcSignatures } from "../settings/client-profile.ts";
import type { OidcSettings } from "../settings/oidc-settings.ts";
import { rotationRules, type SigningKey, signingOrder, staticKeys } from "./signing-keys.ts";
import type { SigningKeyStore } from "./signing-keys-redis.ts";

export interface KeysInUse {
  /** In signing order. */
  readonly generated: readonly SigningKey[];
  /** Configured keys that sign before generated ones, each for its `alg`. */
  readonly signing: readonly JWK[];
  /** Configured keys that only verify. */
  readonly verifying: readonly JWK[];
  readonly publishMs: number;
  readonly nowMs: number;
}

const algorithmsOfType: Readonly<Record<string, readonly string[]>> = {
  RSA: ["RS256", "PS256"],
  EC: ["ES256"],
  OKP: ["EdDSA"],
};

function algorithmsOf({ kty = "", alg }: JWK): readonly string[] {
  const algorithms = algorithmsOfType[kty] ?? [];
  return alg === undefined ? algorithms : algorithms.filter((name) => name === alg);
}

/** What operators see of the keys. The first key that fits an algorithm signs with it. */
export function listKeys({ generated, signing, verifying, publishMs, nowMs }: KeysInUse): readonly SigningKeyListed[] {
  const ordered = [...signing, ...generated.map(({ jwk }) => jwk), ...verifying];
  const signers = new Map(
    oidcSignatures.map((name) => [name, ordered.find((jwk) => algorithmsOf(jwk).includes(name))?.kid] as const),
  );
  const ofJwk = (jwk: JWK, source: SigningKeyListed["source"]): SigningKeyListed => ({
    kid: jwk.kid ?? "",
    source,
    algorithms: [...algorithmsOf(jwk)],
    signs: oidcSignatures.filter((name) => signers.get(name) === jwk.kid),
  });
  return [
    ...signing.map((jwk) => ofJwk(jwk, "configured")),
    ...generated.map(({ jwk, createdAtMs }) => {
      const listed = ofJwk(jwk, "generated");
      const signsFromMs = createdAtMs + publishMs;
      return {
        ...listed,
        created: new Date(createdAtMs).toISOString(),
        ...(listed.signs.length === 0 && signsFromMs > nowMs && { signs_from: new Date(signsFromMs).toISOString() }),
      };
    }),
    ...verifying.map((jwk) => ofJwk(jwk, "configured")),
  ];
}

/** Signing keys as operators manage them. Both reject when the keys cannot be read. */
export function createKeyAdministration(
  keys: SigningKeyStore,
  schedule: { readonly settings: OidcSettings; refresh(): Promise<void> },
  clock: Clock,
) {
  return {
    /** Rotates the generated keys; this replica publishes them immediately. */
    rotate: async () => {
      const created = await keys.rotate();
      await schedule.refresh();
      return created;
    },
    list: async (): Promise<readonly SigningKeyListed[]> => {
      const { settings } = schedule;
      const rules = rotationRules(settings);
      const [generated, nowMs] = [await keys.current(), clock.now()];
      return listKeys({
        generated: signingOrder(generated, rules, nowMs),
        signing: staticKeys(settings, true),
        verifying: staticKeys(settings, false),
        publishMs: rules.publishMs,
        nowMs,
      });
    },
  };
}
