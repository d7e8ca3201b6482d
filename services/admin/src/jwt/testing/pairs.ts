import type { KeyObject } from "node:crypto";
import { serviceTokenKey } from "@postern/shared/domain/tokens";
import { Secret } from "@postern/shared/platform/crypto";
import { createTokenPairs } from "../token-pair.ts";

export function testKey(secret: Secret = new Secret("test-signing-key-of-32-characters!")): KeyObject {
  return serviceTokenKey(secret);
}

export interface PairOptions {
  readonly accessSeconds?: number;
  readonly refreshSeconds?: number;
  readonly skewSeconds?: number;
  readonly key?: KeyObject;
  readonly identifier?: string;
}

/** Token pairs on a clock and with lifetimes that tests move. */
export function pairsOf({
  accessSeconds = 300,
  refreshSeconds = 3600,
  skewSeconds = 0,
  key = testKey(),
  identifier = "site",
}: PairOptions = {}) {
  const startMs = 1_700_000_000_000;
  const clock = { ms: startMs, now: (): number => clock.ms };
  const lives = { accessSeconds, refreshSeconds };
  const rules = { key, identifier, skewSeconds, clock };
  return { pairs: createTokenPairs(rules, () => lives, clock), rules, clock, lives, startMs };
}
