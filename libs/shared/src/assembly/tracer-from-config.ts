import { readFileSync } from "node:fs";
import type { Config } from "../platform/config/index.ts";
import type { Logger } from "../platform/logging/logger.ts";
import type { Metrics } from "../platform/metrics/registry.ts";
import type { OtlpSettings } from "../platform/tracing/otlp-tracer.ts";
import type { Tracer } from "../platform/tracing/tracer.ts";

type Tracing = Config["observability"]["tracing"];

export function isTraced({ observability: { tracing } }: Config): boolean {
  return tracing.enabled && tracing.exporter !== "none";
}

function file(path: string): Buffer | undefined {
  return path === "" ? undefined : readFileSync(path);
}

/** A receiver without a path has its traces at `/v1/traces` (OTLP/HTTP). */
function receiverUrl({ endpoint, tls }: Tracing): string {
  const isUrl = /^https?:\/\//.test(endpoint);
  const url = new URL(isUrl ? endpoint : `${tls.enabled ? "https" : "http"}://${endpoint}`);
  if (url.pathname === "/") url.pathname = "/v1/traces";
  return url.href;
}

function connection(tracing: Tracing): Pick<OtlpSettings, "url" | "headers" | "tls"> {
  const { tls, authorization } = tracing;
  const url = receiverUrl(tracing);
  return {
    url,
    headers: authorization === "" ? {} : { authorization },
    tls: url.startsWith("https:")
      ? { ca: file(tls.ca_file), cert: file(tls.cert), key: file(tls.key), rejectUnauthorized: !tls.skip_verify }
      : undefined,
  };
}

/** Undefined if tracing is off; its code is then not loaded either. */
export async function tracerFromConfig(
  config: Config,
  { service, instance }: { readonly service: string; readonly instance: string },
  logger: Logger,
  metrics: Metrics,
): Promise<Tracer | undefined> {
  const { tracing } = config.observability;
  if (!isTraced(config)) return undefined;
  const spans = metrics.counter({
    name: `${config.runtime.naming.identifier}_trace_spans_total`,
    help: "Spans of traces: exported, not taken by the receiver, or dropped because too many were waiting",
    labels: { result: ["exported", "failed", "dropped"] },
  });
  const { createOtlpTracer } = await import("../platform/tracing/otlp-tracer.ts");
  return createOtlpTracer({
    ...connection(tracing),
    ratio: tracing.sampler_ratio,
    service: `postern-${service}`,
    instance,
    counted: (result, count) => spans({ result }).inc(count),
    onReceiver: (takesSpans, err) => {
      if (takesSpans) logger.info("the trace collector accepts spans again");
      else logger.warn({ err }, "the trace collector accepts no spans: they are lost; requests are not affected");
    },
  });
}
