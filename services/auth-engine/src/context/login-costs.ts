import type { KeyedDigest } from "@postern/shared/platform/crypto";
import { createLoginCosts, type LoginCosts } from "../backends/ldap/login-costs.ts";

/** Costs of sign-ins in an LDAP pool. What an engine has learned about a pool survives a reload. */
export type LoginCostsOf = (backend: string, pool: string) => LoginCosts;

export function loginCostsMaker(digest: KeyedDigest): LoginCostsOf {
  const learned = new Map<string, LoginCosts>();
  return (backend, pool) => {
    const key = `${backend}\0${pool}`;
    const costs = learned.get(key) ?? createLoginCosts(digest);
    learned.set(key, costs);
    return costs;
  };
}
