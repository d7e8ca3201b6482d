import { createSecretKey, hkdfSync } from "node:crypto";
import { keyRingFromConfig } from "@postern/shared/assembly";
import { createPasswordVerifier } from "@postern/shared/domain/passwords";
import { createAttributeFilter } from "@postern/shared/domain/released-attributes";
import { createShadowWriter, shadowProtocol } from "@postern/shared/domain/shadow";
import { endsWithin } from "@postern/shared/platform/concurrency";
import type { Config } from "@postern/shared/platform/config";
import { createKeyedDigest } from "@postern/shared/platform/crypto";
import { AppError, logFields } from "@postern/shared/platform/errors";
import { steadyClock, systemClock } from "@postern/shared/platform/time";
import type { BackendsByName } from "../backends/backends-by-name.ts";
import { backendMaker, decoysMaker } from "../backends/context.ts";
import type { Foundation } from "../foundation.ts";
import { createShadow, type Shadow, type ShadowDeps } from "./shadow.ts";
import { createShadowCounter, kindsIn } from "./shadow-counter.ts";
import { createShadowLog } from "./shadow-log.ts";
import { createShadowMetrics } from "./shadow-metrics.ts";
import type { ShadowSettings } from "./shadow-settings.ts";
import { createShadowReporting } from "./shadow-writer.ts";

interface Parts extends Pick<Foundation, "base" | "redis" | "engineId" | "scripts"> {
  /** Those that decide. */
  readonly backends: Pick<BackendsByName, "current" | "seenFrom">;
}

/** A hash that the shadow verifies takes the processor from one that decides. */
const hashing = { concurrency: 1, maxQueued: 64 };

/** Time for the connections of the shadow to close when the process ends. */
const closeMs = 1000;

/** Called once: every counter and key exists once in a process. */
function createReporting(config: Config, { base, redis, engineId }: Parts) {
  const { prefix: keyPrefix, encryption_secret: secret } = config.storage.redis;
  const keys = keyRingFromConfig(config, "shadow");
  if (keys === undefined)
    throw new AppError("CONFIG_INVALID", {
      detail: "auth.shadow needs a restart: storage.redis.encryption_secret was not set at the start",
    });
  const key = Buffer.from(hkdfSync("sha256", secret, "postern shadow", "names and values", 32));
  const digest = createKeyedDigest(createSecretKey(key));
  const counter = createShadowCounter(systemClock, digest);
  const reporting = createShadowReporting(counter, createShadowWriter({ redis, keyPrefix, keys }, engineId));
  const metrics = createShadowMetrics(base.metrics, base.metricsPrefix);
  const log = createShadowLog(base.logger, steadyClock);
  const outcomes: Pick<ShadowDeps, "onCompared" | "onOmitted"> = {
    onCompared: ({ session, ...about }, comparison) => {
      const kinds = kindsIn(comparison);
      const protocol = shadowProtocol(about.protocol);
      counter.compared(about, comparison);
      metrics.compared(kinds.length > 0, protocol);
      for (const kind of kinds) metrics.differed(kind, protocol);
      if (kinds.length > 0) log.differs({ session, protocol, kinds });
    },
    onOmitted: (reason, protocol, error) => {
      counter.omitted(reason);
      metrics.omitted(reason, shadowProtocol(protocol));
      if (error !== undefined) log.undecided(logFields(error));
    },
  };
  return { ...outcomes, digest, close: reporting.close };
}

/** Creates shadows for the settings of the start and of each reload. */
function shadowMaker(config: Config, parts: Parts, onCloseFailure: (error: unknown) => void) {
  const { base, scripts } = parts;
  let reporting: ReturnType<typeof createReporting> | undefined;
  const make = async (settings: ShadowSettings): Promise<Shadow> => {
    reporting ??= createReporting(config, parts);
    const passwords = createPasswordVerifier({ ...hashing, onUnverifiable: () => undefined });
    const makeBackends = backendMaker({
      // Neither the metrics nor the traces of the backends that decide show what the shadow does, and its lines are marked.
      base: { logger: base.logger.child({ shadow: true }), tracer: undefined },
      metrics: { backendAnswered: () => undefined },
      scripts,
      passwords,
      decoysOf: decoysMaker(config),
      // Its reports would name accounts, and look like those of the backends that decide.
      countUnverifiable: undefined,
    });
    const backends = await makeBackends({ backends: settings.backends, decoys: [] }).catch(async (error: unknown) => {
      await passwords.close();
      throw error;
    });
    const { onCompared, onOmitted, digest } = reporting;
    const shadow = createShadow({
      onCompared,
      onOmitted,
      digest,
      settings,
      backends,
      releasable: createAttributeFilter(settings.secretFields),
      ignored: settings.ignoredAttributes,
      deciding: () => parts.backends.current,
      seenFrom: (domain, backend) => parts.backends.seenFrom(domain, backend),
      clock: steadyClock,
      random: Math.random,
      onCloseFailure,
    });
    const close = async (): Promise<void> => {
      await shadow.close();
      await passwords.close();
    };
    return { ...shadow, close };
  };
  return { make, close: async (): Promise<void> => reporting?.close() };
}

/** The shadow in use; a reload replaces it. While it is off, nothing of it exists. */
export async function createLiveShadow(config: Config, first: ShadowSettings | undefined, parts: Parts) {
  const onCloseFailure = (err: unknown): void =>
    parts.base.logger.warn({ err }, "closing a backend of the shadow failed");
  const shadows = shadowMaker(config, parts, onCloseFailure);
  let current = first && (await shadows.make(first));
  /** Those that a reload has replaced, until their last comparison ends. */
  const retired = new Set<Promise<void>>();
  const retire = (shadow: Shadow): void => {
    const closing = shadow
      .close()
      .catch(onCloseFailure)
      .finally(() => retired.delete(closing));
    retired.add(closing);
  };
  return {
    get current(): Shadow | undefined {
      return current;
    },
    /** Creates the next shadow, which `use` puts in the place of the current one. */
    prepare: async (settings: ShadowSettings | undefined) => {
      const next = settings && (await shadows.make(settings));
      return {
        use: (): void => {
          const before = current;
          current = next;
          if (before !== undefined) retire(before);
        },
        discard: async (): Promise<void> => next?.close(),
      };
    },
    /** Writes what was counted first: connections of a shadow that hangs may never end. */
    close: async (): Promise<void> => {
      await current?.end();
      await shadows.close();
      if (current !== undefined) retire(current);
      await endsWithin(Promise.all(retired), closeMs);
    },
  };
}
