/** A name server's answer about a name's IPv4 addresses. `ttlMs` is the record's lifetime. */
export type LookupAnswer =
  | { readonly kind: "found"; readonly addresses: readonly string[]; readonly ttlMs: number }
  | { readonly kind: "absent" }
  | { readonly kind: "failed"; readonly reason: string };

/** Port of the DNS: the addresses of a name. Never throws, and answers within its own time limit. */
export interface AddressLookup {
  lookUp(name: string): Promise<LookupAnswer>;
}
