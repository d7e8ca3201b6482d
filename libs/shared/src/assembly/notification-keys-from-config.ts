import type { Config } from "../platform/config/index.ts";
import type { KeyRing } from "../platform/crypto/key-ring.ts";
import { keyRingFromConfig } from "./key-ring-from-config.ts";

/** The keys of queued user notifications: idp encrypts with them, jobs-worker decrypts. */
export function notificationKeysFromConfig(config: Config): KeyRing | undefined {
  return keyRingFromConfig(config, "notice");
}
