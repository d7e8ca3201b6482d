import { operations } from "@postern/shared/contracts";
import { pathOf } from "../request-path.ts";
import type { FailureBudget } from "./failure-budget.ts";

/** Paths on which users sign in with passwords that they have chosen themselves. */
const passwordPaths = new Set(operations.filter(({ takesPassword }) => takesPassword === true).map(({ path }) => path));
/** Its buckets are stored beside those of API callers and share their event. */
const keyPrefix = "jwt:";

export function isPasswordPath(url: string | undefined): boolean {
  return url !== undefined && passwordPaths.has(pathOf(url));
}

export function passwordKey(addressKey: string): string {
  return `${keyPrefix}${addressKey}`;
}

/** The address in a key of either budget, for logs. */
export function addressOfKey(key: string): string {
  return key.startsWith(keyPrefix) ? key.slice(keyPrefix.length) : key;
}

/** The budget that an event of another gateway refers to. */
export function budgetOf(
  key: string,
  { budget, passwordBudget }: { readonly budget: FailureBudget; readonly passwordBudget: FailureBudget },
): FailureBudget {
  return key.startsWith(keyPrefix) ? passwordBudget : budget;
}
