import { once } from "node:events";
import { type ChildServer, freePort, pause, poll } from "@postern/testing";
import { expect, test } from "vitest";
import { basicAuth, type Replica, type Stack, startStack } from "../../support/stack.ts";
import { startServiceBalancer } from "./balancer.ts";

/** A path that each service serves. */
const paths = { admin: "/api/v1/bruteforce/list", idp: "/oidc/jwks" } as const;

type ServiceName = keyof typeof paths;

interface Platform extends AsyncDisposable {
  readonly stack: Stack;
  readonly balancer: ChildServer;
  readonly second: Replica;
}

/** A gateway and two replicas of a service behind HAProxy. */
async function startPlatform(name: ServiceName): Promise<Platform> {
  await using started = new AsyncDisposableStack();
  const [httpPort, port] = [await freePort(), await freePort()];
  const stack = started.use(
    await startStack({
      redis: true,
      httpPort,
      settings: {
        runtime: {
          services: { [name]: { url: `http://127.0.0.1:${port}` } },
          servers: { http: { rate_limit: { per_second: 10_000, burst: 10_000 } } },
        },
        identity: { frontend: { enabled: true }, oidc: { enabled: true, issuer: `http://127.0.0.1:${httpPort}` } },
      },
    }),
  );
  const first = await stack.startReplica(name);
  const second = await stack.startReplica(name);
  const balancer = started.use(await startServiceBalancer(port, [first, second]));
  const owned = started.move();
  return { stack, balancer, second, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

const faults = {
  killed: async ({ process }: Replica): Promise<unknown> => {
    process.signal("SIGKILL");
    return once(process.process, "exit");
  },
  frozen: ({ process }: Replica): Promise<unknown> => pause(process),
};

test.each([
  ["admin", "killed"],
  ["admin", "frozen"],
  ["idp", "killed"],
  ["idp", "frozen"],
] as const)(
  "one of two replicas of %s is %s: its paths are 500 at most until the proxy has noticed, then the other serves them",
  async (name, fault) => {
    await using platform = await startPlatform(name);
    const { stack, balancer, second } = platform;
    const status = async (): Promise<number> =>
      (await fetch(`${stack.url}${paths[name]}`, { headers: { authorization: basicAuth } })).status;
    const seen: number[] = [];
    const later: number[] = [];
    let hasNoticed = false;
    const stopping = new AbortController();
    const loop = async (): Promise<void> => {
      while (!stopping.signal.aborted) {
        // What was sent before may end with 500 a moment later.
        const list = hasNoticed ? later : seen;
        list.push(await status());
      }
    };
    const running = Promise.all([loop(), loop(), loop(), loop()]);
    await poll("answers", () => seen.filter((code) => code === 200).length > 40, 60_000);
    await faults[fault](second);
    await poll("the proxy to notice", () => balancer.output().includes("admin2 is DOWN"), 60_000);
    hasNoticed = true;
    await poll("more answers", () => later.length > 40, 60_000);
    stopping.abort();
    await running;
    expect(new Set(later)).toEqual(new Set([200]));
    expect(new Set(seen.filter((code) => code !== 200 && code !== 500))).toEqual(new Set());
  },
);
