import { type Config, diffReload } from "../config/index.ts";
import type { Health } from "../lifecycle/health.ts";
import type { Service } from "../lifecycle/run-service.ts";
import { type ShutdownStep, shutDown } from "../lifecycle/shutdown.ts";
import type { Base } from "./base.ts";

export interface ServiceParts {
  readonly config: Config;
  readonly base: Base;
  readonly health: Health;
  /** Puts a valid configuration in the place of the old one. When it throws, the old one stays. */
  readonly apply: (next: Config) => Promise<void> | void;
  /** Going down: stop accepting, finish what is in flight, close. */
  readonly steps: readonly ShutdownStep[];
}

/** The same conduct of every service towards its process: reload, refusal, and going down in order. */
export function createService({ config, base, health, apply, steps }: ServiceParts): Service {
  const { logger, processLogger, metrics, prefix, audit } = base;
  const actor = "process";
  const reloads = metrics.counter({
    name: `${prefix}_config_reloads_total`,
    help: "Configurations read again, by what became of them",
    labels: { result: ["applied", "refused"] },
  });
  let current = config;
  const refused = (fields: object): void => {
    reloads({ result: "refused" }).inc();
    audit.record({ event: "configuration.reload", outcome: "failed", actor });
    logger.error(fields, "configuration refused, the old one stays");
  };
  return {
    logger,
    flushLogs: () => processLogger.flush(),
    reload: async (next) => {
      audit.reopen();
      try {
        await apply(next);
      } catch (err) {
        refused({ err });
        return;
      }
      const restartOnly = diffReload(current, next);
      current = next;
      processLogger.setLevel(next.observability.log.level);
      reloads({ result: "applied" }).inc();
      audit.record({ event: "configuration.reload", outcome: "ok", actor });
      logger.info("configuration reloaded");
      if (restartOnly.length > 0) logger.warn({ keys: restartOnly }, "changed keys that need a restart");
    },
    reloadRefused: (problems) => refused({ problems }),
    stop: () => {
      const { shutdown_delay: delayMs, shutdown_grace: graceMs } = current.runtime.timeouts;
      return shutDown({ health, logger, delayMs, graceMs, steps });
    },
  };
}
