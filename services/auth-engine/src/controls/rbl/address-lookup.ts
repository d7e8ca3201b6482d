/** What a name server said about a name's IPv4 addresses. `ttlMs` is the record's own life. */
export type LookupAnswer =
  | { readonly kind: "found"; readonly addresses: readonly string[]; readonly ttlMs: number }
  | { readonly kind: "absent" }
  | { readonly kind: "failed"; readonly reason: string };

/** Port of the DNS: addresses of a name. Never throws, and answers within a time of its own. */
export interface AddressLookup {
  lookUp(name: string): Promise<LookupAnswer>;
}
