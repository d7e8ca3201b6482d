import type { Ban, BruteForceRecords } from "@postern/shared/domain/brute-force";

const pageSize = 1000;
/** As many as an engine remembers. Further ones are known to Redis only. */
const maxBans = 65_536;

/**
 * Reads the bans in force, so that the engine refuses them while Redis is unavailable.
 *
 * @returns their number
 * @throws Error when Redis does not answer
 */
export async function readBans(
  { listBans }: Pick<BruteForceRecords, "listBans">,
  keep: (ban: Ban) => void,
): Promise<number> {
  let read = 0;
  let cursor: string | undefined;
  do {
    const { bans, next } = await listBans({ cursor, size: pageSize });
    for (const ban of bans) keep(ban);
    read += bans.length;
    cursor = next;
  } while (cursor !== undefined && read < maxBans);
  return read;
}
