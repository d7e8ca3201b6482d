import { canonicalIp } from "../../platform/net/ip.ts";
import { networkOf } from "../brute-force/index.ts";

/**
 * The canonical address in an operator's input: an address, or a network as lists show it, represented by its first address. Undefined for
 * anything else.
 */
export function flushedAddress(text: string): string | undefined {
  const [bare = "", length] = text.split("/", 2);
  const address = canonicalIp(bare);
  if (address === undefined || length === undefined) return address;
  const longest = address.includes(":") ? 128 : 32;
  const isLength = /^\d{1,3}$/u.test(length) && Number(length) <= longest && text === `${bare}/${length}`;
  if (!isLength || Number(length) === 0) return undefined;
  const network = networkOf(address, Number(length));
  return canonicalIp(network.split("/", 1)[0] ?? "") === address ? address : undefined;
}
