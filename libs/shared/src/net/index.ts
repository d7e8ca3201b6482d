export { addressKey } from "./address-key.ts";
export { type CidrSet, createCidrSet, parseCidr } from "./cidr-set.ts";
export {
  callerBehind,
  type ForwardedAddresses,
  type Peer,
  peerOf,
  resolveForwardedFor,
  type ToldAddresses,
} from "./forwarded-for.ts";
export { type HostPort, parseHostPort } from "./host-port.ts";
export { canonicalIp } from "./ip.ts";
