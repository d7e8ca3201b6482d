import { type DelayingProxy, startDelayingProxy } from "./delaying-proxy.ts";

/** A proxy before an LDAP server that records requests. */
export interface LdapProxy extends DelayingProxy {
  /** Names of the requests since the last call, in order, without those by which connections are opened and checked: binds of the service's own user, and reads of the root entry. */
  take(): readonly string[];
}

/** Application tags of requests (RFC 4511 §4). */
const operations: Readonly<Record<number, string>> = { 0x60: "bind", 0x63: "search", 0x66: "modify" };

/** Where the contents of a BER element begin and end; undefined if it is incomplete (X.690 §8.1.3). */
function element(bytes: Buffer, at: number): { readonly from: number; readonly to: number } | undefined {
  const first = bytes[at + 1];
  if (first === undefined) return undefined;
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  const from = at + 2 + lengthBytes;
  if (bytes.length < from) return undefined;
  const length = lengthBytes === 0 ? first : bytes.readUIntBE(at + 2, lengthBytes);
  return bytes.length < from + length ? undefined : { from, to: from + length };
}

/** The name in a bind request, after its version. */
function boundName(message: Buffer, operation: { readonly from: number }): string | undefined {
  const version = element(message, operation.from);
  const name = version === undefined ? undefined : element(message, version.to);
  return name === undefined ? undefined : message.toString("utf8", name.from, name.to);
}

/** The request in a message; undefined for a message that is not counted. */
function requestIn(message: Buffer, serviceDn: string): string | undefined {
  const id = element(message, 0);
  const tag = id === undefined ? undefined : message[id.to];
  const operation = id === undefined ? undefined : element(message, id.to);
  if (tag === undefined || operation === undefined) return undefined;
  if (tag === 0x60 && boundName(message, operation) === serviceDn) return undefined;
  const base = element(message, operation.from);
  const isOfRootEntry = tag === 0x63 && base !== undefined && base.from === base.to;
  return isOfRootEntry ? undefined : operations[tag];
}

/** @param serviceDn the user as which the product itself connects */
export async function startLdapProxy(targetPort: number, serviceDn: string): Promise<LdapProxy> {
  let taken: string[] = [];
  const proxy = await startDelayingProxy(targetPort, () => {
    let pending: Buffer = Buffer.alloc(0);
    return (chunk) => {
      pending = Buffer.concat([pending, chunk]);
      for (let next = element(pending, 0); next !== undefined; next = element(pending, 0)) {
        const request = requestIn(pending.subarray(next.from, next.to), serviceDn);
        if (request !== undefined) taken.push(request);
        pending = pending.subarray(next.to);
      }
    };
  });
  return {
    ...proxy,
    take: () => {
      const requests = taken;
      taken = [];
      return requests;
    },
  };
}
