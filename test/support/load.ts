import { alice, askJson } from "./ask-json.ts";

/** One kind of request and the status of its correct response. */
export interface LoadRequest {
  readonly name: string;
  readonly body: object;
  readonly query?: string;
  readonly right: number;
}

export const lookUp: LoadRequest = {
  name: "lookup",
  body: { username: alice.username, protocol: "imap" },
  query: "?mode=no-auth",
  right: 200,
};
const unknown: LoadRequest = {
  ...lookUp,
  name: "unknown",
  body: { username: "unknown", protocol: "imap" },
  right: 403,
};
const rightLogin: LoadRequest = { name: "right login", body: alice, right: 200 };
const wrongLogin: LoadRequest = { name: "wrong login", body: { ...alice, password: "wrong" }, right: 403 };

/** Mostly lookups, because a password check takes milliseconds of CPU time. */
const mixed: readonly LoadRequest[] = [
  ...Array.from({ length: 12 }, () => lookUp),
  unknown,
  rightLogin,
  ...Array.from({ length: 12 }, () => lookUp),
  unknown,
  wrongLogin,
];

export interface Surprise {
  readonly name: string;
  /** 0 if there was no response. */
  readonly status: number;
  readonly detail: string;
  readonly tookMs: number;
  /** The time by `performance.now()`. */
  readonly endedAt: number;
}

export interface Load extends AsyncDisposable {
  /** Number of finished requests, whatever the response. */
  readonly answered: () => number;
  /** The longest time that a request has taken so far, whatever the response. */
  readonly slowestMs: () => number;
  /** Wrong responses so far. */
  readonly surprises: () => readonly Surprise[];
  /** Stops after the current requests have finished. */
  stop(): Promise<readonly Surprise[]>;
}

export interface LoadOptions {
  readonly loops?: number;
  readonly requests?: readonly LoadRequest[];
}

/** Starts loops that send requests without pause until `stop` is called. */
export function startLoad(url: string, { loops = 32, requests = mixed }: LoadOptions = {}): Load {
  const surprises: Surprise[] = [];
  let answered = 0;
  let slowestMs = 0;
  const stopping = new AbortController();
  const ask = async ({ name, body, query, right }: LoadRequest): Promise<void> => {
    const started = performance.now();
    const outcome = await askJson(url, body, { query }).then(
      (answer) => ({ status: answer.status, detail: answer.body }),
      (error: unknown) => ({ status: 0, detail: error instanceof Error ? String(error.cause ?? error) : "" }),
    );
    const endedAt = performance.now();
    const tookMs = endedAt - started;
    answered += 1;
    slowestMs = Math.max(slowestMs, tookMs);
    if (outcome.status !== right) surprises.push({ name, ...outcome, tookMs, endedAt });
  };
  const loop = async (first: number): Promise<void> => {
    for (let turn = first; !stopping.signal.aborted; turn += 1) {
      const request = requests[turn % requests.length];
      if (request !== undefined) await ask(request);
    }
  };
  const running = Promise.all(Array.from({ length: loops }, (_value, index) => loop(index)));
  const stop = async (): Promise<readonly Surprise[]> => {
    stopping.abort();
    await running;
    return surprises;
  };
  return {
    answered: () => answered,
    slowestMs: () => slowestMs,
    surprises: () => surprises,
    stop,
    // A test that fails must not leave the load to those after it.
    [Symbol.asyncDispose]: async () => void (await stop()),
  };
}
