import { createSecretKey } from "node:crypto";
import { createKeyedDigest } from "../../platform/crypto/index.ts";
import { foldedName, knownNetworkOf } from "../brute-force/index.ts";

const networkLength = 8;
const deviceLength = 16;

/** `nonce`: `storage.redis.password_nonce`, which all services share. */
export function createRiskNames(nonce: string) {
  const digest = createKeyedDigest(createSecretKey(Buffer.from(`risk\0${nonce}`)));
  return {
    account: (name: string): string => digest(`account ${foldedName(name)}`, "base64url").slice(0, 22),
    /** Different for each account, so that facts do not show who shares a browser. Empty for an empty text. */
    device: (account: string, device: string): string =>
      device === ""
        ? ""
        : digest(`device ${JSON.stringify([foldedName(account), device])}`, "base64url").slice(0, deviceLength),
    /** Undefined for anything but an address. IPv4 /24, IPv6 /48. */
    network: (address: string): string | undefined => {
      const network = knownNetworkOf(address);
      return network === undefined ? undefined : digest(`network ${network}`, "base64url").slice(0, networkLength);
    },
  };
}

/** Names of accounts and networks in facts: keyed digests, so that a reader of Redis cannot try names or addresses. */
export type RiskNames = ReturnType<typeof createRiskNames>;
