import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { freePort, type ServerPlace } from "@postern/testing";
import { afterAll } from "vitest";

const run = promisify(execFile);
const removals = new Set<() => Promise<void>>();

// A test that times out never disposes of its hosts, and their namespaces would stay on this machine.
afterAll(async () => {
  for (const remove of removals) await remove();
});

/** A host with a network cable of its own: a network namespace. Needs root. */
export interface Host extends ServerPlace, AsyncDisposable {
  /** The address at which the host reaches this one. */
  readonly here: string;
  /** From now on, packets to and from the host are dropped: connections do not end, and new ones are not refused. */
  vanish(): Promise<void>;
}

async function ip(...words: readonly string[]): Promise<string> {
  return (await run("ip", words)).stdout;
}

/** Two addresses of 100.64.0.0/10 (RFC 6598) that no other test of this machine uses, because no other one has the port. */
async function freeAddresses(): Promise<readonly [name: string, here: string, there: string]> {
  const port = await freePort();
  const base = 4 * port;
  const address = (last: number): string => `100.${64 + (base >> 16)}.${(base >> 8) & 255}.${(base & 255) + last}`;
  return [`host${port}`, address(1), address(2)];
}

export async function startHost(): Promise<Host> {
  const [name, here, address] = await freeAddresses();
  const remove = async (): Promise<void> => {
    if (!removals.delete(remove)) return;
    await ip("netns", "delete", name);
    // Goes with the namespace, unless a process is still in it.
    await ip("link", "delete", name).catch(() => undefined);
  };
  await ip("netns", "add", name);
  removals.add(remove);
  try {
    const inside = (...words: readonly string[]): Promise<string> => ip("-n", name, ...words);
    await ip("link", "add", name, "type", "veth", "peer", "name", "eth0", "netns", name);
    await ip("address", "add", `${here}/30`, "dev", name);
    await ip("link", "set", name, "up");
    await inside("address", "add", `${address}/30`, "dev", "eth0");
    await inside("link", "set", "lo", "up");
    await inside("link", "set", "eth0", "up");
    const [hardware = ""] = /[0-9a-f:]{17}/.exec(await inside("link", "show", "eth0")) ?? [];
    // Without an entry that stays, senders would learn after three seconds that no host has the address.
    await ip("neighbour", "replace", address, "lladdr", hardware, "dev", name, "nud", "permanent");
    return {
      address,
      here,
      enter: ["ip", "netns", "exec", name],
      vanish: async () => void (await inside("link", "set", "eth0", "down")),
      [Symbol.asyncDispose]: remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}
