import type { Bus, Replica } from "@postern/shared/platform/bus";
import { echo, makeBus } from "./bus-fixture.ts";

export const replica = (instance: string): Replica => ({ instance, outstanding: 0 });

export interface Server extends AsyncDisposable {
  readonly bus: Bus;
  /** The ids of the requests that have arrived. */
  readonly seen: string[];
  /** Answers the requests that it has held back; later ones are answered immediately. */
  release(): void;
}

/** Serves `echo` with its name in the reply; with `holds`, it keeps requests until `release`. */
export async function serve(url: string, instance: string, { holds = false } = {}): Promise<Server> {
  const bus = await makeBus(url);
  const gate = Promise.withResolvers<void>();
  if (!holds) gate.resolve();
  const seen: string[] = [];
  const handler = async (request: { readonly text: string }, { requestId }: { readonly requestId: string }) => {
    seen.push(requestId);
    await gate.promise;
    return { text: request.text, by: instance };
  };
  bus.serve(echo, handler, { instance });
  await bus.flush();
  return { bus, seen, release: () => gate.resolve(), [Symbol.asyncDispose]: () => bus.close() };
}
