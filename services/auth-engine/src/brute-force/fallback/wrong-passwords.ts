import { createBoundedCache } from "@postern/shared/platform/cache";

interface WrongPassword {
  /** 0 if a success has undone the count. */
  countedAtMs: number;
  lastMs: number;
}

const maxAccounts = 16_384;
const maxDigests = 64;

/** Wrong passwords of accounts, by account and network; bounded. */
export function createWrongPasswords() {
  const accounts = createBoundedCache<Map<string, WrongPassword>>({ maxEntries: maxAccounts, evict: "oldest" });
  return {
    /** Whether this one is a repetition; it is remembered either way. */
    repeats: (
      account: string,
      digest: string,
      { nowMs, forMs }: { readonly nowMs: number; readonly forMs: number },
    ): boolean => {
      const passwords = accounts.get(account) ?? new Map<string, WrongPassword>();
      accounts.set(account, passwords);
      const old = passwords.get(digest);
      if (old !== undefined && nowMs - old.lastMs < forMs) {
        old.lastMs = nowMs;
        return true;
      }
      if (old !== undefined || passwords.size < maxDigests) {
        passwords.set(digest, { countedAtMs: nowMs, lastMs: nowMs });
      }
      return false;
    },
    countOf: (account: string): number => accounts.get(account)?.size ?? 0,
    /** Marks the counts as undone by a success and returns their times. Empty if the account has more than `limit`. */
    forgive: (account: string, limit: number): readonly number[] => {
      const passwords = [...(accounts.get(account)?.values() ?? [])];
      if (passwords.length > limit) return [];
      const times = passwords.map(({ countedAtMs }) => countedAtMs).filter((time) => time > 0);
      for (const password of passwords) password.countedAtMs = 0;
      return times;
    },
    clear: (): void => accounts.clear(),
  };
}
