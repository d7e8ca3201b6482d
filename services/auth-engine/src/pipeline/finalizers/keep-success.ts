import type { Finalizer } from "../step.ts";
import { recordSuccess } from "./record-success.ts";
import { writeCaches } from "./write-caches.ts";

/**
 * Checks the ban again and writes the caches in one round trip. The cache entry of a success that the ban then refuses
 * is harmless, because the ban is checked before the caches are read.
 */
export const keepSuccess: Finalizer = {
  name: "keep-success",
  run: async (attempt, decision, { facts }, deps) => {
    if (decision.outcome !== "ok") return decision;
    const written = writeCaches(attempt, decision, facts, deps);
    const recorded = recordSuccess(attempt, decision, facts, deps);
    const [standing] = await Promise.all([recorded, written]);
    return standing;
  },
};
