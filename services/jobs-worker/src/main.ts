import { createService, privateListenerAt } from "@postern/shared/assembly";
import type { Config } from "@postern/shared/config";
import { runService, type Service } from "@postern/shared/lifecycle";
import { createContext } from "./context.ts";

async function start(config: Config): Promise<Service> {
  const context = createContext(config);
  const { logger, health, privateAddress, queue } = context;
  const privateListener = await privateListenerAt(privateAddress, context);
  health.phase = "ready";
  logger.info("ready");
  return createService({
    config,
    base: context,
    health,
    apply: () => undefined,
    steps: [
      { name: "redis", run: () => queue.disconnect() },
      { name: "private listener", run: () => privateListener.close() },
    ],
  });
}

await runService(start);
