import { join } from "node:path";
import { scratchFolder } from "@postern/testing";
import { expect, test } from "vitest";
import { accountsBackends, createAccountsDatabase } from "../support/accounts-database.ts";
import { askAccounts, pagesHeld, residentMiB } from "../support/ask-accounts.ts";
import { startStack } from "../support/stack.ts";

const count = 1_000_000;
/** The gateway requests pages of this size. */
const accountsPerPage = 500;
/**
 * Size of the old space in MiB, too small for a million names. Resident memory proves little, because the runtime collects
 * garbage only when it must; finishing with a small heap proves that the list is never held in memory.
 */
const heap = 48;

test("a slow client reads a million accounts with constant memory in gateway and engine", async () => {
  await using folder = await scratchFolder();
  const file = join(folder.path, "accounts.sqlite");
  createAccountsDatabase({ file, count, nameLength: 60 });
  const env = { NODE_OPTIONS: `--max-old-space-size=${heap} --max-semi-space-size=4` };
  await using stack = await startStack({ engines: 2, backends: accountsBackends(file), env });
  const services = [stack.gateway, ...stack.engines];
  const before = services.map(residentMiB);
  const peak = [...before];
  const response = await askAccounts(stack.url, { accept: "text/plain" });
  let lineBreaks = 0;
  let nextPause = 0;
  for await (const chunk of response) {
    if (!Buffer.isBuffer(chunk)) continue;
    for (const byte of chunk) if (byte === 0x0a) lineBreaks += 1;
    if (lineBreaks < nextPause) continue;
    nextPause += count / 4;
    // The client reads nothing meanwhile. The sockets hold a few megabytes, which are a tenth of the list.
    expect((await pagesHeld(stack.engines)) * accountsPerPage - lineBreaks).toBeLessThan(count / 4);
    for (const [index, service] of services.entries()) {
      peak[index] = Math.max(peak[index] ?? 0, residentMiB(service));
    }
  }
  expect(lineBreaks).toBe(count - 1);
  for (const [index, memory] of peak.entries()) expect(memory - (before[index] ?? 0)).toBeLessThan(56);
});
