import type { ClientKind, ClientUse, ClientUseStore } from "./client-uses-redis.ts";

/** Clients of the configuration are fewer; a site with more loses the use of some for one batch. */
const maxNoted = 10_000;

/** Records which clients are used. Nothing waits for it: the next batch retries uses that could not be written. */
export function createClientUses(
  store: Pick<ClientUseStore, "write">,
  nowMs: () => number,
  everyMs: number,
  onError: (error: unknown) => void,
) {
  let noted = new Map<string, ClientUse>();
  const keep = (use: ClientUse): void => {
    const key = `${use.kind} ${use.id}`;
    if (noted.has(key) || noted.size < maxNoted) noted.set(key, use);
  };
  const flush = async (): Promise<void> => {
    if (noted.size === 0) return;
    const batch = noted;
    noted = new Map();
    try {
      await store.write([...batch.values()]);
    } catch (error) {
      const later = noted;
      noted = batch;
      for (const use of later.values()) keep(use);
      onError(error);
    }
  };
  const timer = setInterval(() => void flush(), everyMs);
  timer.unref();
  return {
    note: (kind: ClientKind, id: string): void => keep({ kind, id, atSeconds: Math.floor(nowMs() / 1000) }),
    /** Writes the uses recorded so far. Never rejects. */
    flush,
    close: async (): Promise<void> => {
      clearInterval(timer);
      await flush();
    },
  };
}

export type ClientUses = ReturnType<typeof createClientUses>;
