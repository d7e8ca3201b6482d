import { createSecretKey } from "node:crypto";
import { createKeyedDigest } from "../../platform/crypto/index.ts";
import { foldedName, knownNetworkOf } from "../brute-force/index.ts";

/** Names of accounts and networks in facts: keyed digests, so that a reader of Redis cannot try names or addresses. */
export interface RiskNames {
  readonly account: (name: string) => string;
  /** Undefined for anything but an address. IPv4 /24, IPv6 /48. */
  readonly network: (address: string) => string | undefined;
  /** Different for each account, so that facts do not show who shares a browser. Empty for an empty text. */
  readonly device: (account: string, device: string) => string;
}

const networkLength = 8;
const deviceLength = 16;

/** `nonce`: `storage.redis.password_nonce`, which all services share. */
export function createRiskNames(nonce: string): RiskNames {
  const digest = createKeyedDigest(createSecretKey(Buffer.from(`risk\0${nonce}`)));
  return {
    account: (name) => digest(`account ${foldedName(name)}`, "base64url").slice(0, 22),
    device: (account, device) =>
      device === ""
        ? ""
        : digest(`device ${JSON.stringify([foldedName(account), device])}`, "base64url").slice(0, deviceLength),
    network: (address) => {
      const network = knownNetworkOf(address);
      return network === undefined ? undefined : digest(`network ${network}`, "base64url").slice(0, networkLength);
    },
  };
}
